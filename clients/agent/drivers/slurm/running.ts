import type { Job } from "../driver.ts";
import { fieldOf } from "../records.ts";
import { asksForWholeNodes, detailsOf, isColocated, nameOf, orderOf } from "./common.ts";
import { expandHostlist } from "./hostlist.ts";
import type { JobContext } from "./job-context.ts";
import { cpusPerCore, sizeOf } from "./size.ts";
import { isBusy, nowhere } from "./slurm-nodes.ts";
import type { JobRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";
import { gpuRequestOf, gpusIn } from "./tres.ts";

/** "Completing" still has its nodes; so has a job that is stopped. */
const hasNodes = new Set([
  "RUNNING",
  "CONFIGURING",
  "COMPLETING",
  "SUSPENDED",
  "STOPPED",
  "RESIZING",
  "SIGNALING",
  "STAGE_OUT",
]);

/** States of jobs that have no node, now or any more. */
const hasNoNodes = new Set([
  "PENDING",
  "CANCELLED",
  "COMPLETED",
  "FAILED",
  "TIMEOUT",
  "NODE_FAIL",
  "PREEMPTED",
  "BOOT_FAIL",
  "DEADLINE",
  "OUT_OF_MEMORY",
  "REVOKED",
]);

/** A state that is not known leaves a job the nodes that it is said to have. */
export function mayHoldNodes({ job_state, nodes }: Pick<JobRecord, "job_state" | "nodes">): boolean {
  if (job_state.some((state) => hasNodes.has(state))) return true;
  // One that is put back at once (`--requeue=expedite`, 25.11) has its old ones until their epilogs have ended.
  const isPutBack = job_state.includes("EXPEDITING");
  return nodes !== "" && (isPutBack || !job_state.some((state) => hasNoNodes.has(state)));
}

/**
 * A job on hosts, and one that Slurm put on nodes which are not there yet: that one waits. `getsNodesByName`: it is on the hosts that
 * are there, and nobody has to find it the others.
 */
export function running(
  record: JobRecord,
  partitions: readonly string[],
  context: JobContext,
  getsNodesByName = false,
): readonly Job[] | undefined {
  const names = expandHostlist(record.nodes);
  if (names === undefined || names.length === 0) return undefined;
  const { candidates } = context;
  const arrays = [...new Set(partitions.flatMap((name) => candidates.nodeArraysOf(name)))];
  const count = names.length;
  const hosts = hostsOf(record, names, context);
  const [partition = "", ...more] = partitions;
  const counting = candidates.countingOf(partition);
  const { perNode: whole } = sizeOf(record, context.nodes.get(names[0] ?? ""), counting, count);
  // CPUs that its reservation has are not offered to others: it uses up none of theirs.
  const { ncpus: _, ...withoutCpus } = whole;
  const isOfShare = context.reserved.named(record.resv_name).some(({ cpuShare }) => cpuShare !== undefined);
  const perNode: Amounts = isOfShare ? withoutCpus : whole;
  const leaves = isLeaving(record, context);
  const isWhole = asksForWholeNodes(record) || partitions.every((name) => candidates.isExclusive(name));
  const nodeCount = getsNodesByName ? hosts.length : count;
  const cap = more.length === 0 && !asksForWholeNodes(record) ? candidates.capOf(partition) : undefined;
  const onHosts = (own: readonly string[], amounts: Amounts): Job => ({
    ...orderOf(record),
    ...detailsOf(record, partitions, { isRunning: hosts.length > 0 }),
    name: nameOf(record),
    constraints: {
      "node.nodearray": arrays.length === 1 ? arrays[0] : arrays,
      ...(leaves ? {} : amounts),
      ...(leaves || cap === undefined ? {} : { [cap]: amounts.ncpus ?? 1 }),
    },
    exclusive: !leaves && isWhole,
    ...(own.length === 0 ? {} : { executingHostnames: own }),
  });
  const parts = leaves || isWhole || hosts.length < count ? [] : partsOf(record, names, perNode, context);
  if (parts.length > 1)
    return parts.map(([own, amounts], index) => ({
      ...onHosts(
        own.map((at) => hosts[at] ?? ""),
        amounts,
      ),
      name: `${nameOf(record)}.${index + 1}`,
      ...(own.length === 1 ? {} : { nodeCount: own.length, colocated: false }),
    }));
  return [
    {
      // Of what it does not ask for, such as memory without a default, it has what its nodes had.
      ...onHosts(hosts, parts[0]?.[1] ?? perNode),
      ...(nodeCount === 1 ? {} : { nodeCount, colocated: isColocated(record, partitions, context) }),
    },
  ];
}

/** Nodes of which a job has the same, by their places among its nodes, with what it has of each. Empty: Slurm does not say. */
function partsOf(
  { job_resources: shares, gres_detail: gres = [] }: JobRecord,
  names: readonly string[],
  perNode: Amounts,
  { nodes }: JobContext,
): readonly (readonly [places: readonly number[], amounts: Amounts])[] {
  const isOfAll =
    shares?.every(({ name }, at) => name === names[at]) === true && shares.length === names.length;
  if (!isOfAll && gres.length !== names.length) return [];
  const amounts = names.map((name, at) => {
    const { cpus, cores, memory } = (isOfAll ? shares[at] : undefined) ?? {};
    const ncpus = cpus ?? (cores === undefined ? undefined : cores * cpusPerCore(nodes.get(name)));
    const memmb = perNode.memmb === undefined ? undefined : memory;
    const ngpus = gpusIn(gpuRequestOf(gres[at] ?? "")) || undefined;
    const known = Object.entries({
      ncpus: perNode.ncpus === undefined ? undefined : ncpus,
      memmb,
      ngpus,
    }).flatMap(([name, amount]) => (amount === undefined ? [] : [[name, amount] as const]));
    return { ...perNode, ...Object.fromEntries(known) };
  });
  const places = Map.groupBy(amounts.keys(), (at) => JSON.stringify(amounts[at]));
  return [...places.values()].map((own) => [own, amounts[own[0] ?? 0] ?? perNode] as const);
}

type Amounts = Readonly<Record<string, number>>;

/** Longer than Slurm usually needs to clear a node: then something holds it up. */
const clearingSeconds = 60;

/**
 * The end of a job that goes back into the queue lies far ahead, or is 0 (preempted by QOS): when the job was first seen being
 * cleared away tells how long that takes.
 */
export function clearingAfter(
  records: readonly JobRecord[],
  before: JobContext["clearingSince"],
  nowSeconds: number,
): JobContext["clearingSince"] {
  const clearing = records.filter(
    ({ job_id, job_state, end_time = 0 }) =>
      job_state.includes("COMPLETING") && (end_time === 0 || end_time > nowSeconds || before.has(job_id)),
  );
  return new Map(clearing.map(({ job_id }) => [job_id, before.get(job_id) ?? nowSeconds]));
}

/**
 * Its nodes are free sooner than others would come: it has ended and is being cleared away, or Slurm has given it a time of grace
 * before another job takes its nodes.
 */
function isLeaving(
  { job_id, job_state, end_time = 0, preempt_time = 0 }: JobRecord,
  { nowSeconds, clearingSince }: JobContext,
): boolean {
  if (job_state.includes("COMPLETING"))
    return nowSeconds - (clearingSince.get(job_id) ?? end_time) < clearingSeconds;
  return preempt_time > 0 && job_state.includes("RUNNING");
}

/** Only a node that is known to be away, or to have no address yet, may count as one that is still to come. */
function hostsOf(
  { job_state }: JobRecord,
  names: readonly string[],
  { nodes }: JobContext,
): readonly string[] {
  const isComing = job_state.includes("CONFIGURING");
  const isAway = (name: string) => {
    const { flags, address } = nodes.get(name) ?? {};
    return flags?.has("POWERED_DOWN") === true || flags?.has("POWERING_UP") === true || address === nowhere;
  };
  return names.filter((name) => !(isComing && isAway(name))).map((name) => nodes.get(name)?.hostname || name);
}

/**
 * Where a job runs of which not everything can be read. Where its list of nodes cannot be read either, every busy node that
 * may be in it counts. Nowhere: it waits, is over, or is not ours.
 */
export function hostsOfUnreadable(
  value: unknown,
  nodes: JobContext["nodes"],
  { ignore_partitions }: SlurmSettings,
): readonly string[] {
  const states = [fieldOf(value, "job_state")].flat().filter((state) => typeof state === "string");
  const job_state = states.map((state) => state.toUpperCase());
  const list = fieldOf(value, "nodes");
  const text = typeof list === "string" ? list : "";
  if (!mayHoldNodes({ job_state, nodes: text })) return [];
  const partition = fieldOf(value, "partition");
  if (typeof partition === "string" && partition.split(",").every((name) => ignore_partitions.includes(name)))
    return [];
  const names = expandHostlist(text) ?? [];
  return (names.length > 0 ? names : busyNodes(text, nodes)).map((name) => nodes.get(name)?.hostname || name);
}

/** `htc-[1-` may be any busy node whose name begins so; no list may be any of them. */
function busyNodes(list: string, nodes: JobContext["nodes"]): readonly string[] {
  const beginnings = list.split(",").map((item) => item.split("[")[0] ?? "");
  return [...nodes.values()]
    .filter((node) => isBusy(node) && beginnings.some((beginning) => node.name.startsWith(beginning)))
    .map(({ name }) => name);
}
