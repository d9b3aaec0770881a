import { z } from "zod";
import { toPlanInput } from "../../../shared/cycle/index.ts";
import { clusterStatusSchema, toCluster } from "../../../shared/cyclecloud/index.ts";
import type { NodeHistory, PlanInput } from "../../../shared/engine/index.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import {
  type DemandJob,
  type DemandNode,
  type DemandNodeShape,
  demandVersion,
  demandWarnings,
  describeProblems,
  parseDemand,
  shown,
  wholly,
} from "../../../shared/messages/index.ts";
import { priceCluster } from "../../../shared/prices/index.ts";
import type { Rules } from "./case-rules.ts";

/** The input of one pass over a cluster: CycleCloud's answers unchanged, and what schedulers want. */
export const passSchema = z.looseObject({
  clusterStatus: clusterStatusSchema,
  nodeList: z.looseObject({ nodes: z.array(z.unknown()) }),
  schedulerNodes: z.array(z.unknown()).default([]),
  nodeShapes: z.array(z.unknown()).optional(),
  jobs: z.array(z.unknown()),
});

export type RecordedPass = z.output<typeof passSchema>;

/** What is known from the passes before. Unix seconds. */
export interface Past {
  readonly nowSeconds: number;
  readonly lastPassSeconds: number | null;
  readonly history: readonly NodeHistory[];
}

export interface ReadPass {
  readonly input: PlanInput;
  /** Records that could not be understood and were left out, one sentence each. */
  readonly setAside: readonly string[];
  /** Keys of jobs and hosts that mean nothing, each with its place. */
  readonly warnings: readonly string[];
}

/** A recorded pass as the service would plan it. Throws one sentence with every problem. */
export function readPass(pass: RecordedPass, { rules, past }: { rules: Rules; past: Past }): ReadPass {
  const { settings, catalogue, prices } = rules;
  const name = "scenario";
  const { nodes } = pass.nodeList;
  const read = toCluster({ name, status: pass.clusterStatus, nodes, catalogue });
  const cluster = priceCluster(read.cluster, prices);
  const { warnings, ...wanted } = readDemand(pass.jobs, pass.schedulerNodes, pass.nodeShapes);
  const source = {
    cluster: name,
    source: name,
    sequence: 0,
    receivedAtSeconds: past.nowSeconds,
    expiresAtSeconds: Number.POSITIVE_INFINITY,
    ignoredMessages: 0,
    ...wanted,
  };
  const input = toPlanInput(
    {
      settings,
      snapshot: { cluster },
      demand: [source],
      targets: [],
      operations: [],
      history: past.history,
    },
    past.nowSeconds,
  );
  // Recorded passes follow each other on a beat; the service plans on events.
  return { input: { ...input, lastPassSeconds: past.lastPassSeconds }, setAside: read.setAside, warnings };
}

/** A value as its schema reads it. Throws one sentence with every problem, each with its path and what was wanted. */
export function check<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  if (!isDictionary(value)) throw new TypeError(`Cannot read ${what}: ${shown(value)}, expected an object`);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new TypeError(`Cannot read ${what}: ${describeProblems(result.error).join("; ")}`);
}

/** Jobs and hosts as a demand message may spell them, read as one received just now. Throws one sentence with every problem. */
function readDemand(
  jobs: unknown,
  schedulerNodes: unknown,
  nodeShapes?: unknown,
): {
  readonly jobs: readonly DemandJob[];
  readonly nodes: readonly DemandNode[];
  readonly nodeShapes?: readonly DemandNodeShape[] | undefined;
  readonly warnings: readonly string[];
} {
  const message = {
    version: demandVersion,
    kind: "snapshot",
    cluster: "scenario",
    source: "scenario",
    sequence: 0,
    sentAt: "1970-01-01T00:00:00Z",
    jobs,
    nodes: schedulerNodes,
    ...(nodeShapes === undefined ? {} : { nodeShapes }),
  };
  const parsed = wholly(parseDemand(message));
  const inPlace = (problem: string) => problem.replace(/^nodes\b/, "schedulerNodes");
  if (parsed.ok) return { ...parsed.message, warnings: demandWarnings(parsed, message).map(inPlace) };
  const problems = parsed.problems.map(inPlace);
  throw new TypeError(`Cannot read the demand: ${problems.join("; ")}`);
}
