import type { DefinitionInput } from "../../../infra/local/cyclecloud/definition.ts";
import type { WorkloadJob } from "../../../infra/local/scheduler/workload.ts";

/** The size that all simulated arrays have: four cores. */
const machineType = "Standard_F4s_v2";
export const coresPerNode = 4;
const region = "westeurope";

type Array = DefinitionInput["nodearrays"][number];

/** A small cluster with one array of four-core nodes that boot within a minute or two. */
export function smallCluster(name: string, fields: Partial<DefinitionInput> = {}): DefinitionInput {
  return {
    name,
    region,
    maxCount: 100,
    maxCoreCount: 400,
    quotas: { [region]: { cores: 400, spotCores: 200 } },
    times: {
      boot: { minSeconds: 40, medianSeconds: 80, maxSeconds: 200 },
      terminate: { minSeconds: 10, medianSeconds: 25, maxSeconds: 60 },
    },
    nodes: [{ name: "scheduler", machineType: "Standard_D4as_v5" }],
    nodearrays: [arrayOf("htc")],
    ...fields,
  };
}

export function arrayOf(name: string, fields: Partial<Array> = {}): Array {
  const autoscale = { enabled: true, is_hpc: false };
  return { name, machineTypes: [machineType], maxCount: 30, configuration: { autoscale }, ...fields };
}

/** `slots` tasks that fill a node each, unless told otherwise. */
export function slotsJob(name: string, fields: Partial<WorkloadJob> & { readonly slots?: number } = {}): WorkloadJob {
  const { slots = 1, ...rest } = fields;
  return {
    name,
    submitSeconds: 0,
    runSeconds: 120,
    shape: { kind: "slots", slots },
    need: needOf({}),
    ...rest,
  };
}

export function needOf(fields: Partial<WorkloadJob["need"]>): WorkloadJob["need"] {
  return { ncpus: coresPerNode, memoryGiB: 0, ngpus: 0, exclusive: false, nodeArrays: [], ...fields };
}

export function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
