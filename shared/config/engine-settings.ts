import {
  type DeallocateSettings,
  defaultSettings,
  type EngineSettings,
  forNodeArray,
  type IdleBounds,
  type IdleTimeouts,
  keptByDefault,
  type PerNodeArray,
} from "../engine/index.ts";
import { describeIssues } from "../text/describe-issues.ts";
import { type ConfigKeys, type EngineKeys, engineSchema, type NodeArraySettings } from "./config-schema.ts";

/** Spare placement groups per node array and VM size, and how many there may be, when nothing is configured. */
const generatedDefaults = { buffer: 2, max: 10_000 };

export type ParsedEngineSettings =
  | { readonly ok: true; readonly settings: EngineSettings }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads only what the engine needs, for plans that are made without a server (a recorded scenario). There, placement
 * groups are generated when the configuration asks for it, not by default.
 */
export function parseEngineSettings(json: unknown): ParsedEngineSettings {
  const parsed = engineSchema.safeParse(json, { reportInput: true });
  if (!parsed.success) return { ok: false, problems: describeIssues(parsed.error) };
  const problems = idleBoundProblems(parsed.data);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, settings: toEngineSettings(parsed.data, { generateByDefault: false }) };
}

/** What was not configured keeps the engine's own default. */
export function toEngineSettings(
  keys: EngineKeys,
  { generateByDefault }: { generateByDefault: boolean },
): EngineSettings {
  const arrays = keys.nodearrays;
  const defaults = defaultSettings;
  const generates = !predefinesGroups(keys) && (generateByDefault || asksForGroups(keys));
  return {
    defaultResources: keys.default_resources ?? defaults.defaultResources,
    disableDefaultResources: keys.disable_default_resources ?? defaults.disableDefaultResources,
    idleTimeoutSeconds: toIdleTimeouts(keys),
    bootTimeoutSeconds: ofNodeArrays(keys.boot_timeout, defaults.bootTimeoutSeconds.default),
    placementGroups: gather(arrays, (array) => array.placement_groups, []),
    generatedPlacementGroups: generates
      ? {
          buffer: gather(arrays, (array) => array.generated_placement_group_buffer, generatedDefaults.buffer),
          max: gather(arrays, (array) => array.max_placement_groups, generatedDefaults.max),
        }
      : null,
    ...(keys.failed_nodes === undefined ? {} : { failedNodes: keys.failed_nodes }),
    ...keptFailedIn(keys),
    ...(keys.compatibility === undefined ? {} : { compatibility: keys.compatibility }),
    placement: gather(arrays, (array) => array.placement, keys.placement ?? defaults.placement.default),
    exclusiveScope: keys.exclusive_scope ?? defaults.exclusiveScope,
    nameFormat: gather(arrays, (array) => array.name_format, defaults.nameFormat.default),
    nodeAttributes: gather(arrays, (array) => array.node_attributes, defaults.nodeAttributes.default),
    keepAlive: gather(arrays, (array) => array.keep_alive, defaults.keepAlive.default),
    ...deallocateIn(arrays),
    ignoredNodes: keys.ignored_nodes ?? defaults.ignoredNodes,
    sharedPools: keys.shared_pools ?? defaults.sharedPools,
    ...demandCapsIn(keys),
  };
}

/** Where nothing else is said, `auto` stays between these. */
const defaultIdleBounds: IdleBounds = { leastSeconds: 60, mostSeconds: 3_600 };

/** An array that leaves it to us has a number all the same: the default, until something is known of its nodes. */
function toIdleTimeouts(keys: EngineKeys): IdleTimeouts {
  const given = ofNodeArrays<number | "auto">(keys.idle_timeout, defaultSettings.idleTimeoutSeconds.default);
  if (given.default !== "auto" && !Object.values(given.byNodeArray).includes("auto"))
    return given as PerNodeArray<number>;
  const boundsOf = idleBoundsOf(keys);
  const secondsOf = (value: number | "auto", { leastSeconds, mostSeconds }: IdleBounds) =>
    value === "auto"
      ? Math.min(mostSeconds, Math.max(leastSeconds, defaultSettings.idleTimeoutSeconds.default))
      : value;
  const names = [keys.idle_timeout, keys.idle_timeout_least, keys.idle_timeout_most].flatMap((each) =>
    Object.keys(each ?? {}),
  );
  const arrays = [...new Set(names)]
    .filter((name) => name !== "default")
    .map((name) => ({ name, value: forNodeArray(given, name), bounds: boundsOf(name) }));
  return {
    default: secondsOf(given.default, boundsOf("default")),
    byNodeArray: Object.fromEntries(
      arrays.map(({ name, value, bounds }) => [name, secondsOf(value, bounds)]),
    ),
    auto: {
      default: given.default === "auto" ? boundsOf("default") : null,
      byNodeArray: Object.fromEntries(
        arrays.map(({ name, value, bounds }) => [name, value === "auto" ? bounds : null]),
      ),
    },
  };
}

function idleBoundsOf(keys: EngineKeys): (nodeArray: string) => IdleBounds {
  const least = ofNodeArrays(keys.idle_timeout_least, defaultIdleBounds.leastSeconds);
  const most = ofNodeArrays(keys.idle_timeout_most, defaultIdleBounds.mostSeconds);
  return (nodeArray) => ({
    leastSeconds: forNodeArray(least, nodeArray),
    mostSeconds: forNodeArray(most, nodeArray),
  });
}

