import { foreignKeys, parseConfig } from "../../../shared/config/index.ts";
import { exactDuration } from "../../../shared/text/durations.ts";

type Json = Readonly<Record<string, unknown>>;

/** What becomes of the settings of another autoscaler. */
export interface Migration {
  readonly autoscale: Json;
  readonly agent: Json;
  /** A sentence each. */
  readonly taken: readonly string[];
  /** The same words mean something else here, or something has to be done. */
  readonly differs: readonly string[];
  readonly without: readonly string[];
  /** Why the configuration cannot be used yet. */
  readonly problems: readonly string[];
}

/** What a scheduler's own files add to that. */
export interface FromScheduler extends Omit<Migration, "autoscale" | "problems"> {
  /** Settings that the scheduler had, where autoscale.json says nothing. */
  readonly usual: Json;
}

/** Of CycleCloud's own, here and there. */
const secrets = ["password"];

/**
 * `autoscale.json` of scalelib, without what is not read here. It begins read-only: until the other autoscaler is stopped, this
 * one plans and sends nothing.
 */
export function migrate(json: Json, cluster: string, scheduler: FromScheduler): Migration {
  const foreign = Object.keys(json).filter((key) => foreignKeys.includes(key) && key !== "$schema");
  const isShown = ["output_columns", "output_format"];
  const dropped = foreign.filter((key) => !isShown.includes(key));
  const own = Object.entries(json).filter(([key]) => !dropped.includes(key) && !secrets.includes(key));
  const usual = Object.entries(scheduler.usual).filter(([key]) => !Object.hasOwn(json, key));
  const autoscale = {
    cluster_name: cluster,
    ...Object.fromEntries(own),
    ...Object.fromEntries(usual),
    read_only: true,
  };
  const parsed = parseConfig({ cluster, json: autoscale });
  return {
    autoscale,
    agent: { cluster, ...scheduler.agent },
    taken: [
      ...own.map(([key]) => `autoscale.json: ${key}`),
      ...usual.map(
        ([key, value]) => `autoscale.json: ${key}, ${inWords(value)}, from the scheduler's settings`,
      ),
      ...scheduler.taken,
    ],
    differs: [
      ...(Object.hasOwn(json, "password")
        ? ["password: goes into the app setting CYCLECLOUD_PASSWORD, and is in none of these files"]
        : []),
      "read_only: true. Nothing is sent until it is taken out",
      ...(parsed.ok ? parsed.config.warnings : []),
      ...scheduler.differs,
    ],
    without: [...dropped.map((key) => `autoscale.json: ${key}`), ...scheduler.without],
    problems: parsed.ok ? [] : parsed.problems,
  };
}

function inWords(value: unknown): string {
  return typeof value === "number" ? exactDuration(value) : JSON.stringify(value);
}

/** The report, in Markdown. */
export function reportOf(from: string, { taken, differs, without, problems }: Migration): string {
  const section = (heading: string, lines: readonly string[], none: string) =>
    [`## ${heading}`, "", ...(lines.length === 0 ? [none] : lines.map((line) => `- ${line}.`)), ""].join(
      "\n",
    );
  return [
    `# From ${from}`,
    "",
    ...(problems.length === 0 ? [] : [section("To correct first", problems, "")]),
    section("Taken over", taken, "Nothing."),
    section("Different here", differs, "Nothing."),
    section("Without counterpart", without, "Nothing."),
  ].join("\n");
}
