import type { WorkloadJob } from "../../infra/local/scheduler/workload.ts";
import type { QuotedWay } from "../../shared/api/index.ts";
import { createChance } from "./chance.ts";
import { arrayOf, needOf, range, slotsJob, smallCluster } from "./scenarios/cluster.ts";
import { undisturbedWorld } from "./undisturbed-world.ts";
import { startSeconds } from "./world.ts";

const cluster = "hpc";
/** Longer than the longest boot, run and idle time together: each job begins on an empty cluster. */
const apartSeconds = 9_000;
/** Before the first job some nodes boot, so that it is known how long that takes. */
const warmUpSeconds = 3_600;
const shortestRunSeconds = 3_600;
const longestRunSeconds = 2 * 3_600;

/** What a job was said to cost, and what the accounts counted from its submission until its nodes were gone. */
export interface QuotedJob {
  readonly job: WorkloadJob;
  readonly way: QuotedWay;
  readonly countedUsd: number;
}

/** Asks for the price of drawn jobs, then runs them one by one on a cluster that has room for each, without faults. */
export async function runQuotedJobs({
  seed,
  jobs: count,
}: {
  readonly seed: number;
  readonly jobs: number;
}): Promise<readonly QuotedJob[]> {
  const draw = createChance(seed);
  const warmUp = range(4).map((index) => slotsJob(`warm-up-${index}`, { submitSeconds: 30 * index }));
  const jobs = range(count).map((index): WorkloadJob => {
    const shape = draw.happens(0.5)
      ? { kind: "slots" as const, slots: draw.whole(1, 40) }
      : { kind: "nodes" as const, nodes: draw.whole(1, 8), colocated: false };
    const nodeArrays = draw.pick([[], ["htc"], ["big"]]);
    return {
      name: `job-${index}`,
      submitSeconds: warmUpSeconds + index * apartSeconds + 60,
      runSeconds: draw.between(shortestRunSeconds, longestRunSeconds),
      shape,
      need: needOf({ ncpus: draw.pick([1, 2, 3, 4]), exclusive: draw.happens(0.2), nodeArrays }),
    };
  });
  const definition = smallCluster(cluster, {
    maxCount: 1_000,
    maxCoreCount: 8_000,
    quotas: { westeurope: { cores: 8_000, spotCores: 0 } },
    nodearrays: [
      arrayOf("htc", { maxCount: 400 }),
      arrayOf("big", { maxCount: 400, machineTypes: ["Standard_F16s_v2"] }),
    ],
  });
  const world = undisturbedWorld(seed, { definition, jobs: [...warmUp, ...jobs] });
  const ways: QuotedWay[] = [];
  const spentUsd: number[] = [];
  const spent = () =>
    world.counted(cluster).lines.reduce((sum, { nanoUsd }) => sum + (nanoUsd ?? 0), 0) / 1e9;
  for (const [index, job] of jobs.entries())
    world.timeline.after(warmUpSeconds + index * apartSeconds, () => {
      spentUsd.push(spent());
      world.quote(cluster, [askedOf(job)], (answer) => {
        if (!answer.ok) throw new Error(answer.problems.join("; "));
        ways.push(...answer.answer.ways.filter(({ kind }) => kind === "planned"));
      });
    });
  const endSeconds = startSeconds + warmUpSeconds + count * apartSeconds;
  await world.timeline.run(endSeconds, () => world.violations.length > 0);
  if (world.violations.length > 0) throw new Error(world.violations.join("; "));
  spentUsd.push(spent());
  return jobs.flatMap((job, index) => {
    const way = ways[index];
    const countedUsd = (spentUsd[index + 1] ?? Number.NaN) - (spentUsd[index] ?? Number.NaN);
    return way === undefined ? [] : [{ job, way, countedUsd }];
  });
}

/** The job as a demand message has it. */
function askedOf({ name, runSeconds, shape, need }: WorkloadJob): Readonly<Record<string, unknown>> {
  const { ncpus, exclusive, nodeArrays } = need;
  return {
    name,
    runtimeSeconds: Math.ceil(runSeconds),
    exclusive,
    constraints: { ncpus, ...(nodeArrays.length > 0 && { "node.nodearray": nodeArrays }) },
    ...(shape.kind === "slots" ? { iterations: shape.slots } : { nodeCount: shape.nodes }),
  };
}
