import { isDictionary } from "../json/json.ts";
import type { Clock, ClusterConfig, ConfigStore, CycleSettings, OwnerCap } from "../ports/index.ts";
import { bounded, describeIssues } from "../text/describe-issues.ts";
import { windowsAt } from "../time/recurring.ts";
import { type SettingsKeys, settingsSchema } from "./config-schema.ts";
import { deallocateProblems, idleBoundProblems, ofNodeArrays, toEngineSettings } from "./engine-settings.ts";

/** Settings of the engine and of the cycle around it: others hold for longer than a window, such as where the server is. */
export const windowKeys = Object.keys(settingsSchema.shape);

/** Keys of an `autoscale.json` that windows may change, as they are written. */
export type WindowKeys = NonNullable<ClusterConfig["ownKeys"]>;

/** What these keys set. */
type Settings = Pick<ClusterConfig, "engine" | "cycle" | "longWaitSeconds">;

export function windowKeysIn(json: unknown): WindowKeys {
  const entries = isDictionary(json) ? Object.entries(json) : [];
  return Object.fromEntries(entries.filter(([key]) => windowKeys.includes(key)));
}

export function parseSettings(
  keys: WindowKeys,
):
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] } {
  const parsed = settingsSchema.safeParse(keys, { reportInput: true });
  const problems = parsed.success ? problemsBetween(parsed.data) : describeIssues(parsed.error);
  return parsed.success && problems.length === 0
    ? { ok: true, settings: toSettings(parsed.data) }
    : { ok: false, problems };
}

/** Keys that are valid each by itself, and not together. */
export function problemsBetween(keys: SettingsKeys): readonly string[] {
  return [...idleBoundProblems(keys), ...deallocateProblems(keys)];
}

export function toSettings(keys: SettingsKeys): Settings {
  return {
    engine: toEngineSettings(keys, { generateByDefault: true }),
    cycle: toCycle(keys),
    ...(keys.long_wait !== undefined && { longWaitSeconds: keys.long_wait }),
  };
}

/** A configuration is kept from one plan to the next, and windows open seldom. */
const inForceBefore = new WeakMap<ClusterConfig, { readonly open: string; readonly config: ClusterConfig }>();

/**
 * A configuration with the keys of schedules whose windows are open in place of its own. Of two windows that set the same key, the
 * later in the file counts. Keys that are not valid together with those of the windows before them do not hold, which a warning says.
 */
export function inForce(config: ClusterConfig, nowSeconds: number): ClusterConfig {
  const open = (config.schedules ?? []).filter(
    (schedule) => schedule.settings !== undefined && windowsAt(schedule, nowSeconds).open !== null,
  );
  if (open.length === 0) return config;
  const names = JSON.stringify(open.map(({ name }) => name));
  const before = inForceBefore.get(config);
  if (before?.open === names) return before.config;
  const warnings: string[] = [];
  let keys = config.ownKeys ?? {};
  let settings: Settings = config;
  for (const { name, settings: changed } of open) {
    const parsed = parseSettings({ ...keys, ...changed });
    if (parsed.ok) [keys, { settings }] = [{ ...keys, ...changed }, parsed];
    else
      warnings.push(
        `schedules.${name}.settings: ignored beside the other windows that are open: ${parsed.problems.join("; ")}`,
      );
  }
  const { engine, cycle, longWaitSeconds } = settings;
  const changed = {
    ...config,
    engine,
    cycle,
    ...(longWaitSeconds !== undefined && { longWaitSeconds }),
    warnings: bounded([...warnings, ...config.warnings]),
  };
  inForceBefore.set(config, { open: names, config: changed });
  return changed;
}

/** The store's configurations as they hold at the moment of loading. */
export function configsInForce(configs: Pick<ConfigStore, "clusters" | "load">, clock: Clock): ConfigStore {
  return {
    clusters: () => configs.clusters(),
    load: async (cluster) => {
      const config = await configs.load(cluster);
      return config && inForce(config, clock.nowSeconds());
    },
  };
}

function toCycle(keys: SettingsKeys): CycleSettings {
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

function toSpot({ spot, compatibility }: SettingsKeys): Pick<CycleSettings, "spot"> {
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

function toShares({ shares }: SettingsKeys): Pick<CycleSettings, "shares"> {
  if (shares === undefined) return {};
  const { guaranteed, most, weight, subscription } = shares;
  return { shares: { guaranteed, most, weight, ...(subscription !== undefined && { subscription }) } };
}

function toCaps(keys: SettingsKeys): Pick<CycleSettings, "caps"> {
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

function toOwnerCaps(keys: SettingsKeys): Pick<CycleSettings, "ownerCaps"> {
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
