import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Command, Context, NodeEvent, Steps } from "../driver.ts";
import type { Definitions } from "./definitions.ts";
import type { GridengineSettings, NodeArraySettings } from "./gridengine-settings.ts";
import { type GridengineMemory, readMemory } from "./memory.ts";
import { queuesOf, slotsSet } from "./places.ts";

/** Neither an option nor a pattern, nor several names. */
const hostName = /^(?!(?:all|global|none)$)[a-z0-9][a-z0-9.-]{0,254}$/i;

/** The part of a node's name before its number is its array's. */
function arrayOf(name: string, settings: GridengineSettings): string | undefined {
  const named = /^(.+)-\d+$/.exec(name)?.[1] ?? name;
  const arrays = Object.keys(settings.node_arrays);
  const [only] = arrays;
  return (
    arrays.find((array) => array.toLowerCase() === named.toLowerCase()) ??
    (arrays.length === 1 ? only : undefined)
  );
}

/** What an event means for Grid Engine. Every command may be repeated. */
export function commandsFor(
  { kind, nodes }: NodeEvent,
  context: Pick<Context, "memory">,
  settings: GridengineSettings,
  definitionsIn: (memory: GridengineMemory) => Definitions | undefined,
): Steps {
  const memory = readMemory(context.memory);
  const definitions = definitionsIn(memory);
  const known = nodes.filter(({ hostname }) => hostName.test(hostname));
  const names = new Set(known.map(({ hostname }) => shortHostname(hostname)));
  const without = (list: readonly string[]) => list.filter((name) => !names.has(name));
  const byOthers = new Set(memory.others);
  const commands = known.flatMap(({ name, hostname }): readonly Command[] => {
    const array = arrayOf(name, settings);
    if (kind === "node-joined")
      return array === undefined ? [] : join(hostname, settings, array, definitions);
    if (kind === "drain") return [disable(hostname, settings)];
    if (kind !== "undrain") return remove(hostname, settings, definitions);
    // Somebody else disabled it, and that is theirs to end.
    return byOthers.has(shortHostname(hostname)) ? [] : [enable(hostname, settings)];
  });
  const joined = known.flatMap(({ name, hostname }) => {
    const array = arrayOf(name, settings);
    return array === undefined ? [] : [[shortHostname(hostname), array] as const];
  });
  const isGone = kind === "node-deleted" || kind === "boot-timeout";
  const arrays = Object.entries(memory.arrays).filter(([host]) => !(isGone && names.has(host)));
  return {
    commands,
    memory: {
      ...memory,
      arrays: Object.fromEntries([...arrays, ...(isGone ? [] : joined)]),
      ours:
        kind === "drain"
          ? [...without(memory.ours), ...[...names].filter((name) => !byOthers.has(name))]
          : without(memory.ours),
      others: isGone || kind === "node-joined" ? without(memory.others) : memory.others,
      removed: isGone ? [...without(memory.removed), ...names] : without(memory.removed),
    },
  };
}

function join(
  host: string,
  settings: GridengineSettings,
  array: string,
  definitions: Definitions | undefined,
): readonly Command[] {
  const own = settings.node_arrays[array];
  if (own === undefined) return [];
  const { host_groups: groups, complex_values: values } = own;
  const queues = queuesOf(own, definitions);
  const slots = queues.flatMap((queue) => {
    const count = slotsSet(own, queue);
    // Queue by queue: one that does not exist fails its command alone.
    return count === undefined
      ? []
      : [qconf(settings, "-mattr", "queue", "slots", `[${host}=${count}]`, queue)];
  });
  const lists = groups.map((group) => qconf(settings, "-aattr", "hostgroup", "hostlist", host, group));
  const direct =
    groups.length > 0
      ? []
      : queues.map((queue) => qconf(settings, "-aattr", "queue", "hostlist", host, queue));
  return [
    qconf(settings, "-ah", host),
    qconf(settings, "-as", host),
    ...setValues(host, values, settings),
    ...slots,
    ...lists,
    ...direct,
    // A queue may begin disabled.
    enable(host, settings),
  ];
}

/** Refused while its daemon has not registered: `corrections` repeats it then. */
export function setValues(
  host: string,
  values: NodeArraySettings["complex_values"],
  settings: GridengineSettings,
): readonly Command[] {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${name}=${String(value).toUpperCase() === "TRUE" ? "true" : value}`,
  );
  if (pairs.length === 0) return [];
  return [
    { ...qconf(settings, "-mattr", "exechost", "complex_values", pairs.join(","), host), exitCodes: [1] },
  ];
}

/** Ends with 1 where the host is in no queue, and where Grid Engine does not answer; the next reading shows which. */
export function disable(host: string, settings: GridengineSettings): Command {
  return { ...qmod(settings, "-d", `*@${host}`), exitCodes: [1] };
}

export function enable(host: string, settings: GridengineSettings): Command {
  return { ...qmod(settings, "-e", `*@${host}`), exitCodes: [1] };
}

/**
 * Out of queues, groups and lists. It ends with 0 for what is not there, but for what has a list of its own: a host that is still
 * there after that is removed again after the next reading.
 */
export function remove(
  host: string,
  settings: GridengineSettings,
  definitions: Definitions | undefined,
): readonly Command[] {
  const arrays = Object.values(settings.node_arrays);
  const queues = [...new Set(arrays.flatMap((array) => queuesOf(array, definitions)))];
  const groups = [...new Set(arrays.flatMap(({ host_groups }) => host_groups))];
  const direct = arrays
    .filter(({ host_groups }) => host_groups.length === 0)
    .flatMap((array) => queuesOf(array, definitions));
  const mayBeGone = (command: Command): Command => ({ ...command, exitCodes: [1] });
  return [
    ...groups.map((group) => mayBeGone(qconf(settings, "-dattr", "hostgroup", "hostlist", host, group))),
    ...direct.map((queue) => mayBeGone(qconf(settings, "-dattr", "queue", "hostlist", host, queue))),
    ...queues.map((queue) => mayBeGone(qconf(settings, "-purge", "queue", "*", `${queue}@${host}`))),
    ...["-de", "-ds", "-dh"].map((option) => mayBeGone(qconf(settings, option, host))),
  ];
}

function qconf(
  { qconf: [program = "qconf", ...first] }: GridengineSettings,
  ...args: readonly string[]
): Command {
  return { program, args: [...first, ...args] };
}

function qmod(
  { qmod: [program = "qmod", ...first] }: GridengineSettings,
  ...args: readonly string[]
): Command {
  return { program, args: [...first, ...args] };
}
