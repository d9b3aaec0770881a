import { parseDemand, wholly } from "../../../shared/messages/index.ts";
import { checkReading } from "../../agent/check-reading.ts";
import type { Answers, Context, Driver, Memory, NodeEvent, Reading } from "../../agent/drivers/driver.ts";
import type { BrokenAnswers } from "./broken-records.ts";

/** A driver, and what its scheduler printed once. */
export interface Recorded {
  readonly name: string;
  readonly driver: Driver;
  readonly answers: Answers;
  readonly context: Context;
  readonly broken: readonly BrokenAnswers[];
  /** By a job's name in the reading. Absent: nothing is said of it. */
  readonly whose?: (job: string) => Whose | undefined;
}

/** Whose a job is, as its scheduler says; absent: it says nothing. Costs and budgets are told apart by these. */
export interface Whose {
  readonly user?: string;
  readonly account?: string;
  readonly queue?: string;
}

const whoseFields = ["user", "account", "queue"] as const satisfies readonly (keyof Whose)[];

type Known = Extract<Reading, { known: true }>;

const eventKinds = ["node-joined", "drain", "undrain", "node-deleted", "boot-timeout"] as const;
/** Nothing of a name may become an option, a second argument or a command. */
const hostileNames = ["--help", "-rf", "a; reboot", "$(reboot)", "a b", "a\nb", "'", '"', "a,b", "ALL"];
/** Each output is cut in so many places. */
const cuts = 50;
const nonsense = [
  "",
  " ",
  "\n",
  "null",
  "[]",
  "{}",
  "0",
  '"x"',
  "[[[[",
  "error: timeout",
  '{"toString": []}',
  "\u0000\u001b[2J",
  "x".repeat(10_000),
];

