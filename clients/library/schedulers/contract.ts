/**
 * `cyclecloud-autoscale/schedulers/contract`: what every driver keeps to, whatever its scheduler, checked against recorded output.
 * Belongs to no test framework: problems are values.
 */
import type { Answers, Driver, DriverKind, Memory, NodeEvent } from "../../agent/drivers/driver.ts";
import { checkedKind, driverProblems } from "../../agent/drivers/driver-shape.ts";
import type { BrokenAnswers } from "./broken-records.ts";
import { contractChecks } from "./contract-checks.ts";
import { gaps } from "./coverage.ts";
import type { Expected } from "./expected.ts";
import type { Recorded, Whose } from "./recorded.ts";

export type * from "../../agent/drivers/driver.ts";
export { type BrokenAnswers, brokenColumns, brokenJson } from "./broken-records.ts";
export { contractChecks } from "./contract-checks.ts";
export type { Expected } from "./expected.ts";
export type { Recorded, Whose } from "./recorded.ts";

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
  /** What you read in the answers. Some mistakes show no other way: see docs/schedulers.md. */
  readonly expects?: Expected;
}

export interface ContractCase {
  readonly kind: DriverKind;
  /** Settings that are enough. */
  readonly section: unknown;
  /**
   * Together they have to show: a job that runs, one that waits, a host that is up, one that was told to drain and is still
   * busy, one that is drained; and what you expect to wait, to run and to be drained.
   */
  readonly situations: readonly Situation[];
  /** The answers with one record broken of what runs, so that its host can still be told; see `brokenColumns`, `brokenJson`. */
  readonly broken: (answers: Answers) => readonly BrokenAnswers[];
  /** Whose a job is, read from the answers by its name in the reading; undefined: nothing is said. Absent: it is not checked. */
  readonly whose?: (answers: Answers, job: string) => Whose | undefined;
  /** Events for which your scheduler needs no command, such as `node-joined` where hosts register themselves. */
  readonly withoutCommand?: readonly NodeEvent["kind"][];
}

export interface ContractProblem {
  readonly check: string;
  readonly situation: string;
  readonly problem: string;
}

/** Every breach of the contract; none: the driver keeps to it. Never throws. */
export function checkContract(contractCase: ContractCase): readonly ContractProblem[] {
  const { kind, section, situations } = contractCase;
  const about =
    (check: string) =>
    (problem: string): ContractProblem => ({ check, situation: "", problem });
  const shape = driverProblems(kind);
  if (shape.length > 0) return shape.map(about("is a driver"));
  let driver: Driver;
  try {
    const configured = checkedKind(kind).configure(section);
    if (!configured.ok) return configured.problems.map(about("is a driver"));
    driver = configured.driver;
  } catch (error) {
    return [about("is a driver")(textOf(error))];
  }
  let recorded: readonly Recorded[];
  try {
    recorded = situations.map((situation) => toRecorded(driver, situation, contractCase));
  } catch (error) {
    return [about("broken records can be made of the situations")(textOf(error))];
  }
  return [
    ...guarded(() => gaps(recorded)).map(about("the situations show what matters")),
    ...recorded.flatMap((each) =>
      Object.entries(contractChecks).flatMap(([check, find]) =>
        guarded(() => find(each)).map((problem) => ({ check, situation: each.name, problem })),
      ),
    ),
  ];
}

function toRecorded(
  driver: Driver,
  situation: Situation,
  { broken, whose, withoutCommand }: Pick<ContractCase, "broken" | "whose" | "withoutCommand">,
): Recorded {
  const { name, nowSeconds, expects } = situation;
  // A driver that writes to what it is given throws.
  const draining = unchangeable(situation.draining);
  const answers = frozenCopy(situation.answers);
  const memory = frozenCopy(situation.memory ?? {});
  return {
    name,
    driver,
    answers,
    context: { nowSeconds, draining, memory },
    broken: broken(answers),
    ...(whose !== undefined && { whose: (job: string) => whose(answers, job) }),
    ...(expects !== undefined && { expects }),
    ...(withoutCommand !== undefined && { withoutCommand }),
  };
}

function unchangeable(draining: ReadonlyMap<string, number> = new Map()): ReadonlyMap<string, number> {
  const copy = new Map(draining);
  const value = () => {
    throw new TypeError("the driver changes context.draining");
  };
  for (const change of ["set", "delete", "clear"]) Object.defineProperty(copy, change, { value });
  return copy;
}

/** Of plain data. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  const copy = structuredClone(value);
  freeze(copy);
  return copy;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
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
