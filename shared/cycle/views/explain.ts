import type { ExplainAnswer, JobState, RefusalView } from "../../api/index.ts";
import { describeConstraint, explainReason, type Reason } from "../../engine/index.ts";
import type { SourceDemand } from "../../ports.ts";
import { causesOf } from "./causes.ts";
import { type OutlookJob, outlookJobs, stateOf, unitOf, waits } from "./job-states.ts";
import { type NodeViews, nodeViews } from "./node-views.ts";
import type { Outlook } from "./outlook.ts";
import { plannerTrail } from "./planner-trail.ts";

const mostPlaces = 100;
const mostRefusals = 1_000;

export type ExplainOutcome =
  | { readonly outcome: "explained"; readonly answer: ExplainAnswer }
  /** No source wants such a job. */
  | { readonly outcome: "unknown-job" }
  /** Several sources do. */
  | { readonly outcome: "ambiguous"; readonly sources: readonly string[] };

/** Why a job waits, or where it went. */
export function explainJob(outlook: Outlook, name: string, source?: string): ExplainOutcome {
  const isIt = (job: { readonly name: string }, of: string | null) =>
    job.name === name && (source === undefined || source === of);
  const found = outlookJobs(outlook).filter(({ job }) => isIt(job, job.source));
  const sources = [...new Set(found.map(({ job }) => job.source ?? ""))];
  if (sources.length > 1) return { outcome: "ambiguous", sources };
  const [first] = found;
  if (first !== undefined) return { outcome: "explained", answer: explainOne(outlook, first) };
  const silent = outlook.loaded.demand.find((each) => each.jobs.some((job) => isIt(job, each.source)));
  return silent === undefined
    ? { outcome: "unknown-job" }
    : { outcome: "explained", answer: explainSilent(outlook, silent, name) };
}

/** One job of the outlook. */
export function explainOne(
  outlook: Outlook,
  each: OutlookJob,
  views: NodeViews = nodeViews(outlook),
): ExplainAnswer {
  const { job, outcome } = each;
  const viewOf = memoized((name: string) => placeOf(outlook, views, name));
  const causes = causesOf(outlook, each, {
    expectedReadySeconds: (name) => viewOf(name)?.expectedReadySeconds ?? null,
  });
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
    summary: summaryOf(each, state, causes[0]),
    places: placements.slice(0, mostPlaces).map(({ node, slots }) => {
      const view = viewOf(node);
      const { origin = "existing", state = null, expectedReadySeconds = null } = view ?? {};
      return { node, slots, origin, state, expectedReadySeconds };
    }),
    placeCount: placements.length,
    causes,
    refusals: (waits(outcome) ? outcome.reasons : []).slice(0, mostRefusals).map(toRefusal),
    planner: plannerTrail(outlook, each),
  };
}

function placeOf({ nodesByName }: Outlook, { viewOfPlanned }: NodeViews, name: string) {
  const node = nodesByName.get(name);
  return node === undefined ? undefined : viewOfPlanned(node);
}

function memoized<T>(work: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key) as T;
  };
}

function summaryOf(
  { job, outcome }: OutlookJob,
  state: JobState,
  first: ExplainAnswer["causes"][number] | undefined,
): string {
  const { asked, granted } = outcome;
  const unit = unitOf(job);
  const nodes = new Set(outcome.placements.map(({ node }) => node)).size;
  const why = first === undefined ? "" : ` ${first.text}`;
  switch (state) {
    case "running":
      return `Job "${job.name}" runs on ${nodes} nodes.`;
    case "placed":
      return `Job "${job.name}" has a place for all ${asked} ${unit} on ${nodes} nodes that are up: its scheduler can start it.`;
    case "booting":
      return `Job "${job.name}" has a place for all ${asked} ${unit}, and waits for nodes.${why}`;
    case "partly":
      return `Job "${job.name}" has a place for ${granted} of ${asked} ${unit}.${why}`;
    case "waiting":
      return `Job "${job.name}" waits for ${asked} ${unit}.${why}`;
  }
}

export function toRefusal(reason: Reason): RefusalView {
  const { code, bucket, limit, constraint, asked, left } = reason;
  return {
    code,
    bucket,
    limit,
    constraint: constraint === null ? null : describeConstraint(constraint),
    asked,
    left,
    text: explainReason(reason),
  };
}

/** A waiting job of a source that fell silent counts for nothing, whatever room there is. */
function explainSilent(outlook: Outlook, demand: SourceDemand, name: string): ExplainAnswer {
  const job = demand.jobs.find((each) => each.name === name);
  const isScattered = job?.packingStrategy === "scatter" || (job?.nodeCount ?? 0) > 0;
  const asked = isScattered ? job?.nodeCount || 1 : (job?.iterations ?? 1);
  const { cluster, atSeconds } = outlook;
  const { source, expiresAtSeconds, receivedAtSeconds } = demand;
  const silent = Math.ceil(atSeconds - receivedAtSeconds);
  const text = `Source "${source}" has been silent for ${silent} s: its demand has not counted since ${Math.ceil(atSeconds - expiresAtSeconds)} s.`;
  return {
    cluster,
    atSeconds,
    job: name,
    source,
    state: "waiting",
    unit: isScattered ? "nodes" : "slots",
    asked,
    granted: 0,
    summary: `Job "${name}" counts for nothing now. ${text}`,
    places: [],
    placeCount: 0,
    causes: [
      {
        kind: "source-expired",
        text,
        next: `See whether what posts the demand of "${source}" still runs; its next message counts at once.`,
        limit: null,
        asked: Math.ceil(expiresAtSeconds - receivedAtSeconds),
        left: silent,
        untilSeconds: null,
      },
    ],
    refusals: [],
    planner: [],
  };
}
