import { z } from "zod";
import { toPlanInput } from "../../../shared/cycle/plan/plan-input.ts";
import { clusterStatusSchema } from "../../../shared/cyclecloud/status-schema.ts";
import { toCluster } from "../../../shared/cyclecloud/to-engine.ts";
import type { NodeHistory, PlanInput } from "../../../shared/engine/index.ts";
import { readDemand } from "./demand.ts";
import type { Rules } from "./rules.ts";

/** What one pass over a cluster looks at: CycleCloud's answers as they come, and what schedulers want. */
export const passSchema = z.looseObject({
  clusterStatus: clusterStatusSchema,
  nodeList: z.looseObject({ nodes: z.array(z.unknown()) }),
  schedulerNodes: z.array(z.unknown()).default([]),
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
}

/** A recorded pass as the service would plan it. Throws one sentence with every problem. */
export function readPass(pass: RecordedPass, { rules, past }: { rules: Rules; past: Past }): ReadPass {
  const { settings, catalogue } = rules;
  const name = "scenario";
  const { nodes } = pass.nodeList;
  const { cluster, setAside } = toCluster({ name, status: pass.clusterStatus, nodes, catalogue });
  const source = {
    cluster: name,
    source: name,
    sequence: 0,
    receivedAtSeconds: past.nowSeconds,
    expiresAtSeconds: Number.POSITIVE_INFINITY,
    ignoredMessages: 0,
    ...readDemand(pass.jobs, pass.schedulerNodes),
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
  return { input: { ...input, lastPassSeconds: past.lastPassSeconds }, setAside };
}
