import type { Cluster } from "../../engine/index.ts";
import type { SchedulerEvent } from "../../messages/index.ts";
import {
  type ClusterConfig,
  type ClusterReading,
  type CycleCloud,
  isOpen,
  type NodeChange,
  type Operation,
  type PlanHead,
  type Ports,
  type Snapshot,
  type SourceDemand,
} from "../../ports/index.ts";
import { locationsOf, priceCluster } from "../../prices/index.ts";
import { worstLevel } from "../account/budgets.ts";
import { countSnapshot } from "../account/count-snapshot.ts";
import { reportSpending } from "../account/spending.ts";
import { furthestAheadSeconds } from "../clocks.ts";
import { digestOf, loadControl, whyHeld, withKept } from "../control.ts";
import { forgetSilent } from "../demand/forget-source.ts";
import { tryingLogin, untilRefused } from "../login.ts";
import { measureSnapshot } from "../measure.ts";
import { requestPlan } from "../request-plan.ts";
import { tellSchedulers } from "../tell-schedulers.ts";
import { clusterDigest, nodeChanges } from "./changes.ts";
import { drainGone, withGoneArrays } from "./gone-arrays.ts";
import { resolveOperations } from "./resolve-operations.ts";
import { rhythmOf } from "./rhythm.ts";
import { noteSpotLosses } from "./spot-losses.ts";

/** More operations than one plan sends. A single one that failed since is enough. */
const recentOperations = 20;

/** The newest of each source, should its queue refuse us for days. */
const mostUntold = 500;

type SnapshotPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "cycleCloudFor"
  | "demand"
  | "events"
  | "ids"
  | "log"
  | "losses"
  | "operations"
  | "planRequests"
  | "plans"
  | "priceSheets"
  | "schedulerEvents"
  | "samples"
  | "snapshots"
  | "telemetry"
  | "targets"
> &
  Pick<Parameters<typeof countSnapshot>[0], "accounts">;

/**
 * Reads one cluster from CycleCloud, stores the snapshot, reports nodes that joined or left to schedulers, closes
 * operations whose effect is visible, and asks for a plan when anything changed or is due. Does nothing while the login
 * is refused. `amongOthers`: whether the deployment has other clusters; absent: as the snapshot before says.
 */
export async function snapshotCluster(
  ports: SnapshotPorts,
  cluster: string,
  { amongOthers }: { readonly amongOthers?: boolean } = {},
): Promise<void> {
  const config = await ports.configs.load(cluster);
  if (config === undefined) return;
  const cycleCloud = ports.cycleCloudFor(config);
  if (isUnverified(config))
    ports.log.warn("certificates-not-verified", { cluster, url: config.connection.url });
  const server = { control: await loadControl(ports, cluster), cycleCloud };
  const takenAtSeconds = ports.clock.nowSeconds();
  const read = await tryingLogin(ports, server, () => cycleCloud.readCluster());
  if (read.outcome === "stopped") return;
  const taken = { reading: read.value, takenAtSeconds, amongOthers };
  await untilRefused(ports, server, () => keep(ports, { config, cycleCloud, taken }));
}

