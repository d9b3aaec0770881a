import {
  type QueuePolicy,
  type RunFigures,
  type RunSetup,
  runBacktest,
  type Workload,
} from "../../../shared/backtest/index.ts";
import { parseConfig } from "../../../shared/config/index.ts";
import { clusterStatusSchema, toCluster } from "../../../shared/cyclecloud/index.ts";
import { createVmCatalogue } from "../../../shared/facts/index.ts";
import type { ClusterConfig } from "../../../shared/ports/index.ts";
import { type DefinitionInput, parseDefinition } from "../../../shared/simulated-cyclecloud/index.ts";

/** What all runs of a command have in common. Plain data: it is sent to worker threads. */
export interface Setting {
  readonly workload: Workload;
  readonly cluster: string;
  readonly definition: DefinitionInput;
  readonly scheduler: QueuePolicy;
}

/** One run. Plain data. */
export interface Task {
  /** The configuration with the values that it varies, complete and without problems. */
  readonly json: unknown;
  readonly varied: RunSetup["varied"];
  readonly seed: number;
}

/** A configuration of this machine need not say where its server is. */
const nobody = { url: "https://nobody.invalid", username: "nobody", verify_certificates: true };

export function parseFor(cluster: string, json: unknown): ReturnType<typeof parseConfig> {
  const { cluster_name: _, ...keys } = Object(json) as Readonly<Record<string, unknown>>;
  return parseConfig({ cluster, json: { ...nobody, ...keys } });
}

/** Runs a task here. Answers are read with the wire's schemas, as in the service. */
export async function runTask(
  { workload, cluster, definition, scheduler }: Setting,
  { json, varied, seed }: Task,
  { onProgress, signal }: { readonly onProgress: (share: number) => void; readonly signal?: AbortSignal },
): Promise<RunFigures> {
  const config: ClusterConfig = configOf(cluster, json);
  const catalogue = createVmCatalogue(config.facts);
  return runBacktest({
    ...{ workload, config, scheduler, seed, varied, onProgress },
    ...(signal === undefined ? {} : { signal }),
    definition: { ...parseDefinition(definition), name: cluster },
    toReading: ({ name, status, nodes }) =>
      toCluster({ name, status: clusterStatusSchema.parse(status), nodes, catalogue }),
  });
}

function configOf(cluster: string, json: unknown): ClusterConfig {
  const parsed = parseFor(cluster, json);
  if (!parsed.ok) throw new TypeError(`Cannot use the configuration: ${parsed.problems.join("; ")}`);
  return parsed.config;
}
