import { shortHostname } from "../../../shared/engine/index.ts";
import { parseDemand, wholly } from "../../../shared/messages/index.ts";
import { drainChecks } from "./drain-checks.ts";
import { eventChecks } from "./event-checks.ts";
import { differences } from "./expected.ts";
import { isSame, notJson, written } from "./plain-data.ts";
import {
  type Check,
  hostsOf,
  type KnownReading,
  type Recorded,
  readingIn,
  readingOf,
  readingsWhenBroken,
  type Whose,
} from "./recorded.ts";

const whoseFields = ["user", "account", "queue"] as const satisfies readonly (keyof Whose)[];

/** Each output is cut in so many places. */
const cuts = 20;
/** At so many ends of lines beside. */
const lineCuts = 20;
const nonsense = ["", " ", "\n", "null", "[]", "{}", "0", '"x"', '{"toString": []}'];
/** What is an empty list nowhere. */
const noList = ["[[[[", "error: timeout", "\u0000\u001b[2J", "x".repeat(10_000)];
/** The clock is so far ahead in one of two readings. */
const dayMs = 86_400_000;
const states = ["up", "draining", "drained"];

/** The rules, by their names; each returns what breaks it. */
export const contractChecks = {
  "the recorded answers are those of its reads": ({ driver, answers, context }) => {
    const names = driver.reads(context).flatMap((step) => step.map(({ name }) => name));
    return [
      ...names
        .filter((name, index) => names.indexOf(name) !== index)
        .map((name) => `"${name}" is read twice`),
      ...names.filter((name) => !Object.hasOwn(answers, name)).map((name) => `no answer of "${name}"`),
      ...Object.keys(answers)
        .filter((name) => !names.includes(name))
        .map((name) => `nothing reads "${name}"`),
    ];
  },
  "the reading has what is expected": (recorded) =>
    recorded.expects === undefined ? [] : differences(readingOf(recorded), recorded.expects),
  "jobs, nodes and shapes are what the service takes, each job with a name of its own": (recorded) => {
    const { jobs, nodes, shapes = [] } = readingOf(recorded);
    const parsed = wholly(parseDemand(messageOf({ jobs, nodes, shapes })));
    return [
      ...(parsed.ok ? [] : parsed.problems),
      ...twice(jobs.map(({ name }) => name)).map((name) => `two jobs are named "${name}"`),
    ];
  },
  "each host is one node with a state, and nothing of it is below zero": (recorded) => {
    const { nodes } = readingOf(recorded);
    const hosts = nodes.map(({ hostname }) => shortHostname(hostname));
    return [
      ...twice(hosts).map((host) => `two nodes are "${host}"`),
      ...nodes
        .filter(({ state }) => !states.includes(state))
        .map(
          ({ hostname, state }) => `"${hostname}" has the state ${state}, expected up, draining or drained`,
        ),
      ...nodes.flatMap(({ hostname, resources }) =>
        Object.entries(resources)
          .filter(([, amount]) => typeof amount === "number" && amount < 0)
          .map(([name, amount]) => `"${hostname}" has ${amount} ${name}`),
      ),
    ];
  },
  "each array and size has one shape, of amounts that are none below zero": (recorded) => {
    const { shapes = [] } = readingOf(recorded);
    const keys = shapes.map(({ nodeArray, vmSize = "" }) => `"${nodeArray}" ${vmSize.toLowerCase()}`.trim());
    const negative = shapes.flatMap(({ nodeArray, resources }) =>
      Object.entries(resources)
        .filter(([, amount]) => typeof amount === "number" && amount < 0)
        .map(([name, amount]) => `the shape of "${nodeArray}" has ${amount} ${name}`),
    );
    return [...twice(keys).map((key) => `two shapes of ${key}`), ...negative];
  },
  "a node that has joined has all that shapes count, 0 where it has none": (recorded) => {
    const { nodes, shapes = [] } = readingOf(recorded);
    const counted = new Set(shapes.flatMap(({ resources }) => Object.keys(resources)));
    return nodes.flatMap(({ hostname, resources }) => {
      const missing = [...counted].filter((name) => !Object.hasOwn(resources, name));
      return missing.map((name) => `"${hostname}" says nothing of ${name}, which shapes have`);
    });
  },
  "the same answers give the same reading, also after its memory was written to disk, and at any time of day":
    ({ driver, answers, context }) => {
      const kept = { ...context, memory: written(context.memory) };
      const drains = new Map(context.draining);
      const first = driver.interpret(answers, context);
      return [
        ...(isSame(first, driver.interpret(answers, kept))
          ? []
          : ["the second reading differs from the first"]),
        ...(isSame(
          first,
          withClockAhead(() => driver.interpret(answers, context)),
        )
          ? []
          : ["it reads a clock: the time is context.nowSeconds"]),
        ...(isSame([...drains], [...context.draining]) ? [] : ["it changes context.draining"]),
      ];
    },
  "its memory is plain JSON, and the next pass reads the same with it": (recorded) => {
    const { driver, context } = recorded;
    const first = readingOf(recorded);
    const problems = notJson(first.memory, "memory");
    const second = readingIn(recorded, { ...context, memory: written(first.memory) });
    const third = second && readingIn(recorded, { ...context, memory: written(second.memory) });
    const afterEvent = driver.commandsFor(
      { kind: "drain", nodes: [{ name: "htc-1", hostname: "ip-0A000005" }] },
      context,
    );
    return [
      ...problems,
      ...notJson(afterEvent.memory, "memory after an event"),
      ...(second !== undefined && !isSame(demandOf(first), demandOf(second))
        ? ["the next pass has other jobs or nodes, although the scheduler printed the same"]
        : []),
      ...(second !== undefined && third !== undefined && sizeOf(third.memory) > sizeOf(second.memory)
        ? ["the memory grows with each pass, although the scheduler printed the same"]
        : []),
    ];
  },
  "it does without its memory, and with one of another version": ({ driver, answers, context }) =>
    [{}, { workers: 7, nodes: "x", version: -1 }].flatMap((memory) => {
      const reading = driver.interpret(answers, { ...context, memory });
      return reading.known ? [] : [`unknown with the memory ${JSON.stringify(memory)}: ${reading.reason}`];
    }),
  "jobs have the user, account and queue that their scheduler names": (recorded) => {
    const { whose = () => undefined } = recorded;
    return readingOf(recorded).jobs.flatMap((job) => {
      const said = whose(job.name);
      if (said === undefined) return [];
      return whoseFields
        .filter((field) => job[field] !== said[field])
        .map(
          (field) =>
            `${field} of job "${job.name}" is ${job[field] ?? "not given"}, and its scheduler says ${said[field] ?? "nothing"}`,
        );
    });
  },
  "output that was cut short is unknown, or nothing is missing from it": (recorded) => {
    const whole = readingOf(recorded);
    return Object.entries(recorded.answers).flatMap(([name, { text, exitCode }]) => {
      if (exitCode !== 0) return [];
      return cutsOf(text).flatMap((length) =>
        otherThan(whole, recorded, name, text.slice(0, length)).map(
          (what) => `"${name}" cut after ${length} characters gives other ${what}`,
        ),
      );
    });
  },
  "what is no list is unknown, or nothing is missing": (recorded) => {
    const whole = readingOf(recorded);
    return Object.entries(recorded.answers).flatMap(([name, { exitCode }]) => {
      if (exitCode !== 0) return [];
      return noList.flatMap((text) =>
        otherThan(whole, recorded, name, text).map(
          (what) => `"${name}" is ${JSON.stringify(text.slice(0, 20))} and gives other ${what}`,
        ),
      );
    });
  },
  "nonsense throws nothing": ({ driver, answers, context }) =>
    Object.keys(answers).flatMap((name) =>
      [...nonsense, ...noList].flatMap((text) =>
        thrownBy(`"${name}" is ${JSON.stringify(text.slice(0, 20))}`, () =>
          driver.interpret({ ...answers, [name]: { text, exitCode: 0 } }, context),
        ),
      ),
    ),
  "what runs and cannot be read keeps its host": (recorded) => {
    const hosts = [...hostsOf(readingOf(recorded))];
    return readingsWhenBroken(recorded).flatMap(({ what, reading }) => {
      if (!reading.known) return [`unknown when ${what}: ${reading.reason}`];
      const kept = hostsOf(reading);
      return hosts.filter((host) => !kept.has(host)).map((host) => `"${host}" is lost when ${what}`);
    });
  },
  "a job that cannot be read is set aside, and costs no other job and no node": (recorded) => {
    const whole = readingOf(recorded);
    return readingsWhenBroken(recorded).flatMap(({ what, reading }) => {
      if (!reading.known) return [];
      // One record may be several jobs.
      const isCounted =
        reading.jobs.length >= whole.jobs.length || reading.setAside.length > whole.setAside.length;
      return [
        ...(isCounted ? [] : [`a job is neither there nor set aside when ${what}`]),
        ...(isSame(hostnamesOf(reading), hostnamesOf(whole)) ? [] : [`other nodes when ${what}`]),
      ];
    });
  },
  ...drainChecks,
  ...eventChecks,
} as const satisfies Readonly<Record<string, Check>>;