async function keep(
  ports: SnapshotPorts,
  read: {
    readonly config: ClusterConfig;
    readonly cycleCloud: CycleCloud;
    readonly taken: {
      readonly reading: ClusterReading;
      readonly takenAtSeconds: number;
      readonly amongOthers: boolean | undefined;
    };
  },
): Promise<void> {
  const { config, cycleCloud } = read;
  const { takenAtSeconds } = read.taken;
  const { cluster } = config;
  const before = (await ports.snapshots.load(cluster))?.value;
  const { setAside } = read.taken.reading;
  const { atWorkSeconds: readEverySeconds } = rhythmOf(config.cycle);
  const timing = { atSeconds: takenAtSeconds, readEverySeconds };
  const reading = {
    cluster: await priced(ports, withGoneArrays(read.taken.reading, before, timing), config),
    setAside,
  };
  // A newer reading was stored meanwhile: comparing it with this one would report nodes that joined since as gone.
  const latestSeconds = ports.clock.nowSeconds() + furthestAheadSeconds;
  if (
    before !== undefined &&
    before.takenAtSeconds > takenAtSeconds &&
    before.takenAtSeconds <= latestSeconds
  )
    return;
  const hasDrained = await drainGone(ports, config.engine, { before, now: { ...reading, takenAtSeconds } });
  const demand = await ports.demand.list(cluster);
  const control = await loadControl(ports, cluster);
  const moment = { takenAtSeconds, demand, control, settings: config.engine };
  const count = await countSnapshot(ports, { ...moment, cluster: reading.cluster, config, before });
  const { spending } = count;
  const amongOthers = read.taken.amongOthers ?? before?.amongOthers === true;
  const untimed: Snapshot = {
    ...reading,
    takenAtSeconds,
    ...(amongOthers && { amongOthers }),
    untold: [],
    spending,
  };
  const changes = nodeChanges(before, untimed, ports.clock.nowSeconds());
  const changedAtSeconds = changes.at(-1)?.atSeconds ?? before?.changedAtSeconds;
  const taken: Snapshot = { ...untimed, ...(changedAtSeconds !== undefined && { changedAtSeconds }) };
  const untold = [...(before?.untold ?? []), ...changes];
  reportSpending(ports.log, taken, before);
  await noteSpotLosses(ports, { before, taken, jobsBefore: count.jobsBefore });
  // Stored before the reports, which may take long: if this run dies in between, the next one sends them.
  await ports.snapshots.save(cluster, { ...taken, untold }, { latestSeconds });
  if (untold.length > 0) {
    const left = await tellChanges(ports, { cluster, demand, changes: untold });
    await ports.snapshots.save(cluster, { ...taken, untold: left }, { latestSeconds });
  }
  const snapshot = taken;

  const seen = { cluster, snapshot, settings: config.cycle };
  const closed = await resolveOperations(ports, cycleCloud, seen);
  const head = (await ports.plans.loadHead(cluster))?.value;
  const due = hasDrained
    ? { reason: "a node array is gone, or back" }
    : closed > 0
      ? { reason: "operations closed" }
      : await whyDue(ports, { config, snapshot, head, demand });
  if (due !== undefined) await requestPlan(ports, { cluster, ...due });
  report(ports, snapshot, { due: due?.reason, config });
  measureSnapshot(ports, snapshot);
  await forgetSilent(ports, demand, ports.clock.nowSeconds());
  await count.keep();
}

/** The cluster with what its nodes cost, for the planner, the budget and everybody who looks. */
async function priced(
  { priceSheets }: Pick<SnapshotPorts, "priceSheets">,
  cluster: Cluster,
  { facts, priceRules: rules }: ClusterConfig,
): Promise<Cluster> {
  const sheets = await Promise.all(locationsOf(cluster).map((location) => priceSheets.load(location)));
  return priceCluster(cluster, { facts, rules, sheets: sheets.filter((sheet) => sheet !== undefined) });
}

interface Due {
  readonly reason: string;
  readonly onlyDemand?: true;
}

