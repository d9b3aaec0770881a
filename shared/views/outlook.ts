import { loadControl, whyHeld, withIgnored, withKept } from "../cycle/control.ts";
import { mostOfLastMinutes } from "../cycle/operations.ts";
import { type MadePlan, makePlan } from "../cycle/plan/make-plan.ts";
import type { Loaded } from "../cycle/plan/plan-input.ts";
import type { BucketSurvey, Job, Plan, PlanInput, PlannedNode } from "../engine/index.ts";
import { survey } from "../engine/index.ts";
import { StaleSnapshotError } from "../errors.ts";
import type {
  ClusterConfig,
  ClusterControl,
  NodeLoss,
  Operation,
  PlanHead,
  Ports,
  Snapshot,
  SourceDemand,
} from "../ports/index.ts";

export type OutlookPorts = Pick<
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

/** What is known of a cluster at one moment: all that a plan would be made from. Plain data. */
export interface Known {
  readonly cluster: string;
  readonly config: ClusterConfig;
  readonly control: ClusterControl;
  readonly head: PlanHead | undefined;
  /** With the nodes that operators keep alive. */
  readonly snapshot: Snapshot;
  readonly loaded: Loaded;
  readonly recent: readonly Operation[];
  readonly losses: readonly NodeLoss[];
}

/** What is known, and the plan that would be made of it now. Nothing of it is recorded or sent. */
export interface Outlook extends Known {
  readonly atSeconds: number;
  /** Why the plan would not be sent; undefined: it would be. */
  readonly held: string | undefined;
  readonly made: MadePlan;
  readonly plan: Plan;
  readonly input: PlanInput;
  /** By name, of every node that the plan counts with. */
  readonly nodesByName: ReadonlyMap<string, PlannedNode>;
  /** The buckets before the plan. Worked out when first asked for. */
  readonly buckets: () => readonly BucketSurvey[];
}

/** What was read, and a tag that tells whether it is what was read before. */
export interface Read {
  readonly known: Known;
  /** Of all but the node history, which is the same list as long as it is the same. */
  readonly tag: string;
}

/**
 * Undefined for a cluster that is not configured. Throws StaleSnapshotError when it was never seen. `listHistory` may know
 * another way to the node history, all of which takes long to read.
 */
export async function readKnown(
  ports: OutlookPorts,
  cluster: string,
  listHistory = () => ports.history.list(cluster),
): Promise<Read | undefined> {
  // Operations before the snapshot, as a plan does: one that closes in between counts in both, not in neither.
  const [config, operations, head] = await Promise.all([
    ports.configs.load(cluster),
    ports.operations.open(cluster),
    ports.plans.loadHead(cluster),
  ]);
  if (config === undefined) return undefined;
  const { capacityFailureBackoffSeconds, actionTtlSeconds, maxSnapshotAgeSeconds } = config.cycle;
  const sinceSeconds = ports.clock.nowSeconds() - capacityFailureBackoffSeconds - actionTtlSeconds;
  const [control, stored, demand, targets, history, recent, losses] = await Promise.all([
    loadControl(ports, cluster),
    ports.snapshots.load(cluster),
    ports.demand.list(cluster),
    ports.targets.list(cluster),
    listHistory(),
    ports.operations.recent(cluster, mostOfLastMinutes, sinceSeconds),
    ports.losses.recent(cluster, mostOfLastMinutes, sinceSeconds),
  ]);
  if (stored === undefined)
    throw new StaleSnapshotError(cluster, { ageSeconds: undefined, maxAgeSeconds: maxSnapshotAgeSeconds });
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
      source,
      sequence,
      at,
      expiresAtSeconds,
      refused,
    ]),
  ]);
  const known = {
    cluster,
    config,
    control,
    head: head?.value,
    snapshot,
    loaded,
    recent,
    losses,
  };
  return { known, tag };
}

/** Undefined for a cluster that is not configured. Throws StaleSnapshotError when it was never seen. */
export async function loadKnown(ports: OutlookPorts, cluster: string): Promise<Known | undefined> {
  return (await readKnown(ports, cluster))?.known;
}

/** The plan that would be made now, with `extra` jobs at the end of the queue. Pure. */
export function outlookOf(known: Known, nowSeconds: number, extra?: SourceDemand): Outlook {
  const { config, control, snapshot, recent, losses, head } = known;
  const held = whyHeldNow(known, nowSeconds);
  const loaded =
    extra === undefined ? known.loaded : { ...known.loaded, demand: [...known.loaded.demand, extra] };
  const isSent = whyHeld(config, control) === undefined;
  const made = makePlan({ config, loaded, snapshot, recent, losses, before: head, isSent, nowSeconds });
  let buckets: readonly BucketSurvey[] | undefined;
  return {
    ...known,
    loaded,
    atSeconds: nowSeconds,
    held,
    made,
    plan: made.decided,
    input: made.input,
    nodesByName: new Map(made.decided.nodes.map((node) => [node.name, node])),
    buckets: () => {
      buckets ??= survey(made.input);
      return buckets;
    },
  };
}

export async function lookAhead(ports: OutlookPorts, cluster: string): Promise<Outlook | undefined> {
  const known = await loadKnown(ports, cluster);
  return known === undefined ? undefined : outlookOf(known, ports.clock.nowSeconds());
}

function whyHeldNow({ config, control, snapshot }: Known, nowSeconds: number): string | undefined {
  const ageSeconds = nowSeconds - snapshot.takenAtSeconds;
  const { maxSnapshotAgeSeconds } = config.cycle;
  if (ageSeconds > maxSnapshotAgeSeconds)
    return `the snapshot is ${Math.round(ageSeconds)} s old, expected at most ${maxSnapshotAgeSeconds} s`;
  return whyHeld(config, control);
}

/** Jobs as the plan has them, in the same order as its outcomes. */
export function jobsOf({ input }: Pick<Outlook, "input">): readonly Job[] {
  return input.jobs;
}