/** Lengths at which a text is cut: all over it, and where lines end. */
function cutsOf(text: string): readonly number[] {
  const whole = text.trimEnd().length;
  const evenly = Array.from({ length: cuts }, (_, at) => Math.floor((whole * at) / cuts));
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const step = Math.max(1, Math.ceil(ends.length / lineCuts));
  // The last lines matter most: a count may stand there.
  const some = [...ends.filter((_, index) => index % step === 0), ...ends.slice(-5)];
  const lengths = [...evenly, ...some.flatMap((end) => [end, end + 1])];
  return [...new Set(lengths)].filter((length) => length < whole);
}

/** What is another than in the whole reading when one answer is another; empty: unknown, or nothing. */
function otherThan(
  whole: KnownReading,
  { driver, answers, context }: Recorded,
  name: string,
  text: string,
): readonly string[] {
  const reading = driver.interpret({ ...answers, [name]: { text, exitCode: 0 } }, context);
  if (!reading.known) return [];
  return (["jobs", "nodes", "shapes"] as const).filter((list) => !isSame(reading[list], whole[list]));
}

function demandOf({ jobs, nodes, shapes }: KnownReading): unknown {
  return [jobs, nodes, shapes];
}

function hostnamesOf({ nodes }: KnownReading): readonly string[] {
  return nodes.map(({ hostname }) => hostname).sort();
}

function sizeOf(memory: unknown): number {
  return JSON.stringify(memory).length;
}

/** Runs something while `Date` is a day ahead. Nothing else runs meanwhile, because it does not wait. */
function withClockAhead<T>(act: () => T): T {
  const Real = globalThis.Date;
  const Ahead = new Proxy(Real, {
    construct: (target, args: readonly unknown[]) =>
      Reflect.construct(target, args.length === 0 ? [Real.now() + dayMs] : args) as object,
    get: (target, key) => (key === "now" ? () => Real.now() + dayMs : Reflect.get(target, key)),
  });
  globalThis.Date = Ahead;
  try {
    return act();
  } finally {
    globalThis.Date = Real;
  }
}

function messageOf({ jobs, nodes, shapes = [] }: Pick<KnownReading, "jobs" | "nodes" | "shapes">): unknown {
  const envelope = { version: 1, kind: "snapshot", cluster: "hpc", source: "scheduler", sequence: 1 };
  return { ...envelope, sentAt: "2026-11-21T10:00:00Z", jobs, nodes, nodeShapes: shapes };
}

function twice(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function thrownBy(when: string, act: () => unknown): readonly string[] {
  try {
    act();
    return [];
  } catch (error) {
    return [`when ${when}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
