import { foreignKeys, isKnownKey, parseConfig } from "../../../shared/config/index.ts";
import { exactDuration } from "../../../shared/text/durations.ts";

type Json = Readonly<Record<string, unknown>>;

export interface Migration {
  readonly autoscale: Json;
  readonly agent: Json;
  /** A sentence each. */
  readonly taken: readonly string[];
  /** The same words mean something else here, or something has to be done. */
  readonly differs: readonly string[];
  readonly without: readonly string[];
  /** Why the configuration cannot be used yet, and what could not be read. */
  readonly problems: readonly string[];
}

/** What a scheduler's own files add to that. */
export interface FromScheduler extends Omit<Migration, "autoscale"> {
  /** Settings that the scheduler had, where autoscale.json says nothing. */
  readonly usual: Json;
  /** Keys of autoscale.json of which it tells what becomes of each part. */
  readonly sections?: readonly string[];
}

/** Of CycleCloud's own, here and there. */
const secrets = ["password"];

/** What becomes of it has a sentence of its own. */
const told = ["include", "read_only"];

/** `autoscale.json` of scalelib, without what is not read here. Read-only, until the other autoscaler is stopped. */
export function migrate(json: Json, cluster: string, scheduler: FromScheduler): Migration {
  const kept = ["$schema", "output_columns", "output_format"];
  const dropped = Object.keys(json).filter(
    (key) => !kept.includes(key) && !secrets.includes(key) && (foreignKeys.includes(key) || !isKnownKey(key)),
  );
  const own = Object.entries(json).filter(([key]) => !dropped.includes(key) && !secrets.includes(key));
  const usual = Object.entries(scheduler.usual).filter(([key]) => !Object.hasOwn(json, key));
  const autoscale = {
    ...Object.fromEntries(own),
    ...Object.fromEntries(usual),
    cluster_name: cluster,
    read_only: true,
  };
  const parsed = parseConfig({ cluster, json: autoscale });
  const problems = parsed.ok ? [] : parsed.problems.map((problem) => `autoscale.json: ${problem}`);
  const isWrong = (key: string) => problems.some((problem) => problem.startsWith(`autoscale.json: ${key}`));
  return {
    autoscale,
    agent: { cluster, ...scheduler.agent },
    taken: [
      ...own.filter(([key]) => !isWrong(key) && !told.includes(key)).map(([key]) => `autoscale.json: ${key}`),
      ...usual.map(
        ([key, value]) =>
          `autoscale.json: ${key}, ${typeof value === "number" ? exactDuration(value) : JSON.stringify(value)}, from the scheduler's settings`,
      ),
      ...scheduler.taken,
    ],
    differs: [
      ...(Object.hasOwn(json, "password")
        ? [
            "autoscale.json: password, goes into the app setting CYCLECLOUD_PASSWORD, and is in none of these files",
          ]
        : []),
      "autoscale.json: read_only, true. Nothing is sent until it is taken out",
      ...(Object.hasOwn(json, "include")
        ? [
            "autoscale.json: include, names of blobs here: put the included files there, too. Their keys are not in this report",
          ]
        : []),
      ...(parsed.ok ? parsed.config.warnings : []),
      ...scheduler.differs,
    ],
    without: [
      ...dropped.filter((key) => !scheduler.sections?.includes(key)).map((key) => `autoscale.json: ${key}`),
      ...scheduler.without,
    ],
    problems: [...problems, ...scheduler.problems],
  };
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
