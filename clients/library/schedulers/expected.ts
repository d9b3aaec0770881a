import { shortHostname } from "../../../shared/engine/index.ts";
import type { Job, SchedulerNode } from "../../agent/drivers/driver.ts";
import { isSame } from "./plain-data.ts";

/**
 * What a person read in the recorded output. Each list that is given has to be complete; one that is left out is not checked.
 * Hosts may be written short or long, in any case; names of jobs are those of the reading.
 */
export interface Expected {
  /** Jobs that wait, in any order. */
  readonly waiting?: readonly string[];
  /** Jobs that run, and where. */
  readonly running?: Readonly<Record<string, readonly string[]>>;
  /** Hosts that take new work. */
  readonly up?: readonly string[];
  /** Hosts that take no new work and still have some, or may have. */
  readonly draining?: readonly string[];
  /** Hosts that take no new work and have none. Their nodes are deleted. */
  readonly drained?: readonly string[];
  /** Jobs that need several nodes at once, and how many: their `nodeCount`. */
  readonly gangs?: Readonly<Record<string, number>>;
  /** Fields of jobs, such as `{ "18": { constraints: { ncpus: 4 }, priority: 7 } }`. Other jobs and fields are not checked. */
  readonly jobs?: Readonly<Record<string, Partial<Job>>>;
}

/** How a reading differs from what is expected of it. */
export function differences(
  { jobs, nodes }: { readonly jobs: readonly Job[]; readonly nodes: readonly SchedulerNode[] },
  expects: Expected,
): readonly string[] {
  const hosts = (state: SchedulerNode["state"]) =>
    nodes.filter((node) => node.state === state).map(({ hostname }) => hostname);
  const waiting = jobs.filter((job) => !runs(job)).map(({ name }) => name);
  return [
    ...listDifferences("waiting", waiting, expects.waiting),
    ...runningDifferences(jobs, expects.running),
    ...(["up", "draining", "drained"] as const).flatMap((state) =>
      listDifferences(state, hosts(state).map(shortHostname), expects[state]?.map(shortHostname)),
    ),
    ...gangDifferences(jobs, expects.gangs),
    ...Object.entries(expects.jobs ?? {}).flatMap(([name, fields]) => fieldDifferences(jobs, name, fields)),
  ];
}

/** Whether a job has hosts. */
export function runs({ executingHostnames = [] }: Job): boolean {
  return executingHostnames.length > 0;
}

function listDifferences(
  what: string,
  found: readonly string[],
  wanted: readonly string[] | undefined,
): readonly string[] {
  if (wanted === undefined) return [];
  return [
    ...wanted
      .filter((name) => !found.includes(name))
      .map((name) => `"${name}" is not ${what}, and should be`),
    ...found
      .filter((name) => !wanted.includes(name))
      .map((name) => `"${name}" is ${what}, and should not be`),
  ];
}

function runningDifferences(jobs: readonly Job[], wanted: Expected["running"]): readonly string[] {
  if (wanted === undefined) return [];
  const running = jobs.filter(runs);
  const names = running.map(({ name }) => name);
  const elsewhere = running.flatMap(({ name, executingHostnames = [] }) => {
    const expected = Object.hasOwn(wanted, name) ? sorted(wanted[name] ?? []) : undefined;
    const found = sorted(executingHostnames);
    if (expected === undefined || isSame(found, expected)) return [];
    return [`"${name}" runs on ${found.join(", ")}, expected ${expected.join(", ")}`];
  });
  return [...listDifferences("running", names, Object.keys(wanted)), ...elsewhere];
}

function sorted(hosts: readonly string[]): readonly string[] {
  return hosts.map(shortHostname).sort();
}

function gangDifferences(jobs: readonly Job[], wanted: Expected["gangs"]): readonly string[] {
  if (wanted === undefined) return [];
  const counts = new Map(jobs.map(({ name, nodeCount = 0 }) => [name, nodeCount]));
  const missing = Object.entries(wanted)
    .filter(([name, count]) => counts.get(name) !== count)
    .map(([name, count]) => `"${name}" needs ${counts.get(name) ?? 0} nodes at once, expected ${count}`);
  const others = [...counts]
    .filter(([name, count]) => count > 1 && !Object.hasOwn(wanted, name))
    .map(([name, count]) => `"${name}" needs ${count} nodes at once, expected none`);
  return [...missing, ...others];
}

function fieldDifferences(jobs: readonly Job[], name: string, fields: Partial<Job>): readonly string[] {
  const job = jobs.find((each) => each.name === name);
  if (job === undefined) return [`there is no job "${name}"`];
  return Object.entries(fields)
    .filter(([field, value]) => !isSame(job[field as keyof Job], value))
    .map(([field, value]) => {
      const found = JSON.stringify(job[field as keyof Job]) ?? "not given";
      return `${field} of job "${name}" is ${found}, expected ${JSON.stringify(value)}`;
    });
}
