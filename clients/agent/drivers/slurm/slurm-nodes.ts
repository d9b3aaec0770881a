import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Context, NodeEvent, SchedulerNode, SetAside } from "../driver.ts";
import { hasNoDecision, type JoinedNode, withoutLateEnds } from "../late-news.ts";
import { reasonText } from "../scheduler-words.ts";
import { isoTime } from "./common.ts";
import { statesMeaning } from "./node-states.ts";
import type { Reservation } from "./reservations.ts";
import type { NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** In `Reason`, before our own words: what somebody else drained or took down stays as it is. */
export const ours = "cyclecloud";

export const drainReason = `${ours} drain`;

/** As a demand message takes it. */
const longestUser = 256;

const holdsJobs = ["ALLOCATED", "MIXED", "COMPLETING"];

/**
 * The address of a node that is not there. Slurm need not look it up, and a connection to it fails at once. With the node's
 * name as its address, Debian's slurmctld waits ten seconds for each name it cannot resolve, and answers nobody meanwhile.
 */
export const nowhere = "255.255.255.255";

/** Without a daemon that has registered; power saving has powered it down, or is about to power it up or down. */
const powerStates = ["POWERED_DOWN", "POWERING_UP", "POWERING_DOWN"];

/**
 * Slurm has the node, and there is no machine: none yet since the controller first started, or none any more. A node that
 * got the address of its host stays POWERED_DOWN, or POWERING_UP, until its daemon registers.
 */
export function isAway({ flags, address, name }: NodeRecord): boolean {
  if (!flags.has("CLOUD") && !flags.has("DYNAMIC_NORM")) return false;
  return address === nowhere || (!isUp(flags) && (address === "" || address === name));
}

/** Slurm uses it, or would. One that is powering up waits for another machine. */
export function isUp(flags: NodeRecord["flags"]): boolean {
  return !powerStates.some((flag) => flags.has(flag));
}

/**
 * Joining gives a node the name and the address of its host. Where hosts are called like their nodes, the version of its
 * daemon tells that one came.
 */
export function hasJoined(node: NodeRecord): boolean {
  if (node.hostname === "" || isAway(node)) return false;
  return node.hostname !== node.name || node.version !== "";
}

export function isUsable(node: NodeRecord): boolean {
  return hasJoined(node) && statesMeaning(node, "no-host").length === 0;
}

/** Its host may take work, or a person keeps it from that: both are told. */
export function isListed(node: NodeRecord): boolean {
  return isUsable(node) || (hasJoined(node) && isDownByOthers(node));
}

export const resumeTimeout = "ResumeTimeout reached";

/** Reasons that Slurm itself gives for nodes that are down, and none. A node that comes anew begins without them. */
export const reasonsOfSlurm = ["", "Not responding", "Node unexpectedly rebooted", resumeTimeout];

/** A person took it down while its daemon answers: that stays, and is shown. */
export function isDownByOthers(node: NodeRecord): boolean {
  const noHost = statesMeaning(node, "no-host");
  const isDown = noHost.length === 1 && node.flags.has("DOWN");
  return isDown && !node.reason.startsWith(ours) && !reasonsOfSlurm.includes(node.reason);
}

/** Whether a node is only in ignored partitions. */
export function isIgnored(
  { partitions }: Pick<NodeRecord, "partitions">,
  { ignore_partitions }: SlurmSettings,
): boolean {
  return !!partitions?.length && partitions.every((name) => ignore_partitions.includes(name));
}

export function isBusy({ alloc_cpus, flags }: NodeRecord): boolean {
  return (alloc_cpus ?? 0) > 0 || holdsJobs.some((flag) => flags.has(flag));
}

/** Drained before the agent lost its files: it stays so until the service, which may be deleting it, says otherwise. */
export function isLostDrain(
  { flags, reason, hostname }: NodeRecord,
  context: Pick<Context, "draining" | "undrained">,
): boolean {
  return flags.has("DRAIN") && reason === drainReason && hasNoDecision(hostname, context);
}

/**
 * As it is once the corrections of this pass have run: what we drained, and is to come back, is undrained. Told as drained it would be
 * replaced, or deleted while Slurm starts a job there.
 */
export function asUndrained(record: NodeRecord, context: Parameters<typeof isLostDrain>[1]): NodeRecord {
  const { flags, reason, hostname } = record;
  if (!flags.has("DRAIN") || !reason.startsWith(ours)) return record;
  if (context.draining.has(shortHostname(hostname)) || isLostDrain(record, context)) return record;
  return { ...record, flags: new Set([...flags].filter((flag) => flag !== "DRAIN")) };
}

/** `resources`: all that Slurm counts of it. `reservation`: it is there for that, which may not have begun. */
export function toNode(
  record: NodeRecord,
  resources: SchedulerNode["resources"],
  reservation?: Pick<Reservation, "name" | "cpuShare">,
): SchedulerNode {
  const state = stateOf(record);
  const isOut = isDownByOthers(record) || statesMeaning(record, "out").length > 0;
  const isWaiting = !isOut && (state.state === "up" || record.flags.has("RESERVED"));
  if (reservation === undefined || reservation.cpuShare !== undefined || !isWaiting)
    return { hostname: record.hostname, resources, ...state };
  const stateReason = `reservation ${reasonText(reservation.name)}`;
  return { hostname: record.hostname, resources, state: "draining", isOutByOthers: true, stateReason };
}

/** A node that is held is never called drained, because that would delete it: the reservation, or the reboot, ends by itself. */
function stateOf(record: NodeRecord): Omit<SchedulerNode, "hostname" | "resources"> {
  const { flags, reason } = record;
  const out = statesMeaning(record, "out");
  const held = statesMeaning(record, "held");
  // Whoever took it down may still look at it while it has jobs; then it goes like a drained one.
  if (isDownByOthers(record))
    return { state: isBusy(record) ? "draining" : "drained", ...outByOthers(record, ["DOWN"]) };
  if (out.length === 0 && held.length === 0) return { state: "up" };
  const state = held.length > 0 || isBusy(record) ? "draining" : "drained";
  if (flags.has("DRAIN") && reason.startsWith(ours) && out.length === 1) return { state };
  return { state, ...outByOthers(record, [...out, ...held]) };
}

/** Of a node that a person drained or took down: who, why and when. */
export function outOfService(record: NodeRecord) {
  if (record.reason.startsWith(ours)) return {};
  const isOut = isDownByOthers(record) || record.flags.has("DRAIN");
  return isOut ? outByOthers(record, statesMeaning(record, "out")) : {};
}

/** Who took it out of service, why and when, as far as Slurm reports it. */
function outByOthers(
  { reason, reason_set_by_user: by, reason_changed_at: at }: NodeRecord,
  states: readonly string[],
) {
  // A drain without a reason says nothing more; of the other states their names do.
  const others = states.filter((state) => state !== "DRAIN");
  const stateSince = isoTime(at);
  const text = reason !== "" ? reason : others.length > 0 ? `state ${others.join(", ")}` : "";
  return {
    isOutByOthers: true as const,
    ...(text === "" ? {} : { stateReason: reasonText(text) }),
    ...(by === "" ? {} : { stateBy: by.slice(0, longestUser) }),
    ...(stateSince === undefined ? {} : { stateSince }),
  };
}

/** A host that is there, and that Slurm has not in service yet. */
interface JoiningHost {
  readonly hostname: string;
  /** When its event came. Unix time. */
  readonly sinceSeconds: number;
  /** Why and by whom it was taken down meanwhile: Slurm forgets that when the daemon registers. Absent: nobody did. */
  readonly heldReason?: string | undefined;
}

/** By the name of the node. */
export type Joining = ReadonlyMap<string, JoiningHost>;

/**
 * The nodes that are still joining: Slurm has not seen the daemon since, or has it down by itself. `nodes` are those that could be read; of another
 * nothing is known, and it joins on.
 */
export function stillJoining(nodes: readonly NodeRecord[], joining: Joining): Joining {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  return new Map(
    [...joining].flatMap(([name, host]) => {
      const node = byName.get(name);
      if (node === undefined) return [[name, host] as const];
      if (isAway(node) || node.flags.has("POWERED_DOWN") || node.flags.has("POWERING_UP"))
        return [[name, { ...host, heldReason: heldReasonOf(node) }] as const];
      // Slurm still has the host before it.
      if (isElsewhere(node, host.hostname)) return [[name, host] as const];
      // Until it is resumed, or has the reason of a person back: the command may be lost with who was to run it.
      const isDown = node.flags.has("DOWN") && reasonsOfSlurm.includes(node.reason);
      return isDown ? [[name, host] as const] : [];
    }),
  );
}

/** Whether Slurm has another host for the node. A daemon may report its host by its short name. */
export function isElsewhere({ address, hostname: known }: NodeRecord, hostname: string): boolean {
  return [address, known].every((each) => shortHostname(each) !== shortHostname(hostname));
}

/** Of a node that a person took down before its daemon registered. */
function heldReasonOf(node: NodeRecord): string | undefined {
  const { flags, reason } = node;
  if (!flags.has("DOWN") || reason.startsWith(ours) || reasonsOfSlurm.includes(reason)) return undefined;
  return reasonWithUser(node);
}

/** To be given anew: Slurm then takes us for the one who said it. */
export function reasonWithUser({ reason, reason_set_by_user: by }: NodeRecord): string {
  if (reason === "") return ours;
  return `${reasonText(reason)}${by === "" ? "" : ` (${by})`}`;
}

/** slurmd starts within a minute or two of its machine. */
const usualJoinSeconds = 600;

/** Nodes that should have joined long ago. The text stays the same from pass to pass, so that it is told once. */
export function overdue(
  nodes: readonly NodeRecord[],
  joining: Joining,
  nowSeconds: number,
): readonly SetAside[] {
  const readNames = new Set(nodes.map(({ name }) => name));
  return [...joining].flatMap(([name, { hostname, sinceSeconds }]) => {
    if (nowSeconds - sinceSeconds < usualJoinSeconds) return [];
    const why = readNames.has(name)
      ? "its slurmd has not registered"
      : "Slurm does not list it, or its record cannot be read";
    const since = new Date(sinceSeconds * 1000).toISOString();
    return [
      {
        record: `node ${name}`,
        reason: `joined as ${hostname} at ${since}, and ${why}; joining is tried again in each pass`,
      },
    ];
  });
}

/** As long as power saving waits for a node by default (`ResumeTimeout`). */
const longestJoinSeconds = 1800;

/**
 * Nodes that joined so long ago, and whose slurmd has never registered: Slurm starts no job there, and the jobs that were planned
 * for them would wait for ever. Posted as out of service, they go, and others are bought. `nodes`: those of the planner.
 */
export function neverRegistered(
  nodes: readonly NodeRecord[],
  joining: Joining,
  nowSeconds: number,
): readonly { readonly node: NodeRecord; readonly state: Omit<SchedulerNode, "resources"> }[] {
  return nodes.flatMap((node) => {
    const host = joining.get(node.name);
    if (host === undefined || nowSeconds - host.sinceSeconds < longestJoinSeconds) return [];
    if (isBusy(node) || isListed(node) || !(isAway(node) || node.flags.has("POWERED_DOWN"))) return [];
    const stateReason = host.heldReason ?? "its slurmd has not registered";
    const stateSince = isoTime(host.sinceSeconds);
    const since = stateSince === undefined ? {} : { stateSince };
    const { hostname } = host;
    return [{ node, state: { hostname, state: "drained", isOutByOthers: true, stateReason, ...since } }];
  });
}

/** The node that joined last under each name of Slurm's. */
export type JoinedNodes = ReadonlyMap<string, JoinedNode>;

/**
 * What of an event is news to Slurm. A host name that changed ends nothing here: Slurm knows nodes by their names in CycleCloud, and
 * gets the new host when the node joins with it.
 */
export function newsFor(event: NodeEvent, joined: JoinedNodes, { node_prefix }: SlurmSettings): NodeEvent {
  const nodes = withoutLateEnds(event, ({ name }) => joined.get(`${node_prefix}${name}`));
  return { ...event, nodes: nodes.filter(({ isRenamed }) => isRenamed !== true) };
}

/** The nodes that have joined, after an event. */
export function joinedAfter(
  { kind, nodes }: NodeEvent,
  before: JoinedNodes,
  { node_prefix }: SlurmSettings,
): JoinedNodes {
  const after = new Map(before);
  for (const { name, nodeId, hostname } of nodes) {
    if (kind === "node-joined") after.set(`${node_prefix}${name}`, { nodeId, hostname });
    if (kind === "node-deleted" || kind === "boot-timeout") after.delete(`${node_prefix}${name}`);
  }
  return after;
}

/** The nodes that are joining after an event. */
export function joiningAfter(
  { kind, nodes }: NodeEvent,
  before: Joining,
  nowSeconds: number,
  { node_prefix }: SlurmSettings,
): Joining {
  const after = new Map(before);
  for (const { name, hostname } of nodes) {
    const node = `${node_prefix}${name}`;
    if (kind === "node-joined") {
      // An event that comes again is of the same host.
      const sinceSeconds =
        before.get(node)?.hostname === hostname ? before.get(node)?.sinceSeconds : undefined;
      after.set(node, { hostname, sinceSeconds: sinceSeconds ?? nowSeconds });
    }
    if (kind === "node-deleted" || kind === "boot-timeout") after.delete(node);
  }
  return after;
}

/** Machines that are gone, and when that was seen, by Slurm's name of the node. */
export type Gone = ReadonlyMap<string, JoinedNode & { readonly atSeconds: number }>;

/** The machines that are gone after an event. */
export function goneAfter(
  { kind, nodes, atSeconds }: NodeEvent,
  before: Gone,
  nowSeconds: number,
  { node_prefix }: SlurmSettings,
): Gone {
  const after = new Map(before);
  for (const { name, nodeId, hostname } of nodes) {
    const node = `${node_prefix}${name}`;
    if (kind === "node-joined") after.delete(node);
    if (kind === "node-deleted" || kind === "boot-timeout")
      after.set(node, { nodeId, hostname, atSeconds: atSeconds ?? nowSeconds });
  }
  return after;
}

/**
 * Those that Slurm still counts on. Names and addresses are used again, and events come late: a daemon that has started since is that
 * of the next machine. `saving`: power saving has them, and knows by itself of one that is off, or waits for its next machine.
 */
export function stillGone(
  nodes: ReadonlyMap<string, NodeRecord>,
  gone: Gone,
  saving: ReadonlySet<NodeRecord>,
): Gone {
  return new Map(
    [...gone].filter(([name, { hostname, atSeconds }]) => {
      const node = nodes.get(name);
      if (node === undefined || isAway(node) || (node.slurmd_start_time ?? 0) > atSeconds) return false;
      if (saving.has(node)) return isUp(node.flags);
      // With a line in slurm.conf the address comes from us, and that of the machine before it stays while there is a job.
      // An address that is the name of the node is that of any host.
      return !node.flags.has("DYNAMIC_NORM") || node.hostname === name || !isElsewhere(node, hostname);
    }),
  );
}
