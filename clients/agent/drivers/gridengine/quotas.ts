import { amountOf, isPattern, matches } from "./amounts.ts";
import { type Definitions, isListed, listOf } from "./definitions.ts";
import type { Who } from "./places.ts";

/**
 * Resource quota sets (`qconf -srqs`). In each set the first rule that is for a job in a queue counts; of all sets the tightest
 * one binds.
 */

interface Filter {
  /** In braces: a limit for each of them by itself. */
  readonly isEach: boolean;
  readonly entries: readonly string[];
}

const subjects = ["users", "projects", "pes", "queues", "hosts"] as const;
type Subject = (typeof subjects)[number];

interface Rule {
  readonly set: string;
  readonly text: string;
  readonly filters: Readonly<Partial<Record<Subject, Filter>>>;
  /** Complex and what it is limited to, as it stands there. */
  readonly limits: readonly (readonly [complex: string, value: string])[];
}

/** A rule that could not be read: nobody knows for whom it is. */
type Unread = Pick<Rule, "set" | "text"> & { readonly filters?: undefined };

export type QuotaSet = readonly (Rule | Unread)[];

/** Sets that are enabled. */
export function parseQuotas(text: string): readonly QuotaSet[] {
  const sets: QuotaSet[] = [];
  let name = "";
  let isEnabled = false;
  let rules: (Rule | Unread)[] = [];
  for (const raw of text.replace(/\\\n\s*/g, " ").split("\n")) {
    const line = raw.trim();
    const [key = "", ...words] = line.split(/\s+/);
    if (line === "{") [name, isEnabled, rules] = ["", false, []];
    else if (line === "}" && isEnabled) sets.push(rules);
    else if (key === "name") name = words.join(" ");
    else if (key === "enabled") isEnabled = /^true$/i.test(words.join(""));
    else if (key === "limit") rules.push(readRule(name, words.join(" ")));
  }
  return sets;
}

function readRule(set: string, text: string): Rule | Unread {
  const unread = { set, text };
  const words = text.split(" ");
  const from = words[0] === "name" ? 2 : 0;
  const to = words.indexOf("to", from);
  const lists = to < 0 ? undefined : listsIn(words.slice(from, to));
  if (lists === undefined) return unread;
  const tail = words.slice(to + 1).join(" ");
  const filters = lists.map(([subject, list]) => {
    const isEach = list.startsWith("{");
    return [subject, { isEach, entries: listOf(list.replace(/[{}]/g, "")) }] as const;
  });
  if (filters.some(([subject]) => !subjects.some((each) => each === subject))) return unread;
  const limits = tail.split(",").map((pair) => /^\s*([^\s=]+)=(\S+)\s*$/.exec(pair)?.slice(1) ?? []);
  if (limits.some(([complex, value]) => complex === undefined || value === undefined)) return unread;
  return {
    set,
    text,
    filters: Object.fromEntries(filters),
    limits: limits.map(([complex = "", value = ""]) => [complex, value] as const),
  };
}

/** Who each filter is for: `users {*} queues a.q, b.q`. Undefined: not of that form. */
function listsIn(
  words: readonly string[],
): readonly (readonly [subject: string, list: string])[] | undefined {
  const lists: (readonly [string, string])[] = [];
  for (let at = 0; at < words.length; ) {
    const [subject = "", first] = words.slice(at, at + 2);
    if (first === undefined) return undefined;
    let end = at + 2;
    if (first.startsWith("{")) while (end < words.length && !words[end - 1]?.includes("}")) end += 1;
    else while (end < words.length && isOneList(words[end - 1], words[end])) end += 1;
    const list = words.slice(at + 1, end).join(" ");
    if (!/^(?:\{[^{}]*\}|[^{}]+)$/.test(list)) return undefined;
    lists.push([subject, list]);
    at = end;
  }
  return lists;
}

function isOneList(before = "", word = ""): boolean {
  return before.endsWith(",") || word.startsWith(",");
}

/** A job in a queue, on a host that is there or on one that is to come. */
export interface QuotaSubject {
  readonly who: Who;
  readonly pe: string;
  readonly queue: string;
  /** A host that is there, or names such as hosts to come may have. */
  readonly host: string | readonly string[];
  readonly groups: ReadonlySet<string>;
}

/** What a job draws on, of one limit. */
export interface QuotaLimit {
  /** The same for all jobs that share it. */
  readonly name: string;
  readonly complex: string;
  readonly most: number;
  /** On each host by itself. */
  readonly isPerHost: boolean;
}

