import type { ExplainAnswer } from "../../api/index.ts";
import {
  type JobOutcome,
  kindName,
  mainReasons,
  type NodeHistory,
  type Reason,
  type TargetOutcome,
} from "../../engine/index.ts";
import { isOpen, type Operation, type WaitingJob } from "../../ports/index.ts";
import { ofHistory } from "../events/of-records.ts";
import type { OutlookJob } from "../job-states.ts";
import type { Outlook } from "../outlook.ts";
import { jobSentences } from "./reason-words.ts";

type Step = ExplainAnswer["planner"][number];

const mostSteps = 20;

/** What the planner did about a job and when, newest first: what it asked CycleCloud for, and what its plans saw. */
export function plannerTrail(outlook: Outlook, each: OutlookJob): readonly Step[] {
  const { placements, asked, granted, reasons } = each.outcome;
  const nodes = placements.map(({ node }) => node);
  const refused = granted < asked ? reasons : [];
  const requests = requestsFor(outlook, { nodes, refused });
  const since = each.job.submittedAtSeconds ?? Math.min(...requests.map(({ atSeconds }) => atSeconds));
  return newest([...requests, ...bootsOf(outlook, new Set(nodes), since), ...headStep(outlook, each)]);
}

/** The same of a target. */
export function targetTrail(
  outlook: Outlook,
  about: {
    readonly nodes: readonly string[];
    readonly target: TargetOutcome;
    readonly receivedAtSeconds: number;
  },
): readonly Step[] {
  const { nodes, target } = about;
  return newest([...requestsFor(outlook, { nodes, refused: target.reasons }), ...targetStep(outlook, about)]);
}

function newest(steps: readonly Step[]): readonly Step[] {
  return steps.toSorted((a, b) => b.atSeconds - a.atSeconds).slice(0, mostSteps);
}

/** What was asked of CycleCloud for these nodes, or gave less than was asked in the buckets that refuse. */
function requestsFor(
  outlook: Outlook,
  { nodes, refused }: { readonly nodes: readonly string[]; readonly refused: readonly Reason[] },
): readonly Step[] {
  const wanted: Wanted = {
    ids: new Set(nodes.flatMap((node) => outlook.nodesByName.get(node)?.nodeId ?? [])),
    unborn: new Set(nodes.filter((node) => (outlook.nodesByName.get(node)?.nodeId ?? null) === null)),
    refusing: new Set(refused.flatMap(({ bucket }) => (bucket === null ? [] : [kindName(bucket)]))),
  };
  const operations = new Map(
    [...outlook.recent, ...outlook.loaded.operations].map((operation) => [operation.actionId, operation]),
  );
  return [...operations.values()].flatMap((operation) => stepsOf(operation, wanted));
}

/** When these nodes came up, or failed. Boots before the job was there, or nodes for it were asked for, are not its own. */
function bootsOf(
  { loaded, nodesByName }: Outlook,
  names: ReadonlySet<string>,
  since: number,
): readonly Step[] {
  const isOne = ({ name, nodeId }: NodeHistory) =>
    names.has(name) && nodesByName.get(name)?.nodeId === nodeId;
  return ofHistory(loaded.history.filter(isOne), () => true)
    .filter(({ atSeconds }) => atSeconds >= since)
    .map(({ atSeconds, text }) => ({ atSeconds, planId: null, actionId: null, text }));
}

function targetStep(
  { head }: Outlook,
  { target, receivedAtSeconds }: { readonly target: TargetOutcome; readonly receivedAtSeconds: number },
): readonly Step[] {
  if (head === undefined) return [];
  const { name, requestSet } = target;
  const seen = head.targetRequests[requestSet];
  const met = head.targets?.find((each) => each.name === name && each.requestSet === requestSet);
  const text =
    seen === undefined || seen < receivedAtSeconds || met === undefined
      ? "The newest plan was made before the request came; the next one sees it."
      : `The newest plan gave it ${met.granted} of ${met.asked} ${met.unit}.`;
  return [planStep(head, text)];
}

