import { configured, readOf } from "../configured.ts";
import type {
  Answers,
  Context,
  Memory,
  NodeEvent,
  Read,
  Reading,
  SchedulerFiles,
  SetAside,
  Steps,
} from "../driver.ts";
import { fieldOf } from "../records.ts";
import { adminComments } from "./admin-comments.ts";
import { applyFiles, releaseIn } from "./config/apply-files.ts";
import { drawUpFiles, fileNames } from "./config/draw-up-files.ts";
import { heading } from "./config/node-kind.ts";
import { settingsFile } from "./config/node-lines.ts";
import {
  hasDynamicPartition,
  isDynamicNode,
  isWithoutPartition,
  mostNodesIn,
  stillGone,
  whyNoDynamicNodes,
  withoutPartition,
} from "./dynamic-nodes.ts";
import { type ExemptFacts, exemptInFiles, exemptNodes } from "./exempt-nodes.ts";
import { compactHostlist, expandHostlist } from "./hostlist.ts";
import type { JobContext } from "./job-context.ts";
import { JobRecords } from "./job-records.ts";
import { readLicenses } from "./licenses.ts";
import { areLimitsEnforced, readLimits } from "./limits.ts";
import { commandsFor } from "./node-commands.ts";
import { unknownStates } from "./node-states.ts";
import {
  cameTooLate,
  heldNode,
  isPowerSaving,
  isPowerSavingPartition,
  type LostNodes,
  missingFor,
  namedNodes,
  stillLost,
  toPowerUp,
  twoModes,
} from "./power-saving.ts";
import { reconcile } from "./reconcile.ts";
import { dueNodes, ownedNodes, Reserved, readReservations } from "./reservations.ts";
import { clearingAfter, hostsOfUnreadable } from "./running.ts";
import { NodeAmounts, shapesOf } from "./shapes.ts";
import { Candidates } from "./slurm-candidates.ts";
import { JobTranslator } from "./slurm-jobs.ts";
import { rememberedClearing, rememberedLimits, rememberedNodes, withNodes } from "./slurm-memory.ts";
import {
  asUndrained,
  hasJoined,
  isIgnored,
  isListed,
  isLostDrain,
  joinedAfter,
  joiningAfter,
  neverRegistered,
  newsFor,
  overdue,
  stillJoining,
  toNode,
} from "./slurm-nodes.ts";
import { readCounting, readPartitions } from "./slurm-partitions.ts";
import { type JobRecord, keepingMemory, type NodeRecord, nodeList, readMemoryKept } from "./slurm-records.ts";
import { type SlurmSettings, slurmSettingsSchema } from "./slurm-settings.ts";

/**
 * Slurm's queue as jobs, its nodes as nodes. Slurm knows every node that may ever come (`State=CLOUD`) by CycleCloud's name;
 * those that are not there are down, so that jobs wait for them. Nodes are read before jobs: a job that starts in
 * between is then told to run, and not to wait.
 */
export const slurm = configured("slurm", slurmSettingsSchema, (settings) => {
  const { config } = settings;
  const readers: Readers = {
    nodes: nodeList(),
    jobs: new JobRecords(),
    translator: new JobTranslator(),
    exempt: {},
  };
  return {
    ...(config === undefined ? {} : { files: keptFiles(settings, config, readers.exempt) }),
    namesNodes: namesNodes(settings),
    reads: (context) => reads(settings, context, readers),
    interpret: (answers, context) => interpret(answers, context, settings, readers),
    commandsFor: (event, { memory, nowSeconds }): Steps => {
      const known = rememberedNodes(memory, nowSeconds);
      const news = newsFor(event, known.joined, settings);
      const lost: LostNodes = isEnd(news) ? powerSavingAmong(news, memory, settings) : new Map();
      // The corrections do what has to be done: Slurm may have no record yet, or none any more.
      const dynamic = news.nodes.filter((node) => isDynamicNode(node, settings));
      const others = news.nodes.filter(
        (node) => !dynamic.includes(node) && !lost.has(`${settings.node_prefix}${node.name}`),
      );
      const gone = isEnd(news)
        ? dynamic.map(({ name, hostname }) => [`${settings.node_prefix}${name}`, hostname] as const)
        : [];
      return {
        // Slurm powers its own down, in the next pass.
        commands: commandsFor({ ...news, nodes: others }, settings),
        memory: withNodes(memory, {
          joining: joiningAfter(news, known.joining, nowSeconds, settings),
          joined: joinedAfter(news, known.joined, settings),
          lost: new Map([...known.lost, ...lost]),
          gone: new Map([...known.gone, ...gone]),
        }),
      };
    },
  };
});

