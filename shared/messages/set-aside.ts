import type { z } from "zod";
import { parseConstraints } from "../engine/index.ts";
import { isDictionary } from "../json/json.ts";
import { printable } from "../text/text.ts";
import { describeProblems, shown } from "./problems.ts";
import { type RunningHosts, runningHosts } from "./running-hosts.ts";
import { cutName, excessOf } from "./sizes.ts";

const mostProblems = 5;
/** The most items of one list with problems. Later ones are set aside without: a hostile list could have 200,000. */
const mostDescribed = 100;
/** The most bad items of one list. More are no mistakes in single jobs, and a hostile list must not be checked to its end. */
const mostSetAside = 10_000;
const longestHostname = 255;

export type SetAsideKind = "job" | "node" | "shape" | "remove" | "target";

/** A job, scheduler node, shape of nodes, removal or target that did not check out. The rest of its message takes effect. */
export interface SetAside {
  readonly kind: SetAsideKind;
  /** Its place in the list of its message. */
  readonly index: number;
  /** As it was sent: whoever shows it escapes what does not print. Null: it cannot be read. */
  readonly name: string | null;
  /** One sentence each; empty for those after the first hundred of a list. */
  readonly problems: readonly string[];
  /** Where the job may run. Absent: the job reports that it runs nowhere. */
  readonly running?: SetAsideRun;
}

/** The part of an invalid running job that is kept: enough to leave it its nodes. */
export interface SetAsideRun extends RunningHosts {
  /** Undefined: they cannot be read, so nothing else is planned where it runs. */
  readonly constraints?: unknown;
}

/** The items of a list that check out, and the others. */
export interface Checked<T> {
  readonly good: readonly T[];
  readonly setAside: readonly SetAside[];
  /** So many do not check out that the list was not checked to its end. */
  readonly isHopeless: boolean;
}

export interface Checking<T> {
  /** Reads an item that needs nothing of what follows; undefined: it may, or does not check out. */
  readonly plain?: (item: unknown) => T | undefined;
  /** Completes an item that was read. */
  readonly finish?: (read: T, item: unknown) => T;
  /** An item that does not check out, without what must not set it aside: it is checked once more. Undefined: there is nothing of that kind. */
  readonly withoutBad?: (item: unknown) => unknown;
  /** Why an item that checks out must not count as it was read; undefined: it may. */
  readonly problemOf?: (item: unknown) => string | undefined;
}

/** Checks the items of a list one by one: what can be read counts. */
export function checkItems<T>(
  kind: SetAsideKind,
  items: readonly unknown[],
  schema: z.ZodType<T>,
  { plain, finish = (read) => read, withoutBad, problemOf = () => undefined }: Checking<T> = {},
): Checked<T> {
  const good: T[] = [];
  const setAside: SetAside[] = [];
  for (const [index, item] of items.entries()) {
    const read = plain?.(item);
    if (read !== undefined) {
      good.push(read);
      continue;
    }
    const excess = excessOf(item);
    const parsed = excess === undefined ? checked(schema, item, withoutBad) : undefined;
    const problem = parsed?.success === true ? problemOf(item) : undefined;
    if (parsed?.success === true && problem === undefined) {
      good.push(finish(parsed.data, item));
      continue;
    }
    if (setAside.length === mostSetAside) return { good, setAside, isHopeless: true };
    const isDescribed = setAside.length < mostDescribed;
    const found = problem === undefined ? problemsOf(kind, parsed?.error, excess) : [problem];
    const problems = isDescribed ? found : [];
    setAside.push(asideOf(kind, { index, item, problems }));
  }
  return { good, setAside, isHopeless: false };
}

function checked<T>(
  schema: z.ZodType<T>,
  item: unknown,
  withoutBad: ((item: unknown) => unknown) | undefined,
): z.ZodSafeParseResult<T> {
  const parsed = schema.safeParse(item, { reportInput: true });
  if (parsed.success || withoutBad === undefined) return parsed;
  const better = withoutBad(item);
  return better === undefined ? parsed : schema.safeParse(better, { reportInput: true });
}

function problemsOf(kind: SetAsideKind, error: z.ZodError | undefined, excess: string | undefined): string[] {
  return error === undefined
    ? [`${kind}: ${excess}`]
    : describeProblems(error, { root: kind, most: mostProblems });
}

/** An item that is set aside, with the parts that can be read. */
export function asideOf(
  kind: SetAsideKind,
  {
    index,
    item,
    problems,
  }: { readonly index: number; readonly item: unknown; readonly problems: readonly string[] },
): SetAside {
  const running = kind === "job" ? runOf(item) : undefined;
  return { kind, index, name: nameOf(kind, item), problems, ...(running === undefined ? {} : { running }) };
}

const nameKeys = { job: "name", node: "hostname", shape: "nodeArray", target: "Name" } as const;

function nameOf(kind: SetAsideKind, item: unknown): string | null {
  const name = kind === "remove" ? item : isDictionary(item) ? item[nameKeys[kind]] : undefined;
  const text = typeof name === "number" ? String(name) : name;
  if (typeof text !== "string" || text === "") return null;
  if (kind !== "node") return cutName(text);
  return text.length <= longestHostname ? text : null;
}

/** Where the job of an item runs. Of an item that is no object, that is unknown. */
function runOf(item: unknown): SetAsideRun | undefined {
  if (!isDictionary(item)) return { hostnames: [], isWhole: false };
  const hosts = runningHosts(item);
  if (hosts.hostnames.length === 0 && hosts.isWhole) return undefined;
  const { constraints = [] } = item;
  return excessOf(constraints) === undefined && parseConstraints(constraints).ok
    ? { ...hosts, constraints }
    : hosts;
}

/** `job 3 "a": iterations: -2, too small`: for people, on one line. */
export function describeSetAside({ kind, index, name, problems }: SetAside): string {
  const what = name === null ? `${kind} ${index}` : `${kind} ${shown(name)}`;
  return printable(problems.length === 0 ? what : `${what}: ${problems.join("; ")}`);
}

const lists = {
  job: "jobs",
  node: "nodes",
  shape: "nodeShapes",
  remove: "remove",
  target: "arrays",
} as const;

/** Its problems, with their place in the message: `jobs[3].iterations: -2, too small`. */
export function problemsInPlace({ kind, index, problems }: SetAside): readonly string[] {
  const place = `${lists[kind]}[${index}]`;
  if (problems.length === 0) return [`${place}: does not check out either`];
  return problems.map((problem) => {
    if (problem.startsWith(`${kind}: `)) return `${place}${problem.slice(kind.length)}`;
    return problem.startsWith("and ") ? `${place}: ${problem}` : `${place}.${problem}`;
  });
}
