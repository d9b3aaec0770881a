import { messageOf } from "../../shared/errors/errors.ts";
import type { DemandRefused, SchedulerEvent } from "../../shared/messages/index.ts";
import type { Demand } from "./changes.ts";
import { checkReading } from "./check-reading.ts";
import { decide, drainingHosts, joinsBefore, newsOf, undrainedHosts, withDecision } from "./decisions.ts";
import type {
  Answer,
  Command,
  Context,
  Driver,
  NamedNodes,
  Read,
  Reading,
  SetAside,
  Steps,
} from "./drivers/driver.ts";
import type { Taken, TakenEvent } from "./event-queue.ts";
import type { KeptAliveReport } from "./kept-alive.ts";
import type { FilesReport } from "./kept-files.ts";
import { mostAlone, type NamedReport } from "./named-nodes.ts";
import type { Posted } from "./outbox.ts";
import type { AgentState } from "./state.ts";

/** What a pass does to the world. */
export interface PassPorts {
  readonly driver: Driver;
  readonly nowSeconds: () => number;
  readonly read: Reader;
  readonly run: (command: Command) => Promise<unknown>;
  readonly takeEvents: () => Promise<Taken>;
  readonly post: (demand: Demand, nowSeconds: number) => Promise<Posted>;
  readonly postKept: (nowSeconds: number) => Promise<Posted | undefined>;
  /** The service has not taken a message: the next one must not build on it. */
  readonly startOver: () => void;
  readonly save: (state: AgentState) => Promise<void>;
  /** Where the scheduler chooses nodes by name. */
  readonly tendNamed?: (named: NamedNodes, nowSeconds: number) => Promise<NamedReport>;
  /** The same: nodes that nobody is to switch off. */
  readonly keepAlive?: (named: NamedNodes, nowSeconds: number) => Promise<KeptAliveReport>;
  /** Where the driver has files that follow from the cluster. Undefined: nothing new. */
  readonly keepFiles?: (nowSeconds: number) => Promise<FilesReport | undefined>;
  /** What people should know of these files and nodes, a sentence each. */
  readonly notices?: (nowSeconds: number) => readonly string[];
}

/** What became of a pass, for its line in the log. */
export interface PassReport {
  readonly reading: Reading;
  readonly demand: Demand | undefined;
  readonly posted: Posted | undefined;
  readonly events: number;
  readonly commands: number;
  /** What the service said it did not take of earlier messages. */
  readonly refusals: readonly DemandRefused[];
  /** Records that could not be used, or only in part. Undefined: the scheduler could not be read. */
  readonly setAside: readonly SetAside[] | undefined;
  /** Waiting jobs and nodes for which the message has no room. */
  readonly leftOut: number;
  /** What became of nodes that the scheduler names; undefined: it names none. */
  readonly named?: NamedReport | undefined;
  readonly keptAlive?: KeptAliveReport | undefined;
  /** What became of files that follow from the cluster; undefined: nothing new. */
  readonly files?: FilesReport | undefined;
  readonly problems: readonly string[];
}

/**
 * One pass: act on what the service asks for, read the scheduler, post what it wants, correct what it forgot. Events come
 * first, so that the reading shows what became of them. Returns the state to go on with; it is saved already.
 */
