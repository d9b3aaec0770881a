import { memberOf, shortHostname } from "../../../../shared/engine/index.ts";
import { commandOf } from "../configured.ts";
import type { Command, Context, Memory, NodeEvent, Steps } from "../driver.ts";
import { hasNoDecision, withoutLateEnds } from "../late-news.ts";
import { answers, type Host, isBusy } from "./hosts.ts";
import { type NodePlace, type Remembered, remember } from "./pbs-memory.ts";
import type { PbsSettings } from "./pbs-settings.ts";
import { noGroup, propertyNamed } from "./wishes.ts";

/** Comments of ours. What somebody else took offline has another, and stays as it is. */
const words = {
  offline: "cyclecloud offline",
  down: "cyclecloud down",
  joined: "cyclecloud joined",
  restored: "cyclecloud restored",
} as const;

/** Exit codes of qmgr: PBS's error without its higher bits. */
const unknownNode = 214;
const busyObject = 179;
const existsAlready = 218;
const unknownResource = 187;

/** Names that PBS cannot have, and those that a program could take for an option, are nobody's. */
const hostName = /^(?!all$)[A-Za-z0-9][\w.-]{0,254}$/i;

/** What an event means for PBS. Every command may be repeated. */
export function stepsFor(event: NodeEvent, memory: Memory, settings: PbsSettings): Steps {
  const before = remember(memory);
  const known = withoutLateEnds(event, ({ hostname }) => {
    const joined = memberOf(before.joined, shortHostname(hostname));
    return joined && { nodeId: joined.nodeId, hostname };
  }).filter(({ hostname }) => hostName.test(hostname));
  const names = known.map(({ hostname }) => shortHostname(hostname));
  const others = new Set(before.byOthers);
  const { kind } = event;
  switch (kind) {
    case "node-joined": {
      const joined = Object.fromEntries(known.map((node) => [shortHostname(node.hostname), placeOf(node)]));
      return {
        commands: known.flatMap((node) => join(node.hostname, placeOf(node), before.resources, settings)),
        memory: {
          ...memory,
          joined: { ...before.joined, ...joined },
          deleted: before.deleted.filter((name) => !names.includes(name)),
          byOthers: before.byOthers.filter((name) => !names.includes(name)),
        },
      };
    }
    case "drain":
    case "undrain": {
      // Somebody else's offline, and the reason for it, stay.
      const ours = known.filter(({ hostname }) => !others.has(shortHostname(hostname)));
      const change = kind === "drain" ? offline : online;
      const commented = ours.map(({ hostname }) => shortHostname(hostname));
      const comments = Object.entries(before.comments).filter(([name]) => !commented.includes(name));
      return {
        commands: ours.map(({ hostname }) => change(hostname, settings)),
        memory: {
          ...memory,
          comments: Object.fromEntries([
            ...comments,
            ...(kind === "drain" ? commented.map((name) => [name, words.offline] as const) : []),
          ]),
        },
      };
    }
    case "node-deleted":
    case "boot-timeout":
      return {
        commands: known.map(({ hostname }) => remove(hostname, settings)),
        memory: {
          ...memory,
          joined: Object.fromEntries(Object.entries(before.joined).filter(([name]) => !names.includes(name))),
          deleted: [...new Set([...before.deleted, ...names])],
        },
      };
  }
}

/** The array is in CycleCloud's name of a node, should the service not say it. */
function placeOf({ name, nodeArray, vmSize, placementGroup, nodeId }: NodeEvent["nodes"][number]): NodePlace {
  const array = nodeArray ?? /^(.+)-\d+$/.exec(name)?.[1];
  return {
    ...(array === undefined ? {} : { nodeArray: array }),
    ...(vmSize === undefined ? {} : { vmSize }),
    ...(placementGroup === undefined ? {} : { placementGroup }),
    ...(nodeId === undefined ? {} : { nodeId }),
  };
}

function join(
  hostname: string,
  place: NodePlace,
  known: readonly string[] | undefined,
  settings: PbsSettings,
): readonly Command[] {
  const values = [...resourcesToSet(place, settings)];
  return [
    commandOf(settings.qmgr, ["-c", `create node ${hostname}`], [existsAlready]),
    ...(known === undefined
      ? // Nobody knows yet which of them PBS has.
        values.map((value) => set(hostname, [value], settings))
      : setAll(
          hostname,
          values.filter(([name]) => known.includes(name) || !isOfSites(name)),
          settings,
        )),
    commandOf(settings.pbsnodes, ["-r", "-C", words.joined, hostname]),
  ];
}

function isOfSites(name: string): boolean {
  return name !== "ncpus" && name !== "mem" && name !== "vmem";
}

/**
 * What a node gets as resources, `ccnodeid` last: whoever waits for a node that is ready can go by that. What its node daemon reports
 * by itself, such as CPUs and memory, is left to it unless settings say otherwise.
 */
function resourcesToSet(place: NodePlace, settings: PbsSettings): ReadonlyMap<string, string> {
  const { nodeArray, vmSize, placementGroup, nodeId } = place;
  const values = new Map<string, string>();
  for (const name of Object.keys(settings.properties)) {
    const property = propertyNamed(name, settings);
    if (property === "node.nodearray" && nodeArray !== undefined) values.set(name, nodeArray);
    if (property === "node.vm_size" && vmSize !== undefined) values.set(name, vmSize);
    if (placementGroup === undefined) continue;
    if (property === "node.placement_group") values.set(name, placementGroup ?? noGroup);
    if (property === "ungrouped") values.set(name, placementGroup === null ? "True" : "False");
  }
  const own = nodeArray === undefined ? undefined : memberOf(settings.node_arrays, nodeArray);
  for (const [name, value] of Object.entries(own?.resources ?? {})) values.set(name, textOf(value));
  if (nodeId !== undefined) values.set("ccnodeid", nodeId);
  for (const name of settings.read_only_resources) values.delete(name);
  return new Map([...values].filter(([, value]) => /^[\w.:/@-]{1,256}$/.test(value)));
}

