import { chunksOf } from "../../../../shared/collections/batches.ts";
import { memberOf, shortHostname } from "../../../../shared/engine/index.ts";
import { commandOf } from "../configured.ts";
import type { Command, Context, NodeEvent, Steps } from "../driver.ts";
import { withoutLateEnds } from "../late-news.ts";
import type { Definitions } from "./definitions.ts";
import type { GridengineSettings, NodeArraySettings } from "./gridengine-settings.ts";
import { type GridengineMemory, readMemory } from "./memory.ts";
import { queuesOf, slotsSet } from "./places.ts";

/** Neither an option nor a pattern, nor several names. */
const hostName = /^(?!(?:all|global|none)$)[a-z0-9][a-z0-9.-]{0,254}$/i;

/** The part of a node's name before its number is its array's, should the service not say it. */
function arrayOf(
  { name, nodeArray }: NodeEvent["nodes"][number],
  settings: GridengineSettings,
): string | undefined {
  const named = nodeArray ?? /^(.+)-\d+$/.exec(name)?.[1] ?? name;
  const arrays = Object.keys(settings.node_arrays);
  const [only] = arrays;
  return (
    arrays.find((array) => array.toLowerCase() === named.toLowerCase()) ??
    (arrays.length === 1 ? only : undefined)
  );
}

/** What an event means for Grid Engine. Every command may be repeated. */
export function commandsFor(
  event: NodeEvent,
  context: Pick<Context, "memory">,
  settings: GridengineSettings,
  definitionsIn: (memory: GridengineMemory) => Definitions | undefined,
): Steps {
  const memory = readMemory(context.memory);
  const definitions = definitionsIn(memory);
  const { kind } = event;
  const isGone = kind === "node-deleted" || kind === "boot-timeout";
  const known = withoutLateEnds(event, ({ hostname }) => {
    const nodeId = memberOf(memory.nodeIds, shortHostname(hostname));
    return nodeId === undefined ? undefined : { nodeId, hostname };
  }).filter(({ hostname }) => hostName.test(hostname));
  const names = new Set(known.map(({ hostname }) => shortHostname(hostname)));
  const without = (list: readonly string[]) => list.filter((name) => !names.has(name));
  const byOthers = new Set(memory.others);
  const placed = known.flatMap((node) => {
    const array = arrayOf(node, settings);
    return array === undefined ? [] : [{ host: node.hostname, array }];
  });
  const commands = (): readonly Command[] => {
    const hosts = known.map(({ hostname }) => hostname);
    if (kind === "node-joined") return join(placed, settings, definitions);
    if (kind === "drain") return disable(hosts, settings);
    // Somebody else disabled it, and that is theirs to end.
    if (kind === "undrain")
      return enable(
        hosts.filter((host) => !byOthers.has(shortHostname(host))),
        settings,
      );
    return known.length > 0 ? remove(known.map(placeOf), settings, definitions) : [];
  };
  const placeOf = ({ hostname }: { readonly hostname: string }) => ({
    host: hostname,
    array: memberOf(memory.arrays, shortHostname(hostname)),
  });
  const kept = <T>(byHost: Readonly<Record<string, T>>) =>
    Object.entries(byHost).filter(([host]) => !(isGone && names.has(host)));
  const joined = kind === "node-joined" ? known : [];
  const ours = () => {
    // Whether it could be enabled is not known: it is ours until it is seen to be.
    if (kind === "undrain") return memory.ours;
    const disabled = kind === "drain" ? [...names].filter((name) => !byOthers.has(name)) : [];
    return [...without(memory.ours), ...disabled];
  };
  return {
    commands: commands(),
    memory: {
      ...memory,
      arrays: Object.fromEntries([
        ...kept(memory.arrays),
        ...(isGone ? [] : placed.map(({ host, array }) => [shortHostname(host), array] as const)),
      ]),
      nodeIds: Object.fromEntries([
        ...kept(memory.nodeIds),
        ...joined.flatMap(({ hostname, nodeId }) =>
          nodeId === undefined ? [] : [[shortHostname(hostname), nodeId] as const],
        ),
      ]),
      ours: ours(),
      others: isGone || kind === "node-joined" ? without(memory.others) : memory.others,
      removed: isGone ? [...without(memory.removed), ...names] : without(memory.removed),
    },
  };
}

/** Of those commands that take a list of hosts, each takes so many. */
const mostHosts = 100;

