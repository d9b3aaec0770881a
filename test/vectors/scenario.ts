import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseEngineSettings } from "../../shared/config/engine-settings.ts";
import { clusterStatusSchema } from "../../shared/cyclecloud/status-schema.ts";
import { toCluster } from "../../shared/cyclecloud/to-engine.ts";
import {
  type Cluster,
  defineJob,
  type EngineSettings,
  type Job,
  type NodeHistory,
  type PlanInput,
  parseConstraints,
  type Resources,
} from "../../shared/engine/index.ts";
import { createVmCatalogue } from "../../shared/facts/vm-sizes.ts";

/** CycleCloud's answers and a demand, as the vectors hold them. */
export interface Snapshot {
  readonly clusterStatus: unknown;
  readonly nodeList: { readonly nodes: readonly unknown[] };
  readonly jobs: readonly VectorJob[];
}

export interface Scenario extends Snapshot {
  readonly name: string;
  readonly config: { readonly cluster_name: string };
  readonly schedulerNodes: readonly { readonly hostname: string; readonly resources: Resources }[];
}

interface VectorJob {
  readonly name: string;
  readonly constraints: unknown;
  readonly iterations?: number;
  readonly nodeCount?: number;
  readonly colocated?: boolean;
}

const catalogue = createVmCatalogue();

/** Reads a compressed file of vectors beside this one. */
export function readVectors<T>(file: string): readonly T[] {
  const text = gunzipSync(readFileSync(new URL(file, import.meta.url))).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

function clusterOf(snapshot: Snapshot): Cluster {
  const status = clusterStatusSchema.parse(snapshot.clusterStatus);
  return toCluster({ name: "cluster", status, nodes: snapshot.nodeList.nodes, catalogue }).cluster;
}

function settingsOf(config: unknown): EngineSettings {
  const parsed = parseEngineSettings(config);
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  return parsed.settings;
}

function jobOf(job: VectorJob): Job {
  const parsed = parseConstraints(job.constraints);
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join("; "));
  return defineJob({ ...job, constraints: parsed.constraints });
}

/** A scenario as a plan's input; `history` when it is one pass of a sequence. */
export function inputOf(
  scenario: Scenario,
  past: { nowSeconds: number; history: readonly NodeHistory[]; lastPassSeconds: number | null } = {
    nowSeconds: 1_800_000_000,
    history: [],
    lastPassSeconds: null,
  },
): PlanInput {
  return {
    ...past,
    cluster: clusterOf(scenario),
    jobs: scenario.jobs.map(jobOf),
    schedulerNodes: scenario.schedulerNodes,
    pending: [],
    leavingNodeIds: [],
    settings: settingsOf(scenario.config),
  };
}
