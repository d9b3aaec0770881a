import type { JobRun } from "../../../shared/backtest/index.ts";
import type { WholePlan } from "../../../shared/ports/index.ts";

/** A node as CycleCloud had it; in seconds of the service's clock. */
export interface NodeRecord {
  readonly nodeId: string;
  /** Of the create call that made it. */
  readonly requestId: string | null;
  readonly createdAt: number;
  readonly readyAt: number | null;
  readonly terminatingAt: number | null;
  readonly terminatedAt: number | null;
}

/** What is known of a run, on the local stack or in the back-test. All times are seconds of the service's clock. */
export interface Seen {
  readonly nodes: readonly NodeRecord[];
  readonly runs: readonly JobRun[];
  readonly plans: readonly WholePlan[];
}

/** The moments of a node's life, from the submission of the first job that ran there. Absent: not known. */
type Moment = (typeof moments)[number];
export type NodeLife = Readonly<Partial<Record<Moment, number>>>;

const moments = [
  "submitted",
  "accepted",
  "planned",
  "created",
  "ready",
  "started",
  "ended",
  "idle",
  "drained",
  "retired",
  "ending",
  "gone",
] as const;

/** From each moment to the next one. Those from `boot` on make up what the node cost. */
export const stages: readonly { readonly name: string; readonly from: Moment; readonly to: Moment }[] = [
  { name: "job submitted, its demand accepted", from: "submitted", to: "accepted" },
  { name: "plan made", from: "accepted", to: "planned" },
  { name: "CycleCloud asked for the node", from: "planned", to: "created" },
  { name: "boot", from: "created", to: "ready" },
  { name: "first job starts", from: "ready", to: "started" },
  { name: "jobs", from: "started", to: "ended" },
  { name: "a plan sees it idle", from: "ended", to: "idle" },
  { name: "idle_timeout over, drain asked for", from: "idle", to: "drained" },
  { name: "drained, a plan deletes it", from: "drained", to: "retired" },
  { name: "CycleCloud asked to delete it", from: "retired", to: "ending" },
  { name: "termination", from: "ending", to: "gone" },
];

export function livesOf({ nodes, runs, plans }: Seen): readonly NodeLife[] {
  const hostnames = new Map(
    plans.flatMap(({ input }) => input.cluster.nodes.map(({ nodeId, hostname }) => [nodeId, hostname])),
  );
  return nodes.map((node): NodeLife => {
    const { nodeId, requestId, createdAt, readyAt, terminatingAt, terminatedAt } = node;
    const hostname = hostnames.get(nodeId);
    const own = runs.filter(
      (run) =>
        run.hostnames.some((each) => each === hostname) &&
        run.startSeconds >= createdAt &&
        run.startSeconds <= (terminatedAt ?? Number.POSITIVE_INFINITY),
    );
    const first = own.reduce((a, b) => (b.startSeconds < a.startSeconds ? b : a), own[0] ?? unknownRun);
    const creation = plans.flatMap(({ actions }) => actions).find((each) => each.requestId === requestId);
    const life: Partial<Record<Moment, number | null | undefined>> = {
      submitted: first.submitSeconds,
      accepted: creation?.askedAtSeconds,
      planned: creation?.createdAtSeconds,
      created: createdAt,
      ready: readyAt,
      started: first.startSeconds,
      ended: own.length === 0 ? undefined : Math.max(...own.map(({ endSeconds }) => endSeconds)),
      ...endOf(nodeId, plans),
      ending: terminatingAt,
      gone: terminatedAt,
    };
    return Object.fromEntries(Object.entries(life).filter(([, at]) => Number.isFinite(at ?? Number.NaN)));
  });
}

const unknownRun = { submitSeconds: Number.NaN, startSeconds: Number.NaN };

/** The deletion that took effect is the last one. */
function endOf(nodeId: string, plans: readonly WholePlan[]): Readonly<Partial<Record<Moment, number>>> {
  for (const { plan, actions } of plans.toReversed()) {
    for (const action of actions) {
      if (action.kind !== "shutdown-nodes") continue;
      const node = action.nodes.find((each) => each.nodeId === nodeId);
      if (node === undefined) continue;
      const { createdAtSeconds: retired } = action;
      const idle = plan.retire.find((each) => each.nodeId === nodeId)?.sinceSeconds;
      return {
        retired,
        drained: node.drain?.sinceSeconds ?? retired,
        ...(idle === undefined ? {} : { idle }),
      };
    }
  }
  return {};
}

/** How long a stage took for each node for which it is known. */
export function durations(
  lives: readonly NodeLife[],
  stage: Pick<(typeof stages)[number], "from" | "to">,
): readonly number[] {
  return lives.flatMap((life) => {
    const [from, to] = [life[stage.from], life[stage.to]];
    return from === undefined || to === undefined ? [] : [to - from];
  });
}

/** Of an even number the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, each) => sum + each, 0) / middle.length;
}
