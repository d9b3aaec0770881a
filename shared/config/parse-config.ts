import { isDeepStrictEqual } from "node:util";
import { type EngineSettings, placementOf } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import { arraysNamedIn } from "../names/unknown-arrays.ts";
import type {
  AutostopSettings,
  ClusterConfig,
  CycleCloudConnection,
  CycleSettings,
  OwnerCap,
  Schedule,
} from "../ports/index.ts";
import { bounded, describeIssues, shown } from "../text/describe-issues.ts";
import { type ConfigKeys, configSchema, cycleShape, engineSchema } from "./config-schema.ts";
import {
  asksForGroups,
  deallocateProblems,
  idleBoundProblems,
  ofNodeArrays,
  predefinesGroups,
  toEngineSettings,
} from "./engine-settings.ts";
import { toFacts } from "./facts-schema.ts";
import { toDestinations } from "./notifications-schema.ts";
import { toPriceRules } from "./price-rules-schema.ts";
import { warnOfUnknownKeys } from "./unknown-keys.ts";

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
  if (parsed.success) problems.push(...idleBoundProblems(parsed.data), ...deallocateProblems(parsed.data));
  if (!parsed.success || problems.length > 0) return { ok: false, problems: bounded(problems) };
  const keys = parsed.data;
  const facts = toFacts(keys);
  const priceRules = toPriceRules(keys);
  const notifications = toDestinations(keys.notifications);
  const { printing, warning } = readPrinting(json);
  const engine = toEngineSettings(keys, { generateByDefault: true });
  const namedArrays = arraysNamedIn(json);
  const cycle = toCycle(keys);
  const schedules = toSchedules(keys, { cluster, json, engine, cycle });
  if (!schedules.ok) return { ok: false, problems: bounded(schedules.problems) };
  const config: ClusterConfig = {
    cluster,
    connection: toConnection(keys),
    engine,
    cycle,
    autostop: toAutostop(keys),
    ...(Object.keys(facts).length > 0 && { facts }),
    ...(priceRules.length > 0 && { priceRules }),
    ...(notifications.length > 0 && { notifications }),
    ...(schedules.schedules.length > 0 && { schedules: schedules.schedules }),
    ...(keys.long_wait !== undefined && { longWaitSeconds: keys.long_wait }),
    ...(keys.pseudonyms !== undefined && {
      pseudonyms: { keySetting: keys.pseudonyms.key_setting, fields: keys.pseudonyms.fields },
    }),
    ...(printing !== undefined && { printing }),
    ...(namedArrays.length > 0 && { namedArrays }),
    warnings: bounded([
      ...warningsOf(keys, engine),
      ...spotWarnings(keys, engine),
      ...(warning === undefined ? [] : [warning]),
      ...warnOfUnknownKeys(json),
    ]),
  };
  return { ok: true, config };
}

/** Settings of the engine and of the cycle around it: others hold for longer than a window, such as where the server is. */
const scheduledKeys = [...Object.keys(engineSchema.shape), ...Object.keys(cycleShape), "budgets"];

/** Schedules with their settings read as the whole configuration would be with them. */
function toSchedules(
  { schedules }: ConfigKeys,
  base: Pick<ClusterConfig, "cluster" | "engine" | "cycle"> & { readonly json: unknown },
):
  | { readonly ok: true; readonly schedules: readonly Schedule[] }
  | { readonly ok: false; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const { schedules: _, ...others } = isDictionary(base.json) ? base.json : {};
  const parsedWith = (keys: object) => parseConfig({ cluster: base.cluster, json: { ...others, ...keys } });
  // Where several windows may be open, the latest counts also where it says what holds anyway.
  const said = schedules.flatMap(({ settings }) => Object.entries(settings));
  const contested = [...Map.groupBy(said, ([key]) => key)].filter(([, values]) => values.length > 1);
  const membersOf = new Map(
    contested.map(([key, values]) => {
      const changes = values.flatMap(([, value]) => {
        const changed = parsedWith({ [key]: value });
        return changed.ok ? [changesOf(base, changed.config)] : [];
      });
      return [key, mergedOf(changes)] as const;
    }),
  );
  const read = schedules.map(({ paused: __, settings, ...schedule }): Schedule => {
    const keys = Object.keys(settings);
    if (keys.length === 0) return schedule;
    const problem = (text: string) => problems.push(`schedules.${schedule.name}.settings.${text}`);
    for (const key of keys.filter((each) => !scheduledKeys.includes(each)))
      problem(`${key}: cannot change with the time, expected one of ${scheduledKeys.join(", ")}`);
    const changed = parsedWith(settings);
    if (!changed.ok) {
      for (const text of changed.problems) problem(text);
      return schedule;
    }
    const { engine, cycle } = changed.config;
    const own = mergedOf([
      changesOf(base, changed.config),
      ...keys.flatMap((key) => membersOf.get(key) ?? []),
    ]);
    return {
      ...schedule,
      settings: { engine: membersIn(engine, own.engine), cycle: membersIn(cycle, own.cycle) },
    };
  });
  return problems.length > 0 ? { ok: false, problems } : { ok: true, schedules: read };
}

