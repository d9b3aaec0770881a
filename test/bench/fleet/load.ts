import type { DefinitionInput } from "../../../infra/local/cyclecloud/index.ts";

/** A cluster of one array of four-core nodes, `most` of them. */
export function clusterNamed(name: string, most: number): DefinitionInput {
  const cores = most * 4;
  return {
    name,
    region: "westeurope",
    maxCount: most,
    maxCoreCount: cores,
    quotas: { westeurope: { cores, families: { standardFSv2Family: cores } } },
    times: { boot: { minSeconds: 60, medianSeconds: 90, maxSeconds: 120 } },
    nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: most, maxCoreCount: cores }],
  };
}

/** `count` jobs that each need a node of their own; those for which there is a host run there. */
export function singleJobs(count: number, hostnames: readonly string[] = []): readonly object[] {
  return Array.from({ length: count }, (_, index) => {
    const job = { name: String(index), constraints: { ncpus: 4, exclusive: true } };
    const hostname = hostnames[index];
    return hostname === undefined ? job : { ...job, executingHostnames: [hostname] };
  });
}

/** Times of a cluster that lives sixty times as fast. */
export const fleetConfig: Readonly<Record<string, unknown>> = {
  verify_certificates: true,
  idle_timeout: 5,
  boot_timeout: 60,
  demand_ttl: 600,
  snapshot_interval: 0,
  max_snapshot_age: 120,
  operation_timeout: 60,
};
