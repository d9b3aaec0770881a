import { readAnswer } from "../../shared/cyclecloud/answer-schemas.ts";
import { clusterStatusSchema } from "../../shared/cyclecloud/status-schema.ts";
import { toCluster } from "../../shared/cyclecloud/to-engine.ts";
import { createVmCatalogue } from "../../shared/facts/index.ts";
import type { ClusterReading } from "../../shared/ports/index.ts";
import {
  create,
  createManualClock,
  createSite,
  creationSchema,
  parseDefinition,
  toClusterStatus,
} from "../../shared/simulated-cyclecloud/index.ts";

const catalogue = createVmCatalogue();

/** CycleCloud's answer about a cluster of this many nodes that are ready, as text, and what reads it as the service does. */
export function wireCluster(
  name: string,
  { nodes, arrays }: { readonly nodes: number; readonly arrays: readonly string[] },
): { readonly text: string; readonly read: () => ClusterReading } {
  const clock = createManualClock(1_799_990_000);
  const region = "westeurope";
  const configuration = { autoscale: { enabled: true, is_hpc: false } };
  const machineTypes = ["Standard_F4s_v2"];
  const most = { maxCount: nodes, maxCoreCount: 4 * nodes };
  const definition = parseDefinition({
    name,
    region,
    ...most,
    quotas: { [region]: { cores: 4 * nodes, spotCores: 0 } },
    nodes: [],
    nodearrays: arrays.map((array) => ({ name: array, machineTypes, ...most, configuration })),
  });
  const site = createSite({ definitions: [definition], seed: 1, clock });
  const sets = arrays.map((nodearray, index) => ({
    nodearray,
    count: Math.floor((nodes + index) / arrays.length),
    definition: { machineType: "Standard_F4s_v2" },
  }));
  create(site, name, creationSchema.parse({ requestId: "all", sets }));
  clock.advance(3_600);
  const { cluster, at } = site.clusterNow(name);
  const text = JSON.stringify(toClusterStatus(cluster, { at, nodes: true }));
  const read = () => {
    const status = readAnswer(clusterStatusSchema, text, "read the status");
    return toCluster({ name, status, nodes: status.nodes ?? [], catalogue });
  };
  return { text, read };
}
