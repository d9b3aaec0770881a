import type { Book } from "../../accounting/index.ts";
import type { NodeHistory } from "../../engine/index.ts";
import { isSizedByItself, type ScaleAction, type SourceEvent } from "../../messages/index.ts";
import type {
  ArchivedPlan,
  ClusterConfig,
  CycleCloud,
  DemandSummary,
  NodeLoss,
  PlanHead,
  Ports,
  Sample,
  ScheduledPlanRequest,
  Snapshot,
  SourceDemand,
  Stored,
} from "../../ports/index.ts";
import { OpenOperations } from "./open-operations.ts";
import type { RunInput } from "./run-input.ts";

/** Whether plans depend on what was spent. */
export function hasBudgets({ cycle: { budgets = [], caps } }: Pick<ClusterConfig, "cycle">): boolean {
  return budgets.length > 0 || (caps !== undefined && caps.monthlyBudgetUsd !== null);
}

/** Whether plans depend on what jobs use, beside which nodes they use: what is left of these, or how much came in the last weeks. */
export function looksAtUse({ schedules = [] }: Pick<ClusterConfig, "schedules">): boolean {
  return schedules.some(({ targets }) =>
    targets.some((target) => target.SlotResources !== undefined || isSizedByItself(target)),
  );
}

/** What the world does with what the cycle sends. */
export interface Deliveries {
  readonly requestPlan: (scheduled: ScheduledPlanRequest) => void;
  readonly execute: (actions: readonly ScaleAction[], atSeconds: number | null) => void;
  readonly tell: (event: SourceEvent) => void;
  /** Called with each plan when it is archived. */
  readonly archived: (plan: ArchivedPlan) => void;
}

/** The stores of one cluster as the world looks into them. */
export interface MemoryWorld {
  readonly ports: Ports;
  readonly head: () => PlanHead | undefined;
  readonly snapshot: () => Snapshot | undefined;
  readonly demand: () => SourceDemand | undefined;
  readonly history: () => readonly NodeHistory[];
  /** The newest snapshot is as good as one that is taken now. */
  readonly refresh: (nowSeconds: number) => void;
}

const rememberedSeconds = 7_200;
/** More than four weeks of a busy cluster have. */
const mostSamples = 100_000;

/**
 * Ports in memory for one cluster and one source. Records are kept as they are: nothing is made into text, nothing is copied,
 * because the cycle changes no record that it was given. Nothing is kept that the cycle does not read again: no archive, no
 * accounts unless a budget needs them (the back-test has its own, exact to the moment), no closed operations of long ago.
 */
