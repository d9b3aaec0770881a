import type { WorkloadJob } from "../../../infra/local/scheduler/workload.ts";
import type { DefinitionInput } from "../../../shared/simulated-cyclecloud/definition.ts";
import type { Chance } from "../chance.ts";
import type { Happening, Stage } from "../scenario.ts";

/** The size that all simulated arrays have: four cores. */
const machineType = "Standard_F4s_v2";
const coresPerNode = 4;
export const region = "westeurope";
/** How long most scenarios are troubled. */
export const troubleSeconds = 1500;

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

/** A job of `slots` tasks that fill a node each, unless told otherwise. */
export function slotsJob(
  name: string,
  { slots = 1, ...fields }: Partial<WorkloadJob> & { readonly slots?: number } = {},
): WorkloadJob {
  const shape = { kind: "slots", slots } as const;
  return { name, submitSeconds: 0, runSeconds: 120, shape, need: needOf({}), ...fields };
}

export function needOf(fields: Partial<WorkloadJob["need"]>): WorkloadJob["need"] {
  return { ncpus: coresPerNode, memoryGiB: 0, ngpus: 0, exclusive: false, nodeArrays: [], ...fields };
}

/** Single jobs of a node each, that come over the whole time of trouble. */
export function steadyJobs(chance: Chance, most: number): readonly WorkloadJob[] {
  return range(chance.whole(2, most)).map((index) =>
    slotsJob(`job-${index}`, {
      submitSeconds: chance.between(0, troubleSeconds * 0.9),
      runSeconds: chance.between(20, 400),
    }),
  );
}

/** The same thing again and again, at drawn moments. */
export function nowAndThen(
  chance: Chance,
  most: number,
  happening: { readonly what: string; readonly happens: (stage: Stage) => void },
): readonly Happening[] {
  return range(chance.whole(1, most)).map(() => ({
    ...happening,
    atSeconds: chance.between(60, troubleSeconds),
  }));
}

/** From a drawn moment until another, at the latest when the trouble is over. */
export function forAWhile(
  chance: Chance,
  from: Omit<Happening, "atSeconds">,
  until: Omit<Happening, "atSeconds">,
): readonly Happening[] {
  const start = chance.between(0, troubleSeconds * 0.7);
  const end = chance.between(start, troubleSeconds);
  return [
    { ...from, atSeconds: start },
    { ...until, atSeconds: end },
  ];
}

export function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
