import { StaleSnapshotError } from "../../errors/errors.ts";
import type {
  ClusterConfig,
  ClusterControl,
  NodeLoss,
  Operation,
  PlanHead,
  Ports,
  RequestSet,
  Snapshot,
  SourceDemand,
  Stored,
} from "../../ports/index.ts";
import { jobHoldsAt } from "../account/holds.ts";
import { furthestAheadSeconds } from "../clocks.ts";
import { loadControl, withIgnored, withKept } from "../control.ts";
import { chooseIdleTimeouts } from "../idle-timeouts.ts";
import { boughtForJobs, mostOfLastMinutes } from "../operations.ts";
import { nextScheduleSeconds } from "../schedules.ts";
import { type PastHours, readPastHours, targetsInForce } from "../spare-room.ts";
import { readHistory } from "./planned-history.ts";
import { readClaims } from "./shared-quotas.ts";
import type { Loaded } from "./to-plan-input.ts";

export type WorldPorts = Pick<
  Ports,
  | "clock"
  | "configs"
  | "controls"
  | "demand"
  | "history"
  | "losses"
  | "operations"
  | "plans"
  | "quotaClaims"
  | "samples"
  | "snapshots"
  | "targets"
>;

const evictionsCountForSeconds = 86_400;
/** Most losses read, the newest of a day. A job whose losses are older than these may use spot nodes again. */
const mostEvictions = 2_000;

/** Read first: enough to decide whether the rest is worth reading. */
export interface WorldOpened {
  readonly cluster: string;
  readonly config: ClusterConfig;
  readonly control: ClusterControl;
  readonly head: Stored<PlanHead> | undefined;
  /** Open operations of the newest plan, of earlier plans, and of direct requests. */
  readonly operations: readonly Stored<Operation>[];
  /**
   * Open operations of a planner that recorded them and never became the head: it lost the race, and may have died
   * before it could cancel them. They were never meant to be sent, so they do not count.
   */
  readonly stray: readonly Stored<Operation>[];
  /** Demand that arrives after this moment is not in this world. */
  readonly readAtSeconds: number;
}

/** The input of a plan: the state of a cluster at one moment. Plain data. */
export interface WorldRead extends Omit<WorldOpened, "head" | "operations" | "stray"> {
  readonly head: PlanHead | undefined;
  /** Includes the nodes that operators keep alive. */
  readonly snapshot: Snapshot;
  readonly loaded: Loaded;
  /** Recent operations, in any state: capacity shortages of creates count for as long as a back-off lasts. */
  readonly recent: readonly Operation[];
  /** How much jobs used in hours like this one. */
  readonly past: PastHours;
  /** Nodes that were lost in the same time. */
  readonly losses: readonly NodeLoss[];
  readonly snapshotEtag: string;
}

/** The input of views. */
export interface World extends WorldRead {
  /** Whether two worlds are the same, apart from their node history and the time: their tags are equal. */
  readonly tag: string;
}

/** Undefined for a cluster that is not configured. */
export async function openWorld(ports: WorldPorts, cluster: string): Promise<WorldOpened | undefined> {
  const [config, control, head] = await Promise.all([
    ports.configs.load(cluster),
    loadControl(ports, cluster),
    ports.plans.loadHead(cluster),
  ]);
  if (config === undefined) return undefined;
  const readAtSeconds = ports.clock.nowSeconds();
  const heads = new Set([head?.value.planId, ...(head?.value.unsentPlanIds ?? [])]);
  const isStray = ({ value: { state, action } }: Stored<Operation>) =>
    state === "planned" && action.planId !== null && !heads.has(action.planId);
  const open = await ports.operations.open(cluster);
  const operations = open.filter((each) => !isStray(each));
  return { cluster, config, control, head, operations, stray: open.filter(isStray), readAtSeconds };
}

/** What may have changed since the newest plan: enough to decide whether another one is needed. */
export interface News extends Pick<WorldRead, "recent" | "losses"> {
  readonly demand: readonly SourceDemand[];
  readonly targets: readonly RequestSet[];
  readonly seen: Stored<Snapshot> | undefined;
}

export async function readNews(
  ports: Pick<Ports, "demand" | "losses" | "operations" | "snapshots" | "targets">,
  { cluster, config, readAtSeconds }: WorldOpened,
): Promise<News> {
  const { capacityFailureBackoffSeconds, actionTtlSeconds, spot } = config.cycle;
  // An action may be executed as late as its time to live allows, and find no capacity then.
  const operationsSinceSeconds = readAtSeconds - capacityFailureBackoffSeconds - actionTtlSeconds;
  // A job keeps its evictions for a day.
  const lossesForSeconds = spot === undefined ? 0 : evictionsCountForSeconds;
  const lossesSinceSeconds = readAtSeconds - Math.max(capacityFailureBackoffSeconds, lossesForSeconds);
  const mostLosses = spot === undefined ? mostOfLastMinutes : mostEvictions;
  const [demand, targets, seen, recent, losses] = await Promise.all([
    ports.demand.list(cluster),
    ports.targets.list(cluster),
    ports.snapshots.load(cluster),
    ports.operations.recent(cluster, mostOfLastMinutes, operationsSinceSeconds),
    ports.losses.recent(cluster, mostLosses, lossesSinceSeconds),
  ]);
  return { demand, targets, seen, recent, losses };
}

