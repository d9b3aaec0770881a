import { shortHostname } from "../../../../shared/engine/index.ts";
import { readBacklog } from "../backlog.ts";
import { commandOf, configured } from "../configured.ts";
import type { Answers, Command, Context, Read, Reading, SetAside, Steps } from "../driver.ts";
import { celeryDemand } from "./celery-demand.ts";
import { type CeleryMemory, recall, toMemory } from "./celery-memory.ts";
import { type CelerySettings, celerySettingsSchema } from "./celery-settings.ts";
import { nobodyReplied, type Replies, readReplies } from "./replies.ts";
import { correctionsFor, hostOf, hostProblem, toNodes, toWorker, type Worker } from "./workers.ts";

/**
 * Celery's workers as nodes, its tasks as jobs. The broker is read first and `active` last, because tasks move that way
 * only: none that starts in between is missed. A worker that does not answer is taken to run what it ran last.
 */
export const celery = configured("celery", celerySettingsSchema, (settings) => ({
  reads: (context) => reads(settings, context),
  interpret: (answers, context) => interpret(answers, context, settings),
  commandsFor: ({ kind, nodes }, { memory }): Steps => {
    // Draining and coming back follow from the next reading, whatever became of the workers until then.
    if (kind !== "node-deleted" && kind !== "boot-timeout") return { commands: [], memory };
    const gone = new Set(nodes.map(({ hostname }) => shortHostname(hostname)));
    return { commands: [], memory: toMemory(forget(recall(memory), gone)) };
  },
}));

/**
 * Each `inspect` costs a start of Python. A broker that shows what workers hold makes two of three unnecessary, but for
 * knowing that a worker is empty.
 */
function reads(settings: CelerySettings, context: Context): readonly (readonly Read[])[] {
  const { cancelled, isHeldShown } = recall(context.memory);
  const asksQueues = context.draining.size > 0 || cancelled.size > 0;
  const ask = (...names: readonly string[]) => names.map((name) => inspect(settings, name));
  const slots = settings.concurrency_resource === undefined ? [] : ask("stats");
  const backlog: Read = { kind: "backlog", name: "backlog", queues: settings.queues };
  if (asksQueues) {
    // "Takes no tasks" has to be known before "holds none" means anything, and that before "runs none".
    const held = ask("reserved", ...(isHeldShown ? [] : ["scheduled"]));
    return [[backlog], [...ask("active_queues"), ...slots], held, ask("active")];
  }
  if (isHeldShown) return [[backlog], [...ask("active"), ...slots]];
  return [[backlog], [...ask("scheduled", "reserved"), ...slots], ask("active")];
}

function interpret(answers: Answers, context: Context, settings: CelerySettings): Reading {
  const backlog = readBacklog(answers.backlog);
  if (backlog === undefined) return { known: false, reason: "the broker's backlog cannot be read" };
  const replies: Record<string, Replies<unknown>> = {};
  for (const [name, answer] of Object.entries(answers)) {
    if (name === "backlog") continue;
    const read = readReplies(answer);
    if (read === undefined) return { known: false, reason: `"inspect ${name}" printed no JSON object` };
    replies[name] = read;
  }
  const memory = recall(context.memory);
  const setAside: SetAside[] = [];
  if (backlog.unreadable)
    setAside.push({
      record: `${backlog.unreadable} unacknowledged messages`,
      reason: "no message and queue, so not counted",
    });
  const names = new Set([
    ...Object.values(replies).flatMap((each) => [...each.keys()]),
    ...memory.workers.keys(),
  ]);
  const isSilentFor = ({ seenSeconds }: Worker) => context.nowSeconds - seenSeconds;
  const workers = [...names]
    .sort()
    .filter((name) => {
      const reason = hostProblem(name);
      if (reason !== undefined) setAside.push({ record: `worker "${name}"`, reason });
      return reason === undefined;
    })
    .map((name) => toWorker(name, replies, { memory, nowSeconds: context.nowSeconds, setAside }))
    // One that answers with errors is not gone, however long it does.
    .filter((worker) => worker.isThere || isSilentFor(worker) <= settings.silent_worker_seconds);
  const work = {
    active: workers.flatMap((worker) =>
      worker.active.map((task) => ({ task, hostname: hostOf(worker.name) })),
    ),
    held: workers.flatMap((worker) => worker.held),
    backlog,
  };
  const { nowSeconds, draining } = context;
  const demand = celeryDemand(work, settings, { nowSeconds, remembered: memory.remembered });
  const { corrections, cancelled } = correctionsFor(workers, draining, memory.cancelled);
  return {
    known: true,
    jobs: demand.jobs,
    nodes: toNodes(workers, context, settings),
    setAside,
    silent: workers.filter((worker) => !worker.hasAnswered).map(({ name }) => name),
    corrections: corrections.map((args) => celeryCommand(settings, ["control", ...args])),
    memory: toMemory({
      workers: new Map(
        workers.map(({ name, seenSeconds, active, held }) => [name, { seenSeconds, active, held }]),
      ),
      cancelled,
      remembered: demand.remembered,
      isHeldShown: backlog.unacknowledged !== undefined,
    }),
  };
}

function forget(memory: CeleryMemory, gone: ReadonlySet<string>): CeleryMemory {
  const isLeft = ([name]: readonly [string, unknown]) => !gone.has(shortHostname(hostOf(name)));
  return {
    ...memory,
    workers: new Map([...memory.workers].filter(isLeft)),
    cancelled: new Map([...memory.cancelled].filter(isLeft)),
  };
}

function inspect(settings: CelerySettings, what: string): Read {
  return { kind: "command", name: what, ...celeryCommand(settings, ["inspect", what, "--json"]) };
}

/** Nobody's reply is an answer, too: the next reading shows what is missing. */
function celeryCommand(settings: CelerySettings, args: readonly string[]): Command {
  const timeout = ["--timeout", String(settings.reply_seconds)];
  return commandOf(settings.command, ["-A", settings.app, ...args, ...timeout], [nobodyReplied]);
}
