import { StaleSnapshotError } from "../../errors.ts";
import type {
  ClusterConfig,
  ClusterControl,
  NodeLoss,
  Operation,
  PlanHead,
  Ports,
  Snapshot,
  Stored,
} from "../../ports/index.ts";
import { furthestAheadSeconds } from "../clocks.ts";
import { loadControl, withIgnored, withKept } from "../control.ts";
import { mostOfLastMinutes } from "../operations.ts";
import type { Loaded } from "./plan-input.ts";

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
  | "snapshots"
  | "targets"
>;

/** What is read before the rest: enough to tell whether the rest is worth reading. */
export interface WorldOpened {
  readonly cluster: string;
  readonly config: ClusterConfig;
  readonly control: ClusterControl;
  readonly head: Stored<PlanHead> | undefined;
  /** Open operations of the newest plan, of those before it, and of whoever requested an action. */
  readonly operations: readonly Stored<Operation>[];
  /**
   * Open operations of a planner that recorded them and never got the head: it lost the race, and perhaps died before it
   * could take them back. They were never meant to be sent, so they count for nothing.
   */
  readonly stray: readonly Stored<Operation>[];
  /** Whatever demand comes after this moment is not in this world. */
  readonly readAtSeconds: number;
}

/** All that a plan is made from, and that a look shows: what is known of a cluster at one moment. Plain data. */
export interface World extends Omit<WorldOpened, "head" | "operations" | "stray"> {
  readonly head: PlanHead | undefined;
  /** With the nodes that operators keep alive. */
  readonly snapshot: Snapshot;
  readonly loaded: Loaded;
  /** Operations of the last while, in any state: what creates were short of counts for as long as a back-off lasts. */
  readonly recent: readonly Operation[];
  /** Nodes that were lost within the same while. */
  readonly losses: readonly NodeLoss[];
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

/**
 * Reads the rest. Open operations come first, before the snapshot: one that a newer snapshot closes in between is then
 * counted in both, which buys too little for a moment; the other way round it would be in neither, and be bought twice.
 *
 * `mostAgeSeconds`: throws StaleSnapshotError for a snapshot that is older, and always for a cluster that was never seen.
 * `listHistory` may know another way to the node history, all of which takes long to read.
 */
export async function readWorld(
  ports: WorldPorts,
  opened: WorldOpened,
  options: {
    readonly mostAgeSeconds?: number;
    readonly listHistory?: () => ReturnType<Ports["history"]["list"]>;
  } = {},
): Promise<World> {
  const { cluster, config, control, head, operations, readAtSeconds } = opened;
  const { capacityFailureBackoffSeconds, actionTtlSeconds } = config.cycle;
  const { mostAgeSeconds = Number.POSITIVE_INFINITY, listHistory = () => ports.history.list(cluster) } =
    options;
  const stored = await seen(ports, opened, mostAgeSeconds);
  // An action may be carried out as late as its time to live allows, and be short of capacity then.
  const operationsSinceSeconds = readAtSeconds - capacityFailureBackoffSeconds - actionTtlSeconds;
  const lossesSinceSeconds = readAtSeconds - capacityFailureBackoffSeconds;
  const [demand, targets, history, recent, losses] = await Promise.all([
    ports.demand.list(cluster),
    ports.targets.list(cluster),
    listHistory(),
    ports.operations.recent(cluster, mostOfLastMinutes, operationsSinceSeconds),
    ports.losses.recent(cluster, mostOfLastMinutes, lossesSinceSeconds),
  ]);
  const snapshot = withKept(stored.value, control);
  const loaded: Loaded = {
    settings: withIgnored(config.engine, control),
    drainedNodes: control.drainedNodes ?? [],
    snapshot,
    demand,
    targets,
    operations: operations.map(({ value }) => value),
    history,
  };
  const tag = JSON.stringify([
    [config, control, head?.etag, stored.etag, targets, losses],
    [...operations.map(({ etag }) => etag), ...recent.map(({ actionId, state }) => `${actionId} ${state}`)],
    // A message that takes effect has another sequence, or comes at another time.
    demand.map(({ source, sequence, receivedAtSeconds: at, expiresAtSeconds, refused }) => [
      ...[source, sequence, at, expiresAtSeconds],
      refused,
    ]),
  ]);
  return {
    ...{ cluster, config, control, readAtSeconds },
    ...{ head: head?.value, snapshot, loaded, recent, losses, tag },
  };
}

/** Both in one. Undefined for a cluster that is not configured. Throws StaleSnapshotError when it was never seen. */
export async function loadWorld(
  ports: WorldPorts,
  cluster: string,
  options: Parameters<typeof readWorld>[2] = {},
): Promise<World | undefined> {
  const opened = await openWorld(ports, cluster);
  return opened === undefined ? undefined : readWorld(ports, opened, options);
}

async function seen(
  ports: WorldPorts,
  { cluster, config }: WorldOpened,
  mostAgeSeconds: number,
): Promise<Stored<Snapshot>> {
  const stored = await ports.snapshots.load(cluster);
  const ageSeconds = stored && ports.clock.nowSeconds() - stored.value.takenAtSeconds;
  // How old one from the future is nobody can tell; the next reading replaces it.
  const leastSeconds = mostAgeSeconds === Number.POSITIVE_INFINITY ? -mostAgeSeconds : -furthestAheadSeconds;
  const isFit = ageSeconds !== undefined && ageSeconds <= mostAgeSeconds && ageSeconds >= leastSeconds;
  if (stored === undefined || !isFit)
    throw new StaleSnapshotError(cluster, { ageSeconds, maxAgeSeconds: config.cycle.maxSnapshotAgeSeconds });
  return stored;
}
