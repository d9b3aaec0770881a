/**
 * `cyclecloud-autoscale/schedulers/contract`: what every driver keeps to, whatever its scheduler, checked against recorded output.
 * Belongs to no test framework: problems are values.
 */
import type { Answers, Driver, DriverKind, Memory } from "../../agent/drivers/driver.ts";
import { checkedKind, driverProblems } from "../../agent/drivers/driver-shape.ts";
import type { BrokenAnswers } from "./broken-records.ts";
import { contractChecks, knownReading, type Recorded, type Whose } from "./contract-checks.ts";

export type * from "../../agent/drivers/driver.ts";
export { type BrokenAnswers, brokenColumns, brokenJson } from "./broken-records.ts";
export { contractChecks, type Recorded, type Whose } from "./contract-checks.ts";

/** What a scheduler printed at one moment. */
export interface Situation {
  readonly name: string;
  /** By the names of the driver's reads. */
  readonly answers: Answers;
  readonly nowSeconds: number;
  /** Hosts that were told to drain, and since when. */
  readonly draining?: ReadonlyMap<string, number>;
  /** What an earlier reading left. */
  readonly memory?: Memory;
}

export interface ContractCase {
  readonly kind: DriverKind;
  /** Settings that are enough. */
  readonly section: unknown;
  /** At least one in which something runs. */
  readonly situations: readonly Situation[];
  /** The answers with one record broken of what runs, so that its host can still be told; see `brokenColumns`, `brokenJson`. */
  readonly broken: (answers: Answers) => readonly BrokenAnswers[];
  /** Whose a job is, read from the answers by its name in the reading; undefined: nothing is said. Absent: it is not checked. */
  readonly whose?: (answers: Answers, job: string) => Whose | undefined;
}

export interface ContractProblem {
  readonly check: string;
  readonly situation: string;
  readonly problem: string;
}

/** Every breach of the contract; none: the driver keeps to it. Never throws. */
export function checkContract({
  kind,
  section,
  situations,
  broken,
  whose,
}: ContractCase): readonly ContractProblem[] {
  const about = (problem: string): ContractProblem => ({ check: "is a driver", situation: "", problem });
  const shape = driverProblems(kind);
  if (shape.length > 0) return shape.map(about);
  let driver: Driver;
  try {
    const configured = checkedKind(kind).configure(section);
    if (!configured.ok) return configured.problems.map(about);
    driver = configured.driver;
  } catch (error) {
    return [about(textOf(error))];
  }
  const recorded = situations.map((situation) => toRecorded(driver, situation, { broken, whose }));
  const problems = recorded.flatMap((each) =>
    Object.entries(contractChecks).flatMap(([check, find]) =>
      guarded(() => find(each)).map((problem) => ({ check, situation: each.name, problem })),
    ),
  );
  const isRunning = recorded.some((each) => guarded(() => runningIn(each)).length > 0);
  const nothingRuns = about(
    "nothing runs in any situation, so that nothing shows whether running jobs keep their hosts",
  );
  return isRunning ? problems : [nothingRuns, ...problems];
}

function toRecorded(
  driver: Driver,
  situation: Situation,
  { broken, whose }: Pick<ContractCase, "broken"> & { readonly whose: ContractCase["whose"] | undefined },
): Recorded {
  const { name, answers, nowSeconds, draining = new Map(), memory = {} } = situation;
  return {
    name,
    driver,
    answers,
    context: { nowSeconds, draining, memory },
    broken: broken(answers),
    ...(whose !== undefined && { whose: (job: string) => whose(answers, job) }),
  };
}

function runningIn({ driver, answers, context }: Recorded): readonly string[] {
  return knownReading(driver.interpret(answers, context)).jobs.flatMap((job) => job.executingHostnames ?? []);
}

function guarded(find: () => readonly string[]): readonly string[] {
  try {
    return find();
  } catch (error) {
    return [textOf(error)];
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