export function memoryPorts(options: {
  readonly config: ClusterConfig;
  readonly inForce: RunInput["inForce"];
  readonly cycleCloud: CycleCloud;
  readonly nowSeconds: () => number;
  readonly draw: () => number;
  readonly deliver: Deliveries;
}): MemoryWorld {
  const { config, inForce, cycleCloud, nowSeconds, draw, deliver } = options;
  const { cluster } = config;
  const operations = new OpenOperations(nowSeconds);
  const history = new Map<string, NodeHistory>();
  const losses: NodeLoss[] = [];
  const samples: Sample[] = [];
  const lossIds = new Set<string>();
  let [head, demand] = [undefined, undefined] as [
    Stored<PlanHead> | undefined,
    Stored<SourceDemand> | undefined,
  ];
  let snapshot: Stored<Snapshot> | undefined;
  let book: Stored<Book> | undefined;
  let [writes, plans] = [0, 0];
  const stored = <T>(value: T): Stored<T> => ({ value, etag: String(++writes) });
  const nothing = async () => undefined;
  const none = async () => [];
  const quiet = () => {};
  const ports: Ports = {
    clock: { nowSeconds },
    log: { info: quiet, warn: quiet, error: quiet },
    telemetry: { traceparent: undefined, record: quiet, part: (_name, _attributes, work) => work() },
    ids: {
      planId: () => `plan-${String(++plans).padStart(9, "0")}`,
      requestId: (actionId) => `request-${actionId}`,
      // The digest is only compared, so the text itself will do.
      digest: (text) => text,
      // Nothing leaves this process: names stay as the workload has them.
      keyedHash: (_setting, text) => text,
    },
    random: { draw },
    configs: { clusters: async () => [cluster], load: async () => inForce(config, nowSeconds()) },
    controls: {
      load: nothing,
      save: nothing,
      refusedLogin: nothing,
      saveRefusedLogin: nothing,
      changeRefusedLogin: nothing,
      forgetRefusedLogin: nothing,
    },
    cycleCloudFor: () => cycleCloud,
    snapshots: {
      load: async () => snapshot,
      save: async (_cluster, taken) => {
        snapshot = stored(taken);
      },
    },
    demand: {
      list: async () => (demand === undefined ? [] : [demand.value]),
      summaries: async () => (demand === undefined ? [] : [inShort(demand.value)]),
      load: async () => demand,
      save: async (next) => {
        demand = stored(next);
      },
      remove: nothing,
      savePart: nothing,
      waitingParts: none,
      sourcesWithParts: none,
      loadParts: none,
      loadFirstPart: nothing,
      dropFirstPart: nothing,
      dropParts: nothing,
    },
    uploads: { read: nothing },
    targets: { list: none, load: nothing, save: nothing, remove: nothing },
    history: {
      list: async () => [...history.values()],
      since: async () => ({ rows: [...history.values()], mark: undefined }),
      kept: nothing,
      keep: nothing,
      save: async (_cluster, rows) => {
        for (const row of rows) history.set(row.nodeId, row);
        forgetDeleted();
      },
      remove: async (_cluster, nodeIds) => {
        for (const nodeId of nodeIds) history.delete(nodeId);
      },
    },
    operations,
    plans: {
      loadHead: async () => head,
      saveHead: async (next) => {
        head = stored(next);
      },
      archive: async (plan) => {
        deliver.archived(plan);
        return { outcome: "archived" };
      },
      recordFailed: nothing,
      list: async () => (head === undefined ? [] : [{ ...head.value, archive: "whole" }]),
      load: nothing,
    },
    priceSheets: { load: nothing, save: nothing },
    quotaClaims: { load: nothing, save: nothing },
    rejections: { add: nothing, list: none, load: nothing, markReplayed: nothing },
    losses: {
      add: async (loss) => {
        if (lossIds.has(loss.eventId)) return false;
        lossIds.add(loss.eventId);
        losses.push(loss);
        return true;
      },
      recent: async (_cluster, limit, sinceSeconds = 0) => {
        for (let [first] = losses; first !== undefined && first.atSeconds < sinceSeconds; [first] = losses) {
          losses.shift();
          lossIds.delete(first.eventId);
        }
        return losses.slice(-limit).reverse();
      },
    },
    accounts: {
      load: async () => book,
      save: async (_cluster, next) => {
        if (hasBudgets(config)) book = stored(next);
      },
      keep: nothing,
      hours: none,
      days: none,
      runs: none,
      forget: nothing,
    },
    notifications: { load: nothing, save: async () => "" },
    samples: {
      add: async (_cluster, sample) => {
        samples.push(sample);
        if (samples.length > 2 * mostSamples) samples.splice(0, mostSamples);
      },
      list: async (_cluster, { fromSeconds, untilSeconds }) => {
        const inside = samples.slice(indexAt(fromSeconds), indexAt(untilSeconds));
        // Samples come with changes: until the next one, all stays as it was.
        const before = samples[indexAt(fromSeconds) - 1];
        return before === undefined ? inside : [{ ...before, atSeconds: fromSeconds }, ...inside];
      },
    },
    // The past of a back-test is never read.
    events: { note: nothing, list: none },
    configVersions: { add: nothing, list: none },
    planRequests: { send: async (scheduled) => deliver.requestPlan(scheduled) },
    scaleActions: {
      send: async (actions) => deliver.execute(actions, null),
      sendLater: async (action, { atSeconds }) => deliver.execute([action], atSeconds),
    },
    // Demand is merged as it is made: nothing lies on a queue.
    unreadDemand: { count: async () => 0, showsAnyOf: async () => false },
    schedulerEvents: { send: async (event) => deliver.tell(event), forget: nothing },
  };
  return {
    ports,
    head: () => head?.value,
    snapshot: () => snapshot?.value,
    demand: () => demand?.value,
    history: () => [...history.values()],
    refresh: (takenAtSeconds) => {
      if (snapshot !== undefined) snapshot = stored({ ...snapshot.value, takenAtSeconds });
    },
  };

  /** The first sample of then or later. */
  function indexAt(seconds: number): number {
    let [low, high] = [0, samples.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((samples[middle]?.atSeconds ?? 0) < seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rows of nodes that are gone for longer than plans look back are dropped: only people who read the past need them. */
  function forgetDeleted(): void {
    if (history.size <= 2 * (snapshot?.value.cluster.nodes.length ?? 0) + 20) return;
    const before = nowSeconds() - rememberedSeconds;
    for (const { nodeId, deletedSeconds } of history.values())
      if (deletedSeconds !== null && deletedSeconds < before) history.delete(nodeId);
  }
}

/** What planners compare of demand is its sequence. */
function inShort({
  jobs,
  nodes,
  nodeShapes: _,
  setAside: __,
  runTimes: ___,
  ...rest
}: SourceDemand): DemandSummary {
  const running = jobs.filter(({ executingHostnames }) => executingHostnames.length > 0).length;
  return { ...rest, jobs: jobs.length, running, nodes: nodes.length };
}