function join(
  placed: readonly { readonly host: string; readonly array: string }[],
  settings: GridengineSettings,
  definitions: Definitions | undefined,
): readonly Command[] {
  const hosts = placed.map(({ host }) => host);
  const lists = chunksOf(hosts, mostHosts).map((some) => some.join(","));
  return [
    // One that does not resolve costs the others nothing.
    ...["-ah", "-as"].flatMap((option) => lists.map((list) => qconf(settings, option, list))),
    ...placed.flatMap(({ host, array }) => addToQueues(host, settings, array, definitions)),
    // A queue may begin disabled.
    ...enable(hosts, settings),
  ];
}

function addToQueues(
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
    ...addWithValues(host, values, settings),
    ...setValues(host, values, settings),
    ...slots,
    ...lists,
    ...direct,
  ];
}

/** Constant: the host, its values and what qconf is called by are arguments. qconf takes a new host from a file alone. */
const addScript = `set -e
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf 'hostname %s\\nload_scaling NONE\\ncomplex_values %s\\nuser_lists NONE\\nxuser_lists NONE\\nprojects NONE\\nxprojects NONE\\nusage_scaling NONE\\nreport_variables NONE\\n' "$1" "$2" >"$file"
shift 2
"$@" -Ae "$file"`;

/**
 * The host has its values before its daemon comes: a job that started there before would not be counted, and more would be
 * bought for one that did not start for want of them. Ends with 1 when Grid Engine has the host already.
 */
function addWithValues(
  host: string,
  values: NodeArraySettings["complex_values"],
  { qconf: program }: GridengineSettings,
): readonly Command[] {
  const pairs = pairsOf(values);
  if (pairs === "") return [];
  return [{ program: "sh", args: ["-c", addScript, "sh", host, pairs, ...program], exitCodes: [1] }];
}

/** Refused while Grid Engine has no such host: `corrections` repeats it then. */
export function setValues(
  host: string,
  values: NodeArraySettings["complex_values"],
  settings: GridengineSettings,
): readonly Command[] {
  const pairs = pairsOf(values);
  if (pairs === "") return [];
  return [{ ...qconf(settings, "-mattr", "exechost", "complex_values", pairs, host), exitCodes: [1] }];
}

function pairsOf(values: NodeArraySettings["complex_values"]): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${String(value).toUpperCase() === "TRUE" ? "true" : value}`)
    .join(",");
}

/** Ends with 1 where a host is in no queue, and where Grid Engine does not answer; the next reading shows which. */
export function disable(hosts: readonly string[], settings: GridengineSettings): readonly Command[] {
  return onQueuesOf(hosts, "-d", settings);
}

export function enable(hosts: readonly string[], settings: GridengineSettings): readonly Command[] {
  return onQueuesOf(hosts, "-e", settings);
}

function onQueuesOf(
  hosts: readonly string[],
  option: string,
  settings: GridengineSettings,
): readonly Command[] {
  return chunksOf(hosts, mostHosts).map((some) =>
    commandOf(settings.qmod, [option, ...some.map((host) => `*@${host}`)], [1]),
  );
}

/**
 * Out of queues, groups and lists; of those of all arrays where it is not known of which one a host is. It ends with 0 for what
 * is not there, but for what has a list of its own: a host that is still there after that is removed again after the next reading.
 */
export function remove(
  placed: readonly { readonly host: string; readonly array: string | undefined }[],
  settings: GridengineSettings,
  definitions: Definitions | undefined,
): readonly Command[] {
  const mayBeGone = (command: Command): Command => ({ ...command, exitCodes: [1] });
  const each = placed.flatMap(({ host, array }) => {
    const own = array === undefined ? undefined : settings.node_arrays[array];
    const arrays = own === undefined ? Object.values(settings.node_arrays) : [own];
    const queues = [...new Set(arrays.flatMap((one) => queuesOf(one, definitions)))];
    const groups = [...new Set(arrays.flatMap(({ host_groups }) => host_groups))];
    const direct = arrays
      .filter(({ host_groups }) => host_groups.length === 0)
      .flatMap((one) => queuesOf(one, definitions));
    return [
      ...groups.map((group) => qconf(settings, "-dattr", "hostgroup", "hostlist", host, group)),
      ...direct.map((queue) => qconf(settings, "-dattr", "queue", "hostlist", host, queue)),
      ...queues.map((queue) => qconf(settings, "-purge", "queue", "*", `${queue}@${host}`)),
    ];
  });
  const hosts = placed.map(({ host }) => host);
  const lists = chunksOf(hosts, mostHosts).map((some) => some.join(","));
  const out = ["-de", "-ds", "-dh"].flatMap((option) => lists.map((list) => qconf(settings, option, list)));
  return [...each, ...out].map(mayBeGone);
}

function qconf({ qconf: program }: GridengineSettings, ...args: string[]): Command {
  return commandOf(program, args);
}
