import { InvalidArgumentError } from "commander";
import type { SettingValue } from "../../../shared/backtest/index.ts";
import { withValue } from "../../../shared/json/config-path.ts";
import { isDictionary, jsonOr } from "../../../shared/json/json.ts";

/** A setting of the configuration by its path, and the values that it takes in turn. */
export interface Varied {
  readonly key: string;
  readonly values: readonly SettingValue[];
}

/** More are a slip of the keyboard. */
const mostRuns = 1_000;

/** Reads `--vary KEY=a,b,c`; given again, it adds another setting. */
export function readVaried(text: string, before: readonly Varied[] = []): readonly Varied[] {
  const [, key = "", list = ""] = /^([\w-]+(?:\.[\w-]+)*)=(.+)$/s.exec(text) ?? [];
  if (key === "")
    throw new InvalidArgumentError(`"${text}", expected KEY=a,b,c, such as idle_timeout=60,300.`);
  // It would change the prototype, and no setting.
  if (key.split(".").includes("__proto__"))
    throw new InvalidArgumentError(`"${key}", expected a setting such as idle_timeout.`);
  if (before.some((each) => each.key === key))
    throw new InvalidArgumentError(`"${key}" twice, expected each setting once.`);
  const values = list.split(",").map((value) => readValue(value.trim()));
  if (values.includes("")) throw new InvalidArgumentError(`"${text}", expected no empty value.`);
  const twice = values.find((value, index) => values.indexOf(value) < index);
  if (twice !== undefined)
    throw new InvalidArgumentError(`"${text}", expected each value once: "${twice}" is there twice.`);
  const all = [...before, { key, values }];
  const runs = all.reduce((product, each) => product * each.values.length, 1);
  if (runs > mostRuns)
    throw new InvalidArgumentError(
      `${runs} runs, expected at most ${mostRuns}: vary fewer settings at once.`,
    );
  return all;
}

/** Numbers, `true`, `false` and `null` as JSON has them; everything else is a text. */
function readValue(text: string): SettingValue {
  return jsonOr(text, text) as SettingValue;
}

/** Every combination, the last setting changing fastest. Without any: one run, with nothing varied. */
export function combinations(varied: readonly Varied[]): readonly Readonly<Record<string, SettingValue>>[] {
  return varied.reduce<readonly Readonly<Record<string, SettingValue>>[]>(
    (all, { key, values }) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  );
}

/** A configuration with other values, by path (`schedules.spare.targets.0.SpareCount`). A value for one node array leaves what holds for the others. */
export function withValues(json: unknown, values: Readonly<Record<string, SettingValue>>): unknown {
  return Object.entries(values).reduce(
    (config, [key, value]) => withValue(config, key, value) ?? config,
    isDictionary(json) ? json : {},
  );
}