/**
 * Reads the rest. Open operations come first, before the snapshot: one that a newer snapshot closes in between is then
 * counted in both, which buys too few for a moment. The other way round it would be in neither, and be bought twice.
 *
 * Throws StaleSnapshotError for a snapshot that is older than `mostAgeSeconds`, and always for a cluster without a
 * snapshot. `news` was read since `opened`, if at all.
 */
export async function readWorld(
  ports: WorldPorts,
  opened: WorldOpened,
  options: { readonly mostAgeSeconds?: number; readonly news?: News | undefined } = {},
): Promise<WorldRead> {
  const { cluster, config, control, head, operations, readAtSeconds } = opened;
  const { mostAgeSeconds = Number.POSITIVE_INFINITY } = options;
  const [{ demand, targets, seen, recent, losses }, history] = await Promise.all([
    options.news ?? readNews(ports, opened),
    readHistory(ports.history, cluster, head?.value.planId),
  ]);
  const stored = freshOf(seen, { opened, mostAgeSeconds, nowSeconds: ports.clock.nowSeconds() });
  const shared = await readClaims(ports, config, stored.value);
  const past = await readPastHours(ports, config, { sets: targets, nowSeconds: readAtSeconds });
  const snapshot = withKept(stored.value, control);
  const loaded: Loaded = {
    ...configured(config, { control, snapshot, readAtSeconds, past, loaded: { targets, history } }),
    drainedNodes: control.drainedNodes,
    snapshot,
    demand,
    operations: operations.map(({ value }) => value),
    boughtForJobs: boughtForJobs([...operations.map(({ value }) => value), ...recent]),
    history,
    ...(shared.length > 0 && { shared }),
  };
  return {
    cluster,
    config,
    control,
    readAtSeconds,
    past,
    head: head?.value,
    snapshot,
    loaded,
    recent,
    losses,
    snapshotEtag: stored.etag,
  };
}

/** The parts of a world that depend on the configuration. */
function configured(
  config: ClusterConfig,
  {
    control,
    snapshot,
    readAtSeconds,
    past,
    loaded: { targets, history },
  }: Pick<World, "control" | "snapshot" | "readAtSeconds" | "past"> & {
    readonly loaded: Pick<Loaded, "targets" | "history">;
  },
): Pick<
  Loaded,
  | "settings"
  | "idleTimeouts"
  | "predictsRunTimes"
  | "jobHolds"
  | "ownerCaps"
  | "targets"
  | "spares"
  | "nextScheduleSeconds"
> {
  const scheduled = { config, history, nowSeconds: readAtSeconds };
  const { settings, chosen } = chooseIdleTimeouts(config.engine, {
    history,
    cluster: snapshot.cluster,
    nowSeconds: readAtSeconds,
  });
  return {
    ...targetsInForce(targets, { ...scheduled, past }),
    nextScheduleSeconds: nextScheduleSeconds(scheduled),
    settings: withIgnored(settings, control),
    ...(chosen.length > 0 && { idleTimeouts: chosen }),
    predictsRunTimes: config.cycle.predictsRunTimes,
    ...(config.cycle.ownerCaps !== undefined && { ownerCaps: config.cycle.ownerCaps }),
    jobHolds: jobHoldsAt(config, snapshot, readAtSeconds),
  };
}

/** The same world under another configuration. The spending of a new budget is unknown until the next snapshot. */
export function worldUnder(world: World, config: ClusterConfig): World {
  return { ...world, config, loaded: { ...world.loaded, ...configured(config, world) } };
}

/** Reads both parts. Undefined for a cluster that is not configured. Throws StaleSnapshotError without a snapshot. */
export async function loadWorld(ports: WorldPorts, cluster: string): Promise<World | undefined> {
  const opened = await openWorld(ports, cluster);
  if (opened === undefined) return undefined;
  const read = await readWorld(ports, opened);
  return { ...read, tag: tagOf(opened, read) };
}

function tagOf(
  { config, control, head, operations }: WorldOpened,
  { snapshotEtag, loaded, recent, losses }: WorldRead,
): string {
  return JSON.stringify([
    [config, control, head?.etag, snapshotEtag, loaded.targets, losses, loaded.shared],
    [...operations.map(({ etag }) => etag), ...recent.map(({ actionId, state }) => `${actionId} ${state}`)],
    // A message that takes effect changes the sequence or the time of receipt.
    loaded.demand.map(({ source, sequence, receivedAtSeconds: at, expiresAtSeconds, refused }) => [
      ...[source, sequence, at, expiresAtSeconds],
      refused,
    ]),
  ]);
}

function freshOf(
  stored: Stored<Snapshot> | undefined,
  {
    opened: { cluster, config },
    mostAgeSeconds,
    nowSeconds,
  }: { readonly opened: WorldOpened; readonly mostAgeSeconds: number; readonly nowSeconds: number },
): Stored<Snapshot> {
  const ageSeconds = stored && nowSeconds - stored.value.takenAtSeconds;
  // The age of a snapshot from the future is not known; the next one replaces it.
  const leastSeconds = mostAgeSeconds === Number.POSITIVE_INFINITY ? -mostAgeSeconds : -furthestAheadSeconds;
  const isFit = ageSeconds !== undefined && ageSeconds <= mostAgeSeconds && ageSeconds >= leastSeconds;
  if (stored === undefined || !isFit)
    throw new StaleSnapshotError(cluster, { ageSeconds, maxAgeSeconds: config.cycle.maxSnapshotAgeSeconds });
  return stored;
}
