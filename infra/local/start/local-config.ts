import { readFile } from "node:fs/promises";
import { parseDuration } from "../../../shared/text/durations.ts";

/** The shortest that still works: a snapshot is taken every second, and a machine may be busy. */
const leastSeconds: Readonly<Record<string, number>> = {
  idle_timeout: 4,
  boot_timeout: 60,
  patience: 4,
  capacity_failure_backoff: 5,
  boot_failure_backoff: 10,
  failed_nodes_kept_for: 60,
  max_runtime: 1,
};

/**
 * The autoscaler lives in real time while its world runs fast, so what is minutes for an operator is seconds here: the
 * usual times divided by the speed, but never so short that a snapshot could miss them. `own`: keys of an `autoscale.json`,
 * which count first.
 */
export function localConfig(
  speed: number,
  own: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const usual = {
    idle_timeout: 300,
    boot_timeout: 1_800,
    capacity_failure_backoff: 300,
    boot_failure_backoff: 1_800,
    failed_nodes_kept_for: 3_600,
  };
  return {
    demand_ttl: 60,
    max_snapshot_age: 30,
    operation_timeout: 60,
    target_attributes: ["Configuration.application_*"],
    ...inLocalTime({ ...usual, ...own }, speed),
  };
}

/** Times of what happens to nodes and jobs; those of messages and calls are real for both. */
function inLocalTime(config: Readonly<Record<string, unknown>>, speed: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const least = leastSeconds[key];
      if (key === "spot" && typeof value === "object") return [key, inLocalTime({ ...value }, speed)];
      if (least === undefined) return [key, value];
      return [key, scaled(value, { speed, least })];
    }),
  );
}

/** One time, or one for each node array. */
function scaled(value: unknown, to: { readonly speed: number; readonly least: number }): unknown {
  const seconds = typeof value === "string" ? parseDuration(value, { isPlain: true }) : value;
  if (typeof seconds === "number") return Math.max(to.least, Math.round(seconds / to.speed));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, scaled(each, to)]));
}

/** Reads the keys of an `autoscale.json`. Throws an Error that names the file. */
export async function readConfig(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const json: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof json === "object" && json !== null && !Array.isArray(json)) return { ...json };
    throw new Error("it holds no JSON object");
  } catch (error) {
    throw new Error(`Cannot read the configuration "${file}": ${(error as Error).message}`);
  }
}