/** Why a plan is due; undefined: the last one is still valid. */
async function whyDue(
  ports: SnapshotPorts,
  state: {
    readonly config: ClusterConfig;
    readonly snapshot: Snapshot;
    readonly head: PlanHead | undefined;
    readonly demand: readonly SourceDemand[];
  },
): Promise<Due | undefined> {
  const { config, snapshot, head, demand } = state;
  if (head === undefined) return { reason: "first snapshot" };
  const control = await loadControl(ports, config.cluster);
  if (head.held !== undefined && whyHeld(config, control) === undefined)
    return { reason: "nothing holds the cluster any more" };
  const { cluster } = withKept(snapshot, control);
  if (head.clusterDigest !== clusterDigest(cluster, ports.ids)) return { reason: "snapshot changed" };
  if (head.configDigest !== digestOf(ports, config)) return { reason: "configuration changed" };
  const nowSeconds = ports.clock.nowSeconds();
  if (head.nextDeadlineSeconds !== null && head.nextDeadlineSeconds <= nowSeconds)
    return { reason: "deadline passed" };
  // Catches a plan request that was lost, or dropped as a repeat because clocks disagree. This check compares no
  // clocks.
  const isUnplanned = demand.some(({ source, sequence }) => head.demandSequences[source] !== sequence);
  if (isUnplanned) return { reason: "new demand", onlyDemand: true };
  const targets = await ports.targets.list(snapshot.cluster.name);
  const isUnmet = targets.some((set) => head.targetRequests[set.requestSet] !== set.receivedAtSeconds);
  if (isUnmet) return { reason: "new targets", onlyDemand: true };
  return whyOperations(await ports.operations.recent(head.cluster, recentOperations), head);
}

/** An operation that the last plan counted on may have failed since without a trace in the cluster. */
function whyOperations(operations: readonly Operation[], head: PlanHead): Due | undefined {
  const isNews = (operation: Operation) => operation.updatedAtSeconds >= head.demandReadAtSeconds;
  if (operations.some((operation) => !isOpen(operation) && isNews(operation)))
    return { reason: "operations closed" };
  // A planner that died may have left recorded actions: the next plan sends them.
  return operations.some((operation) => operation.state === "planned")
    ? { reason: "actions not sent" }
    : undefined;
}

/**
 * Returns what a source could not be sent, for the next snapshot. A silent source is told, too: should it come back, nodes that it did
 * not hear of would never join its scheduler. It is forgotten after a day, with its queue.
 */
async function tellChanges(
  ports: SnapshotPorts,
  {
    cluster,
    demand,
    changes,
  }: {
    readonly cluster: string;
    readonly demand: readonly SourceDemand[];
    readonly changes: readonly NodeChange[];
  },
): Promise<readonly NodeChange[]> {
  const nowSeconds = ports.clock.nowSeconds();
  const events = demand.flatMap(({ source }) =>
    changes
      .filter((change) => change.source === undefined || change.source === source)
      .map((change): SchedulerEvent => ({ version: 1, cluster, atSeconds: nowSeconds, ...change, source })),
  );
  const unsent = await tellSchedulers(ports, events);
  const ofSources = Map.groupBy(unsent, ({ source }) => source);
  return [...ofSources.values()].flatMap((own) =>
    own.slice(-mostUntold).map(({ kind, nodes, source, atSeconds }) => ({ kind, nodes, source, atSeconds })),
  );
}

function report(
  ports: SnapshotPorts,
  snapshot: Snapshot,
  { due, config }: { readonly due: string | undefined; readonly config: ClusterConfig },
): void {
  const { cluster, setAside, spending } = snapshot;
  for (const message of setAside) ports.log.warn("set-aside", { cluster: cluster.name, message });
  ports.log.info("snapshot", {
    cluster: cluster.name,
    nodes: cluster.nodes.length,
    setAside: setAside.length,
    planRequested: due ?? null,
    // From this, an alert knows when the next one is overdue.
    restSeconds: rhythmOf(config.cycle).atRestSeconds,
    // Alerts end when these do.
    budget: worstLevel(spending),
    configuration: config.inPlaceOf === undefined ? "current" : "earlier",
  });
}

/** Whether the server's identity is not checked: anybody between us and the server could read the password. */
export function isUnverified({ connection }: Pick<ClusterConfig, "connection">): boolean {
  const { url, verifyCertificates, certificateFingerprint } = connection;
  return url.startsWith("https:") && !verifyCertificates && certificateFingerprint === undefined;
}
