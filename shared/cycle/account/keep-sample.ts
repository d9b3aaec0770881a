import type { NodeUse, Sight } from "../../accounting/index.ts";
import { type Cluster, kindName, sizesByKind } from "../../engine/index.ts";
import { answerOr } from "../../errors/errors.ts";
import type { Ports, Sample, SourceDemand } from "../../ports/index.ts";
import { liveSources } from "../demand/live-demand.ts";

/** Keeps how the cluster is now, for curves. A failed write is logged and ignored: the curve then has a gap. */
export async function keepSample(
  ports: Pick<Ports, "samples" | "log">,
  cluster: string,
  seen: Seen,
): Promise<void> {
  await answerOr(
    () => ports.samples.add(cluster, sampleOf(seen)),
    (reason) => ports.log.warn("sample-not-kept", { cluster, reason }),
  );
}

interface Seen {
  readonly sight: Sight;
  readonly demand: readonly SourceDemand[];
  readonly cluster: Pick<Cluster, "nodeArrays">;
}

function sampleOf(seen: Seen): Sample {
  const { takenAtSeconds: atSeconds, nodes } = seen.sight;
  const { running, all } = countJobs(seen.demand, atSeconds);
  return {
    atSeconds,
    nodes: countByUse(nodes),
    usdPerHour: nodes.reduce((sum, { usdPerHour }) => sum + (usdPerHour ?? 0), 0),
    unpricedNodes: nodes.filter(({ usdPerHour }) => usdPerHour === null).length,
    used: usedBy(nodes, seen.cluster),
    runningJobs: running,
    waitingJobs: all - running,
  };
}

function countJobs(demand: readonly SourceDemand[], atSeconds: number): { running: number; all: number } {
  const sum = { running: 0, all: 0 };
  for (const { jobs } of liveSources(demand, atSeconds)) {
    sum.all += jobs.length;
    for (const { executingHostnames } of jobs) if (executingHostnames.length > 0) sum.running += 1;
  }
  return sum;
}

function countByUse(nodes: Sight["nodes"]): Sample["nodes"] {
  const counts: Partial<Record<NodeUse, number>> = {};
  for (const { use } of nodes) counts[use] = (counts[use] ?? 0) + 1;
  return counts;
}

function usedBy(nodes: Sight["nodes"], cluster: Pick<Cluster, "nodeArrays">): NonNullable<Sample["used"]> {
  const sizes = sizesByKind(cluster);
  const used: Record<string, { nodes: number; cores: number | null }> = {};
  for (const { nodeArray, vmSize, use, jobs } of nodes) {
    if (use !== "jobs") continue;
    const ofArray = used[nodeArray] ?? { nodes: 0, cores: 0 };
    used[nodeArray] = ofArray;
    ofArray.nodes += 1;
    const share = Math.min(
      1,
      jobs.reduce((sum, job) => sum + job.share, 0),
    );
    const size = sizes.get(kindName({ nodeArray, vmSize }));
    ofArray.cores =
      size === undefined || ofArray.cores === null
        ? null
        : ofArray.cores + Math.round(share * size.vm.vcpuCount * 100) / 100;
  }
  return used;
}
