import type { ExplainAnswer, JobState, RefusalView } from "../../api/index.ts";
import { askedBy, defineJob, type Reason } from "../../engine/index.ts";
import type { DemandJob } from "../../messages/index.ts";
import { namesLike, nearestName } from "../../names/near-names.ts";
import type { SourceDemand } from "../../ports/index.ts";
import { redact } from "../../text/redact.ts";
import { shellWord } from "../../text/shell-word.ts";
import { counted } from "../../text/text.ts";
import {
  type OutlookJob,
  outlookJobs,
  schedulerWords,
  stateOf,
  unitOf,
  waits,
  wordsIn,
} from "../job-states.ts";
import { type NodeViews, nodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { nameOf, setAsideJobs } from "../set-aside-jobs.ts";
import { causesOf, silence } from "./causes.ts";
import { codeWords } from "./code-words.ts";
import { describeConstraint } from "./constraint-words.ts";
import { plannerTrail } from "./planner-trail.ts";
import { reasonSentence } from "./reason-words.ts";
import { explainSetAside } from "./set-aside-cause.ts";
import { sizeSentences } from "./size-words.ts";

const mostPlaces = 100;
const mostRefusals = 1_000;

export type ExplainOutcome =
  | { readonly outcome: "explained"; readonly answer: ExplainAnswer }
  /** No source wants such a job. `meant`: the one whose name is most likely a slip of it; `near`: where there is none, others like it. */
  | { readonly outcome: "unknown-job"; readonly meant: string | null; readonly near: readonly string[] }
  /** Several sources do. */
  | { readonly outcome: "ambiguous"; readonly sources: readonly string[]; readonly next: string };

/** Why a job waits, or where it went. What raising limits would give it takes several plans (`limitsToRaise`). */
export function explainJob(outlook: Outlook, name: string, source?: string): ExplainOutcome {
  const isIt = (job: { readonly name: string }, of: string | null) =>
    job.name === name && (source === undefined || source === of);
  const found = outlookJobs(outlook).filter(({ job }) => isIt(job, job.source));
  const sources = [...new Set(found.map(({ job }) => job.source ?? ""))];
  if (sources.length > 1) {
    const next = `Name one: \`ccscale explain ${shellWord(name)} --source ${shellWord(sources[0] ?? "")}\`.`;
    return { outcome: "ambiguous", sources, next };
  }
  const [first] = found;
  if (first !== undefined) return { outcome: "explained", answer: explainOne(outlook, first) };
  const aside = setAsideJobs(outlook).find(({ item, source }) => isIt({ name: nameOf(item) }, source));
  if (aside !== undefined) return { outcome: "explained", answer: explainSetAside(outlook, aside) };
  const silent = outlook.loaded.demand.find((each) => each.jobs.some((job) => isIt(job, each.source)));
  return silent === undefined
    ? { outcome: "unknown-job", ...likeJob(outlook, name) }
    : { outcome: "explained", answer: explainSilent(outlook, silent, name) };
}

/** A list of a hundred thousand names would take as long as a plan. */
const mostCompared = 20_000;

function likeJob({ loaded }: Outlook, word: string) {
  const all = new Set(loaded.demand.flatMap(({ jobs }) => jobs.map(({ name }) => name)));
  const names = [...all].slice(0, mostCompared);
  const meant = nearestName(word, names);
  return { meant, near: meant === null ? namesLike(word, names) : [] };
}

/** One job of the outlook. */
export function explainOne(
  outlook: Outlook,
  each: OutlookJob,
  views: NodeViews = nodeViews(outlook),
): ExplainAnswer {
  const { job, outcome } = each;
  const viewOf = memoized((name: string) => placeOf(outlook, views, name));
  const causes = causesOf(outlook, views, each);
  const state = stateOf(each, outlook.nodesByName);
  const { asked, granted, placements } = outcome;
  return {
    cluster: outlook.cluster,
    atSeconds: outlook.atSeconds,
    job: job.name,
    source: job.source,
    state,
    unit: unitOf(job),
    asked,
    granted,
    ...headlineOf(each, state, causes),
    places: placements.slice(0, mostPlaces).map(({ node, slots }) => {
      const view = viewOf(node);
      const { origin = "existing", state = null, expectedReadySeconds = null } = view ?? {};
      return { node, slots, origin, state, expectedReadySeconds };
    }),
    placeCount: placements.length,
    causes,
    raise: null,
    refusals: (waits(outcome) ? outcome.reasons : []).slice(0, mostRefusals).map(toRefusal),
    sizes: sizesOf(outlook, placements),
    planner: plannerTrail(outlook, each),
    request: requestOf(outlook, job),
    notes: [...inSchedulersWords(job), ...wordsIn(job.metadata.notes)],
    warnings: wordsIn(job.metadata.warnings),
  };
}

function inSchedulersWords(job: OutlookJob["job"]): readonly string[] {
  const words = schedulerWords(job);
  return words === null ? [] : [`in its scheduler's words it waits for "${words}"`];
}

/** Null for a stand-in of a job that was set aside. */
function requestOf({ loaded }: Outlook, { name, source }: OutlookJob["job"]): ExplainAnswer["request"] {
  const job = loaded.demand.find((each) => each.source === source)?.jobs.find((each) => each.name === name);
  return job === undefined ? null : asSent(job);
}

/** What a job asks for, without what its reader added, where it runs, and secrets: readers see it. */
export function asSent(job: DemandJob): Record<string, unknown> {
  const { executingHostnames: _, warnings, notes, ...request } = job;
  return redact(request) as Record<string, unknown>;
}

/** Sets of new nodes are explained one by one: a job may lie on many. */
const mostSizes = 10;

function sizesOf({ plan }: Outlook, placements: OutlookJob["outcome"]["placements"]): readonly string[] {
  const there = new Set(placements.map(({ node }) => node));
  return plan.sizes
    .filter(({ names }) => names.some((name) => there.has(name)))
    .slice(0, mostSizes)
    .flatMap(sizeSentences);
}

function placeOf({ nodesByName }: Outlook, { viewOfPlanned }: NodeViews, name: string) {
  const node = nodesByName.get(name);
  return node === undefined ? undefined : viewOfPlanned(node);
}

function memoized<T>(work: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    if (!results.has(key)) results.set(key, work(key));
    return results.get(key) as T;
  };
}