function keptFiles(
  settings: SlurmSettings,
  { folder, apply, gather_seconds }: NonNullable<SlurmSettings["config"]>,
  exempt: Readers["exempt"],
): SchedulerFiles {
  const { apply: reconfigure, reads, whyNotNow } = applyFiles(settings);
  return {
    folder,
    heading,
    names: fileNames,
    besides: [settingsFile],
    gatherSeconds: gather_seconds,
    drawUp: (cluster, present) => {
      const drawn = drawUpFiles(cluster, settings, present, exempt);
      const named = exemptInFiles(present);
      const next = "refused" in drawn ? [] : drawn.files;
      // Both until the next look: the controller may have read either.
      exempt.inFiles = new Set([...named, ...exemptInFiles([...next, ...present])]);
      return drawn;
    },
    reads,
    whyNotNow,
    ...(apply === "reconfigure" ? { apply: reconfigure } : {}),
  };
}

/** `scontrol show nodes --json` came with 23.02; before, `sinfo --json` prints the same. Which one works is remembered. */
function reads(
  settings: SlurmSettings,
  { memory, nowSeconds }: Pick<Context, "memory" | "nowSeconds">,
  { jobs: { sink } }: Pick<Readers, "jobs">,
): readonly (readonly Read[])[] {
  const { squeue, scontrol, sinfo } = settings;
  const { nodesFrom } = memory;
  const remembered = rememberedLimits(memory);
  // An agent of before did not remember how Slurm counts.
  const isKnown =
    remembered?.counting !== undefined && nowSeconds - remembered.atSeconds < limitsKnownSeconds;
  const scontrolRead = readOf("scontrol", scontrol, ["show", "nodes", "--json"], [1]);
  const sinfoRead = readOf("sinfo", sinfo, ["--json"]);
  // The JSON of sinfo leaves out what a node keeps for the system.
  const fromSinfo = [sinfoRead, readOf("specs", scontrol, ["show", "nodes", "--oneliner"])];
  const nodes =
    nodesFrom === "scontrol"
      ? [scontrolRead]
      : nodesFrom === "sinfo"
        ? fromSinfo
        : [scontrolRead, ...fromSinfo];
  return [
    // Hidden ones too: nodes name them.
    [...nodes, readOf("partitions", scontrol, ["show", "partitions", "--all", "--oneliner"])],
    [
      // Without the variable the list of an array's tasks ends after 64 characters.
      { ...readOf("squeue", ["env", "SLURM_BITSTR_LEN=0", ...squeue], ["--json"]), sink },
      // Older releases leave out a column that they do not have.
      readOf("switches", squeue, [
        "--noheader",
        "--states=PENDING",
        "--Format=JobID:20,ReqSwitch:20,Exclusive:20",
      ]),
      readOf("licenses", scontrol, ["show", "licenses", "--oneliner"]),
      // Times are the host's own, without their zone, unless they are asked for in seconds.
      readOf(
        "reservations",
        ["env", "SLURM_TIME_FORMAT=%s", ...scontrol],
        ["show", "reservations", "--oneliner"],
      ),
    ],
    // After the jobs: what was used when they were read is not more than this.
    [
      ...(isKnown && !hasPowerSaving(settings) ? [] : [readOf("config", scontrol, ["show", "config"])]),
      ...(isKnown && !remembered.enforced
        ? []
        : [readOf("limits", scontrol, ["show", "assoc_mgr", "flags=assoc,qos", "--oneliner"])]),
    ],
  ].filter((step) => step.length > 0);
}