/** The rules, by their names; each returns what breaks it. */
export const contractChecks = {
  "jobs, nodes and shapes are what the service takes, each job with a name of its own": ({
    driver,
    answers,
    context,
  }) => {
    const { jobs, nodes, shapes = [] } = knownReading(driver.interpret(answers, context));
    const parsed = wholly(parseDemand(messageOf({ jobs, nodes, shapes })));
    const twice = jobs.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index);
    return [...(parsed.ok ? [] : parsed.problems), ...twice.map((name) => `two jobs are named "${name}"`)];
  },
  "each array and size has one shape, of amounts that are none below zero": ({
    driver,
    answers,
    context,
  }) => {
    const { shapes = [] } = knownReading(driver.interpret(answers, context));
    const keys = shapes.map(({ nodeArray, vmSize = "" }) => `"${nodeArray}" ${vmSize.toLowerCase()}`.trim());
    const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
    const negative = shapes.flatMap(({ nodeArray, resources }) =>
      Object.entries(resources)
        .filter(([, amount]) => typeof amount === "number" && amount < 0)
        .map(([name, amount]) => `the shape of "${nodeArray}" has ${amount} ${name}`),
    );
    return [...twice.map((key) => `two shapes of ${key}`), ...negative];
  },
  "a node that has joined has all that shapes count, 0 where it has none": ({ driver, answers, context }) => {
    const { nodes, shapes = [] } = knownReading(driver.interpret(answers, context));
    const counted = new Set(shapes.flatMap(({ resources }) => Object.keys(resources)));
    return nodes.flatMap(({ hostname, resources }) => {
      const missing = [...counted].filter((name) => !Object.hasOwn(resources, name));
      return missing.map((name) => `"${hostname}" says nothing of ${name}, which shapes have`);
    });
  },
  "the same answers give the same reading, also after its memory was written to disk": (recorded) => {
    const { driver, answers, context } = recorded;
    const kept = JSON.parse(JSON.stringify(context.memory)) as Memory;
    const [first, second] = [context, { ...context, memory: kept }].map((each) =>
      driver.interpret(answers, each),
    );
    return isSame(first, second) ? [] : ["the second reading differs from the first"];
  },
  "it does without its memory, and with one of another version": ({ driver, answers, context }) =>
    [{}, { workers: 7, nodes: "x", version: -1 }].flatMap((memory) => {
      const reading = driver.interpret(answers, { ...context, memory });
      return reading.known ? [] : [`unknown with the memory ${JSON.stringify(memory)}: ${reading.reason}`];
    }),
  "jobs have the user, account and queue that their scheduler names": ({
    driver,
    answers,
    context,
    whose = () => undefined,
  }) =>
    knownReading(driver.interpret(answers, context)).jobs.flatMap((job) => {
      const said = whose(job.name);
      if (said === undefined) return [];
      return whoseFields
        .filter((field) => job[field] !== said[field])
        .map(
          (field) =>
            `${field} of job "${job.name}" is ${job[field] ?? "not given"}, and its scheduler says ${said[field] ?? "nothing"}`,
        );
    }),
  "output that was cut short is unknown, or nothing is missing from it": ({ driver, answers, context }) => {
    const whole = knownReading(driver.interpret(answers, context));
    return Object.entries(answers).flatMap(([name, { text, exitCode }]) => {
      if (exitCode !== 0) return [];
      const lengths = new Set(
        Array.from({ length: cuts }, (_, at) => Math.floor((text.trimEnd().length * at) / cuts)),
      );
      return [...lengths].flatMap((length) => {
        if (length >= text.trimEnd().length) return [];
        const cut = { ...answers, [name]: { text: text.slice(0, length), exitCode } };
        const reading = driver.interpret(cut, context);
        if (!reading.known) return [];
        const other = isSame(reading.jobs, whole.jobs) ? "shapes" : "jobs";
        const isLess = other === "jobs" || !isSame(reading.shapes, whole.shapes);
        return isLess ? [`"${name}" cut after ${length} characters gives other ${other}`] : [];
      });
    });
  },
  "nonsense throws nothing": ({ driver, answers, context }) =>
    Object.keys(answers).flatMap((name) =>
      nonsense.flatMap((text) =>
        thrownBy(`"${name}" is ${JSON.stringify(text.slice(0, 20))}`, () =>
          driver.interpret({ ...answers, [name]: { text, exitCode: 0 } }, context),
        ),
      ),
    ),
  "what runs and cannot be read keeps its host": ({ driver, answers, context, broken }) => {
    const hosts = [...hostsOf(knownReading(driver.interpret(answers, context)))];
    return broken.flatMap(({ what, answers: brokenAnswers }) => {
      const reading = driver.interpret(brokenAnswers, context);
      if (!reading.known) return [`unknown when ${what}: ${reading.reason}`];
      const kept = hostsOf(reading);
      return hosts.filter((host) => !kept.has(host)).map((host) => `"${host}" is lost when ${what}`);
    });
  },
  "an event that comes twice gives the same commands, and the reading goes on": ({
    driver,
    answers,
    context,
  }) =>
    eventKinds.flatMap((kind) => {
      const event = eventOf(kind, "ip-0A000005");
      const { commands, memory } = driver.commandsFor(event, context);
      const after = { ...context, memory: JSON.parse(JSON.stringify(memory)) as Memory };
      return [
        ...(isSame(driver.commandsFor(event, after).commands, commands)
          ? []
          : [`${kind}: other commands the second time`]),
        ...(driver.interpret(answers, after).known ? [] : [`${kind}: the reading after it is unknown`]),
      ];
    }),
  "no host name becomes an argument of its own": ({ driver, context }) =>
    eventKinds.flatMap((kind) =>
      hostileNames.flatMap((hostname) => {
        const { commands } = driver.commandsFor(eventOf(kind, hostname), context);
        const isArgument = commands.some(({ args }) => args.includes(hostname));
        return isArgument ? [`${kind}: ${JSON.stringify(hostname)} is an argument of a command`] : [];
      }),
    ),
} as const satisfies Readonly<Record<string, (recorded: Recorded) => readonly string[]>>;

/** Throws an Error when the reading is unknown. */
export function knownReading(reading: Reading): Known {
  if (!reading.known) throw new Error(`unknown: ${reading.reason}`);
  return reading;
}

/** Hosts whose nodes the service keeps, as the agent posts the reading. */
function hostsOf(reading: Known): ReadonlySet<string> {
  return new Set(checkReading(reading).jobs.flatMap(({ executingHostnames = [] }) => executingHostnames));
}

function messageOf({ jobs, nodes, shapes = [] }: Pick<Known, "jobs" | "nodes" | "shapes">): unknown {
  const envelope = { version: 1, kind: "snapshot", cluster: "hpc", source: "scheduler", sequence: 1 };
  return { ...envelope, sentAt: "2026-11-21T10:00:00Z", jobs, nodes, nodeShapes: shapes };
}

function eventOf(kind: NodeEvent["kind"], hostname: string): NodeEvent {
  return { kind, nodes: [{ name: hostname, hostname }] };
}

/** Of plain data, as all that drivers return is. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function thrownBy(when: string, act: () => unknown): readonly string[] {
  try {
    act();
    return [];
  } catch (error) {
    return [`when ${when}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