function headlineOf(
  { job, outcome }: OutlookJob,
  state: JobState,
  causes: ExplainAnswer["causes"],
): Pick<ExplainAnswer, "headline" | "summary"> {
  const { asked, granted } = outcome;
  const all = counted(asked, unitOf(job));
  const nodes = new Set(outcome.placements.map(({ node }) => node)).size;
  const placesForAll = asked === 1 ? "its place" : `a place for all of ${all}`;
  const standing = {
    running: `runs on ${counted(nodes, "nodes")}`,
    placed: `has ${placesForAll}, on nodes that are up (${nodes})${causes.length === 0 ? ": its scheduler can start it" : ""}`,
    booting: `has ${placesForAll}, and waits for ${nodes === 1 ? "its node" : "nodes"}`,
    partly: `has a place for ${granted} of ${all}`,
    waiting: `waits for ${all}`,
    "set-aside": `is set aside, and runs on ${counted(nodes, "nodes")}, which it keeps`,
  }[state];
  const headline = `Job "${job.name}" ${standing}.`;
  // That a part has a place is in the headline already; what the rest waits for is not.
  const why = causes.find(({ kind }) => kind !== "partly-placed");
  return { headline, summary: why === undefined ? headline : `${headline} ${why.text}` };
}

export function toRefusal(reason: Reason): RefusalView {
  const { code, bucket, limit, asked, left } = redact(reason) as Reason;
  return {
    code,
    bucket,
    limit,
    constraint: constraintOf(reason),
    asked,
    left,
    text: reasonSentence(reason),
    why: codeWords[code],
  };
}

/** A job wants its nodes in one placement group without a constraint that says so. */
function constraintOf({ code, constraint }: Reason): string | null {
  if (constraint !== null) return describeConstraint(constraint);
  return code === "NotInAPlacementGroup" ? "colocated" : null;
}

/** A waiting job of a source that fell silent counts for nothing, whatever room there is. */
function explainSilent(outlook: Outlook, demand: SourceDemand, name: string): ExplainAnswer {
  const job = demand.jobs.find((each) => each.name === name);
  const { iterations, nodeCount, packingStrategy } = job ?? {};
  const wanted = defineJob({ name, constraints: [], iterations, nodeCount, packingStrategy });
  const { cluster, atSeconds } = outlook;
  const { source } = demand;
  const cause = silence(outlook, demand);
  const headline = `Job "${name}" counts for nothing now.`;
  return {
    cluster,
    atSeconds,
    job: name,
    source,
    state: "waiting",
    unit: unitOf(wanted),
    asked: askedBy(wanted),
    granted: 0,
    headline,
    summary: `${headline} ${cause.text}`,
    places: [],
    placeCount: 0,
    causes: [cause],
    raise: null,
    refusals: [],
    sizes: [],
    planner: [],
    request: job === undefined ? null : asSent(job),
    notes: [...(job?.notes ?? [])],
    warnings: [...(job?.warnings ?? [])],
  };
}
