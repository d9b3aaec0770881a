import { shortHostname } from "../../../../shared/engine/index.ts";
import type { Command, ExemptNodes, NamedNodes, SchedulerNode, SetAside } from "../driver.ts";
import { cycleCloudName } from "./common.ts";
import { expandHostlist } from "./hostlist.ts";
import { keepingJobs, nodeName, setAddresses, withoutAddress } from "./node-commands.ts";
import type { dueNodes } from "./reservations.ts";
import { mayHoldNodes } from "./running.ts";
import { arraysOf } from "./shapes.ts";
import {
  type Gone,
  hasJoined,
  isAway,
  isIgnored,
  isUp,
  type JoinedNodes,
  type Joining,
  nowhere,
  ours,
  outOfService,
  resumeTimeout,
} from "./slurm-nodes.ts";
import type { JobRecord, NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/**
 * Partitions whose nodes Slurm itself chooses and powers up and down by name. Slurm's own states say what it wants:
 * POWERING_UP until slurmd registers, POWERING_DOWN for SuspendTimeout, then POWERED_DOWN. They are read in each pass, so that
 * a call of ResumeProgram that is lost, late or repeated changes nothing.
 */

export function isPowerSavingPartition(name: string, { partitions }: SlurmSettings): boolean {
  return partitions[name]?.mode === "power-saving";
}

/** Whether Slurm's power saving has the node, and not the planner. */
export function isPowerSaving(
  { partitions }: Pick<NodeRecord, "partitions">,
  settings: SlurmSettings,
): boolean {
  return partitions?.some((name) => isPowerSavingPartition(name, settings)) === true;
}

/** The settings of both kinds that a node's partitions have; undefined: they agree. */
export function twoModes({ name, partitions }: NodeRecord, settings: SlurmSettings): string | undefined {
  const own = (partitions ?? []).filter((each) => !isIgnored({ partitions: [each] }, settings));
  const saving = own.find((each) => isPowerSavingPartition(each, settings));
  const planned = own.find((each) => !isPowerSavingPartition(each, settings));
  if (saving === undefined || planned === undefined) return undefined;
  return `node ${name} is in both: partitions.${saving}.mode is "power-saving", partitions.${planned}.mode is "planner"; expected the same mode`;
}

const powersDown = ["POWERING_DOWN", "POWERED_DOWN"];

/** Its host is there, and Slurm does not power it down. */
export function isOn(record: NodeRecord): boolean {
  return hasJoined(record) && !powersDown.some((flag) => record.flags.has(flag));
}

/** Its host takes jobs of Slurm's choice; for the planner it is held, so that nothing is planned there and it stays when it is idle. */
export function heldNode(
  record: NodeRecord,
  resources: SchedulerNode["resources"],
): readonly SchedulerNode[] {
  if (!isOn(record)) return [];
  const { hostname, partitions = [] } = record;
  const stateReason = `Slurm's power saving has it, partition ${partitions?.join(", ")}`;
  return [
    { hostname, resources, state: "draining", isOutByOthers: true, stateReason, ...outOfService(record) },
  ];
}

/** Nodes of the planner that are to be there for a reservation, and are not. What a person took down stays. */
export function missingFor(
  due: ReturnType<typeof dueNodes>,
  nodes: readonly NodeRecord[],
  joining: Joining,
  settings: SlurmSettings,
): NamedNodes["wanted"] {
  const missing = nodes.filter(
    (node) =>
      nodeName.test(node.name) &&
      due.has(node.name) &&
      isAway(node) &&
      !joining.has(node.name) &&
      (node.reason === "" || node.reason.startsWith(ours)),
  );
  return missing.map((node) => {
    const reservation = due.get(node.name)?.name ?? "";
    const reason = `Slurm has it in reservation ${reservation}`;
    return { ...groupOf([node], reason, settings), staysWanted: true };
  });
}

/** A node that could not be had is asked for again so long after. */
const askAgainSeconds = 300;

/**
 * Nodes that a reservation needs and that are powered down. Only those that Slurm does not power down by itself (`SuspendExcNodes`):
 * it would do so with the others after SuspendTime, before the reservation begins or while it has no job.
 */
export function toPowerUp(
  nodes: readonly NodeRecord[],
  due: ReturnType<typeof dueNodes>,
  { exempt, nowSeconds }: { readonly exempt: ExemptNodes | undefined; readonly nowSeconds: number },
  settings: SlurmSettings,
): ReadonlySet<string> {
  const spared = new Set(exempt?.names);
  const isGivenBack = ({ reason, reason_changed_at: at }: NodeRecord) =>
    reason.startsWith(ours) && nowSeconds - (at ?? 0) < askAgainSeconds;
  const needed = nodes.filter(
    (node) =>
      due.has(node.name) &&
      spared.has(cycleCloudName(node.name, settings)) &&
      node.flags.has("POWERED_DOWN") &&
      !["POWER_UP", "DOWN", "DRAIN", "FAIL"].some((flag) => node.flags.has(flag)) &&
      !isGivenBack(node),
  );
  return new Set(needed.map(({ name }) => name));
}

/** What is known of the nodes of power saving beside what Slurm says. */
interface KnownNodes {
  readonly gone: Gone;
  readonly joined: JoinedNodes;
  /** Others that are to come by name. */
  readonly reserved: NamedNodes["wanted"];
}

/** What Slurm wants of the nodes that it powers up and down, and how to answer it. */
export function namedNodes(
  nodes: readonly NodeRecord[],
  jobs: readonly JobRecord[],
  { gone, joined, reserved }: KnownNodes,
  settings: SlurmSettings,
): NamedNodes {
  const named = nodes.filter(({ name }) => nodeName.test(name));
  const byName = new Map(named.map((node) => [node.name, node]));
  const recordOf = (name: string) => byName.get(`${settings.node_prefix}${name}`);
  const namesWith = (flag: string) =>
    named.filter(({ flags }) => flags.has(flag)).map(({ name }) => cycleCloudName(name, settings));
  return {
    wanted: [
      ...groupsOf(
        named.filter(({ flags }) => flags.has("POWERING_UP")),
        jobs,
        settings,
      ),
      ...reserved,
    ],
    // Their daemons registered before their addresses were known.
    withoutAddress: named
      .filter((node) => isUsed(node) && !hasAddress(node, joined))
      .map(({ name }) => cycleCloudName(name, settings)),
    lost: new Map(
      named.flatMap(({ name }) => {
        const machine = gone.get(name);
        return machine === undefined ? [] : [[cycleCloudName(name, settings), machine.nodeId]];
      }),
    ),
    going: namesWith("POWERING_DOWN"),
    off: namesWith("POWERED_DOWN"),
    join: (nodes) => {
      const differing = nodes.flatMap(({ name, hostname }) => {
        const node = recordOf(name);
        if (node === undefined || node.address === hostname || !nodeName.test(hostname)) return [];
        return [{ node: node.name, hostname }];
      });
      return setAddresses(differing, settings);
    },
    giveBack: (names, why) => {
      const coming = named.filter(({ flags }) => flags.has("POWERING_UP")).map(({ name }) => name);
      const lost = names.flatMap((name) => recordOf(name)?.name ?? []);
      const back = [...lost, ...inVain(new Set(coming), new Set(lost), jobs)];
      return {
        names: [
          ...back.map((name) => cycleCloudName(name, settings)),
          // Nothing changes for Slurm, which has them down.
          ...names.filter((name) => reserved.some((group) => group.names.includes(name))),
        ],
        commands: powerDown(back, jobs, why, settings),
      };
    },
  };
}

/** The nodes of one job belong together; those of none stand alone. */
function groupsOf(
  nodes: readonly NodeRecord[],
  jobs: readonly JobRecord[],
  settings: SlurmSettings,
): NamedNodes["wanted"] {
  const left = new Map(nodes.map((node) => [node.name, node]));
  const groups: NamedNodes["wanted"][number][] = [];
  const add = (names: readonly string[], reason: string) => {
    const own = names.flatMap((name) => left.get(name) ?? []);
    for (const some of Map.groupBy(own, (node) => JSON.stringify(placeOf(node, settings))).values())
      groups.push(groupOf(some, reason, settings));
    for (const { name } of own) left.delete(name);
  };
  const configuring = jobs.filter(({ job_state }) => job_state.includes("CONFIGURING"));
  for (const [id, parts] of Map.groupBy(configuring, idOf))
    add(
      parts.flatMap(({ nodes: list }) => expandHostlist(list) ?? []),
      `Slurm resumes for job ${id}`,
    );
  for (const name of [...left.keys()]) add([name], "Slurm resumes");
  return groups;
}

/** The parts of a heterogeneous job start together. */
function idOf({ job_id, het_job_id }: JobRecord): number {
  return het_job_id || job_id;
}

/**
 * Of the nodes that come, those for a job that does not start, because it loses others: Slurm would keep them until SuspendTime. One
 * that has booted already stays, since it may have been there before the job.
 */
function inVain(
  coming: ReadonlySet<string>,
  lost: ReadonlySet<string>,
  jobs: readonly JobRecord[],
): readonly string[] {
  const byJob = Map.groupBy(jobs.filter(mayHoldNodes), idOf);
  const lists = [...byJob.values()].map((parts) => {
    const own = parts.map(({ nodes }) => expandHostlist(nodes));
    return own.includes(undefined) ? undefined : own.flatMap((names) => names ?? []);
  });
  // Such a list may have any of them.
  if (lists.includes(undefined)) return [];
  const { without = [], others = [] } = Object.groupBy(
    lists.map((names) => names ?? []),
    (names) => (names.some((name) => lost.has(name)) ? "without" : "others"),
  );
  const used = new Set(others.flat());
  return [...new Set(without.flat())].filter(
    (name) => coming.has(name) && !lost.has(name) && !used.has(name),
  );
}

/** One group of nodes that have one place. */
function groupOf(
  nodes: readonly NodeRecord[],
  reason: string,
  settings: SlurmSettings,
): NamedNodes["wanted"][number] {
  const [first] = nodes;
  return {
    names: nodes.map(({ name }) => cycleCloudName(name, settings)),
    ...(first === undefined ? { nodeArray: "", colocated: false } : placeOf(first, settings)),
    reason,
  };
}

/** Nodes of one place come in one call. */
function placeOf(node: NodeRecord, settings: SlurmSettings) {
  const own = node.partitions?.filter((name) => !isIgnored({ partitions: [name] }, settings)) ?? [];
  const [partition = ""] = own;
  const [nodeArray = partition] = arraysOf(node, partition, settings);
  return { nodeArray, colocated: own.some((name) => settings.partitions[name]?.colocated === true) };
}

/** At once: jobs that wait for these nodes are requeued, also with `--no-requeue`, because they have not started. */
function powerDown(
  names: readonly string[],
  jobs: readonly JobRecord[],
  why: string,
  settings: SlurmSettings,
): readonly Command[] {
  const { before, after } = keepingJobs(jobs, new Set(names), settings, { isHeldBack: true });
  const changes = ["State=POWER_DOWN_FORCE", `Reason=${ours}: ${why}`];
  return [...before, ...withoutAddress(names, changes, settings), ...after];
}

/** For the log, once: Slurm may power them up again. */
export function cameTooLate(nodes: readonly NodeRecord[]): readonly SetAside[] {
  return nodes
    .filter(({ flags, reason }) => flags.has("POWERED_DOWN") && flags.has("DOWN") && reason === resumeTimeout)
    .map(({ name }) => ({
      record: `node ${name}`,
      reason: "its slurmd had not registered when ResumeTimeout was over: its machine goes",
    }));
}

/** Its daemon answers, or did. */
function isUsed({ flags, version }: NodeRecord): boolean {
  return (
    version !== "" && isUp(flags) && !["DOWN", "POWER_DOWN", "NOT_RESPONDING"].some((flag) => flags.has(flag))
  );
}

/**
 * A node that was powered up before the agent first read Slurm has its own name as its address. Hosts are called like their
 * nodes on some clusters only, which the event of its joining tells.
 */
function hasAddress({ name, address }: NodeRecord, joined: JoinedNodes): boolean {
  if (address !== name) return address !== nowhere;
  return shortHostname(joined.get(name)?.hostname ?? "") === shortHostname(name);
}