function planStep({ atSeconds, planId, held }: NonNullable<Outlook["head"]>, text: string): Step {
  const unsent = held === undefined ? "" : ` Nothing of that plan was sent: ${held}.`;
  return { atSeconds, planId, actionId: null, text: `${text}${unsent}` };
}

interface Wanted {
  readonly ids: ReadonlySet<string>;
  /** Names of nodes that have no id yet. On order under a name that is taken they go by `<name>#<node id>` or `<name>#<action id>`, see `operations.ts`. */
  readonly unborn: ReadonlySet<string>;
  /** Array and size of the buckets that refused. */
  readonly refusing: ReadonlySet<string>;
}

/** A node that exists is known by its id alone: names come again. Another comes of a create under way, or to be tried again. */
function isAbout({ ids, unborn }: Wanted, operation: Operation): boolean {
  const { action, actionId, nodes } = operation;
  const about = action.kind === "create-nodes" ? nodes : [...action.nodes, ...nodes];
  if (about.some(({ nodeId, name }) => ids.has(nodeId) || unborn.has(`${name}#${nodeId}`))) return true;
  if (action.kind !== "create-nodes" || (nodes.length > 0 && !isOpen(operation))) return false;
  return action.sets.some((set) =>
    set.names.some((name) => unborn.has(name) || unborn.has(`${name}#${actionId}`)),
  );
}

function stepsOf(operation: Operation, wanted: Wanted): readonly Step[] {
  const { action, actionId, state, messages } = operation;
  const asks = isAbout(wanted, operation);
  const step = (atSeconds: number, text: string): Step => ({
    atSeconds,
    planId: action.planId,
    actionId,
    text,
  });
  const words = messages.length === 0 ? "" : ` (${messages.join("; ")})`;
  const shortfalls = (operation.shortfalls ?? [])
    .filter((each) => asks || wanted.refusing.has(kindName(each)))
    .map(({ nodeArray, vmSize, asked, added, message, atSeconds }) =>
      step(
        atSeconds,
        `CycleCloud added ${added} of ${asked} nodes of ${nodeArray}/${vmSize}${message === null ? "" : `: ${message}`}.`,
      ),
    );
  return [
    ...(asks
      ? [step(operation.createdAtSeconds, `${action.kind}, because ${action.reason}: ${state}${words}.`)]
      : []),
    ...shortfalls,
  ];
}

/** What the newest plan knew of the job's source, and whether it is among the first that it left waiting. */
function headStep({ head, loaded }: Outlook, { job, outcome }: OutlookJob): readonly Step[] {
  const { source, name } = job;
  if (head === undefined || source === null) return [];
  const sequence = loaded.demand.find((each) => each.source === source)?.sequence;
  const seen = head.demandSequences[source];
  const waiting = head.waiting.find((each) => each.name === name);
  const text =
    seen === undefined || sequence === undefined || seen < sequence
      ? `The newest plan was made before message ${sequence ?? "?"} of "${source}" came; the next one sees it.`
      : waiting === undefined
        ? `The newest plan saw message ${seen} of "${source}", which has the job.`
        : `The newest plan gave it ${waiting.granted} of ${waiting.asked} places${reasonsOf(waiting, outcome)}`;
  return [planStep(head, text)];
}

/** In the words of the plan, unless they would be said twice on one page. */
function reasonsOf(waiting: WaitingJob, outcome: JobOutcome): string {
  const [, ...then] = jobSentences(waiting);
  const [, ...now] = jobSentences({ ...outcome, reasons: mainReasons(outcome.reasons) });
  const isSame = outcome.granted < outcome.asked && now.every((sentence) => then.includes(sentence));
  return isSame ? ", for the same reasons." : `: ${then.join(" ")}`;
}
