import { join } from "node:path";
import { Option } from "commander";
import { z } from "zod";
import {
  factsShape,
  parseEngineSettings,
  priceShape,
  resolveIncludes,
  toFacts,
  toPriceRules,
  warnOfUnknownKeys,
} from "../../../shared/config/index.ts";
import type { EngineSettings } from "../../../shared/engine/index.ts";
import { ConfigurationError } from "../../../shared/errors/errors.ts";
import { createVmCatalogue, type VmCatalogue } from "../../../shared/facts/index.ts";
import { describeProblems } from "../../../shared/messages/index.ts";
import type { PriceSources } from "../../../shared/prices/index.ts";
import { loadInclude } from "../config-file.ts";

export interface Rules {
  readonly settings: EngineSettings;
  readonly catalogue: VmCatalogue;
  readonly prices: PriceSources;
  /** Such as an unknown key, with the most similar known one. */
  readonly warnings: readonly string[];
}

/** How to read a recorded case. */
export interface Reading {
  /** Where it comes from: what its configuration includes is looked for beside this path. */
  readonly path: string;
  readonly compatibility: Compatibility;
}

const factsSchema = z.looseObject({ ...factsShape, ...priceShape });

/** Reads an `autoscale.json`, or the part of one that a recorded case holds. Throws ConfigurationError with every problem. */
export async function readRules(config: unknown, reading: Reading): Promise<Rules> {
  const included = await resolveIncludes({ path: reading.path, json: config, loadInclude });
  if (!included.ok) throw new ConfigurationError("the configuration", included.problems);
  const parsed = parseEngineSettings(included.json);
  if (!parsed.ok) throw new ConfigurationError("the configuration", parsed.problems);
  return {
    settings: withCompatibility(parsed.settings, reading.compatibility),
    ...readFacts(included.json),
    warnings: warnOfUnknownKeys(included.json),
  };
}

function readFacts(json: unknown): Pick<Rules, "catalogue" | "prices"> {
  const parsed = factsSchema.safeParse(json, { reportInput: true });
  if (!parsed.success) throw new ConfigurationError("the configuration", describeProblems(parsed.error));
  const facts = toFacts(parsed.data);
  return { catalogue: createVmCatalogue(facts), prices: { facts, rules: toPriceRules(parsed.data) } };
}

/** `scalelib`: plan as scalelib does, even where that differs from its documentation. `none`: as this service does. */
export type Compatibility = "scalelib" | "none";

/** Recorded cases contain what scalelib did, so that is what they are compared with by default. */
const compatibilityOfRecords: Compatibility = "scalelib";

export function compatibilityOption(): Option {
  return new Option(
    "--compatibility <with>",
    `whose undocumented behaviour to follow (default: ${compatibilityOfRecords} with --json-lines, else none)`,
  ).choices(["scalelib", "none"] satisfies Compatibility[]);
}

function withCompatibility(settings: EngineSettings, compatibility: Compatibility): EngineSettings {
  return compatibility === "none" ? settings : { ...settings, compatibility };
}

/** Recorded cases from standard input include files of the current folder. */
export function fromStandardInput(compatibility: Compatibility = compatibilityOfRecords): Reading {
  return { path: join(process.cwd(), "standard-input"), compatibility };
}
