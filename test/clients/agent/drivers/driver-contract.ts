import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkReading } from "../../../../clients/agent/check-reading.ts";
import type {
  Answers,
  Context,
  Driver,
  DriverKind,
  Memory,
  Reading,
} from "../../../../clients/agent/drivers/driver.ts";
import {
  type BrokenAnswers,
  brokenValues,
  placesIn,
  withBroken,
} from "../../../../clients/library/schedulers/broken-records.ts";
import {
  contractChecks,
  type Recorded,
  type Whose,
} from "../../../../clients/library/schedulers/contract.ts";
import { jsonOr } from "../../../../shared/json/json.ts";
import { parseDemand, wholly } from "../../../../shared/messages/job-demand.ts";
import { some } from "../../../support/cases.ts";

const situationSchema = z.strictObject({
  nowSeconds: z.number(),
  exitCodes: z.record(z.string(), z.number()).default({}),
  draining: z.record(z.string(), z.number()).default({}),
  undrained: z.array(z.string()).default([]),
  /** The memory is what the reading of this situation left. */
  memoryFrom: z.string().optional(),
  /** Settings beside those that every situation has. */
  section: z.record(z.string(), z.unknown()).default({}),
});

export interface DriverCase {
  readonly kind: DriverKind;
  /** Settings that are enough to configure it. */
  readonly section: Readonly<Record<string, unknown>>;
  /** Settings that are wrong, and what is said of them. */
  readonly wrong: readonly (readonly [Readonly<Record<string, unknown>>, RegExp])[];
  /** The answers with one record broken of what runs, so that its host can still be told. */
  readonly broken: (answers: Answers) => readonly BrokenAnswers[];
  /** What the scheduler knows of whose a job is. The driver gives nothing else, and the recordings show two of each at least. */
  readonly knows: readonly (keyof Whose)[];
  /** Read from the answers without the driver, by a job's name in the reading; undefined: nothing is said of it. */
  readonly whose: (answers: Answers, job: string) => Whose | undefined;
  /** Events for which the scheduler needs no command. */
  readonly withoutCommand?: Recorded["withoutCommand"];
}

interface Situation {
  readonly name: string;
  readonly folder: string;
  readonly driver: Driver;
  readonly answers: Answers;
  readonly context: Context;
}

