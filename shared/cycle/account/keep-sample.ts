import type { NodeUse, Sight } from "../../accounting/index.ts";
import { answerOr } from "../../errors/errors.ts";
import type { Ports, Sample, SourceDemand } from "../../ports/index.ts";
import { liveSources } from "../demand/live-demand.ts";

/** Keeps how the cluster is now, for curves. A failed write is logged and ignored: the curve then has a gap. */
export async function keepSample(
  ports: Pick<Ports, "samples" | "log">,
  cluster: string,
  seen: { readonly sight: Sight; readonly demand: readonly SourceDemand[] },
): Promise<void> {
  await answerOr(
    () => ports.samples.add(cluster, sampleOf(seen)),
    (reason) => ports.log.warn("sample-not-kept", { cluster, reason }),
  );
}

function sampleOf(seen: { readonly sight: Sight; readonly demand: readonly SourceDemand[] }): Sample {
  const { takenAtSeconds: atSeconds, nodes } = seen.sight;
  const { running, all } = countJobs(seen.demand, atSeconds);
  return {
    atSeconds,
    nodes: countByUse(nodes),
    usdPerHour: nodes.reduce((sum, { usdPerHour }) => sum + (usdPerHour ?? 0), 0),
    unpricedNodes: nodes.filter(({ usdPerHour }) => usdPerHour === null).length,
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
