import type { JobState, JobsAnswer, JobsQuery, JobView } from "../api/index.ts";
import { onceFor } from "../collections/once-for.ts";
import { evictionsOf, isStandIn, presentDemand } from "../cycle/index.ts";
import type { Job, JobOutcome } from "../engine/index.ts";
import { jobWhereKeys } from "../names/where-keys.ts";
import { asSent } from "./explain/explain-job.ts";
import { firstSentences } from "./explain/first-sentence.ts";
import { nearestFirst, nearestReason } from "./explain/reason-words.ts";
import {
  type DetailsOf,
  demandReader,
  detailsReader,
  noJobs,
  type OutlookJob,
  outlookJobs,
  schedulerWords,
  stateOf,
  unitOf,
  waits,
  wordsIn,
} from "./job-states.ts";
import { ofSelected, type Selected, type Selector, selectingOf } from "./node-selection.ts";
import type { Outlook } from "./outlook.ts";
import { pageOf } from "./page.ts";
import { nameOf, setAsideJobs, setAsideView } from "./set-aside-jobs.ts";
import { spotReader } from "./spot-jobs.ts";
import { type Readers, readWhere } from "./where.ts";

const mostNodesNamed = 20;

/** Jobs in the order of the queue. Of selected nodes: those that run there or have a place there. */
export function listJobs(outlook: Outlook, query: JobsQuery): Selected<JobsAnswer> {
  const where = readWhere(query.where ?? "", jobWhereKeys, readersOf(outlook));
  if (!where.ok) return where;
  return ofSelected(outlook.input, selectingOf(query), (selector) =>
    drawUpJobs(outlook, query, {
      nodes: selector && selectedNames(outlook, selector),
      isAsked: where.matches,
    }),
  );
}

/** Names of the nodes that the plan counts with and that are selected. */
function selectedNames({ plan }: Outlook, { isSelected }: Selector): ReadonlySet<string> {
  return new Set(plan.nodes.filter(isSelected).map(({ name }) => name));
}

/** A row, and the job of the plan that it stands for, if any. */
interface JobRow {
  readonly source: string | null;
  readonly name: string;
  readonly state: JobState;
  readonly job: Job | undefined;
  readonly outcome: JobOutcome | undefined;
  readonly drawUp: (words: Words) => JobView;
}

interface Asked {
  /** Undefined: wherever they run. */
  readonly nodes: ReadonlySet<string> | undefined;
  readonly isAsked: (row: JobRow) => boolean;
}

function drawUpJobs(outlook: Outlook, query: JobsQuery, { nodes, isAsked }: Asked): JobsAnswer {
  const counts = noJobs();
  const wanted: JobRow[] = [];
  for (const row of rowsOf(outlook)) {
    counts[row.state] += 1;
    const isWanted =
      (query.state === undefined || query.state === row.state) &&
      (query.source === undefined || query.source === row.source) &&
      (nodes === undefined || row.outcome?.placements.some(({ node }) => nodes.has(node)) === true) &&
      isAsked(row);
    if (isWanted) wanted.push(row);
  }
  const { items, next, total } = pageOf(wanted, query, {
    nameOf: ({ source, name }) => `${source}/${name}`,
    madeAtSeconds: outlook.atSeconds,
  });
  const { cluster, atSeconds } = outlook;
  const words = wordsOf(outlook, query.request === true);
  const jobs = items.map(({ drawUp }) => drawUp(words));
  return { cluster, atSeconds, counts, jobs, silent: silentOf(outlook), next, total };
}

/** In the order of the queue; those that were set aside come last. The next page or the next poll needs the same. */
const rowsOf = onceFor((outlook: Outlook): readonly JobRow[] => {
  const planned = outlookJobs(outlook).flatMap((each, place): readonly JobRow[] => {
    const { job, outcome } = each;
    if (isStandIn(job)) return [];
    const { source, name } = job;
    const state = stateOf(each, outlook.nodesByName);
    const drawUp = (words: Words) => toView({ job, outcome, state, place }, words);
    return [{ source, name, state, job, outcome, drawUp }];
  });
  const aside = setAsideJobs(outlook).map((each): JobRow => {
    const { source, item, standIn } = each;
    const { job, outcome } = standIn ?? {};
    const drawUp = () => setAsideView(each);
    return { source, name: nameOf(item), state: "set-aside", job, outcome, drawUp };
  });
  return [...planned, ...aside];
});

