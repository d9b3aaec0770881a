import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type {
  ClusterStatus,
  RejectAnswer,
  RejectionView,
  RejectsAnswer,
  ReplayAnswer,
} from "../../../shared/api/index.ts";
import { readSetting } from "../../../shared/json/config-path.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { ActForm } from "../act/act-form.tsx";
import { commandLine } from "../act/command-line.ts";
import { Figures } from "../parts/figures.tsx";
import { AllOf } from "../parts/links.tsx";
import { Refusal } from "../parts/refusal.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { linkTo } from "../place.ts";
import { call, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { session } from "../service/session.ts";
import { Editor, ToLine } from "../text/editor.tsx";
import { compact, lineOf, linesIn, pretty, whyNoJson } from "../text/json-text.ts";
import { Source } from "../text/source.tsx";
import { count, counted } from "../words.ts";

const kinds: Readonly<Record<RejectionView["kind"], string>> = {
  "set-aside": "set aside: the rest of the message took effect",
  invalid: "invalid: nothing of it took effect",
  poison: "given up after too many tries",
  "dead-letter": "given up by the queue",
};

interface Named {
  readonly cluster: string;
  readonly rejectionId: string;
}

/** One rejected message: what is wrong with it, where; and a way to fix it and send it again. */
export function Reject({ cluster, rejectionId }: Named) {
  return (
    <>
      <AllOf cluster={cluster} view="rejects" />
      <h1>Rejected message</h1>
      {session.mayOperate ? (
        <Whole cluster={cluster} rejectionId={rejectionId} />
      ) : (
        <Excerpt cluster={cluster} rejectionId={rejectionId} />
      )}
    </>
  );
}

/** What those may see who may not act: the message itself is for operators. */
function Excerpt({ cluster, rejectionId }: Named) {
  const polled = usePolled<RejectsAnswer>(`${pathOf("clusters", cluster, "rejects")}?limit=1000`);
  return (
    <Shown polled={polled}>
      {({ rejections }) => {
        const rejection = rejections.find((each) => each.rejectionId === rejectionId);
        if (rejection === undefined) return <p>No rejected message “{rejectionId}” is kept.</p>;
        return (
          <>
            <Facts rejection={rejection} />
            <Problems problems={rejection.problems} />
            <h2>How it begins</h2>
            <Source label="Start of the message" text={rejection.excerpt} />
            <p class="quiet">Operators see the whole message, and can send it again.</p>
          </>
        );
      }}
    </Shown>
  );
}

function Whole({ cluster, rejectionId }: Named) {
  const polled = usePolled<RejectAnswer>(pathOf("clusters", cluster, "rejects", rejectionId));
  return (
    <Shown polled={polled}>
      {({ rejection, message }) => (
        <>
          <Facts rejection={rejection} />
          <Message cluster={cluster} rejection={rejection} message={message} />
        </>
      )}
    </Shown>
  );
}

function Facts({ rejection }: { readonly rejection: RejectionView }) {
  const { kind, source, cluster, queue, receivedAtSeconds, attempts, replayedAtSeconds } = rejection;
  const figures = [
    ["Kind", kinds[kind]],
    ["Came", <Time key="came" at={receivedAtSeconds} />],
    ["Source", source ?? "not named"],
    ["Cluster", cluster ?? "none that is configured"],
    ["Queue", queue],
    ["Deliveries", attempts === undefined ? "–" : count(attempts)],
    ["Sent again", replayedAtSeconds === undefined ? "no" : <Time key="again" at={replayedAtSeconds} />],
  ] as const;
  return <Figures isSmall figures={figures} />;
}

function Problems(props: {
  readonly problems: readonly string[];
  readonly before?: (problem: string) => preact.ComponentChildren;
}) {
  const { problems, before } = props;
  return (
    <>
      <h2>{counted(problems.length, "problem")}</h2>
      <ul class="problem degraded">
        {problems.map((problem) => (
          <li key={problem}>
            {before?.(problem)}
            {problem}
          </li>
        ))}
      </ul>
    </>
  );
}

function Message(props: {
  readonly cluster: string;
  readonly rejection: RejectionView;
  /** Null: too large to be kept. */
  readonly message: string | null;
}) {
  const { cluster, rejection, message } = props;
  const { rejectionId, queue } = rejection;
  const broken = message === null ? undefined : whyNoJson(message);
  // The service says that it is no object, and not where.
  const problems = [...rejection.problems, ...(broken === undefined ? [] : [broken])];
  // As it was when the view was opened: what the viewer writes must stay.
  const [first] = useState(() => pretty(message ?? ""));
  const [text, setText] = useState(first);
  const [isFixing, setIsFixing] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFixing) box.current?.focus();
  }, [isFixing]);
  const lines = useMemo(() => linesIn(first), []);
  const marked = new Set(problems.map((each) => lineOf(each, lines)).filter((line) => line !== undefined));
  const isFixed = text !== first;
  const canFix = queue === "job-demand";
  return (
    <>
      <Problems
        problems={problems}
        before={(problem) => isFixing && <ToLine problem={problem} box={box} lines={lines} text={first} />}
      />
      {isFixing ? null : <h2>Message</h2>}
      {message === null ? (
        <p>
          It was too large to be kept. It begins: <code>{rejection.excerpt}</code>
        </p>
      ) : isFixing ? null : (
        <Source label="Message" text={first} marked={marked} />
      )}
      <h2>Send again</h2>
      <ActForm<ReplayAnswer>
        title={isFixed ? "Send the fixed message" : "Send it again"}
        takesReason={false}
        fields={(isAsked) =>
          isFixing ? (
            <Editor label="Message to send" box={box} text={text} isFixed={isAsked} onText={setText} />
          ) : canFix && !isAsked ? (
            <p>
              {message === null ? "" : "As it came, or: "}
              <button type="button" onClick={() => setIsFixing(true)}>
                {message === null ? "Write one in its place" : "Fix it first"}
              </button>
            </p>
          ) : null
        }
        ask={async ({ dryRun }) => {
          // A queue takes messages of a size: the spaces that make it readable stay here.
          const fixed = isFixed ? { message: compact(text) } : {};
          const path = pathOf("clusters", cluster, "rejects", rejectionId, "replay");
          const body = { by: session.name, dryRun, ...fixed };
          const { answer } = await call<ReplayAnswer>(path, { method: "POST", body });
          return answer as ReplayAnswer;
        }}
        isPossible={({ outcome }) => outcome === "would"}
        show={({ summary }) => (
          <p>
            <strong>{summary}</strong>
          </p>
        )}
        commandOf={() => {
          const file = isFixed ? ["--file", "fixed.json"] : [];
          return commandLine(["ccscale", "rejects", "replay", rejectionId, ...file, "--cluster", cluster]);
        }}
        followUp={({ atSeconds }) => (
          <Taken cluster={cluster} atSeconds={atSeconds} text={text} rejectionId={rejectionId} />
        )}
        refusal={(error) => {
          const own = { lines: linesIn(text), text, box };
          return (
            <Refusal error={error} before={(problem) => isFixing && <ToLine problem={problem} {...own} />} />
          );
        }}
      />
    </>
  );
}

/** What became of a message that was sent again: its source has it, or it was refused once more. */
function Taken(props: {
  readonly cluster: string;
  readonly rejectionId: string;
  readonly atSeconds: number;
  readonly text: string;
}) {
  const { cluster, rejectionId, atSeconds, text } = props;
  const { answer } = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"));
  const sent = readSetting(text);
  if (!isDictionary(sent)) return null;
  const source = answer?.demand.find((each) => each.source === sent.source);
  const again = answer?.rejections.find(
    (each) =>
      each.rejectionId !== rejectionId &&
      each.source === sent.source &&
      each.receivedAtSeconds >= atSeconds &&
      each.kind !== "set-aside",
  );
  return (
    <p aria-live="polite">
      {again !== undefined ? (
        <>
          It was refused once more:{" "}
          <a href={linkTo({ cluster, view: "rejects", subject: again.rejectionId })}>
            {counted(again.problems.length, "problem")}
          </a>
        </>
      ) : source !== undefined && source.receivedAtSeconds >= atSeconds ? (
        `It has arrived: source “${source.source}” wants ${counted(source.jobs, "job")}.`
      ) : (
        "On its way…"
      )}
    </p>
  );
}
