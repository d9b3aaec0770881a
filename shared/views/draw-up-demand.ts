import {
  type Answer,
  type DemandAnswer,
  type demandParts,
  only,
  plannedCreate,
  plannedNode,
  plannedRetire,
} from "../api/index.ts";
import { isStandIn } from "../cycle/index.ts";
import type { Plan } from "../engine/index.ts";
import type { BackedOff, WaitingJob } from "../ports/index.ts";
import { additionsOf } from "./additions.ts";
import { nearestReason, toWaitingView } from "./explain/reason-words.ts";
import { sizeSentences } from "./explain/size-words.ts";
import { ofSelected, type Selected, type Selecting, type Selector } from "./node-selection.ts";
import { nodeViews } from "./node-views.ts";
import type { Outlook } from "./outlook.ts";

const mostWaiting = 100;
const mostNodes = 10_000;

/** The dry run: what would be done now; of selected nodes, what is about them. */
export function drawUpDemand(outlook: Outlook, selecting?: Selecting): Selected<DemandAnswer> {
  return ofSelected(outlook.input, selecting, (selector) => drawUp(outlook, selector));
}

function drawUp(outlook: Outlook, selector: Selector | undefined): DemandAnswer {
  const { cluster, atSeconds, snapshot, plan, held, made } = outlook;
  const { viewOfPlanned } = nodeViews(outlook);
  const shown = selector === undefined ? plan : partOf(outlook, selector);
  const parts = decided(shown, made.backedOff, atSeconds);
  // They have all that they ask for.
  const standIns = outlook.input.jobs.filter(isStandIn).length;
  const isWaiting = ({ asked, granted }: Plan["jobs"][number]) => granted < asked;
  return {
    cluster,
    atSeconds,
    snapshotTakenAtSeconds: snapshot.takenAtSeconds,
    held: held ?? null,
    jobs: plan.jobs.length - standIns,
    placedJobs: plan.jobs.filter(({ asked, granted }) => granted >= asked).length - standIns,
    ...parts,
    additions: [...additionsOf(outlook, shown)],
    waitingCount: plan.jobs.filter(isWaiting).length,
    nodes: shown.nodes.slice(0, mostNodes).map(viewOfPlanned),
    nodeCount: plan.nodes.length,
    selected:
      selector === undefined ? null : { nodeCount: shown.nodes.length, waitingCount: parts.waitingCount },
  };
}

/** What of a plan is about selected nodes: those that exist, go, or would be made, and jobs that are there at least in part. */
function partOf({ plan, snapshot }: Outlook, { isSelected }: Selector): Plan {
  const nodes = plan.nodes.filter(isSelected);
  const names = new Set(nodes.map(({ name }) => name));
  const ids = new Set(snapshot.cluster.nodes.filter(isSelected).map(({ nodeId }) => nodeId));
  const isOfThem = ({ nodeId }: { readonly nodeId: string }) => ids.has(nodeId);
  return {
    ...plan,
    nodes,
    jobs: plan.jobs.filter(({ placements }) => placements.some(({ node }) => names.has(node))),
    create: plan.create.flatMap((set) => {
      const chosen = set.names.filter((name) => names.has(name));
      return chosen.length === 0 ? [] : [{ ...set, names: chosen, count: chosen.length }];
    }),
    sizes: plan.sizes.filter((choice) => choice.names.some((name) => names.has(name))),
    start: plan.start.filter(isOfThem),
    retire: plan.retire.filter(isOfThem),
    retry: plan.retry.filter(isOfThem),
  };
}

/** Sets of new nodes whose size is explained. */
const mostSizes = 100;

export type Decided = { readonly [Part in keyof typeof demandParts]: Answer<(typeof demandParts)[Part]> };

interface DecidedOf
  extends Pick<Plan, "create" | "start" | "retire" | "retry" | "warnings">,
    Partial<Pick<Plan, "sizes">> {
  readonly jobs: readonly WaitingJob[];
}

/** What a plan decided, and whom it left waiting. */
export function decided(plan: DecidedOf, backedOff: readonly BackedOff[], atSeconds: number): Decided {
  const waiting = plan.jobs.filter(({ asked, granted }) => granted < asked);
  const viewOf = (job: WaitingJob) => toWaitingView(job, { backedOff, nowSeconds: atSeconds });
  return {
    create: plan.create.map((set) => only(plannedCreate, set)),
    sizes: (plan.sizes ?? []).slice(0, mostSizes).flatMap(sizeSentences),
    start: plan.start.map((node) => only(plannedNode, node)),
    retire: plan.retire.map((node) => only(plannedRetire, node)),
    retry: plan.retry.map((node) => only(plannedNode, node)),
    waiting: waiting.slice(0, mostWaiting).map(viewOf),
    waitingCount: waiting.length,
    waitingFor: [...Map.groupBy(waiting, nearestReason)]
      .map(([reason, jobs]) => ({ reason, jobs: jobs.length, first: viewOf(jobs[0] as WaitingJob) }))
      .toSorted((a, b) => b.jobs - a.jobs),
    warnings: plan.warnings,
  };
}