/** Whether limits count changes with a restart of the controller only; it is asked for again after so long. */
const limitsKnownSeconds = 600;

function isEnd({ kind }: NodeEvent): boolean {
  return kind === "node-deleted" || kind === "boot-timeout";
}

/** Of the nodes of an event those that Slurm's power saving had when it was last read. */
function powerSavingAmong(
  { nodes }: NodeEvent,
  { powerSaving }: Memory,
  { node_prefix }: SlurmSettings,
): LostNodes {
  const names = new Set(expandHostlist(typeof powerSaving === "string" ? powerSaving : ""));
  const own = nodes.map(({ name, nodeId }) => [`${node_prefix}${name}`, nodeId] as const);
  return new Map(own.filter(([name]) => names.has(name)));
}

/** They remember what they read: the next answer is much the same. */
interface Readers {
  readonly nodes: ReturnType<typeof nodeList>;
  readonly jobs: JobRecords;
  readonly translator: JobTranslator;
  readonly exempt: ExemptFacts;
}

function interpret(answers: Answers, context: Context, settings: SlurmSettings, readers: Readers): Reading {
  const fromScontrol = readers.nodes.in(answers.scontrol);
  const nodeRecords = fromScontrol ?? readers.nodes.in(answers.sinfo);
  if (nodeRecords === undefined)
    return { known: false, reason: "neither scontrol nor sinfo printed nodes as JSON" };
  const pending = readPending(answers.switches?.text ?? "");
  const jobRecords = readers.jobs.in(answers.squeue, pending.shared);
  if (jobRecords === undefined) return { known: false, reason: '"squeue --json" printed no jobs' };
  const partitions = readPartitions(answers.partitions?.text ?? "");
  const licenses = readLicenses(answers.licenses?.text ?? "");
  if (partitions === undefined || (partitions.size === 0 && nodeRecords.length > 0))
    return { known: false, reason: "scontrol printed no partitions, or not all of them" };
  if (licenses === undefined) return { known: false, reason: "scontrol did not print all licences" };
  const enforcement =
    answers.config === undefined
      ? rememberedLimits(context.memory)
      : {
          enforced: areLimitsEnforced(answers.config.text),
          mostNodes: mostNodesIn(answers.config.text),
          counting: readCounting(answers.config.text),
          ...(/^PreemptType\s*= preempt\/(?!none)/m.test(answers.config.text) ? { preempts: true } : {}),
          atSeconds: context.nowSeconds,
        };
  const limits = enforcement?.enforced === true ? readLimits(answers.limits?.text ?? "") : undefined;
  if (enforcement?.enforced === true && limits === undefined)
    return { known: false, reason: "scontrol did not print all limits of accounts and QOS" };
  const memoryKept =
    answers.specs === undefined ? new Map<string, number>() : readMemoryKept(answers.specs.text);
  if (memoryKept === undefined) return { known: false, reason: "scontrol did not print all nodes" };
  const nodes = nodeRecords.flatMap((each) => (each.ok ? [keepingMemory(each.record, memoryKept)] : []));
  // A node of which not everything can be read still says which host is its own.
  const known = nodeRecords.flatMap((each) => (each.ok ? each.record : each.rest) ?? []);
  // Its list has neither a count nor an end: one that ends after a whole line is short all the same.
  const unlisted = known.flatMap((node) => node.partitions ?? []).find((name) => !partitions.has(name));
  if (unlisted !== undefined)
    return { known: false, reason: `scontrol did not print partition "${unlisted}", which nodes have` };
  const inTwo = known.map((node) => twoModes(node, settings)).find((each) => each !== undefined);
  if (inTwo !== undefined) return { known: false, reason: inTwo };
  const hasDynamic = hasDynamicPartition(Object.keys(settings.partitions), settings);
  const lines = known.filter(({ flags }) => !flags.has("DYNAMIC_NORM")).length;
  const noDynamic =
    hasDynamic && answers.config !== undefined ? whyNoDynamicNodes(answers.config.text, lines) : undefined;
  if (noDynamic !== undefined) return { known: false, reason: noDynamic };
  const byName = new Map(known.map((node) => [node.name, node]));
  const reservations = readReservations(answers.reservations?.text ?? "", byName);
  if (reservations === undefined) return { known: false, reason: "scontrol did not print all reservations" };
  const readable = jobRecords.filter((each) => each.ok);
  const records = readable.map(({ record }) => record);
  const setAside: SetAside[] = [
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
  ];
  for (const node of nodes) {
    const unknown = unknownStates(node);
    if (unknown.length > 0)
      setAside.push({
        record: `node ${node.name}`,
        reason: `state "${unknown.join(", ")}" is not known, left aside`,
      });
  }
  const clearingSince = clearingAfter(records, rememberedClearing(context.memory), context.nowSeconds);
  const jobContext: JobContext = {
    settings,
    nowSeconds: context.nowSeconds,
    nodes: byName,
    candidates: new Candidates(
      settings,
      partitions,
      nodes,
      (enforcement?.mostNodes ?? Infinity) - known.length,
      enforcement?.counting,
    ),
    licenses,
    limits,
    reserved: new Reserved([...reservations, ...ownedNodes(nodes)], byName),
    preempts: enforcement?.preempts === true,
    switches: pending.switches,
    clearingSince,
    running: runningTasks(records),
    apart: jobsApart(records),
  };
  const leftOut = new Map<number, string>();
  const translated = readers.translator.translate(readable, jobContext);
  // The parts of a heterogeneous job start together: without one of them the others never do.
  const incomplete = new Set(
    records.flatMap(({ het_job_id, job_state, partition }, index) => {
      const read = translated[index] ?? [];
      const isWanted = !("leftOut" in read) && (read.length > 0 || comesOtherwise(partition, settings));
      return het_job_id && job_state.includes("PENDING") && !isWanted ? het_job_id : [];
    }),
  );
  const jobs = translated.flatMap((read, index) => {
    const { job_id = 0, het_job_id = 0, job_state = [] } = records[index] ?? {};
    const waits = job_state.includes("PENDING");
    if (!("leftOut" in read)) return waits && incomplete.has(het_job_id) ? [] : read;
    const { leftOut: reason, executingHostnames = [] } = read;
    if (waits) leftOut.set(job_id, reason);
    const hosts = executingHostnames.length === 0 ? {} : { executingHostnames };
    setAside.push({ record: `job ${job_id}`, reason, ...hosts });
    return [];
  });
  // A job of several nodes that came between the two commands: one node group or any would be a guess.
  const unseen = records.find((record) => needsSwitches(record) && !jobContext.switches.has(record.job_id));
  if (unseen !== undefined)
    return {
      known: false,
      reason: `job ${unseen.job_id} came while Slurm was read: its switches are not known`,
    };
  const [saving, own] = byMode(
    nodes.filter((node) => !isIgnored(node, settings)),
    settings,
  );
  const before = rememberedNodes(context.memory, context.nowSeconds);
  const joining = stillJoining(nodes, before.joining);
  setAside.push(...overdue(nodes, joining, context.nowSeconds));
  setAside.push(...cameTooLate(saving), ...withoutPartition(own, settings));
  const lost = stillLost(saving, before.lost, before.joined);
  const due = dueNodes(reservations, context.nowSeconds, settings);
  const gone = stillGone(byName, before.gone);
  const config = answers.config?.text ?? "";
  readers.exempt.release = releaseIn(/^SLURM_VERSION .*$/m.exec(config)?.[0])?.number;
  readers.exempt.parameters = /^SlurmctldParameters *= (\S*)$/m.exec(config)?.[1];
  const exempt = exemptNodes(config, readers.exempt, { nodes: saving, due }, settings);
  const amounts = new NodeAmounts(nodes, partitions);
  const comments = adminComments(records, leftOut, context.memory, settings);
  const shaped = shapesOf(nodes, amounts, settings);
  setAside.push(...shaped.setAside);
  return {
    known: true,
    jobs,
    nodes: [
      ...own
        .filter((node) => isListed(node) && !isWithoutPartition(node, settings))
        .map((node) => {
          const offered = jobContext.reserved.withoutCpus(node, context.nowSeconds);
          const posted = toNode(asUndrained(node, context), amounts.of(offered), due.get(node.name));
          return isLostDrain(node, context) && !posted.isOutByOthers
            ? { ...posted, isOutByLostEvent: true as const }
            : posted;
        }),
      ...neverRegistered(own, joining, context.nowSeconds).map(({ node, state }) => ({
        ...state,
        resources: amounts.of(node),
      })),
      ...saving.flatMap((node) => heldNode(node, amounts.of(node))),
    ],
    shapes: shaped.shapes,
    setAside,
    silent: nodes
      .filter(hasJoined)
      // One that is powering up has not said anything yet.
      .filter(({ flags }) => flags.has("NOT_RESPONDING") && !flags.has("POWERING_UP"))
      .map(({ name }) => name),
    corrections: [
      ...reconcile(
        [...own, ...saving],
        records,
        {
          decided: context,
          joining: before.joining,
          stillJoining: joining,
          gone,
          toPowerUp: toPowerUp(saving, due, { exempt, nowSeconds: context.nowSeconds }, settings),
        },
        settings,
      ),
      ...comments.corrections,
    ],
    ...(namesNodes(settings)
      ? {
          named: {
            ...namedNodes(
              saving,
              records,
              { lost, joined: before.joined, reserved: missingFor(due, own, joining, settings) },
              settings,
            ),
            exempt,
          },
        }
      : {}),
    memory: withNodes(
      {
        ...comments.memory,
        nodesFrom: fromScontrol === undefined ? "sinfo" : "scontrol",
        ...(enforcement === undefined ? {} : { limits: enforcement }),
        ...(clearingSince.size === 0 ? {} : { clearing: Object.fromEntries(clearingSince) }),
        ...(saving.length === 0 ? {} : { powerSaving: compactHostlist(saving.map(({ name }) => name)) }),
      },
      { joining, joined: before.joined, lost, gone },
    ),
  };
}

