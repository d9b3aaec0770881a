import {
  type RunFigures,
  type RunInput,
  runBacktest,
  type TraceJob,
  type TraceJobs,
} from "../../../../shared/backtest/index.ts";
import { inForce, parseConfig } from "../../../../shared/config/index.ts";
import { clusterStatusSchema, toCluster } from "../../../../shared/cyclecloud/index.ts";
import { createVmCatalogue } from "../../../../shared/facts/index.ts";
import {
  type ClusterDefinition,
  type DefinitionInput,
  parseDefinition,
} from "../../../../shared/simulated-cyclecloud/index.ts";
import { reasonsInWords } from "../../../../shared/views/index.ts";

export const twoSizes: DefinitionInput = {
  name: "small",
  region: "westeurope",
  quotas: { westeurope: { cores: 200 } },
  nodearrays: [
    { name: "htc", machineTypes: ["Standard_F4s_v2", "Standard_F16s_v2"], maxCount: 20 },
    { name: "big", machineTypes: ["Standard_D32s_v5"], maxCount: 2 },
  ],
};

export function job(name: string, fields: Partial<TraceJob> = {}): TraceJob {
  return { name, submitSeconds: 0, runSeconds: 600, requestedSeconds: null, processors: 1, ...fields };
}

export interface Small {
  readonly jobs: TraceJobs;
  readonly definition?: DefinitionInput;
  readonly keys?: Readonly<Record<string, unknown>>;
  readonly scheduler?: RunInput["scheduler"];
  readonly seed?: number;
  readonly everyBeat?: boolean;
  readonly signal?: AbortSignal;
  readonly clockStartSeconds?: number;
  readonly watch?: NonNullable<RunInput["watch"]>;
}

/** The input of a run, as the command line puts it together. */
export function inputOf({
  jobs,
  definition = twoSizes,
  keys = {},
  clockStartSeconds,
  ...more
}: Small): RunInput {
  const parsed = parseConfig({
    cluster: definition.name,
    json: { url: "https://nobody.invalid", username: "nobody", ...keys },
  });
  if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
  const known: ClusterDefinition = parseDefinition(definition);
  const catalogue = createVmCatalogue(parsed.config.facts);
  return {
    workload: {
      jobs: [...jobs].toSorted((a, b) => a.submitSeconds - b.submitSeconds),
      leftOut: [],
      ...(clockStartSeconds === undefined ? {} : { clockStartSeconds }),
    },
    config: parsed.config,
    inForce,
    definition: known,
    scheduler: "easy",
    seed: 1,
    varied: {},
    inWords: reasonsInWords,
    toReading: ({ name, status, nodes }) =>
      toCluster({
        name,
        // What the wire carries is text.
        status: clusterStatusSchema.parse(JSON.parse(JSON.stringify(status))),
        nodes: JSON.parse(JSON.stringify(nodes)),
        catalogue,
      }),
    ...more,
  };
}

export function runSmall(small: Small): Promise<RunFigures> {
  return runBacktest(inputOf(small));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
