import { configured, readOf } from "../configured.ts";
import type { Answers, Context, Read, Reading, SchedulerFiles, Steps } from "../driver.ts";
import { adminComments } from "./admin-comments.ts";
import { applyFiles, releaseIn } from "./config/apply-files.ts";
import { drawUpFiles, fileNames } from "./config/draw-up-files.ts";
import { heading } from "./config/node-kind.ts";
import { settingsFile } from "./config/node-lines.ts";
import { isDynamicNode, isWithoutPartition, withoutPartition } from "./dynamic-nodes.ts";
import { type ExemptFacts, exemptInFiles, exemptNodes } from "./exempt-nodes.ts";
import type { JobContext } from "./job-context.ts";
import { JobRecords } from "./job-records.ts";
import { memoryInUseOf, namesNoMemory } from "./memory-in-use.ts";
import { commandsFor } from "./node-commands.ts";
import {
  cameTooLate,
  heldNode,
  isPowerSaving,
  isPowerSavingPartition,
  missingFor,
  namedNodes,
  toPowerUp,
} from "./power-saving.ts";
import { readAnswers, unreadableIn } from "./read-answers.ts";
import { reconcile } from "./reconcile.ts";
import { dueNodes, ownedNodes, Reserved } from "./reservations.ts";
import { clearingAfter } from "./running.ts";
import { NodeAmounts, shapesOf } from "./shapes.ts";
import { Candidates } from "./slurm-candidates.ts";
import { JobTranslator } from "./slurm-jobs.ts";
import { rememberedClearing, rememberedLimits, rememberedNodes, withNodes } from "./slurm-memory.ts";
import {
  asUndrained,
  goneAfter,
  hasJoined,
  isIgnored,
  isListed,
  isLostDrain,
  joinedAfter,
  joiningAfter,
  neverRegistered,
  newsFor,
  overdue,
  stillGone,
  stillJoining,
  toNode,
} from "./slurm-nodes.ts";
import { type JobRecord, type NodeRecord, nodeList } from "./slurm-records.ts";
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
      // Slurm may have no record of it yet: a correction gives it its address.
      const fixed = news.nodes.filter((node) => !isDynamicNode(node, settings));
      return {
        commands: commandsFor({ ...news, nodes: fixed }, settings),
        memory: withNodes(memory, {
          joining: joiningAfter(news, known.joining, nowSeconds, settings),
          joined: joinedAfter(news, known.joined, settings),
          gone: goneAfter(news, known.gone, nowSeconds, settings),
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
  const { apply: reconfigure, ...checks } = applyFiles(settings);
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
    ...checks,
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

/** They remember what they read: the next answer is much the same. */
interface Readers {
  readonly nodes: ReturnType<typeof nodeList>;
  readonly jobs: JobRecords;
  readonly translator: JobTranslator;
  readonly exempt: ExemptFacts;
}

function interpret(answers: Answers, context: Context, settings: SlurmSettings, readers: Readers): Reading {
  const printed = readAnswers(answers, context, settings, readers);
  if (!printed.known) return printed;
  const { nodes, byName, partitions, licenses, limits, enforcement, reservations } = printed;
  const readable = printed.jobRecords.filter((each) => each.ok);
  const records = readable.map(({ record }) => record);
  const setAside = unreadableIn(printed, settings);
  const clearingSince = clearingAfter(records, rememberedClearing(context.memory), context.nowSeconds);
  const jobContext: JobContext = {
    settings,
    nowSeconds: context.nowSeconds,
    nodes: byName,
    candidates: new Candidates(
      settings,
      partitions,
      nodes,
      (enforcement?.mostNodes ?? Infinity) - printed.nodeCount,
      enforcement?.counting,
    ),
    licenses,
    limits,
    reserved: new Reserved([...reservations, ...ownedNodes(nodes)], byName),
    preempts: enforcement?.preempts === true,
    switches: printed.switches,
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
  const [saving, own] = byMode(
    nodes.filter((node) => !isIgnored(node, settings)),
    settings,
  );
  const before = rememberedNodes(context.memory, context.nowSeconds);
  const joining = stillJoining(nodes, before.joining);
  setAside.push(...overdue(nodes, joining, context.nowSeconds));
  setAside.push(...cameTooLate(saving), ...withoutPartition(own, settings));
  const due = dueNodes(reservations, context.nowSeconds, settings);
  const gone = stillGone(byName, before.gone, new Set(saving));
  const config = answers.config?.text ?? "";
  readers.exempt.release = releaseIn(/^SLURM_VERSION .*$/m.exec(config)?.[0])?.number;
  readers.exempt.parameters = /^SlurmctldParameters *= (\S*)$/m.exec(config)?.[1];
  const exempt = exemptNodes(config, readers.exempt, { nodes: saving, due }, settings);
  const amounts = new NodeAmounts(nodes, partitions);
  const isAskedFor = records.some(namesNoMemory);
  const comments = adminComments(records, leftOut, context.memory, settings);
  const shaped = shapesOf(nodes, amounts, settings);
  setAside.push(...shaped.setAside);
  return {
    known: true,
    jobs,
    nodes: [
      ...own
        .filter((node) => isListed(node) && !isWithoutPartition(node, settings) && !gone.has(node.name))
        .map((node) => {
          const offered = jobContext.reserved.withoutCpus(node, context.nowSeconds);
          const resources = { ...amounts.of(offered), ...(isAskedFor ? memoryInUseOf(node) : {}) };
          const posted = toNode(asUndrained(node, context), resources, due.get(node.name));
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
              { gone, joined: before.joined, reserved: missingFor(due, own, joining, settings) },
              settings,
            ),
            exempt,
          },
        }
      : {}),
    memory: withNodes(
      {
        ...comments.memory,
        nodesFrom: printed.nodesFrom,
        ...(enforcement === undefined ? {} : { limits: enforcement }),
        ...(clearingSince.size === 0 ? {} : { clearing: Object.fromEntries(clearingSince) }),
      },
      { joining, joined: before.joined, gone },
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
