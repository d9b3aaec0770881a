import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { parseDuration } from "../../../shared/text/durations.ts";
import { call, pathOf } from "../service/call.ts";
import { session } from "../service/session.ts";
import { count, counted, sentence } from "../words.ts";
import { ActForm } from "./act-form.tsx";
import { FollowUp } from "./follow-up.tsx";
import { type ActKind, type ActNode, acts, bodyOf, commandOf, isOnNodes } from "./kinds.ts";

export interface Asked {
  readonly cluster: string;
  readonly kind: ActKind;
  /** Nodes that it is about. */
  readonly nodes: readonly ActNode[];
  readonly onDone: () => void;
}

/** A dialog for acts, which stays open whatever becomes of the button that opened it. */
export function useActDialog(): {
  readonly open: (asked: Asked) => void;
  readonly dialog: VNode;
} {
  const box = useRef<HTMLDialogElement>(null);
  // As it was asked for: what is confirmed must not change with the view behind it.
  const [opened, setOpened] = useState<Asked>();
  return {
    open: (asked) => {
      setOpened(asked);
      box.current?.showModal();
    },
    dialog: (
      <dialog
        ref={box}
        onClose={() => setOpened(undefined)}
        aria-label={opened === undefined ? "Act" : acts[opened.kind].title}
      >
        {opened === undefined ? null : <Steps {...opened} close={() => box.current?.close()} />}
      </dialog>
    ),
  };
}

export function ActButton(asked: Asked) {
  const { kind, nodes } = asked;
  const { title } = acts[kind];
  const { open, dialog } = useActDialog();
  if (!session.mayOperate) return null;
  return (
    <>
      <button type="button" disabled={isOnNodes(kind) && nodes.length === 0} onClick={() => open(asked)}>
        {title}
      </button>
      {dialog}
    </>
  );
}

function Steps({ cluster, kind, nodes, onDone, close }: Asked & { readonly close: () => void }) {
  const { title, means, isDestructive = false, mayEnd = false, isInTurns = false } = acts[kind];
  const [atOnce, setAtOnce] = useState("10%");
  const [lasts, setLasts] = useState("");
  // Empty: until somebody ends it.
  const forSeconds = lasts.trim() === "" ? undefined : parseDuration(lasts);
  const [key] = useState(() => crypto.randomUUID());
  return (
    <>
      <h2>{title}</h2>
      <p>
        {isOnNodes(kind) ? `${counted(nodes.length, "node")}. ` : ""}
        {means}
      </p>
      <ActForm<ActionAnswer>
        title={title}
        isDestructive={isDestructive}
        {...(mayEnd && {
          fields: (isFixed) => (
            <label>
              For how long, if it shall end by itself
              <input
                placeholder="2h"
                value={lasts}
                readOnly={isFixed}
                onInput={({ currentTarget }) => {
                  const { value } = currentTarget;
                  const isReadable = value.trim() === "" || parseDuration(value) !== undefined;
                  currentTarget.setCustomValidity(isReadable ? "" : "Expected a time such as 2h or 1d12h");
                  setLasts(value);
                }}
              />
            </label>
          ),
        })}
        {...(isInTurns && {
          fields: (isFixed) => (
            <label>
              How many at the same time
              <input
                required
                pattern="[1-9]\d{0,3}|(100|[1-9]\d?)%"
                title="A number of nodes, or a share such as 10%"
                value={atOnce}
                readOnly={isFixed}
                onInput={({ currentTarget }) => setAtOnce(currentTarget.value)}
              />
            </label>
          ),
        })}
        onDone={onDone}
        close={close}
        ask={async ({ reason, dryRun }) => {
          const { answer } = await call<ActionAnswer>(pathOf("clusters", cluster, "actions"), {
            method: "POST",
            body: bodyOf(kind, { nodes, reason, by: session.name, dryRun, forSeconds, atOnce }),
            // A second click, or a repeat after a lost answer, asks for nothing new.
            headers: dryRun ? {} : { "idempotency-key": key },
          });
          return answer as ActionAnswer;
        }}
        isPossible={({ outcome }) => outcome === "would" || outcome === "requested"}
        show={(answer) => <Answer answer={answer} />}
        commandOf={(reason) => commandOf(kind, { cluster, nodes, reason, forSeconds, atOnce })}
        followUp={(answer) => <FollowUp cluster={cluster} answer={answer} />}
      />
    </>
  );
}

const mostNamed = 20;

function Answer({ answer: { summary, actions, skipped, problems } }: { readonly answer: ActionAnswer }) {
  const nodes = actions.flatMap((action) => action.nodes.map(({ name }) => name));
  return (
    <>
      <p>
        <strong>{summary}</strong>
      </p>
      {nodes.length === 0 ? null : (
        <p>
          {nodes.slice(0, mostNamed).join(", ")}
          {nodes.length > mostNamed ? ` and ${count(nodes.length - mostNamed)} more` : ""}
        </p>
      )}
      {problems.map((line) => (
        <p key={line} class="problem degraded">
          {sentence(line)}
        </p>
      ))}
      {skipped
        .slice(0, mostNamed)
        .map(({ node, why, next }) => `${node}: ${why}. ${next}`)
        .map((line) => (
          <p key={line} class="quiet">
            {line}
          </p>
        ))}
    </>
  );
}