function readersOf({ loaded, atSeconds }: Outlook): Readers<typeof jobWhereKeys, JobRow> {
  const detailsOf = detailsReader(loaded.demand);
  const since = (seconds: number | null | undefined) =>
    seconds === null || seconds === undefined ? null : atSeconds - seconds;
  return {
    name: ({ name }) => name,
    title: ({ job }) => (job && detailsOf(job).jobName) ?? null,
    state: ({ state }) => state,
    user: ({ job }) => (job && detailsOf(job).user) ?? null,
    account: ({ job }) => (job && detailsOf(job).account) ?? null,
    queue: ({ job }) => (job && detailsOf(job).queue) ?? null,
    source: ({ source }) => source,
    node: ({ outcome }) => outcome?.placements.map(({ node }) => node) ?? [],
    reason: ({ outcome }) => (outcome && waits(outcome) ? nearestReason(outcome) : null),
    asks: ({ outcome }) => outcome?.asked ?? null,
    priority: ({ job }) => job?.priority ?? null,
    waits: ({ job, state }) => (state === "running" ? null : since(job?.submittedAtSeconds)),
    runs: ({ job, state }) => (state === "running" ? since(job?.startedAtSeconds) : null),
  };
}

/** Jobs of which it is not known whether they are still wanted or over. */
function silentOf({ loaded, atSeconds }: Outlook): JobsAnswer["silent"] {
  return loaded.demand.flatMap((each) => {
    const present = presentDemand([each], atSeconds)
      .filter(({ standIns }) => !standIns)
      .reduce((sum, { jobs }) => sum + jobs.length, 0);
    const left = each.jobs.length - present;
    return left === 0 ? [] : [{ source: each.source, jobs: left }];
  });
}

function requestReader(demand: Outlook["loaded"]["demand"]): (job: Job) => JobView["request"] {
  const read = demandReader(demand);
  return (job) => {
    const sent = read(job);
    return sent === undefined ? null : { ...asSent(sent), executingHostnames: [...sent.executingHostnames] };
  };
}

function wordsOf(outlook: Outlook, isWhole: boolean): Words {
  const { demand } = outlook.loaded;
  return {
    sentenceOf: firstSentences(outlook),
    detailsOf: detailsReader(demand),
    spotOf: spotReader(outlook),
    evictionsOf: (job: Job) => evictionsOf(job, outlook.losses),
    requestOf: isWhole ? requestReader(demand) : undefined,
  };
}

interface Words {
  readonly sentenceOf: (each: OutlookJob) => string | null;
  readonly detailsOf: DetailsOf;
  readonly spotOf: (job: Job, place: number) => JobView["spot"];
  readonly evictionsOf: (job: Job) => number;
  /** Undefined: not asked for. */
  readonly requestOf: ((job: Job) => JobView["request"]) | undefined;
}

function toView(
  { job, outcome, state, place }: OutlookJob & { readonly state: JobState; readonly place: number },
  { sentenceOf, detailsOf, spotOf, evictionsOf, requestOf }: Words,
): JobView {
  const { asked, granted, placements } = outcome;
  const reasons = waits(outcome) ? outcome.reasons : [];
  const nodes = [...new Set(placements.map(({ node }) => node))];
  return {
    job: job.name,
    source: job.source,
    state,
    unit: unitOf(job),
    asked,
    granted,
    nodes: nodes.slice(0, mostNodesNamed),
    nodeCount: nodes.length,
    priority: job.priority,
    submittedAtSeconds: job.submittedAtSeconds,
    startedAtSeconds: job.startedAtSeconds,
    runtimeSeconds: job.runtimeSeconds,
    interruptible: job.interruptible,
    ...detailsOf(job),
    reasonCode: nearestFirst(reasons)[0]?.code ?? null,
    // In scalelib compatibility, a job may have its place on a failed node.
    reason: reasons.length === 0 && state !== "waiting" ? null : sentenceOf({ job, outcome }),
    waitingReason: schedulerWords(job),
    spot: spotOf(job, place),
    evictions: evictionsOf(job),
    ...(requestOf && { request: requestOf(job) }),
    warnings: wordsIn(job.metadata.warnings),
  };
}
