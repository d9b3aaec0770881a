import { commandOf } from "../configured.ts";
import type { Command, NodeEvent } from "../driver.ts";
import { compactHostlist, expandHostlist } from "./hostlist.ts";
import { drainReason, nowhere, ours } from "./slurm-nodes.ts";
import type { JobRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** An argument may have 128 KiB on Linux. */
const longestArgument = 100_000;

/** Names that Slurm cannot have, or would take for several ("ALL" is every node), are nobody's. */
export const nodeName = /^(?!all$)[\w.-]+$/i;

/** A node of Slurm's and the host that it is. */
export interface NodeAtHost {
  readonly node: string;
  readonly hostname: string;
}

/**
 * An event for Slurm: one command for all its nodes, which may be repeated. Those that join are resumed by a correction, when their
 * daemons have registered. Corrections drain and take down, too: they have seen what a person set, and which machine has the name, meanwhile.
 */
export function commandsFor({ kind, nodes }: NodeEvent, settings: SlurmSettings): readonly Command[] {
  if (kind !== "node-joined") return [];
  const own = nodes
    .map(({ name, hostname }) => ({ node: `${settings.node_prefix}${name}`, hostname }))
    .filter(({ node, hostname }) => nodeName.test(node) && nodeName.test(hostname));
  return setAddresses(own, settings);
}

export function setAddresses(nodes: readonly NodeAtHost[], settings: SlurmSettings): readonly Command[] {
  return partsOf(nodes, ({ node, hostname }) => Math.max(node.length, hostname.length)).map((some) => {
    const hosts = some.map(({ hostname }) => hostname).join(",");
    // In the order of the hosts.
    const list = some.map(({ node }) => node).join(",");
    return update(list, [`NodeAddr=${hosts}`, `NodeHostname=${hosts}`], settings);
  });
}

/** For nodes that are not there; with what else changes, because Slurm must not look for one by its name in between. */
export function withoutAddress(
  names: readonly string[],
  changes: readonly string[],
  settings: SlurmSettings,
): readonly Command[] {
  return inParts(
    names,
    // Slurm wants as many addresses as names. The host name goes back to the node's own.
    (some, list) => [`NodeAddr=${sameAddress(some.length)}`, `NodeHostname=${list}`, ...changes],
    settings,
  );
}

export function takeDown(
  names: readonly string[],
  settings: SlurmSettings,
  reason = ours,
): readonly Command[] {
  return withoutAddress(names, ["State=DOWN", `Reason=${reason}`], settings);
}

/** `255.255.255.[255,255]`: as a hostlist it is short. */
function sameAddress(count: number): string {
  if (count === 1) return nowhere;
  const at = nowhere.lastIndexOf(".") + 1;
  const last = nowhere.slice(at);
  return `${nowhere.slice(0, at)}[${Array.from({ length: count }, () => last).join(",")}]`;
}

export function drain(names: readonly string[], settings: SlurmSettings): readonly Command[] {
  return inParts(names, () => ["State=DRAIN", `Reason=${drainReason}`], settings);
}

/** Refused for a node that does not drain, which is what is wanted; the others of the list are undrained all the same. */
export function undrain(names: readonly string[], settings: SlurmSettings): readonly Command[] {
  return inParts(names, () => ["State=UNDRAIN"], settings, [1]);
}

/** Refused for a node that came into service by itself meanwhile; the others of the list are resumed all the same. */
export function resume(names: readonly string[], settings: SlurmSettings): readonly Command[] {
  return inParts(names, () => ["State=RESUME"], settings, [1]);
}

/** Refused for a node that has a job, or is gone; the others of the list are deleted all the same. */
export function deleteRecords(names: readonly string[], { scontrol }: SlurmSettings): readonly Command[] {
  return partsOf(names, ({ length }) => length).map((some) =>
    commandOf(scontrol, ["delete", `NodeName=${compactHostlist(some)}`], [1]),
  );
}

/** One command for as many nodes as it takes. `list`: their names, in the order in which Slurm takes them. */
export function inParts(
  names: readonly string[],
  changesOf: (names: readonly string[], list: string) => readonly string[],
  settings: SlurmSettings,
  exitCodes: readonly number[] = [],
): readonly Command[] {
  return partsOf(names, ({ length }) => length).map((some) => {
    const list = compactHostlist(some);
    return update(list, changesOf(some, list), settings, exitCodes);
  });
}

/** Parts whose names fit into one argument, with a comma behind each. */
function partsOf<T>(items: readonly T[], lengthOf: (item: T) => number): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let length = 0;
  for (const item of items) {
    const own = lengthOf(item) + 1;
    if (parts.length === 0 || length + own > longestArgument) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(item);
    length += own;
  }
  return parts;
}

function update(
  names: string,
  changes: readonly string[],
  { scontrol }: SlurmSettings,
  exitCodes: readonly number[] = [],
): Command {
  return commandOf(scontrol, ["update", `NodeName=${names}`, ...changes], exitCodes);
}

/**
 * Jobs that Slurm has put on nodes that are not there, and that never started. With its node Slurm would end one that must
 * not be requeued, and make the others wait for two minutes: so long a daemon that knows the job refuses it, and none does
 * where all its nodes are away. `isHeldBack`: they wait these two minutes.
 */
export function keepingJobs(
  jobs: readonly JobRecord[],
  away: ReadonlySet<string>,
  settings: SlurmSettings,
  { isHeldBack = false }: { readonly isHeldBack?: boolean } = {},
) {
  const before: Command[] = [];
  /** Those of `before` by the nodes for which they are. */
  const guards = new Map<string, readonly Command[]>();
  const after: Command[] = [];
  for (const { job_id, job_state, nodes, requeue } of away.size === 0 ? [] : jobs) {
    if (!job_state.includes("CONFIGURING")) continue;
    const names = expandHostlist(nodes) ?? [];
    if (!names.some((name) => away.has(name))) continue;
    const changes = [
      ...(requeue === false ? ["Requeue=0"] : []),
      ...(!isHeldBack && names.every((name) => away.has(name)) ? ["StartTime=now"] : []),
    ];
    // Refused for a job that has ended meanwhile.
    if (requeue === false) {
      const guard = updateJob(settings, job_id, ["Requeue=1"]);
      before.push(guard);
      for (const name of names) guards.set(name, [...(guards.get(name) ?? []), guard]);
    }
    if (changes.length > 0) after.push(updateJob(settings, job_id, changes));
  }
  return { before, guards, after };
}

function updateJob({ scontrol }: SlurmSettings, id: number, changes: readonly string[]): Command {
  return commandOf(scontrol, ["update", `JobId=${id}`, ...changes], [1]);
}