type Settings = Pick<ClusterConfig, "engine" | "cycle">;
type Changes = { readonly [Part in keyof Settings]: Partial<Settings[Part]> };

function changesOf(before: Settings, after: Settings): Changes {
  return { engine: changesIn(before.engine, after.engine), cycle: changesIn(before.cycle, after.cycle) };
}

function mergedOf(changes: readonly Changes[]): Changes {
  return {
    engine: Object.assign({}, ...changes.map(({ engine }) => engine)),
    cycle: Object.assign({}, ...changes.map(({ cycle }) => cycle)),
  };
}

/** What it has of the members that are named. */
function membersIn<T extends object>(settings: T, named: Partial<T>): Partial<T> {
  const keys = Object.keys(named) as (keyof T)[];
  return Object.fromEntries(keys.map((key) => [key, settings[key]])) as Partial<T>;
}

/** The members that are not as before; those that are gone are undefined. */
function changesIn<T extends object>(before: T, after: T): Partial<T> {
  const keys = Object.keys({ ...before, ...after }) as (keyof T)[];
  const changed = keys.filter((key) => !isDeepStrictEqual(after[key], before[key]));
  return Object.fromEntries(changed.map((key) => [key, after[key]])) as Partial<T>;
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

function toCycle(keys: ConfigKeys): CycleSettings {
  return {
    snapshotIntervalSeconds: keys.snapshot_interval,
    maxSnapshotAgeSeconds: keys.max_snapshot_age,
    demandTtlSeconds: keys.demand_ttl,
    actionTtlSeconds: keys.action_ttl,
    operationTimeoutSeconds: keys.operation_timeout,
    nodeListLagSeconds: keys.node_list_lag,
    drainTimeoutSeconds: keys.drain_timeout,
    capacityFailureBackoffSeconds: keys.capacity_failure_backoff,
    failedNodeRetries: keys.failed_node_retries,
    bootFailuresBeforeBackoff: keys.boot_failures_before_backoff,
    bootFailureBackoffSeconds: keys.boot_failure_backoff,
    targetAttributes: keys.target_attributes,
    maxSources: keys.max_sources,
    predictsRunTimes: keys.predict_run_times,
    readOnly: keys.read_only,
    unhealthyNodes: {
      policy: ofNodeArrays(keys.unhealthy_nodes, "report"),
      reasons: keys.unhealthy_reasons,
      mostAtOnce: keys.unhealthy_nodes_at_once,
      mostPerDay: keys.unhealthy_nodes_per_day,
    },
    ...toCaps(keys),
    ...toOwnerCaps(keys),
    ...(keys.budgets.length > 0 && { budgets: keys.budgets }),
    ...toSpot(keys),
    ...toShares(keys),
  };
}

function toSpot({ spot, compatibility }: ConfigKeys): Pick<CycleSettings, "spot"> {
  if (spot === undefined || compatibility === "scalelib") return {};
  return {
    spot: {
      pairs: spot.pairs,
      patienceSeconds: spot.patience,
      maxRuntimeSeconds: spot.max_runtime ?? null,
      maxShare: spot.max_share,
      evictionsBeforeRegular: spot.evictions_before_regular,
    },
  };
}

function toShares({ shares }: ConfigKeys): Pick<CycleSettings, "shares"> {
  if (shares === undefined) return {};
  const { guaranteed, most, weight, subscription } = shares;
  return { shares: { guaranteed, most, weight, ...(subscription !== undefined && { subscription }) } };
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

function toCaps(keys: ConfigKeys): Pick<CycleSettings, "caps"> {
  const { max_nodes_per_plan: nodes, max_cores: cores, monthly_budget_usd: budget } = keys;
  if (nodes === undefined && cores === undefined && budget === undefined) return {};
  return {
    caps: {
      maxNodesPerPlan: nodes ?? null,
      maxCores: cores ?? null,
      monthlyBudgetUsd: budget ?? null,
    },
  };
}

function toOwnerCaps(keys: ConfigKeys): Pick<CycleSettings, "ownerCaps"> {
  const given = {
    user: keys.max_cores_per_user,
    account: keys.max_cores_per_account,
    queue: keys.max_cores_per_queue,
  };
  const ownerCaps = owners.flatMap((by): readonly OwnerCap[] => {
    const value = given[by];
    if (value === undefined) return [];
    const { default: maxCores = null, ...byName } = typeof value === "number" ? { default: value } : value;
    return [{ by, maxCores, byName }];
  });
  return ownerCaps.length === 0 ? {} : { ownerCaps };
}

const owners = ["user", "account", "queue"] as const;

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