/** What every driver keeps to, whatever its scheduler; against everything that was recorded of it. */
export function testDriver(driverCase: DriverCase): void {
  const { kind, section, wrong, broken, knows, whose, withoutCommand = [] } = driverCase;
  const folder = join(import.meta.dirname, "fixtures", kind.name);
  const configured = (more: Readonly<Record<string, unknown>> = {}): Driver => {
    const result = kind.configure({ ...section, ...more });
    if (!result.ok) throw new Error(result.problems.join("; "));
    return result.driver;
  };
  const load = (name: string): Situation => {
    const here = join(folder, name);
    const facts = situationSchema.parse(JSON.parse(readFileSync(join(here, "situation.json"), "utf8")));
    const memory = facts.memoryFrom === undefined ? {} : memoryOf(load(facts.memoryFrom));
    const draining = new Map(Object.entries(facts.draining));
    const driver = configured(facts.section);
    const context = deepFrozen({
      nowSeconds: facts.nowSeconds,
      draining,
      undrained: new Set(facts.undrained),
      memory,
    });
    const reads = driver.reads(context).flat();
    const answers = reads.map(({ name: read }) => {
      const text = readFileSync(join(here, `${read}.txt`), "utf8");
      return [read, { text, exitCode: facts.exitCodes[read] ?? 0 }] as const;
    });
    return { name, folder: here, driver, answers: deepFrozen(Object.fromEntries(answers)), context };
  };
  const situations = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "situation.json")))
    .map(load);

  describe(`${kind.name}: settings`, () => {
    test("the smallest ones are enough", () => {
      expect(kind.configure(section)).toMatchObject({ ok: true });
    });
    test.each(wrong)("%j is refused with the name of the field", (more, problem) => {
      const result = kind.configure({ ...section, ...more });
      expect(result.ok ? "accepted" : result.problems.join("; ")).toMatch(problem);
    });
  });

  describe.each(situations)(`${kind.name}: $name`, ({ folder: here, driver, answers, context }) => {
    const read = () => driver.interpret(answers, context);
    const recorded = {
      name: here,
      driver,
      answers,
      context,
      broken: some(broken(answers)),
      whose: (job: string) => whose(answers, job),
      withoutCommand,
    };

    test("gives this reading", async () => {
      await expect(`${JSON.stringify(read(), null, 2)}\n`).toMatchFileSnapshot(join(here, "reading.json"));
    });

    test.each(Object.entries(contractChecks))("%s", (_, find) => {
      expect(find(recorded)).toEqual([]);
    });

    // The suite for everybody has a short list of nonsense.
    test("no text throws", () => {
      const words = fc.oneof(fc.string(), fc.json());
      fc.assert(
        fc.property(fc.constantFrom(...Object.keys(answers)), words, (name, text) => {
          const reading = driver.interpret({ ...answers, [name]: { text, exitCode: 0 } }, context);
          expect(typeof reading.known).toBe("boolean");
        }),
        { numRuns: 20 },
      );
    });
  });

  describe(`${kind.name}: whose jobs are`, () => {
    const jobs = situations.flatMap(({ driver, answers, context }) =>
      known(driver.interpret(answers, context)).jobs.map((job) => ({ job, said: whose(answers, job.name) })),
    );
    const fields = ["user", "account", "queue"] as const;

    test("what its scheduler does not know is not made up", () => {
      const unknown = fields.filter((field) => !knows.includes(field));
      for (const { job } of jobs) for (const field of unknown) expect(job).not.toHaveProperty(field);
    });

    // One value everywhere could be a constant of the driver.
    test.each(knows)("two of each %s at least are in the recordings, and in the readings", (field) => {
      expect(new Set(jobs.flatMap(({ said }) => said?.[field] ?? [])).size).toBeGreaterThan(1);
      expect(new Set(jobs.flatMap(({ job }) => job[field] ?? [])).size).toBeGreaterThan(1);
    });
  });

  describe(`${kind.name}: broken records`, () => {
    const withRunning = situations.filter(({ driver, answers, context }) => {
      return hostsOf(known(driver.interpret(answers, context))).size > 0;
    });

    test("there are recorded situations in which something runs, and records of it to break", () => {
      expect(withRunning.flatMap(({ answers }) => broken(answers)).length).toBeGreaterThan(10);
    });

    test.each(situations)(
      "$name: one broken value anywhere throws nothing, and what is posted is taken",
      (situation) => {
        const { driver, answers, context } = situation;
        const jsonReads = Object.keys(answers).filter(
          (name) => jsonOr(answers[name]?.text ?? "") !== undefined,
        );
        if (jsonReads.length === 0) return;
        const anyPlace = fc.constantFrom(...jsonReads).chain((name) => {
          const json = jsonOr(answers[name]?.text ?? "");
          const place = fc.constantFrom(...placesIn(json));
          return fc.record({ name: fc.constant(name), json: fc.constant(json), place });
        });
        fc.assert(
          fc.property(anyPlace, fc.constantFrom(...brokenValues), ({ name, json, place }, value) => {
            const text = JSON.stringify(withBroken(json, place, value));
            const { exitCode = 0 } = answers[name] ?? {};
            const reading = driver.interpret({ ...answers, [name]: { text, exitCode } }, context);
            if (!reading.known) return;
            const { jobs, nodes } = checkReading(reading);
            expect(wholly(parseDemand(messageOf({ jobs, nodes })))).toMatchObject({ ok: true });
          }),
          { numRuns: 20 },
        );
      },
    );
  });
}

function memoryOf({ driver, answers, context }: Situation): Memory {
  return known(driver.interpret(answers, context)).memory;
}

function known(reading: Reading, what = ""): Extract<Reading, { known: true }> {
  if (!reading.known) throw new Error(`unknown: ${reading.reason}${what && ` when ${what}`}`);
  return reading;
}

/** Hosts whose nodes the service keeps, as the agent posts the reading. */
function hostsOf(reading: Extract<Reading, { known: true }>): ReadonlySet<string> {
  return new Set(checkReading(reading).jobs.flatMap(({ executingHostnames = [] }) => executingHostnames));
}

function messageOf({ jobs, nodes }: Pick<Extract<Reading, { known: true }>, "jobs" | "nodes">): unknown {
  const envelope = { version: 1, kind: "snapshot", cluster: "hpc", source: "scheduler", sequence: 1 };
  return { ...envelope, sentAt: "2026-11-21T10:00:00Z", jobs, nodes };
}

/** Whoever writes to it throws. */
function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || value instanceof Map) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
