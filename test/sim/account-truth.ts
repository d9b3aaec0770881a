import type { NodeUse, Purpose } from "../../shared/accounting/index.ts";
import { createChance } from "./chance.ts";
import type { TrueNode } from "./cloud.ts";
import { arrayOf, needOf, range, slotsJob, smallCluster } from "./scenarios/cluster.ts";
import { undisturbedWorld } from "./undisturbed-world.ts";
import { startSeconds, type World } from "./world.ts";

const cluster = "hpc";
const coresPerNode = 4;
/** How often the cloud and the scheduler are asked what is really there. */
const lookSeconds = 1;

export type NodeSeconds = Readonly<Record<Purpose, number>>;

export interface Compared {
  readonly nodes: number;
  readonly truth: NodeSeconds;
  readonly counted: NodeSeconds;
}

/**
 * Lives through some hours of jobs that come at any moment, without faults, with a snapshot each minute; tells for what the
 * cloud's nodes were there by its own timetable and the scheduler's, second by second, and what the accounts say.
 */
export async function compareWithTruth({
  seed,
  hours,
  jobs,
}: {
  readonly seed: number;
  readonly hours: number;
  readonly jobs: number;
}): Promise<Compared> {
  const draw = createChance(seed);
  const workload = range(jobs).map((index) =>
    slotsJob(`job-${index}`, {
      submitSeconds: draw.between(0, hours * 3_600 * 0.9),
      runSeconds: draw.between(60, 1_800),
      need: needOf({ ncpus: draw.pick([1, 2, 4, 4]) }),
    }),
  );
  const definition = smallCluster(cluster, {
    maxCount: 1_000,
    maxCoreCount: 4_000,
    quotas: { westeurope: { cores: 4_000, spotCores: 0 } },
    nodearrays: [arrayOf("htc", { maxCount: 900 })],
    times: {},
  });
  const world = undisturbedWorld(seed, { definition, jobs: workload });
  const looks: { readonly atSeconds: number; readonly used: readonly Used[] }[] = [];
  const look = () => {
    looks.push({ atSeconds: world.nowSeconds, used: reallyUsed(world) });
    world.timeline.after(lookSeconds, look);
  };
  world.timeline.after(lookSeconds / 2, look);
  await world.timeline.run(startSeconds + hours * 3_600, () => world.violations.length > 0);
  if (world.violations.length > 0) throw new Error(world.violations.join("; "));
  const counted = { ...nothingYet };
  const accounts = world.counted(cluster);
  const truth = { ...nothingYet };
  for (const { atSeconds, used } of looks)
    if (atSeconds < accounts.asOfSeconds)
      for (const [purpose, share] of used) truth[purpose] += share * lookSeconds;
  for (const { purpose, nodeMs } of accounts.lines) counted[purpose] += nodeMs / 1_000;
  return { nodes: world.cloud.control.ledger(cluster).created, truth, counted };
}

const nothingYet: Record<Purpose, number> = {
  job: 0,
  unused: 0,
  boot: 0,
  idle: 0,
  drained: 0,
  kept: 0,
  failed: 0,
  ending: 0,
};

/** A purpose of a node, and how much of the node. */
type Used = readonly [purpose: Purpose, share: number];

/** What each node of the cloud is used for at this moment, in shares of a node. */
function reallyUsed(world: World): readonly Used[] {
  const { scheduler } = world.watched(cluster);
  const cores = new Map<string, number>();
  for (const { job, hostnames } of scheduler.runningTasks)
    for (const host of hostnames) cores.set(host, (cores.get(host) ?? 0) + job.need.ncpus);
  const out = new Set(
    scheduler.hostStates.flatMap(({ hostname, state }) => (state === "up" ? [] : hostname)),
  );
  const usesOf = ({ status, isWanted, hostname = "" }: TrueNode): readonly Used[] => {
    if (["Gone", "Terminated", "Deallocated"].includes(status)) return [];
    const taken = (cores.get(hostname) ?? 0) / coresPerNode;
    if (taken > 0)
      return [
        ["job", taken],
        ["unused", 1 - taken],
      ];
    return [[useOf({ status, isWanted, isOut: out.has(hostname) }), 1]];
  };
  return world.cloud.nodes(cluster).flatMap(usesOf);
}

function useOf({
  status,
  isWanted,
  isOut,
}: {
  readonly status: string;
  readonly isWanted: boolean;
  readonly isOut: boolean;
}): Exclude<NodeUse, "jobs"> {
  if (status === "Failed") return "failed";
  if (!isWanted) return "ending";
  if (status !== "Ready") return "boot";
  return isOut ? "drained" : "idle";
}
