import { z } from "zod";
import { nearest, type PlanInput } from "../../../shared/engine/index.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { type Reading, readRules } from "./case-rules.ts";
import { check, passSchema, readPass } from "./recorded-pass.ts";

const scenarioSchema = passSchema.extend({
  name: z.string(),
  config: z.record(z.string(), z.unknown()),
  /** Unix seconds; only properties such as `node.create_time` and ages depend on it. */
  now: z.number().default(0),
});

export interface Scenario {
  readonly name: string;
  readonly input: PlanInput;
  readonly warnings: readonly string[];
}

/** Reads `{name, config, clusterStatus, nodeList, schedulerNodes, jobs}`. Throws what is wrong, in sentences. */
export async function readScenario(value: unknown, reading: Reading): Promise<Scenario> {
  const { name, config, now, ...pass } = check(scenarioSchema, value, "the scenario");
  const misspelt = misspeltKeys(value);
  const rules = await readRules(config, reading);
  const past = { nowSeconds: now, lastPassSeconds: null, history: [] };
  const { input, setAside, warnings } = readPass(pass, { rules, past });
  return { name, input, warnings: [...misspelt, ...rules.warnings, ...setAside, ...warnings] };
}

/** Recorded cases may have other keys, so only keys that resemble a known one are reported. */
function misspeltKeys(value: unknown): readonly string[] {
  const keys = Object.keys(scenarioSchema.shape);
  return Object.keys(isDictionary(value) ? value : {}).flatMap((key) => {
    const meant = keys.includes(key) ? null : nearest(key, keys);
    return meant === null ||
      (isDictionary(value) && Object.hasOwn(value, meant) && value[meant] !== undefined)
      ? []
      : [`${key}: unknown, ignored; did you mean "${meant}"?`];
  });
}
