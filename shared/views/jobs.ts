import type { JobState, JobsAnswer, JobsQuery, JobView } from "../api/index.ts";
import { presentDemand } from "../cycle/plan/plan-input.ts";
import { explain, nearestFirst } from "../engine/index.ts";
import { type OutlookJob, outlookJobs, stateOf, unitOf, waits } from "./job-states.ts";
import type { Outlook } from "./outlook.ts";
import { pageOf } from "./page.ts";
import { ofSelected, type Selected, type Selector, selectingOf } from "./selection.ts";

const mostNodesNamed = 20;

/** Jobs in the order of the queue. Of selected nodes: those that run there or have a place there. */
export function listJobs(outlook: Outlook, query: JobsQuery): Selected<JobsAnswer> {
  return ofSelected(outlook.input, selectingOf(query), (selector) =>
    drawUpJobs(outlook, query, selector && selectedNames(outlook, selector)),
  );
}

/** Names of the nodes that the plan counts with and that are selected. */
function selectedNames({ plan }: Outlook, { isSelected }: Selector): ReadonlySet<string> {
  return new Set(plan.nodes.filter(isSelected).map(({ name }) => name));
}

function drawUpJobs(outlook: Outlook, query: JobsQuery, nodes: ReadonlySet<string> | undefined): JobsAnswer {
  const counts: Record<JobState, number> = { running: 0, placed: 0, booting: 0, partly: 0, waiting: 0 };
  const wanted: (OutlookJob & { readonly state: JobState })[] = [];
  for (const each of outlookJobs(outlook)) {
    const state = stateOf(each, outlook.nodesByName);
    counts[state] += 1;
    const isWanted =
      (query.state === undefined || query.state === state) &&
      (query.source === undefined || query.source === each.job.source) &&
      (nodes === undefined || each.outcome.placements.some(({ node }) => nodes.has(node)));
    if (isWanted) wanted.push({ ...each, state });
  }
  const { items, next, total } = pageOf(wanted, query, {
    nameOf: ({ job }) => `${job.source}/${job.name}`,
    madeAtSeconds: outlook.atSeconds,
  });
  const { cluster, atSeconds } = outlook;
  return { cluster, atSeconds, counts, jobs: items.map(toView), silent: silentOf(outlook), next, total };
}

/** Jobs that nobody knows to be wanted still, nor to be over. */
function silentOf({ loaded, atSeconds }: Outlook): JobsAnswer["silent"] {
  return loaded.demand.flatMap((each) => {
    const present = presentDemand([each], atSeconds).reduce((sum, { jobs }) => sum + jobs.length, 0);
    const left = each.jobs.length - present;
    return left === 0 ? [] : [{ source: each.source, jobs: left }];
  });
}

function toView({ job, outcome, state }: OutlookJob & { readonly state: JobState }): JobView {
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
    reasonCode: nearestFirst(reasons)[0]?.code ?? null,
    // The first sentence says how much it got, which the figures say already.
    reason: reasons.length === 0 ? null : (explain(outcome)[1] ?? null),
  };
}
