import { type EngineSettings, nearest, placementOf } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import { arraysNamedIn } from "../names/unknown-arrays.ts";
import type { AutostopSettings, ClusterConfig, CycleCloudConnection, Schedule } from "../ports/index.ts";
import { bounded, describeIssues, shown } from "../text/describe-issues.ts";
import { type ConfigKeys, configSchema } from "./config-schema.ts";
import { asksForGroups, predefinesGroups } from "./engine-settings.ts";
import { toFacts } from "./facts-schema.ts";
import { toDestinations } from "./notifications-schema.ts";
import { toPriceRules } from "./price-rules-schema.ts";
import { isKnownKey, warnOfUnknownKeys } from "./unknown-keys.ts";
import {
  parseSettings,
  problemsBetween,
  toSettings,
  type WindowKeys,
  windowKeys,
  windowKeysIn,
} from "./window-settings.ts";

export type ParsedConfig =
  | { readonly ok: true; readonly config: ClusterConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a cluster's `autoscale.json`, with its includes merged. Names all problems at once, each with its path, its
 * value and what was wanted; what is odd but usable becomes a warning of the configuration. Never throws.
 */
export function parseConfig({
  cluster,
  json,
}: {
  readonly cluster: string;
  readonly json: unknown;
}): ParsedConfig {
  const parsed = configSchema.safeParse(json, { reportInput: true });
  const problems = parsed.success ? [] : describeIssues(parsed.error);
  const named = nameOf(json);
  if (named !== undefined && named !== cluster)
    problems.push(`cluster_name: ${shown(named)}, expected "${cluster}", the cluster that the file is for`);
  if (parsed.success) problems.push(...problemsBetween(parsed.data));
  if (!parsed.success || problems.length > 0) return { ok: false, problems: bounded(problems) };
  const keys = parsed.data;
  const facts = toFacts(keys);
  const priceRules = toPriceRules(keys);
  const notifications = toDestinations(keys.notifications);
  const { printing, warning } = readPrinting(json);
  const settings = toSettings(keys);
  const namedArrays = arraysNamedIn(json);
  const ownKeys = windowKeysIn(json);
  const schedules = toSchedules(keys, ownKeys);
  if (!schedules.ok) return { ok: false, problems: bounded(schedules.problems) };
  const config: ClusterConfig = {
    cluster,
    connection: toConnection(keys),
    ...settings,
    autostop: toAutostop(keys),
    ...(Object.keys(facts).length > 0 && { facts }),
    ...(priceRules.length > 0 && { priceRules }),
    ...(notifications.length > 0 && { notifications }),
    ...(schedules.schedules.length > 0 && { schedules: schedules.schedules }),
    ...(schedules.schedules.some((schedule) => schedule.settings !== undefined) && { ownKeys }),
    ...(keys.pseudonyms !== undefined && {
      pseudonyms: { keySetting: keys.pseudonyms.key_setting, fields: keys.pseudonyms.fields },
    }),
    ...(printing !== undefined && { printing }),
    ...(namedArrays.length > 0 && { namedArrays }),
    warnings: bounded([
      ...warningsOf(keys, settings.engine),
      ...spotWarnings(keys, settings.engine),
      ...(warning === undefined ? [] : [warning]),
      ...warnOfUnknownKeys(json),
    ]),
  };
  return { ok: true, config };
}

/** Schedules with the keys that they set, each schedule's valid together with those of the file. */
function toSchedules(
  { schedules }: ConfigKeys,
  ownKeys: WindowKeys,
):
  | { readonly ok: true; readonly schedules: readonly Schedule[] }
  | { readonly ok: false; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const read = schedules.map(({ paused: _, settings, ...schedule }): Schedule => {
    const keys = Object.keys(settings);
    if (keys.length === 0) return schedule;
    const problem = (text: string) => problems.push(`schedules.${schedule.name}.settings.${text}`);
    for (const key of keys.filter((each) => !windowKeys.includes(each)))
      problem(`${key}: ${whyNotInWindows(key)}`);
    const changed = parseSettings({ ...ownKeys, ...settings });
    if (!changed.ok) for (const text of changed.problems) problem(text);
    return { ...schedule, settings };
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, schedules: read };
}

function whyNotInWindows(key: string): string {
  const isKnown = isKnownKey(key);
  const near = isKnown ? null : nearest(key, windowKeys);
  const wanted = near === null ? `one of ${windowKeys.join(", ")}` : `"${near}"`;
  return `${isKnown ? "cannot change with the time" : "unknown key"}, expected ${wanted}`;
}

/** The name in the file, also when other keys are in error. The schema reports a name that is not text. */
function nameOf(json: unknown): string | undefined {
  const parsed = configSchema.pick({ cluster_name: true }).safeParse(json);
  return parsed.success ? parsed.data.cluster_name : undefined;
}

function toConnection(keys: ConfigKeys): CycleCloudConnection {
  const { certificate_authority: certificateAuthority, certificate_fingerprint: certificateFingerprint } =
    keys;
  return {
    url: keys.url,
    username: keys.username,
    passwordSetting: keys.password_setting,
    verifyCertificates: keys.verify_certificates ?? true,
    ...(certificateAuthority !== undefined && { certificateAuthority }),
    ...(certificateFingerprint !== undefined && { certificateFingerprint }),
  };
}

/** With nodes filled array by array, a job whose regular node is on order would get a spot node as well. */
function spotWarnings({ spot, compatibility }: ConfigKeys, engine: EngineSettings): string[] {
  if (spot === undefined) return [];
  if (compatibility === "scalelib") return ['spot: ignored, "compatibility" is "scalelib"'];
  const arrays = spot.pairs.flatMap((pair) => [pair.spot, pair.regular]);
  return [...new Set(arrays)]
    .filter((array) => placementOf(engine, array) === "order")
    .map(
      (array) =>
        `spot.pairs: placement of "${array}" is "order", which buys twice when jobs fall back; expected "reuse" or "cost"`,
    );
}

function toAutostop({ autostop }: ConfigKeys): AutostopSettings {
  const { username, password_setting: passwordSetting } = autostop;
  return {
    idleSecondsBeforeJobs: autostop.idle_time_before_jobs,
    idleSecondsAfterJobs: autostop.idle_time_after_jobs,
    login: username === undefined ? null : { username, passwordSetting },
  };
}

function warningsOf(keys: ConfigKeys, { idleTimeoutSeconds }: EngineSettings): string[] {
  const warnings: string[] = [];
  for (const key of ["idle_timeout_least", "idle_timeout_most"] as const)
    if (keys[key] !== undefined && idleTimeoutSeconds.auto === undefined)
      warnings.push(`${key}: ignored, it is for arrays whose idle_timeout is "auto"`);
  if (keys.password !== undefined)
    warnings.push(
      `password: ignored, no password is read from a configuration; put it into app setting "${keys.password_setting}" and take it out of the file`,
    );
  const isPinned = keys.certificate_fingerprint !== undefined;
  if (keys.verify_certificates === false && !isPinned && keys.url.startsWith("https:"))
    warnings.push(
      "verify_certificates: false, ANYBODY between here and the server can read the password; give certificate_fingerprint or certificate_authority, and set it to true",
    );
  if (isPinned && keys.certificate_authority !== undefined)
    warnings.push("certificate_authority: ignored, the server is known by its certificate_fingerprint alone");
  if (keys.verify_certificates === undefined && !isPinned)
    warnings.push(
      "verify_certificates: not set, taken as true (scalelib takes it as false); a server with a private certificate needs certificate_authority",
    );
  if (predefinesGroups(keys) && asksForGroups(keys))
    warnings.push(
      "generated_placement_group_buffer: ignored, no placement groups are generated where placement_groups names any",
    );
  return warnings;
}

/** scalelib's keys, both spellings: the command line reads them. */
const printingKeys = ["output_columns", "output-columns", "output_format"];

/** Limits their length: they are sent with answers, in a header. */
const mostCharacters = 4_096;

/** What a configuration says about printing, or why that cannot be told; neither when it says nothing. */
function readPrinting(json: unknown): {
  readonly printing?: Readonly<Record<string, unknown>>;
  readonly warning?: string;
} {
  if (!isDictionary(json)) return {};
  const given = printingKeys
    .filter((key) => Object.hasOwn(json, key))
    .map((key) => [key, json[key]] as const);
  if (given.length === 0) return {};
  const printing = Object.fromEntries(given);
  const { length } = JSON.stringify(printing);
  return length <= mostCharacters
    ? { printing }
    : {
        warning: `output_columns: ${length} characters, expected at most ${mostCharacters}: ccscale takes them from a file (--config) only`,
      };
}