/** Bounds that leave no time-out between them. */
export function idleBoundProblems(keys: EngineKeys): readonly string[] {
  const boundsOf = idleBoundsOf(keys);
  const named = [keys.idle_timeout_least, keys.idle_timeout_most].flatMap((each) => Object.keys(each ?? {}));
  return [...new Set(named)].flatMap((name) => {
    const { leastSeconds, mostSeconds } = boundsOf(name);
    const place = name === "default" ? "idle_timeout_most" : `idle_timeout_most.${name}`;
    return leastSeconds <= mostSeconds
      ? []
      : [`${place}: ${mostSeconds}, expected at least idle_timeout_least, ${leastSeconds}`];
  });
}

function deallocateIn(arrays: EngineKeys["nodearrays"]): Pick<EngineSettings, "deallocate"> {
  const deallocate = gather<DeallocateSettings | null>(
    arrays,
    ({ deallocate: given }) =>
      given && {
        most: given.most,
        maxAgeSeconds: given.max_age,
        diskUsdPerHour: given.disk_usd_per_hour ?? null,
      },
    null,
  );
  const isSet = deallocate.default !== null || Object.keys(deallocate.byNodeArray).length > 0;
  return isSet ? { deallocate } : {};
}

/** Attributes of nodes that Azure cannot deallocate and start again as they were. */
const lostOnDeallocation = new Map([
  ["interruptible", "Spot nodes are evicted and deleted"],
  ["ephemeralosdisk", "an ephemeral OS disk is lost with the VM"],
]);

/** Arrays whose nodes are to be deallocated and cannot be, as far as the configuration says. */
export function deallocateProblems({
  nodearrays,
  spot,
}: Pick<ConfigKeys, "nodearrays" | "spot">): readonly string[] {
  const spots = new Set(spot?.pairs.map((pair) => pair.spot));
  const all = nodearrays.default;
  return Object.entries(nodearrays).flatMap(([name, own]) => {
    const { deallocate, node_attributes: attributes = {} } = { ...all, ...own };
    const isOwn = own.deallocate !== undefined;
    if (deallocate === undefined || deallocate.most === 0) return [];
    // The default's own entry tells what an array has of it altogether.
    if (!isOwn && own.node_attributes === undefined) return [];
    const place = `nodearrays.${name}.deallocate`;
    const given = Object.entries(attributes).flatMap(([key, value]) => {
      const why = value === true ? lostOnDeallocation.get(key.toLowerCase()) : undefined;
      return why === undefined ? [] : [`${place}: not with node_attributes.${key}, ${why}`];
    });
    return isOwn && spots.has(name)
      ? [...given, `${place}: not with spot.pairs, Spot nodes are evicted and deleted`]
      : given;
  });
}

function keptFailedIn({
  failed_nodes_kept: most,
  failed_nodes_kept_for: seconds,
}: EngineKeys): Pick<EngineSettings, "keptFailedNodes"> {
  if (most === undefined && seconds === undefined) return {};
  return {
    keptFailedNodes: { most: most ?? keptByDefault.most, seconds: seconds ?? keptByDefault.seconds },
  };
}

/** Only those that are configured: the others follow the engine's defaults, also when these change. */
function demandCapsIn(keys: EngineKeys): Pick<EngineSettings, "demandCaps"> {
  const configured = {
    maxDistinctResources: keys.max_distinct_resources,
    maxConstraintParts: keys.max_constraint_parts,
    maxConstraintDepth: keys.max_constraint_depth,
    maxSchedulerHosts: keys.max_scheduler_hosts,
    maxPlanChecks: keys.max_plan_checks,
    minPriority: keys.min_priority,
  };
  const given = Object.entries(configured).filter(([, value]) => value !== undefined);
  return given.length === 0 ? {} : { demandCaps: Object.fromEntries(given) };
}

/** Placement groups that the configuration names replace generated ones. */
export function predefinesGroups(keys: EngineKeys): boolean {
  return Object.values(keys.nodearrays).some((array) => (array.placement_groups ?? []).length > 0);
}

/** Whether the configuration sets how many groups to generate. */
export function asksForGroups(keys: EngineKeys): boolean {
  return Object.values(keys.nodearrays).some((array) => array.generated_placement_group_buffer !== undefined);
}

/** What `perNodeArray` read, with what holds where nothing is said. */
export function ofNodeArrays<T>(
  configured: Readonly<Record<string, T>> | undefined,
  fallback: T,
): PerNodeArray<T> {
  const { default: all, ...byNodeArray } = configured ?? {};
  return { default: all ?? fallback, byNodeArray: byNodeArray as Record<string, T> };
}

/** One setting out of all node arrays' settings. */
function gather<T>(
  arrays: Readonly<Record<string, NodeArraySettings>>,
  pick: (array: NodeArraySettings) => T | undefined,
  fallback: T,
): PerNodeArray<T> {
  const picked = Object.entries(arrays).flatMap(([name, array]) => {
    const value = pick(array);
    return value === undefined ? [] : [[name, value] as const];
  });
  const { default: all, ...byNodeArray } = Object.fromEntries(picked);
  return { default: all ?? fallback, byNodeArray: byNodeArray as Record<string, T> };
}
