import type { Answers, Context, SetAside } from "../driver.ts";
import { fieldOf } from "../records.ts";
import { hasDynamicPartition, mostNodesIn, whyNoDynamicNodes } from "./dynamic-nodes.ts";
import type { JobRecords } from "./job-records.ts";
import { readLicenses } from "./licenses.ts";
import { areLimitsEnforced, readLimits } from "./limits.ts";
import { unknownStates } from "./node-states.ts";
import { twoModes } from "./power-saving.ts";
import { readReservations } from "./reservations.ts";
import { hostsOfUnreadable } from "./running.ts";
import { rememberedLimits } from "./slurm-memory.ts";
import { readCounting, readPartitions } from "./slurm-partitions.ts";
import { type JobRecord, keepingMemory, type nodeList, readMemoryKept } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";

/** What was printed, read; where a part is missing or cut short, nothing of it counts. */
export function readAnswers(
  answers: Answers,
  { memory, nowSeconds }: Pick<Context, "memory" | "nowSeconds">,
  settings: SlurmSettings,
  readers: { readonly nodes: ReturnType<typeof nodeList>; readonly jobs: JobRecords },
) {
  const unknown = (reason: string) => ({ known: false as const, reason });
  const fromScontrol = readers.nodes.in(answers.scontrol);
  const nodeRecords = fromScontrol ?? readers.nodes.in(answers.sinfo);
  if (nodeRecords === undefined) return unknown("neither scontrol nor sinfo printed nodes as JSON");
  const pending = readPending(answers.switches?.text ?? "");
  const jobRecords = readers.jobs.in(answers.squeue, pending.shared);
  if (jobRecords === undefined) return unknown('"squeue --json" printed no jobs');
  const partitions = readPartitions(answers.partitions?.text ?? "");
  const licenses = readLicenses(answers.licenses?.text ?? "");
  if (partitions === undefined || (partitions.size === 0 && nodeRecords.length > 0))
    return unknown("scontrol printed no partitions, or not all of them");
  if (licenses === undefined) return unknown("scontrol did not print all licences");
  const enforcement =
    answers.config === undefined
      ? rememberedLimits(memory)
      : {
          enforced: areLimitsEnforced(answers.config.text),
          mostNodes: mostNodesIn(answers.config.text),
          counting: readCounting(answers.config.text),
          ...(/^PreemptType\s*= preempt\/(?!none)/m.test(answers.config.text) ? { preempts: true } : {}),
          atSeconds: nowSeconds,
        };
  const limits = enforcement?.enforced === true ? readLimits(answers.limits?.text ?? "") : undefined;
  if (enforcement?.enforced === true && limits === undefined)
    return unknown("scontrol did not print all limits of accounts and QOS");
  const memoryKept =
    answers.specs === undefined ? new Map<string, number>() : readMemoryKept(answers.specs.text);
  if (memoryKept === undefined) return unknown("scontrol did not print all nodes");
  const nodes = nodeRecords.flatMap((each) => (each.ok ? [keepingMemory(each.record, memoryKept)] : []));
  // A node of which not everything can be read still says which host is its own.
  const known = nodeRecords.flatMap((each) => (each.ok ? each.record : each.rest) ?? []);
  // Its list has neither a count nor an end: one that ends after a whole line is short all the same.
  const unlisted = known.flatMap((node) => node.partitions ?? []).find((name) => !partitions.has(name));
  if (unlisted !== undefined)
    return unknown(`scontrol did not print partition "${unlisted}", which nodes have`);
  const inTwo = known.map((node) => twoModes(node, settings)).find((each) => each !== undefined);
  if (inTwo !== undefined) return unknown(inTwo);
  const hasDynamic = hasDynamicPartition(Object.keys(settings.partitions), settings);
  const lines = known.filter(({ flags }) => !flags.has("DYNAMIC_NORM")).length;
  const noDynamic =
    hasDynamic && answers.config !== undefined ? whyNoDynamicNodes(answers.config.text, lines) : undefined;
  if (noDynamic !== undefined) return unknown(noDynamic);
  const byName = new Map(known.map((node) => [node.name, node]));
  const reservations = readReservations(answers.reservations?.text ?? "", byName);
  if (reservations === undefined) return unknown("scontrol did not print all reservations");
  // A job of several nodes that came between the two commands: one node group or any would be a guess.
  const unseen = jobRecords.find(
    (each) => each.ok && needsSwitches(each.record) && !pending.switches.has(each.record.job_id),
  );
  if (unseen?.ok)
    return unknown(`job ${unseen.record.job_id} came while Slurm was read: its switches are not known`);
  return {
    known: true as const,
    nodesFrom: fromScontrol === undefined ? "sinfo" : "scontrol",
    nodeRecords,
    nodes,
    nodeCount: known.length,
    byName,
    jobRecords,
    switches: pending.switches,
    partitions,
    licenses,
    limits,
    enforcement,
    reservations,
  };
}

/** Records that cannot be read, or only in part, each with the hosts that it names. */
export function unreadableIn(
  {
    nodeRecords,
    jobRecords,
    nodes,
    byName,
  }: Extract<ReturnType<typeof readAnswers>, { readonly known: true }>,
  settings: SlurmSettings,
): SetAside[] {
  return [
    ...nodeRecords.flatMap((each, index) =>
      each.ok ? [] : [{ record: nameOf("node", fieldOf(each.value, "name"), index), reason: each.reason }],
    ),
    ...jobRecords.flatMap((each, index) => {
      if (each.ok) return [];
      const { reason, value } = each;
      const record = nameOf("job", fieldOf(value, "job_id"), index);
      const executingHostnames = hostsOfUnreadable(value, byName, settings);
      return [executingHostnames.length === 0 ? { record, reason } : { record, reason, executingHostnames }];
    }),
    ...nodes.flatMap((node) => {
      const unknown = unknownStates(node).join(", ");
      const reason = `state "${unknown}" is not known, left aside`;
      return unknown === "" ? [] : [{ record: `node ${node.name}`, reason }];
    }),
  ];
}

function nameOf(what: string, name: unknown, index: number): string {
  return typeof name === "string" || typeof name === "number" ? `${what} ${name}` : `${what} record ${index}`;
}

/** Jobs of one node need no switch; since 23.02 the record itself has the number. */
function needsSwitches({ job_state, node_count, required_switches }: JobRecord): boolean {
  return required_switches === undefined && (node_count ?? 1) > 1 && job_state.includes("PENDING");
}

/** By job id: leaf switches asked for, and who else may be on the job's nodes. */
function readPending(text: string) {
  const lines = [...text.matchAll(/^ {0,20}(\d{1,15}) {1,20}(\d{1,15})(?: {1,20}(\w{1,20}))? {0,20}$/gm)];
  return {
    switches: new Map(lines.map(([, id, count]) => [Number(id), Number(count)])),
    shared: new Map(
      lines.flatMap(([, id, , exclusive]) =>
        exclusive === undefined || exclusive === "NO" ? [] : [[Number(id), sharedAs(exclusive)] as const],
      ),
    ),
  };
}

/** The word of the releases before 26.05. */
function sharedAs(exclusive: string): string {
  return exclusive === "NODE" ? "NONE" : exclusive;
}
