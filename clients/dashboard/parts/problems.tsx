import { useEffect, useRef } from "preact/hooks";
import type { StatusProblem } from "../../../shared/api/index.ts";
import { type ActKind, acts } from "../act/kinds.ts";
import { linkTo, type Place } from "../place.ts";
import { session } from "../service/session.ts";
import { counted } from "../words.ts";
import { announce } from "./announce.tsx";
import { Prose } from "./prose.tsx";

const words: Readonly<Record<StatusProblem["gravity"], string>> = {
  stopped: "Stopped",
  degraded: "Degraded",
  notice: "Notice",
};

/** What can be done about a kind of problem from here: an act, a view to go to. */
interface Remedy {
  readonly act?: ActKind;
  readonly link?: readonly [title: string, place: Partial<Place>];
}

const toConfiguration: Remedy = { link: ["Configuration", { view: "config" }] };
const toLimits: Remedy = { link: ["Limits", { view: "limits" }] };
const toOperations: Remedy = { link: ["Operations", { view: "operations" }] };
const toRejects: Remedy = { link: ["Rejects", { view: "rejects" }] };

const remedies: Readonly<Record<string, Remedy>> = {
  paused: { act: "resume" },
  "login-refused": { act: "resume" },
  "nodes-failed": {
    act: "retry-failed",
    link: ["Failed nodes", { view: "nodes", options: { where: "state:Failed" } }],
  },
  "boots-failing": toOperations,
  "operation-failed": toOperations,
  "operation-lost": toOperations,
  "demand-unknown": toRejects,
  "set-aside": toRejects,
  rejections: toRejects,
  configuration: toConfiguration,
  "read-only": toConfiguration,
  "certificates-not-verified": toConfiguration,
  clipped: toConfiguration,
  "demand-held-back": toConfiguration,
  "sources-full": toConfiguration,
  "capacity-back-off": toLimits,
  "quota-refused": toLimits,
  "jobs-waiting": { link: ["Waiting jobs", { view: "jobs", options: { state: "waiting" } }] },
};

/** The gravest, with what to do; the service sorts them. */
const mostInFull = 3;

interface ProblemsShown {
  readonly cluster: string;
  readonly problems: readonly StatusProblem[];
  readonly onAct: (kind: ActKind) => void;
}

export function Problems({ cluster, problems, onAct }: ProblemsShown) {
  useNewOnes(problems);
  if (problems.length === 0) return <p class="problem fine">Nothing is wrong.</p>;
  const others = problems.length - mostInFull;
  // What is left out is a line: figures below have to be seen too.
  if (others <= 1) return <ProblemList cluster={cluster} problems={problems} onAct={onAct} />;
  return (
    <>
      <ProblemList cluster={cluster} problems={problems.slice(0, mostInFull)} onAct={onAct} />
      <details>
        <summary>{counted(others, "more problem")}</summary>
        <ProblemList cluster={cluster} problems={problems.slice(mostInFull)} onAct={onAct} />
      </details>
    </>
  );
}

function ProblemList({ cluster, problems, onAct }: ProblemsShown) {
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map(({ gravity, kind, text, next }, index) => {
        const { act, link } = (Object.hasOwn(remedies, kind) && remedies[kind]) || {};
        // It ends all problems of its kind.
        const isFirst = problems.findIndex((each) => each.kind === kind) === index;
        return (
          <li key={`${kind} ${index}`} class={`problem ${gravity}`}>
            <p>
              <strong>{words[gravity]}.</strong> <Prose text={text} />
            </p>
            <p>
              <Prose text={next} />{" "}
              {link === undefined ? null : <a href={linkTo({ cluster, ...link[1] })}>{link[0]}</a>}
            </p>
            {act === undefined || !isFirst || !session.mayOperate ? null : (
              <button type="button" onClick={() => onAct(act)}>
                {acts[act].title}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Says which problems are new, and when the last is gone. Their texts have figures that change all the time. */
function useNewOnes(problems: readonly StatusProblem[]): void {
  const grave = problems.filter(({ gravity }) => gravity !== "notice");
  const kinds = grave.map(({ gravity, kind }) => `${gravity} ${kind}`).join();
  const last = useRef(kinds);
  useEffect(() => {
    const kindsBefore = last.current.split(",");
    const isKnown = ({ gravity, kind }: StatusProblem) => kindsBefore.includes(`${gravity} ${kind}`);
    if (kinds === "" && last.current !== "") announce("The problems are over.");
    const added = grave.filter((each) => !isKnown(each));
    if (added.length > 0) announce(added.map(({ gravity, text }) => `${words[gravity]}. ${text}`).join(" "));
    last.current = kinds;
  }, [kinds]);
}
