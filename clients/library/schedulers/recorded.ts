import { checkReading } from "../../agent/check-reading.ts";
import type { Answers, Context, Driver, NodeEvent, Reading } from "../../agent/drivers/driver.ts";
import type { BrokenAnswers } from "./broken-records.ts";
import type { Expected } from "./expected.ts";

/** A driver, and what its scheduler printed once. */
export interface Recorded {
  readonly name: string;
  readonly driver: Driver;
  readonly answers: Answers;
  readonly context: Context;
  readonly broken: readonly BrokenAnswers[];
  /** By a job's name in the reading. Absent: nothing is said of it. */
  readonly whose?: (job: string) => Whose | undefined;
  /** What a person read in the answers. Absent: nothing. */
  readonly expects?: Expected;
  /** Events for which the scheduler needs no command. */
  readonly withoutCommand?: readonly NodeEvent["kind"][];
}

/** Whose a job is, as its scheduler says; absent: it says nothing. Costs and budgets are told apart by these. */
export interface Whose {
  readonly user?: string;
  readonly account?: string;
  readonly queue?: string;
}

export type KnownReading = Extract<Reading, { known: true }>;

/** A rule: returns what breaks it. */
export type Check = (recorded: Recorded) => readonly string[];

/** Throws an Error when the reading is unknown. */
function knownReading(reading: Reading): KnownReading {
  if (!reading.known) throw new Error(`unknown: ${reading.reason}`);
  return reading;
}

export function readingOf({ driver, answers, context }: Recorded): KnownReading {
  return knownReading(driver.interpret(answers, context));
}

/**
 * The reading of the same answers in another context. Undefined when the driver would ask for something else then: what
 * that prints was not recorded.
 */
export function readingIn({ driver, answers }: Recorded, context: Context): KnownReading | undefined {
  const asked = driver.reads(context).flatMap((step) => step.map(({ name }) => name));
  const isRecorded = asked.length === Object.keys(answers).length && asked.every((name) => name in answers);
  return isRecorded ? knownReading(driver.interpret(answers, context)) : undefined;
}

const whenBroken = new WeakMap<Recorded, readonly WhenBroken[]>();

interface WhenBroken {
  readonly what: string;
  readonly reading: Reading;
}

/** What the driver reads of each of the broken answers: three rules ask, and it is most of the work. */
export function readingsWhenBroken(recorded: Recorded): readonly WhenBroken[] {
  const { driver, context, broken } = recorded;
  const readings =
    whenBroken.get(recorded) ??
    broken.map(({ what, answers }) => ({ what, reading: driver.interpret(answers, context) }));
  whenBroken.set(recorded, readings);
  return readings;
}

/** Hosts whose nodes the service keeps, as the agent posts the reading. */
export function hostsOf(reading: KnownReading): ReadonlySet<string> {
  return new Set(checkReading(reading).jobs.flatMap(({ executingHostnames = [] }) => executingHostnames));
}
