import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Command, Context, NodeEvent, SchedulerNode } from "../driver.ts";
import type { NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";
import { gpuRequestOf, gpusIn } from "./tres.ts";

/** In `Reason`, before our own words: what somebody else drained or took down stays as it is. */
const ours = "cyclecloud";

/** As a demand message takes them. */
const longestReason = 500;
const longestUser = 256;
/** The end of the year 9999: what is later is no time. */
const latestSeconds = 253_402_300_799;

/** A node in any of these is no host for jobs. */
const unusable = [
  "DOWN",
  "ERROR",
  "FUTURE",
  "UNKNOWN",
  "POWERED_DOWN",
  "POWERING_DOWN",
  "NOT_RESPONDING",
  "INVALID_REG",
];
const holdsJobs = ["ALLOCATED", "MIXED", "COMPLETING"];

/** Joining gives a node the name of its host; until then it is called by its own. */
export function hasJoined({ hostname, name }: NodeRecord): boolean {
  return hostname !== "" && hostname !== name;
}

/** A host that answers. Where hosts are called like their nodes, only the version of its daemon tells that one came. */
export function isUsable(node: NodeRecord): boolean {
  return (hasJoined(node) || node.version !== "") && !unusable.some((flag) => node.flags.has(flag));
}

/** Whether a node is only in ignored partitions. */
export function isIgnored({ partitions }: NodeRecord, { ignore_partitions }: SlurmSettings): boolean {
  return !!partitions?.length && partitions.every((name) => ignore_partitions.includes(name));
}

export function isBusy({ alloc_cpus, flags }: NodeRecord): boolean {
  return (alloc_cpus ?? 0) > 0 || holdsJobs.some((flag) => flags.has(flag));
}

export function toNode(record: NodeRecord): SchedulerNode {
  const { hostname, flags, cpus, gres, reason } = record;
  const gpus = gpusIn(gpuRequestOf(gres));
  return {
    hostname,
    resources: { ...(cpus === undefined ? {} : { ncpus: cpus }), ...(gpus > 0 ? { ngpus: gpus } : {}) },
    state: flags.has("DRAIN") ? (isBusy(record) ? "draining" : "drained") : "up",
    ...(flags.has("DRAIN") && !reason.startsWith(ours) ? outByOthers(record) : {}),
  };
}

/** Who drained it, why and when, as far as Slurm reports it. */
function outByOthers({ reason, reason_set_by_user: by, reason_changed_at: at }: NodeRecord) {
  return {
    isOutByOthers: true as const,
    ...(reason === "" ? {} : { stateReason: reason.slice(0, longestReason) }),
    ...(by === "" ? {} : { stateBy: by.slice(0, longestUser) }),
    ...(at === undefined || at <= 0 || at > latestSeconds
      ? {}
      : { stateSince: new Date(at * 1000).toISOString() }),
  };
}

/** Drains that Slurm forgot, drains that are over, and hosts that answered before they were resumed. */
export function correction(
  node: NodeRecord,
  { draining }: Context,
  settings: SlurmSettings,
): readonly Command[] {
  const isOurs = node.reason.startsWith(ours);
  const drains = draining.has(shortHostname(node.hostname));
  if (drains && !node.flags.has("DRAIN")) return [drain(settings, node.name)];
  if (!drains && node.flags.has("DRAIN") && isOurs) return [undrain(settings, node.name)];
  const waits = node.flags.has("DOWN") && isOurs && !node.flags.has("NOT_RESPONDING");
  return waits ? [update(settings, node.name, ["State=RESUME"], [1])] : [];
}

/** Names that Slurm cannot have, or would take for several ("ALL" is every node), are nobody's. */
const nodeName = /^(?!all$)[\w.-]+$/i;

/** What an event means for Slurm. Every command may be repeated. */
export function commandsFor({ kind, nodes }: NodeEvent, settings: SlurmSettings): readonly Command[] {
  return nodes
    .map(({ name, hostname }) => ({ node: `${settings.node_prefix}${name}`, hostname }))
    .filter(({ node, hostname }) => nodeName.test(node) && nodeName.test(hostname))
    .flatMap(({ node, hostname }) => commandsForNode(kind, node, hostname, settings));
}

function commandsForNode(
  kind: NodeEvent["kind"],
  node: string,
  hostname: string,
  settings: SlurmSettings,
): readonly Command[] {
  switch (kind) {
    case "node-joined":
      return [
        update(settings, node, [`NodeAddr=${hostname}`, `NodeHostname=${hostname}`]),
        // Refused for a node that has registered already: it is up then.
        update(settings, node, ["State=RESUME"], [1]),
      ];
    case "drain":
      return [drain(settings, node)];
    case "undrain":
      return [undrain(settings, node)];
    case "node-deleted":
    case "boot-timeout":
      return [
        update(settings, node, ["State=DOWN", `Reason=${ours}`]),
        update(settings, node, [`NodeAddr=${node}`, `NodeHostname=${node}`]),
      ];
  }
}

function drain(settings: SlurmSettings, node: string): Command {
  return update(settings, node, ["State=DRAIN", `Reason=${ours} drain`]);
}

/** Refused for a node that does not drain, which is what is wanted. */
function undrain(settings: SlurmSettings, node: string): Command {
  return update(settings, node, ["State=UNDRAIN"], [1]);
}

function update(
  { scontrol }: SlurmSettings,
  node: string,
  changes: readonly string[],
  exitCodes: readonly number[] = [],
): Command {
  const [program = "scontrol", ...first] = scontrol;
  return { program, args: [...first, "update", `NodeName=${node}`, ...changes], exitCodes };
}
