import { z } from "zod";
import { describeProblems } from "../../../shared/messages/index.ts";
import type { Context, Driver, DriverKind, NodeEvent, Reading, Steps } from "./driver.ts";

/**
 * Checks of what a driver from outside is and returns. The compiler has seen the built-in ones; a module that somebody else
 * wrote may be of another release of the contract, or be no driver at all.
 */

const named = (wanted: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? `missing, expected ${wanted}` : `expected ${wanted}`,
});
const method = (wanted: string) =>
  z.custom<unknown>((value) => typeof value === "function", {
    error: ({ input }) => (input === undefined ? `missing, expected ${wanted}` : `expected ${wanted}`),
  });

const kindShape = z.looseObject(
  {
    name: z
      .string(named('a text, such as "my-scheduler"'))
      .regex(
        /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/,
        "expected lower-case letters and digits, with single dashes between them",
      ),
    configure: method("a function of the section of the settings that has the driver's name"),
  },
  "expected a driver: an object with a name and a function configure",
);

const driverShape = z.looseObject(
  {
    reads: method("a function that returns what to read, step after step"),
    interpret: method("a function that makes jobs and nodes of what was printed"),
    commandsFor: method("a function that returns the commands for an event"),
  },
  "expected an object with the functions reads, interpret and commandsFor",
);

const configuredShape = z.union(
  [
    z.looseObject({ ok: z.literal(true), driver: z.unknown() }),
    z.looseObject({ ok: z.literal(false), problems: z.array(z.string()).min(1) }),
  ],
  "expected { ok: true, driver } or { ok: false, problems }, with a list of texts",
);

const command = z.looseObject({
  program: z.string().min(1),
  args: z.array(z.string()),
  exitCodes: z.array(z.int()).optional(),
});
const commands = z.array(command);
const memory = z.record(z.string(), z.unknown());

const readsShape = z.array(
  z.array(
    z.discriminatedUnion("kind", [
      command.extend({ kind: z.literal("command"), name: z.string().min(1) }),
      z.looseObject({ kind: z.literal("backlog"), name: z.string().min(1), queues: z.array(z.string()) }),
    ]),
  ),
);

/** What jobs and nodes hold is checked one by one later (`check-reading.ts`). */
const readingShape = z.discriminatedUnion("known", [
  z.looseObject({
    known: z.literal(true),
    jobs: z.array(z.looseObject({ name: z.string() })),
    nodes: z.array(z.looseObject({ hostname: z.string() })),
    shapes: z.array(z.looseObject({ nodeArray: z.string() })).optional(),
    setAside: z.array(z.looseObject({ record: z.string(), reason: z.string() })),
    silent: z.array(z.string()),
    corrections: z.array(command.extend({ guards: commands.optional() })),
    memory,
  }),
  z.looseObject({ known: z.literal(false), reason: z.string() }),
]);

const stepsShape = z.looseObject({ commands, memory });

/** What is wrong with a value that ought to be a driver; empty: nothing. Never throws. */
export function driverProblems(value: unknown): readonly string[] {
  const parsed = kindShape.safeParse(value, { reportInput: false });
  return parsed.success ? [] : describeProblems(parsed.error);
}

/**
 * The same driver, of which every answer is checked. Throws a TypeError where one is not what the contract says; the agent
 * takes that for a reading that is unknown, or for an event that could not be acted on.
 */
export function checkedKind(kind: DriverKind): DriverKind {
  return {
    name: kind.name,
    configure(section) {
      const configured = checked(configuredShape, kind.configure(section), "configure");
      if (!configured.ok) return { ok: false, problems: configured.problems };
      const driver = driverShape.safeParse(configured.driver, { reportInput: false });
      if (!driver.success)
        return { ok: false, problems: describeProblems(driver.error).map((problem) => `driver: ${problem}`) };
      const ready = checkedDriver(configured.driver as Driver);
      // Also a trial: what the first pass would find out shows at the start.
      ready.reads({ nowSeconds: 0, draining: new Map(), memory: {} });
      return { ok: true, driver: ready };
    },
  };
}

function checkedDriver(driver: Driver): Driver {
  return {
    reads: (context: Context) =>
      checked(readsShape, driver.reads(context), "reads") as ReturnType<Driver["reads"]>,
    interpret: (answers, context) =>
      checked(readingShape, driver.interpret(answers, context), "interpret") as Reading,
    commandsFor: (event: NodeEvent, context: Context) =>
      checked(stepsShape, driver.commandsFor(event, context), "commandsFor") as Steps,
  };
}

function checked<T>(shape: z.ZodType<T>, value: unknown, from: string): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const isPromise = typeof value === "object" && value !== null && "then" in value;
  const problems = isPromise ? ["a promise, expected a value"] : describeProblems(parsed.error);
  throw new TypeError(`the driver's ${from} returned ${problems.join("; ")}`);
}