function textOf(value: string | number | boolean): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return String(value);
}

function setAll(
  hostname: string,
  values: readonly (readonly [string, string])[],
  settings: PbsSettings,
): readonly Command[] {
  return values.length === 0 ? [] : [set(hostname, values, settings)];
}

function set(
  hostname: string,
  values: readonly (readonly [string, string])[],
  settings: PbsSettings,
): Command {
  const attributes = values.map(([name, value]) => `resources_available.${name} = "${value}"`);
  return commandOf(settings.qmgr, ["-c", `set node ${hostname} ${attributes.join(", ")}`], [unknownResource]);
}

function offline(hostname: string, settings: PbsSettings, comment: string = words.offline): Command {
  return commandOf(settings.pbsnodes, ["-o", "-C", comment, hostname]);
}

function online(hostname: string, settings: PbsSettings): Command {
  return commandOf(settings.pbsnodes, ["-r", "-C", words.restored, hostname]);
}

/** PBS keeps a node as long as it has jobs there, and says so: it is asked again later. */
function remove(hostname: string, settings: PbsSettings): Command {
  return commandOf(settings.qmgr, ["-c", `delete node ${hostname}`], [unknownNode, busyObject]);
}

/** Whether the comment of a host that is offline is ours. */
export function isOurs({ comment }: Pick<Host, "comment">): boolean {
  return comment === words.offline || comment === words.down;
}

/** Drained before the agent lost its files: it stays so until the service, which may be deleting it, says otherwise. */
export function isLostDrain(
  { name, comment }: Pick<Host, "name" | "comment">,
  context: Pick<Context, "draining" | "undrained">,
): boolean {
  return comment === words.offline && hasNoDecision(name, context);
}

/** Whether it says who joined a node or gave it back, and nothing about its state now. */
export function isOldNews({ comment }: Pick<Host, "comment">): boolean {
  return comment === words.joined || comment === words.restored;
}

/** Whether PBS has the host offline. */
export function isOffline({ states }: Pick<Host, "states">): boolean {
  return states.has("offline");
}

/** Azpbs's word for a host that must stay although nothing runs there. */
export function isPinned({ comment }: Pick<Host, "comment">): boolean {
  return /\bkeep\b/i.test(comment);
}

interface Known {
  readonly remembered: Remembered;
  readonly settings: PbsSettings;
  readonly running: ReadonlySet<string>;
}

/** Drains that PBS forgot, drains that are over, hosts that are down for long, nodes that could not be deleted at once. */
export function correction(host: Host, context: Context, known: Known): readonly Command[] {
  const { remembered, settings } = known;
  const name = shortHostname(host.name);
  if (!hostName.test(host.name)) return [];
  if (remembered.deleted.includes(name))
    return isBusy(host, known.running) ? [] : [remove(host.name, settings)];
  // Hosts that are always there are somebody else's.
  if (!isCycleClouds(host, remembered)) return [];
  const drains = context.draining.has(name);
  const isLost = isDownForLong(host, context.nowSeconds, settings) && !isBusy(host, known.running);
  if (!isOffline(host)) {
    if (drains) return [offline(host.name, settings)];
    return isLost ? [offline(host.name, settings, words.down)] : missing(host, known);
  }
  if (!isOurs(host) || drains || isLostDrain(host, context)) return [];
  return host.comment === words.down && !answers(host) ? [] : [online(host.name, settings)];
}

/** Resources that a node that joined ought to have, and has not: PBS did not know them then, or was set up anew. */
function missing(host: Host, { remembered, settings }: Known): readonly Command[] {
  const place = remembered.joined[shortHostname(host.name)];
  if (place === undefined) return [];
  const has = new Set(host.vnodes.flatMap(({ resources_available }) => [...resources_available.keys()]));
  const known = [...resourcesToSet(place, settings)].filter(
    ([name]) => remembered.resources?.includes(name) === true,
  );
  const values = known.filter(([name]) => !has.has(name));
  // A chunk takes CPUs of vnodes that have the property themselves; amounts would count once for each.
  const properties = known.filter(([name]) => propertyNamed(name, settings) !== undefined);
  const parts = host.vnodes.filter(({ name }) => /^[\w.-]+\[\d+\]$/.test(name));
  return [
    ...setAll(host.name, values, settings),
    ...parts.flatMap(({ name, resources_available }) =>
      setAll(
        name,
        properties.filter(([property]) => !resources_available.has(property)),
        settings,
      ),
    ),
  ];
}

/** Whether CycleCloud made the host. */
function isCycleClouds(host: Host, { joined }: Remembered): boolean {
  if (Object.hasOwn(joined, shortHostname(host.name))) return true;
  return host.vnodes.some(({ resources_available }) => (resources_available.get("ccnodeid") ?? "") !== "");
}

/** Its node daemon answered once, and does not for so long. */
function isDownForLong(host: Host, nowSeconds: number, { down_seconds }: PbsSettings): boolean {
  if (!host.hasAnswered || answers(host) || host.changedSeconds === undefined) return false;
  return nowSeconds - host.changedSeconds > down_seconds;
}