function namesNodes(settings: SlurmSettings): boolean {
  return hasPowerSaving(settings) || settings.reservation_lead_seconds !== undefined;
}

function hasPowerSaving({ partitions }: SlurmSettings): boolean {
  return Object.values(partitions).some(({ mode }) => mode === "power-saving");
}

/** Others see to its nodes: a job there is no demand, and may start all the same. */
function comesOtherwise(partition: string, settings: SlurmSettings): boolean {
  const own = partition.split(",").filter((name) => !settings.ignore_partitions.includes(name));
  return own.length === 0 || own.some((name) => isPowerSavingPartition(name, settings));
}

function byMode(nodes: readonly NodeRecord[], settings: SlurmSettings) {
  const { saving = [], planned = [] } = Object.groupBy(nodes, (node) =>
    isPowerSaving(node, settings) ? "saving" : "planned",
  );
  return [saving, planned] as const;
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

function runningTasks(records: readonly JobRecord[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { array_job_id: array, array_task_id: task, job_state: state } of records) {
    if (!array || task === undefined || !(state.includes("RUNNING") || state.includes("CONFIGURING")))
      continue;
    counts.set(array, (counts.get(array) ?? 0) + 1);
  }
  return counts;
}

/** The nodes of such a job are for nobody else. Where its user has several jobs these may share some: nobody knows which before they start. */
function jobsApart(records: readonly JobRecord[]): ReadonlySet<number> {
  if (!records.some(isForUser)) return new Set();
  const byPartition = Map.groupBy(records, ({ partition }) => partition);
  const apart = [...byPartition.values()].flatMap((own) => {
    const byUser = Map.groupBy(own, ({ user_name }) => user_name);
    if (byUser.size === 1) return [];
    return [...byUser.values()].flatMap(([first, ...others]) =>
      first !== undefined && others.length === 0 && isForUser(first) ? [first.job_id] : [],
    );
  });
  return new Set(apart);
}

function isForUser({ shared, exclusive, user_name }: JobRecord): boolean {
  return user_name !== "" && (shared.includes("USER") || exclusive.includes("USER"));
}
