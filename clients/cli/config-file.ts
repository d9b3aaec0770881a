import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { parseConfig, resolveIncludes, warnOfUnknownKeys } from "../../shared/config/index.ts";
import { hasCode } from "../../shared/errors/errors.ts";
import { isDictionary, parseJson } from "../../shared/json/json.ts";
import type { ClusterConfig } from "../../shared/ports/index.ts";
import { printable } from "../../shared/text/text.ts";
import { parseColumns } from "../columns/parse-columns.ts";
import { withCalendars } from "./calendars.ts";
import { CommandFailure } from "./exit-code.ts";
import { parseOutputSettings } from "./output/output-settings.ts";
import { listed } from "./output/print.ts";
import { readJson } from "./read-text.ts";

/** An `autoscale.json` of this machine, checked. */
export interface ReadConfig {
  readonly cluster: string;
  /** As it is written. */
  readonly own: unknown;
  /** What it includes, by path from the file; what that includes, too. */
  readonly includes: Readonly<Record<string, unknown>>;
  /** With what it includes merged in. */
  readonly json: unknown;
  readonly config: ClusterConfig | undefined;
  /** Every problem; empty if the configuration can be used. */
  readonly problems: readonly string[];
  /** Unusual settings that do not prevent its use. */
  readonly warnings: readonly string[];
}

/** Reads a file as the service would. The cluster: the one asked for, else `cluster_name`, else the file's name. Throws CommandFailure. */
export async function readConfig(file: string, asked: string | undefined): Promise<ReadConfig> {
  const own = await withCalendars(await readJson(file), dirname(file));
  const includes: Record<string, unknown> = {};
  const loadBeside = async (path: string): Promise<unknown> => {
    const json = await loadInclude(resolve(dirname(file), path));
    if (json !== undefined) includes[path] = json;
    return json;
  };
  const included = await resolveIncludes({ path: basename(file), json: own, loadInclude: loadBeside });
  const json = included.ok ? included.json : own;
  const cluster = asked ?? nameIn(json) ?? basename(file, ".json");
  const parsed = parseConfig({ cluster, json });
  const problems = [
    ...(included.ok ? [] : included.problems),
    ...(parsed.ok ? [] : parsed.problems),
    ...outputProblems(json),
  ];
  return {
    cluster,
    own,
    includes,
    json,
    config: parsed.ok ? parsed.config : undefined,
    problems,
    // A key that is missing is often there, misspelt.
    warnings: parsed.ok ? parsed.config.warnings : warnOfUnknownKeys(json),
  };
}

function nameIn(json: unknown): string | undefined {
  return isDictionary(json) && typeof json.cluster_name === "string" ? json.cluster_name : undefined;
}

/** Finds columns that `ccscale` could not print before the configuration is stored. */
function outputProblems(json: unknown): readonly string[] {
  const parsed = parseOutputSettings(json);
  if (!parsed.ok) return isDictionary(json) ? parsed.problems : [];
  return Object.entries(parsed.settings.columns).flatMap(([command, texts]) => {
    const columns = parseColumns(texts);
    return columns.ok ? [] : columns.problems.map((problem) => `output_columns of ${command}: ${problem}`);
  });
}

/** A configuration file of this machine; undefined when there is none. Throws for one that is no JSON. */
export async function loadInclude(path: string): Promise<unknown> {
  try {
    return await withCalendars(parseJson(await readFile(path, "utf8")), dirname(path));
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

export function unusable(file: string, problems: readonly string[]): CommandFailure {
  const title = `Cannot use "${printable(file)}":`;
  return new CommandFailure(listed(title, problems), "Fix these problems, then try again.");
}
