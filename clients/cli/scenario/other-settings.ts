import { InvalidArgumentError } from "commander";
import { parseEngineSettings } from "../../../shared/config/index.ts";
import type { EngineSettings } from "../../../shared/engine/index.ts";
import { readSetting, withValue } from "../../../shared/json/config-path.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { suggestion } from "../choices.ts";

/** Settings of the configuration that a plan can be made again with, by the engine's name for them. */
const engineNames = {
  boot_timeout: "bootTimeoutSeconds",
  default_resources: "defaultResources",
  exclusive_scope: "exclusiveScope",
  failed_nodes: "failedNodes",
  idle_timeout: "idleTimeoutSeconds",
  ignored_nodes: "ignoredNodes",
  placement: "placement",
  shared_pools: "sharedPools",
} as const satisfies Readonly<Record<string, keyof EngineSettings>>;

type Key = keyof typeof engineNames;

/** One `--set`: which setting, for which node array if for one only, and what it is to be. */
export interface OtherSetting {
  readonly name: keyof EngineSettings;
  readonly nodeArray: string | undefined;
  readonly parsed: EngineSettings;
}

/** Reads `--set KEY=VALUE` or `--set KEY.ARRAY=VALUE` as `config set KEY VALUE`; given again, it adds another. */
export function otherSetting(text: string, before: readonly OtherSetting[] = []): readonly OtherSetting[] {
  const [, path = "", value = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  const [key = "", nodeArray] = path.split(".", 2);
  if (!isKey(key))
    throw new InvalidArgumentError(
      `"${text}". ${suggestion(key, Object.keys(engineNames))}Expected KEY=VALUE with one of ${Object.keys(engineNames).join(", ")}.`,
    );
  if (nodeArray !== undefined && !(key === "idle_timeout" || key === "boot_timeout"))
    throw new InvalidArgumentError(`"${text}", expected no node array: this setting is one for all.`);
  const read = parseEngineSettings(withValue({}, path, readSetting(value)) ?? {});
  if (!read.ok) throw new InvalidArgumentError(`${read.problems.join("; ")}.`);
  return [...before, { name: engineNames[key], nodeArray, parsed: read.settings }];
}

function isKey(key: string): key is Key {
  return Object.hasOwn(engineNames, key);
}

/** The settings of a plan, with others in their place. What they do not name stays as it was. */
export function withOthers(settings: EngineSettings, others: readonly OtherSetting[]): EngineSettings {
  const all: Record<string, unknown> = { ...settings };
  for (const { name, nodeArray, parsed } of others)
    all[name] = merged(name, nodeArray, [all[name], parsed[name]]);
  // Every value comes from the schema under the name that it has there.
  return all as unknown as EngineSettings;
}

function merged(
  name: keyof EngineSettings,
  nodeArray: string | undefined,
  [before, after]: readonly [unknown, unknown],
): unknown {
  if (!isPerNodeArray(before) || !isPerNodeArray(after)) return after;
  if (nodeArray !== undefined)
    return {
      ...before,
      byNodeArray: { ...before.byNodeArray, [nodeArray]: after.byNodeArray[nodeArray] ?? after.default },
      ...((before.auto ?? after.auto) !== undefined && {
        auto: merged(name, nodeArray, [before.auto ?? notAuto, after.auto ?? notAuto]),
      }),
    };
  // `placement` of one node array has a key of its own in the configuration, so it stays.
  return name === "placement" ? { ...before, default: after.default } : after;
}

const notAuto: PerArray = { default: null, byNodeArray: {} };

interface PerArray {
  /** Of `idle_timeout`: for which arrays it is "auto". */
  readonly auto?: unknown;
  readonly default: unknown;
  readonly byNodeArray: Readonly<Record<string, unknown>>;
}

function isPerNodeArray(value: unknown): value is PerArray {
  return isDictionary(value) && isDictionary(value.byNodeArray);
}
