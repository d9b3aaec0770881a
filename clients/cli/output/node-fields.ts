import type { NodeView } from "../../../shared/api/index.ts";
import { nodeVersion, size } from "../../../shared/engine/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { keeperWords } from "../../../shared/text/keeper-words.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import type { Narrowing } from "./fit-table.ts";
import { moment } from "./moments.ts";

const bytesPerGiB = 1024 ** 3;

interface NodeFieldOptions {
  /** How moments are written. */
  readonly when?: (seconds: number) => string;
  /** Whether nothing is sent, so that no node goes. */
  readonly isHeld?: boolean;
  /** For JSON: lengths of time are seconds. */
  readonly isData?: boolean;
}

/** A node as columns show it: every field of the service's answer, and the names that scalelib's tables have for them. */
export function nodeFields(
  node: NodeView,
  nowSeconds: number,
  { when = moment, isHeld = false, isData = false }: NodeFieldOptions = {},
): Fields {
  const { jobs, origin, keepAlive, memoryBytes, deleteAtSeconds, idleSinceSeconds, expectedReadySeconds } =
    node;
  const { plannedJobs } = node;
  const jobIds = [...new Set(jobs.map(({ job }) => job))];
  const length = (seconds: number) => (isData ? Math.floor(seconds) : duration(seconds));
  const since = (seconds: number | null) => (seconds === null ? null : length(nowSeconds - seconds));
  const until = (seconds: number | null) => (seconds === null ? null : length(seconds - nowSeconds));
  const at = (seconds: number | null) => (seconds === null ? null : when(seconds));
  return {
    ...node,
    jobs: jobs.map(({ job, slots }) => `${job}*${slots}`),
    job_ids: jobIds,
    running_job_ids: jobIds.filter((job) => !plannedJobs.includes(job)),
    planned_job_ids: plannedJobs,
    status: node.state,
    state: stateOf(node),
    exists: origin === "existing" || origin === "starting",
    required: jobs.length > 0 || keepAlive,
    managed: origin !== "on-premise",
    memory: memoryBytes === null ? null : { ...size(memoryBytes / bytesPerGiB, "g") },
    colocated: node.placementGroup !== null,
    hostname_or_uuid: node.hostname ?? node.nodeId ?? node.name,
    failure: node.failure?.message ?? null,
    failed_at: at(node.failure?.atSeconds ?? null),
    version: nodeVersion,
    idle: since(idleSinceSeconds),
    age: since(node.firstSeenSeconds),
    create_time: at(node.firstSeenSeconds),
    create_time_unix: node.firstSeenSeconds,
    // As constraints have it.
    create_time_remaining: node.readySeconds === null ? until(deleteAtSeconds) : -1,
    last_match_time: at(node.lastMatchSeconds),
    last_match_time_unix: node.lastMatchSeconds,
    delete_time: at(node.deletedSeconds),
    delete_time_unix: node.deletedSeconds,
    idle_time_remaining: idleSinceSeconds === null ? null : until(deleteAtSeconds),
    // Nothing is sent: no node goes then.
    delete_in: isHeld && deleteAtSeconds !== null ? "held" : until(deleteAtSeconds),
    ready_in: until(expectedReadySeconds),
    kept_by: node.kept[0] === undefined ? null : keeperWords(node.kept[0], when),
    kept_until: at(node.kept[0]?.untilSeconds ?? null),
    drain: node.draining === null ? null : (node.draining.reason ?? "yes"),
    operation: node.operation === null ? null : `${node.operation.kind} ${node.operation.state}`,
  };
}

const originWords: ReadonlyMap<string, string> = new Map([
  ["starting", "to start"],
  ["pending", "on order"],
  ["new", "to create"],
  ["on-premise", "on premise"],
]);

/** What stands for the state of a node that CycleCloud does not report. */
export function originWord(origin: string): string {
  return originWords.get(origin) ?? origin;
}

/** What a node is, or what a plan would make of it. */
function stateOf(node: NodeView): string {
  const { origin, state, ignored, draining, slowBoot, idleSinceSeconds, readySeconds } = node;
  const marks = [
    ...(idleSinceSeconds !== null && readySeconds === null ? ["no job needs it"] : []),
    ...(draining === null ? [] : [draining.phase]),
    ...(ignored ? ["ignored"] : []),
    ...(slowBoot ? [`slow: ${duration(slowBoot.forSeconds)}, p95 ${duration(slowBoot.p95Seconds)}`] : []),
  ];
  const word = origin === "existing" ? (state ?? "Unknown") : originWord(origin);
  return marks.length === 0 ? word : `${word} (${marks.join(", ")})`;
}

/** What an operator looks for in a list of nodes stays on a narrow screen. */
export const nodeNarrowing: Narrowing = {
  keeps: ["NCPUS", "JOB_IDS", "IDLE", "DELETE_IN"],
  goFirst: ["KEEP_ALIVE", "PLACEMENT_GROUP", "HOSTNAME", "NODEARRAY", "VM_SIZE"],
  ofSizes: ["VM_SIZE", "PLACEMENT_GROUP"],
};

/** The same where some have failed: why is what people look for. */
export const failedNarrowing: Narrowing = {
  keeps: ["NCPUS", "JOB_IDS"],
  goFirst: ["KEEP_ALIVE", "HOSTNAME", "PLACEMENT_GROUP"],
  ofSizes: nodeNarrowing.ofSizes,
  whole: ["NAME", "VM_SIZE"],
  sentence: "FAILURE",
};

/** The columns of scalelib's demand table; those of resources that no node has are left out. */
export function demandColumns(nodes: readonly NodeView[]): readonly string[] {
  const hasSlots = nodes.some(({ resources }) => resources.slots !== undefined);
  return [
    "name",
    "hostname:tbd",
    "job_ids[:30]",
    "exists",
    "required",
    "managed",
    ...(hasSlots ? ["slots", "*slots"] : []),
    "vm_size",
    "memory",
    "vcpu_count",
    "state",
    "placement_group",
  ];
}

export const nodeColumns = columnsOf(
  "name,hostname:-,state,nodearray,vm_size,placement_group:-,/ncpus,job_ids[:20]:-",
  "keep_alive,idle:-,delete_in:-",
);