export async function runPass(
  before: AgentState,
  ports: PassPorts,
): Promise<{ readonly state: AgentState; readonly report: PassReport }> {
  const acted = await actOnEvents(before, ports);
  let { state } = acted;
  const problems = [...acted.problems];
  let { commands } = acted;
  const { events, refusals } = acted;
  if (refusals.some(({ whole }) => whole)) ports.startOver();
  const reading = await collect(ports.driver, () => contextOf(state, ports), ports.read);
  if (!reading.known) {
    const posted = await ports.postKept(ports.nowSeconds());
    const files = await keepFiles(ports, problems);
    const nothing = { demand: undefined, setAside: undefined, leftOut: 0 };
    return { state, report: { reading, posted, events, refusals, commands, problems, files, ...nothing } };
  }
  // Before the commands: what was told to a worker has to be remembered, even by who dies in the next moment.
  state = { ...state, memory: reading.memory };
  problems.push(...(await keep(state, ports)));
  // An event is given up only while the scheduler answers: what did not reach it is tried again.
  for (const { event, done } of acted.failedLast) {
    problems.push(`event "${event.kind}" given up after its last try`);
    await done().catch((error: unknown) => problems.push(messageOf(error)));
  }
  const { jobs, nodes, nodeShapes, setAside, leftOut } = checkReading(reading);
  const notices = ports.notices?.(ports.nowSeconds()) ?? [];
  const demand: Demand = {
    jobs,
    nodes: nodes.map((node) => withDecision(node, state.decisions)),
    ...(nodeShapes.length === 0 ? {} : { nodeShapes }),
    ...(notices.length === 0 ? {} : { notices }),
  };
  const posted = await ports.post(demand, ports.nowSeconds());
  const corrected = await correct(reading.corrections, ports);
  commands += corrected.commands;
  problems.push(...corrected.problems);
  // First, so that a node that is not to be kept alive any more goes.
  const tended = async <T>(tend: ((named: NamedNodes, nowSeconds: number) => Promise<T>) | undefined) =>
    reading.named === undefined ? undefined : tend?.(reading.named, ports.nowSeconds());
  const keptAlive = await tended(ports.keepAlive);
  const named = await tended(ports.tendNamed);
  for (const each of [keptAlive, named]) {
    commands += each?.commands ?? 0;
    problems.push(...(each?.problems ?? []));
  }
  const files = await keepFiles(ports, problems);
  const report = {
    reading,
    demand,
    posted,
    events,
    refusals,
    commands,
    setAside,
    leftOut,
    named,
    keptAlive,
    files,
    problems,
  };
  return { state, report };
}

/** Each behind its guards. One that fails keeps no other from its turn. */
async function correct(
  corrections: Extract<Reading, { readonly known: true }>["corrections"],
  { run }: Pick<PassPorts, "run">,
) {
  let commands = 0;
  const problems: string[] = [];
  for (const { guards = [], ...correction } of corrections) {
    let left = guards.length;
    try {
      for (const command of [...guards, correction]) {
        commands += 1;
        await run(command);
        left -= 1;
      }
    } catch (error) {
      const { nodes = "", why = "" } = correction;
      problems.push(`${messageOf(error)}${left > 0 ? `; ${nodes} waits for that (${why})` : ""}`);
    }
  }
  return { commands, problems };
}

/** Last, so that demand and commands do not wait for it. Its failure costs nothing else. */
async function keepFiles(ports: PassPorts, problems: string[]): Promise<FilesReport | undefined> {
  try {
    return await ports.keepFiles?.(ports.nowSeconds());
  } catch (error) {
    problems.push(messageOf(error));
    return undefined;
  }
}

/**
 * The same without any change of the scheduler, while another autoscaler acts: no command is run and no file is written. Events
 * are taken and dropped, since what they ask for is the other's affair; at the switch nobody should act on old ones.
 */
export function readingOnly({
  driver,
  takeEvents,
  keepFiles: _,
  tendNamed: __,
  keepAlive: ___,
  ...ports
}: PassPorts): PassPorts {
  return {
    ...ports,
    driver: {
      reads: (context) => driver.reads(context),
      commandsFor: (_, { memory }) => ({ commands: [], memory }),
      interpret: (answers, context) => {
        const reading = driver.interpret(answers, context);
        return reading.known ? { ...reading, corrections: [] } : reading;
      },
    },
    takeEvents: async () => {
      const taken = await takeEvents();
      for (const { done } of taken.events) await done();
      return { ...taken, events: [] };
    },
  };
}

async function actOnEvents(before: AgentState, ports: PassPorts) {
  let state = before;
  let commands = 0;
  let events = 0;
  let refusals: readonly DemandRefused[] = [];
  const problems: string[] = [];
  const failedLast: TakenEvent[] = [];
  try {
    const taken = await ports.takeEvents();
    problems.push(...taken.problems);
    refusals = taken.refusals;
    for (const [index, each] of taken.events.entries()) {
      const later = taken.events.slice(index + 1).map(({ event }) => event);
      const outcome = await actOn(withoutGone(each, later), state, ports);
      state = outcome.state;
      commands += outcome.commands;
      events += 1;
      problems.push(...outcome.problems);
      if (!outcome.hasWorked && each.isLastTry) failedLast.push(each);
    }
  } catch (error) {
    // The queue is away: the scheduler is read all the same, and the events wait.
    problems.push(messageOf(error));
  }
  return { state, commands, events, refusals, problems, failedLast };
}