/** Limits that are for a job there, or why that is not known. */
export function limitsFor(
  sets: readonly QuotaSet[],
  subject: QuotaSubject,
  definitions: Definitions,
  hostValue: (complex: string) => number | undefined,
  whatIsUnknown: "is refused" | "counts" = "is refused",
): readonly QuotaLimit[] | { readonly refused: string } {
  const limits: QuotaLimit[] = [];
  for (const set of sets) {
    for (const rule of set) {
      const { text } = rule;
      const where = `resource quota set "${rule.set}"`;
      if (rule.filters === undefined) return { refused: `${where}: "limit ${text}" cannot be read` };
      const fit = fitOf(rule.filters, subject, definitions);
      if (fit === "unknown" && whatIsUnknown === "is refused") {
        const { hosts } = rule.filters;
        const isOfHosts = hosts !== undefined && fitOf({ hosts }, subject, definitions) === "unknown";
        const whom = isOfHosts ? "hosts that are to come" : subject.who.user;
        const next = isOfHosts ? ": name host groups instead" : "";
        return { refused: `${where}: whether "limit ${text}" is for ${whom} is not known${next}` };
      }
      if (fit === "no") continue;
      for (const [named, value] of rule.limits) {
        const complex = definitions.complexes.get(named);
        if (complex === undefined || (complex.consumable === "NO" && complex.relation !== "<="))
          return { refused: `${where}: "limit ${text}" is about ${named}, which is no consumable` };
        const most = value.includes("$") ? formula(value, hostValue) : amountOf(value);
        const isPerHost = rule.filters.hosts?.isEach === true;
        // What a formula is about is reported by the host that is to come.
        if (most === undefined && isPerHost && value.includes("$")) continue;
        if (most === undefined) return { refused: `${where}: ${named}=${value} cannot be read` };
        if (Number.isFinite(most))
          limits.push({ name: nameOf(rule, complex.name, subject), complex: complex.name, most, isPerHost });
      }
      break;
    }
  }
  return limits;
}

/** A message takes names of 256 characters. */
const longestWhom = 180;

/** What stands in braces is counted by itself; hosts are so on each of them, under one name. */
function nameOf({ set, text, filters }: Rule, complex: string, { who, pe, queue }: QuotaSubject) {
  const values: Readonly<Record<Subject, string>> = {
    users: who.user,
    projects: who.project,
    pes: pe,
    queues: queue,
    hosts: "",
  };
  const each = subjects.flatMap((subject) => (filters[subject]?.isEach ? [values[subject]] : []));
  const whom = [set, text.split(/ ?\bto /)[0] ?? "", ...each].filter((part) => part !== "").join(", ");
  return `quota ${whom.slice(0, longestWhom)}: ${complex}`;
}

/** A name with its domain and one without are the same host. */
function isHostNamed(entry: string, host: string): boolean {
  if (matches(entry, host)) return true;
  const isOneShort = entry.includes(".") !== host.includes(".");
  const shortOf = (name: string) => name.split(".")[0]?.toLowerCase();
  return isOneShort && !isPattern(entry) && shortOf(entry) === shortOf(host);
}

type Fit = "yes" | "no" | "unknown";

function fitOf(
  filters: Rule["filters"],
  { who, pe, queue, host, groups }: QuotaSubject,
  { accessLists }: Definitions,
): Fit {
  const isUser = (entry: string): Fit => {
    if (entry.startsWith("@")) return isListed(entry.slice(1), who, accessLists);
    return matches(entry, who.user) ? "yes" : "no";
  };
  const isNamed = (name: string) => (entry: string) => (name !== "" && matches(entry, name) ? "yes" : "no");
  const isHost = (entry: string): Fit => {
    if (entry === "*") return "yes";
    if (entry.startsWith("@")) return [...groups].some((group) => matches(entry, group)) ? "yes" : "no";
    if (typeof host === "string") return isHostNamed(entry, host) ? "yes" : "no";
    // A host to come could get the name of one that is gone. Refusing jobs for that would stop all buying after a scale-in.
    if (!isPattern(entry)) return "no";
    const fitting = host.filter((name) => matches(entry, name));
    if (fitting.length === 0) return "no";
    return fitting.length === host.length ? "yes" : "unknown";
  };
  const fits = [
    fitIn(filters.users, isUser),
    fitIn(filters.projects, isNamed(who.project)),
    fitIn(filters.pes, isNamed(pe)),
    fitIn(filters.queues, isNamed(queue)),
    fitIn(filters.hosts, isHost),
  ];
  if (fits.includes("no")) return "no";
  return fits.includes("unknown") ? "unknown" : "yes";
}

/** In the list, and not among those that are left out of it. */
function fitIn(filter: Filter | undefined, isIt: (entry: string) => Fit): Fit {
  if (filter === undefined) return "yes";
  const out = filter.entries.filter((entry) => entry.startsWith("!")).map((entry) => isIt(entry.slice(1)));
  if (out.includes("yes")) return "no";
  const wanted = filter.entries.filter((entry) => !entry.startsWith("!")).map(isIt);
  if (wanted.length === 0 || wanted.includes("yes")) return out.includes("unknown") ? "unknown" : "yes";
  return wanted.includes("unknown") ? "unknown" : "no";
}

/** `$num_proc*2+4`: a sum of values of the host, each with a factor. */
function formula(text: string, hostValue: (complex: string) => number | undefined): number | undefined {
  const terms = [...text.matchAll(/([+-]?)(?:\$(\w+)(?:\*(\d+(?:\.\d+)?))?|(\d+(?:\.\d+)?))/g)];
  if (terms.map(([whole]) => whole).join("") !== text) return undefined;
  const values = terms.map(([, sign, complex, factor = "1", number]) => {
    const value = complex === undefined ? Number(number) : hostValue(complex);
    return value === undefined ? undefined : value * Number(factor) * (sign === "-" ? -1 : 1);
  });
  return values.reduce<number | undefined>(
    (sum, value) => (sum === undefined || value === undefined ? undefined : sum + value),
    0,
  );
}
