import { useId, useRef, useState } from "preact/hooks";
import type { ActionAnswer } from "../../../shared/api/index.ts";
import { CallError, call, pathOf } from "../service/call.ts";
import { session } from "../service/session.ts";
import { counted } from "../words.ts";
import { FollowUp } from "./follow-up.tsx";
import { type ActKind, acts, bodyOf, commandOf } from "./kinds.ts";

interface Asked {
  readonly cluster: string;
  readonly kind: ActKind;
  /** Nodes that it is about. */
  readonly names: readonly string[];
  readonly onDone: () => void;
}

/** Asks for something to be done: first for a reason, then shows what would be done, and does it when that is confirmed. */
export function ActButton(asked: Asked) {
  const { kind, names } = asked;
  const { title, onNodes } = acts[kind];
  const dialog = useRef<HTMLDialogElement>(null);
  // As it was asked for: what is confirmed must not change with the view behind it.
  const [opened, setOpened] = useState<Asked>();
  if (!session.mayOperate) return null;
  const open = () => {
    setOpened(asked);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" disabled={onNodes && names.length === 0} onClick={open}>
        {title}
      </button>
      <dialog
        ref={dialog}
        onClose={() => setOpened(undefined)}
        aria-label={opened === undefined ? title : acts[opened.kind].title}
      >
        {opened === undefined ? null : <Steps {...opened} close={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Steps({ cluster, kind, names, onDone, close }: Asked & { readonly close: () => void }) {
  const id = useId();
  const { title, means, onNodes, isDestructive } = acts[kind];
  const [reason, setReason] = useState("");
  const [shown, setShown] = useState<ActionAnswer>();
  const [done, setDone] = useState<ActionAnswer>();
  const [error, setError] = useState<CallError>();
  const [isBusy, setIsBusy] = useState(false);
  const [key] = useState(() => crypto.randomUUID());

  const ask = async (dryRun: boolean) => {
    setIsBusy(true);
    setError(undefined);
    try {
      const { answer } = await call<ActionAnswer>(pathOf("clusters", cluster, "actions"), {
        method: "POST",
        body: bodyOf(kind, { names, reason: reason.trim(), by: session.name, dryRun }),
        // A second click, or a repeat after a lost answer, asks for nothing new.
        headers: dryRun ? {} : { "idempotency-key": key },
      });
      if (dryRun) setShown(answer);
      else {
        setDone(answer);
        onDone();
      }
    } catch (thrown) {
      if (!(thrown instanceof CallError)) throw thrown;
      setError(thrown);
    } finally {
      setIsBusy(false);
    }
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void ask(shown === undefined);
      }}
    >
      <h2>{title}</h2>
      <p>
        {onNodes ? `${counted(names.length, "node")}. ` : ""}
        {means}
      </p>
      {done === undefined ? (
        <>
          <label for={id}>Reason, for the record</label>
          <input
            id={id}
            required
            maxLength={500}
            value={reason}
            readOnly={shown !== undefined}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </>
      ) : null}
      {error === undefined ? null : (
        <div role="alert" class="problem stopped">
          <p>{error.message}</p>
          {error.problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      <div aria-live="polite">
        {done === undefined ? shown && <Answer answer={shown} /> : <Answer answer={done} />}
      </div>
      {done === undefined ? null : <FollowUp cluster={cluster} answer={done} />}
      {shown === undefined || done !== undefined ? null : (
        <p class="quiet">
          In a terminal: <code>{commandOf(kind, { cluster, names, reason: reason.trim() })}</code>
        </p>
      )}
      <div class="acts">
        {done !== undefined ? null : shown === undefined ? (
          <button type="submit" disabled={isBusy}>
            Show what would be done
          </button>
        ) : (
          <button
            type="submit"
            class={isDestructive === true ? "danger" : "main"}
            disabled={isBusy || !(shown.outcome === "would" || shown.outcome === "requested")}
          >
            {title}
          </button>
        )}
        <button type="button" class="plain" onClick={close}>
          {done === undefined ? "Cancel" : "Close"}
        </button>
      </div>
    </form>
  );
}

const mostNamed = 20;

/** What was, or would be, done; and which nodes are left alone. */
function Answer({ answer: { summary, actions, skipped, problems } }: { readonly answer: ActionAnswer }) {
  const nodes = actions.flatMap((action) => action.nodes.map(({ name }) => name));
  return (
    <div class="answer">
      <p>
        <strong>{summary}</strong>
      </p>
      {nodes.length === 0 ? null : (
        <p>
          {nodes.slice(0, mostNamed).join(", ")}
          {nodes.length > mostNamed ? ` and ${nodes.length - mostNamed} more` : ""}
        </p>
      )}
      {[
        ...problems,
        ...skipped.slice(0, mostNamed).map(({ node, why, next }) => `${node}: ${why}. ${next}`),
      ].map((line) => (
        <p key={line} class="quiet">
          {line}
        </p>
      ))}
    </div>
  );
}
