import {
  type QueuePolicy,
  type RunFigures,
  type RunInput,
  type RunSetup,
  runBacktest,
  type Workload,
} from "../../../shared/backtest/index.ts";
import { defined } from "../../../shared/collections/defined.ts";
import { inForce, parseConfig } from "../../../shared/config/index.ts";
import { clusterStatusSchema, toCluster } from "../../../shared/cyclecloud/index.ts";
import { createVmCatalogue } from "../../../shared/facts/index.ts";
import type { ClusterConfig } from "../../../shared/ports/index.ts";
import { type DefinitionInput, parseDefinition } from "../../../shared/simulated-cyclecloud/index.ts";
import { reasonsInWords } from "../../../shared/views/index.ts";

/** What all runs of a command have in common. Plain data: it is sent to worker threads. */
export interface Setting {
  readonly workload: Workload;
  readonly cluster: string;
  readonly definition: DefinitionInput;
  readonly scheduler: QueuePolicy;
  /** Where boot times come from. Absent: from the definition. */
  readonly boots?: readonly string[];
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

/** The cluster of a task, and how answers about it are read: with the wire's schemas, as in the service. */
export function worldOf(
  { cluster, definition }: Setting,
  { json }: Task,
): Pick<RunInput, "config" | "definition" | "inForce" | "inWords" | "toReading"> {
  const config: ClusterConfig = configOf(cluster, json);
  const catalogue = createVmCatalogue(config.facts);
  return {
    config,
    inForce,
    definition: { ...parseDefinition(definition), name: cluster },
    inWords: reasonsInWords,
    toReading: ({ name, status, nodes }) =>
      toCluster({ name, status: clusterStatusSchema.parse(status), nodes, catalogue }),
  };
}

export async function runTask(
  setting: Setting,
  task: Task,
  { onProgress, signal }: { readonly onProgress: (share: number) => void; readonly signal?: AbortSignal },
): Promise<RunFigures> {
  const { workload, scheduler, boots } = setting;
  const { varied, seed } = task;
  return runBacktest({
    ...worldOf(setting, task),
    workload,
    scheduler,
    seed,
    varied,
    onProgress,
    ...defined({ boots, signal }),
  });
}

function configOf(cluster: string, json: unknown): ClusterConfig {
  const parsed = parseFor(cluster, json);
  if (!parsed.ok) throw new TypeError(`Cannot use the configuration: ${parsed.problems.join("; ")}`);
  return parsed.config;
}