/** Leaves out nodes that are gone by now, as after a time without the agent: other nodes may have their names. */
function withoutGone(taken: TakenEvent, later: readonly SchedulerEvent[]): TakenEvent {
  const { event } = taken;
  if (event.kind !== "node-joined") return taken;
  const keyOf = ({ nodeId, hostname }: SchedulerEvent["nodes"][number]) => JSON.stringify([nodeId, hostname]);
  const ends = later.filter(({ kind }) => kind === "node-deleted" || kind === "boot-timeout");
  const gone = new Set(ends.flatMap(({ nodes }) => nodes.map(keyOf)));
  return { ...taken, event: { ...event, nodes: event.nodes.filter((node) => !gone.has(keyOf(node))) } };
}

/** The event leaves the queue when all its commands have worked and the state knows of it; else it comes again. */
async function actOn({ event, done }: TakenEvent, before: AgentState, ports: PassPorts) {
  const news = newsOf(event, before.decisions);
  const isJoin = event.kind === "node-joined";
  let { memory } = before;
  let commands = 0;
  const problems: string[] = [];
  const attempt = async (part: typeof news) => {
    let steps: Steps = { commands: [], memory };
    try {
      // A mistake of the driver costs this event, and not those behind it.
      if (part.nodes.length > 0)
        steps = ports.driver.commandsFor(part, contextOf({ ...before, memory }, ports));
      // Not every scheduler shows who drained a host: an agent that dies before the event is done must know that it did.
      if (part.kind === "drain" && steps.commands.length > 0) {
        memory = steps.memory;
        problems.push(...(await keep({ ...before, memory }, ports)));
      }
      for (const command of steps.commands) {
        commands += 1;
        await ports.run(command);
      }
      memory = steps.memory;
      return undefined;
    } catch (error) {
      // The driver knows what joins, also when a command failed: its corrections try again in each pass.
      if (part.kind === "node-joined") memory = steps.memory;
      return messageOf(error);
    }
  };
  const problem = (await attempt(joinsBefore(event, before.decisions))) ?? (await attempt(news));
  if (problem === undefined) {
    const state = { ...before, decisions: decide(before.decisions, event, ports.nowSeconds()), memory };
    problems.push(...(await keep(state, ports)));
    await done();
    return { state, commands, problems, hasWorked: true };
  }
  problems.push(problem);
  // One whose name does not resolve yet keeps no other from its jobs.
  if (isJoin && news.nodes.length > 1)
    for (const node of news.nodes) {
      const alone = await attempt({ ...news, nodes: [node] });
      if (alone !== undefined) problems.push(alone);
      if (problems.length > mostAlone) break;
    }
  return { state: { ...before, memory }, commands, problems, hasWorked: false };
}

/** A full disk is no reason to fall silent: the service repeats what matters, should this be forgotten. */
async function keep(state: AgentState, ports: PassPorts): Promise<readonly string[]> {
  try {
    await ports.save(state);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}

function contextOf(state: AgentState, ports: PassPorts): Context {
  return {
    nowSeconds: ports.nowSeconds(),
    draining: drainingHosts(state.decisions),
    undrained: undrainedHosts(state.decisions),
    memory: state.memory,
  };
}

/** How single reads are done: commands are run, backlogs are asked for. */
type Reader = (read: Read) => Promise<Answer>;

/**
 * One reading of the scheduler, step after step. Whatever fails makes all of it unknown: half a reading would look like
 * less demand. The time that counts for what was read is that after it: a job that may start since a moment ago is not one that
 * may start later.
 */
export async function collect(driver: Driver, contextOf: () => Context, read: Reader): Promise<Reading> {
  const answers: Record<string, Answer> = {};
  try {
    for (const step of driver.reads(contextOf())) {
      const texts = await Promise.all(step.map(async (each) => [each.name, await read(each)] as const));
      Object.assign(answers, Object.fromEntries(texts));
    }
  } catch (error) {
    return { known: false, reason: messageOf(error) };
  }
  try {
    return driver.interpret(answers, contextOf());
  } catch (error) {
    // A mistake of the driver, which says nothing about the scheduler; the agent goes on with its other duties.
    return { known: false, reason: `the driver broke off: ${messageOf(error)}` };
  }
}
