import { z } from "zod";
import {
  expiredRows,
  type NodeHistory,
  type Plan,
  type PlanInput,
  plan,
} from "../../../shared/engine/index.ts";
import { type Reading, readRules } from "./case-rules.ts";
import { check, type Past, passSchema, readPass } from "./recorded-pass.ts";

const sequenceSchema = z.looseObject({
  name: z.string(),
  config: z.record(z.string(), z.unknown()),
  /** `now` in Unix seconds. */
  steps: z.array(passSchema.extend({ now: z.number() })),
});

export interface ReplayedSequence {
  readonly name: string;
  readonly plans: readonly Plan[];
  readonly warnings: readonly string[];
}

/** Plans the steps of `{name, config, steps: [{now, clusterStatus, nodeList, jobs}]}` over one node history. Throws sentences. */
export async function replaySequence(value: unknown, reading: Reading): Promise<ReplayedSequence> {
  const { name, config, steps } = check(sequenceSchema, value, "the sequence");
  const rules = await readRules(config, reading);
  const plans: Plan[] = [];
  const warnings = [...rules.warnings];
  let past: Omit<Past, "nowSeconds"> = { lastPassSeconds: null, history: [] };
  for (const { now, ...pass } of steps) {
    const { input, setAside } = readPass(pass, { rules, past: { ...past, nowSeconds: now } });
    const planned = plan(input);
    plans.push(planned);
    warnings.push(...setAside);
    past = { lastPassSeconds: now, history: carriedOver(input, planned.history) };
  }
  return { name, plans, warnings };
}

/** The history after a pass: changed rows replace older ones, those of nodes long gone are dropped. */
function carriedOver(
  { history: before, nowSeconds, cluster }: PlanInput,
  changed: readonly NodeHistory[],
): readonly NodeHistory[] {
  const rows = new Map([...before, ...changed].map((row) => [row.nodeId, row]));
  for (const nodeId of expiredRows([...rows.values()], nowSeconds, cluster.nodes)) rows.delete(nodeId);
  return [...rows.values()];
}
