import { eventGapSeconds, leastGapSeconds, tickSeconds } from "../../../infra/local/scheduler/run.ts";
import {
  type Delays,
  type RunFigures,
  runBacktest,
  type TraceJob,
  withTasksApart,
} from "../../../shared/backtest/index.ts";
import type { WholePlan } from "../../../shared/ports/index.ts";
import { type ClusterDefinition, toLedger } from "../../../shared/simulated-cyclecloud/index.ts";
import { readJobList } from "../../shared/backtest/read-whole.ts";
import { inputOf } from "../../shared/backtest/world/small-world.ts";
import type { TwinCase } from "./cases.ts";
import type { OnStack } from "./on-stack.ts";
import { median, type NodeRecord, type Seen } from "./seen.ts";

/** What a workload took in the back-test. */
export interface InBacktest extends Seen {
  readonly figures: RunFigures;
}

/**
 * Runs a workload in the back-test as the local stack does: the service lives in real time, nodes and jobs `speed` times as fast.
 * So everything that the service counts in seconds is as long here as there. Times are those of the service's clock.
 */
export async function runInBacktest(
  { definition, keys = {}, jobs }: TwinCase,
  twin: {
    readonly speed: number;
    readonly seed: number;
    readonly config: Readonly<Record<string, unknown>>;
    readonly delays: Delays;
  },
): Promise<InBacktest> {
  const { speed, seed, config, delays } = twin;
  const workload = withTasksApart(readJobList(jobs).jobs);
  const [nodes, plans]: [NodeRecord[], WholePlan[]] = [[], []];
  const input = inputOf({
    jobs: [...workload].map((job) => faster(job, speed)),
    definition,
    scheduler: "fill",
    seed,
    keys: { ...keys, ...config },
  });
  const figures = await runBacktest({
    ...input,
    definition: fasterNodes(input.definition, speed),
    delays,
    watch: {
      gone: (node) => nodes.push(...toLedger(node.cluster, [node], Number.POSITIVE_INFINITY).nodes),
      planned: (plan) => plan.archive === "whole" && plans.push(plan),
    },
  });
  return { figures, nodes, plans };
}

/** What the local scheduler posts of a job is how long it runs. */
function faster(job: TraceJob, speed: number): TraceJob {
  const runSeconds = job.runSeconds / speed;
  return { ...job, submitSeconds: job.submitSeconds / speed, runSeconds, requestedSeconds: runSeconds };
}

function fasterNodes(definition: ClusterDefinition, speed: number): ClusterDefinition {
  type Times = ClusterDefinition["times"];
  const duration = ({ minSeconds, medianSeconds, maxSeconds }: Times["boot"]): Times["boot"] => ({
    minSeconds: minSeconds / speed,
    medianSeconds: medianSeconds / speed,
    maxSeconds: maxSeconds / speed,
  });
  const all = ({ boot, start, terminate, deallocate }: Times): Times => ({
    boot: duration(boot),
    start: duration(start),
    terminate: duration(terminate),
    deallocate: duration(deallocate),
  });
  const nodearrays = definition.nodearrays.map((array) => ({ ...array, times: all(array.times) }));
  return { ...definition, times: all(definition.times), nodearrays };
}

/**
 * The delays of the local stack, in seconds of the service's clock. How often its parts look is what they are told (the local
 * scheduler, the timer of the stack); what this machine needs on top is the median of the run's own deletions. Those of the first
 * nodes say little, since the service is not warm yet.
 */
export function delaysOf(stack: OnStack): Delays {
  const { queued, planned, carriedOut } = stepsOf(stack);
  return {
    passSeconds: tickSeconds,
    // It looks for events in the first pass that is late enough.
    eventSeconds: Math.ceil(eventGapSeconds / tickSeconds) * tickSeconds,
    postSeconds: leastGapSeconds,
    queueSeconds: median(queued),
    snapshotSeconds: 1,
    planSeconds: median(planned),
    actionSeconds: median(carriedOut),
  };
}

/** How long each message, plan and call to CycleCloud that led to a deletion was on its way. */
function stepsOf({
  posts,
  plans,
  nodes,
}: OnStack): Readonly<Record<keyof typeof noSteps, readonly number[]>> {
  const steps = structuredClone(noSteps);
  for (const { action, reason } of plans.flatMap(actionsOf)) {
    const { askedAtSeconds, createdAtSeconds } = action;
    if (askedAtSeconds === undefined || action.kind !== "shutdown-nodes") continue;
    const post = posts.findLast((at) => at <= askedAtSeconds);
    // One that a deadline asked for waited for no message.
    if (post !== undefined && reason.startsWith("demand")) steps.queued.push(askedAtSeconds - post);
    // Plans are asked for at the end of a second.
    steps.planned.push(createdAtSeconds - (Math.floor(askedAtSeconds) + 1));
    const ids = new Set(action.nodes.map(({ nodeId }) => nodeId));
    for (const { nodeId, terminatingAt } of nodes)
      if (ids.has(nodeId) && terminatingAt !== null) steps.carriedOut.push(terminatingAt - createdAtSeconds);
  }
  return steps;
}

function actionsOf({ actions, summary: { reason } }: WholePlan) {
  return actions.map((action) => ({ action, reason }));
}

const noSteps: Record<"queued" | "planned" | "carriedOut", number[]> = {
  queued: [],
  planned: [],
  carriedOut: [],
};
