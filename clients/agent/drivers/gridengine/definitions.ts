import { matches } from "./amounts.ts";

/**
 * What `qconf` shows of the cell: complexes, queues, parallel environments, host groups, access lists, quotas. It changes when an
 * administrator changes it, so it is read now and then, all of it by one command.
 */

/** Ends with a line of its own: text without it was cut short. */
const end = "=== end";

/**
 * Constant: what qconf is called by are its arguments. A list that is empty ends with 1 and says "no … defined"; whatever else fails
 * makes the whole command fail.
 */
const script = `set -e
names() {
  if list=$("$@" 2>&1); then printf '%s\\n' "$list"; return 0; fi
  case $list in [Nn]o\\ *) ;; *) printf '%s\\n' "$list" >&2; return 1 ;; esac
}
echo "=== complexes"; "$@" -sc
echo "=== queues"; "$@" -sq '*'
echo "=== global"; "$@" -se global
echo "=== scheduler"; "$@" -ssconf
echo "=== configuration"; "$@" -sconf global
pes=$(names "$@" -spl); echo "=== pes"; for each in $pes; do "$@" -sp "$each"; echo; done
groups=$(names "$@" -shgrpl); echo "=== groups"; for each in $groups; do "$@" -shgrp "$each"; echo; done
lists=$(names "$@" -sul | paste -sd, -); echo "=== lists"; if [ -n "$lists" ]; then "$@" -su "$lists"; fi
echo "=== quotas"; names "$@" -srqs
echo "${end}"`;

export function definitionsCommand(qconf: readonly string[]) {
  return { program: "sh", args: ["-c", script, "sh", ...qconf] };
}

export interface Complex {
  readonly name: string;
  readonly type: string;
  readonly relation: string;
  readonly consumable: "NO" | "YES" | "JOB";
  /** What a job takes that does not ask. */
  readonly usual: string;
  /** A queue that has it takes only jobs that ask for it. */
  readonly isForced: boolean;
}

type Fields = Readonly<Record<string, string>>;

export interface Queue {
  readonly name: string;
  readonly fields: Fields;
}

export interface ParallelEnvironment {
  readonly name: string;
  readonly slots: number;
  /** `$pe_slots`, `$fill_up`, `$round_robin`, or the number of slots on each host. */
  readonly rule: string;
  readonly allows: Fields;
}

export interface Definitions {
  /** By name and by shortcut. */
  readonly complexes: ReadonlyMap<string, Complex>;
  /** Those of which jobs take an amount, beside slots. */
  readonly consumables: readonly Complex[];
  /** Those that a queue may want to be asked for. */
  readonly forced: readonly Complex[];
  /** In the order in which jobs get them. */
  readonly queues: readonly Queue[];
  readonly pes: readonly ParallelEnvironment[];
  /** Names of all host groups. */
  readonly groups: readonly string[];
  /** Groups in a group, itself included. */
  readonly groupsIn: (group: string) => ReadonlySet<string>;
  /** Groups that name a host, in lower case, themselves. */
  readonly groupsNaming: (host: string) => readonly string[];
  readonly accessLists: ReadonlyMap<string, readonly string[]>;
  readonly globalValues: Fields;
  readonly quotas: string;
  /** Jobs of one user that run at a time (`maxujobs`); 0: any. */
  readonly mostOfUser: number;
  /** Tasks of one array that run at a time (`max_aj_instances`); 0: any. */
  readonly mostOfArray: number;
}

/** Undefined when not all of it is there. */
export function parseDefinitions(text: string): Definitions | undefined {
  if (!text.endsWith(`${end}\n`)) return undefined;
  const sections = new Map(
    text.split(/^=== /m).map((section) => {
      const newline = section.indexOf("\n");
      return [section.slice(0, newline), section.slice(newline + 1)] as const;
    }),
  );
  const of = (name: string) => sections.get(name);
  const [complexes, queues, pes, groups, lists] = ["complexes", "queues", "pes", "groups", "lists"].map(of);
  const [global, quotas] = [of("global"), of("quotas")];
  if ([complexes, queues, pes, groups, lists, global, quotas].includes(undefined)) return undefined;
  const members = recordsIn(groups ?? "", "group_name").map(
    ({ group_name = "", hostlist = "" }) => [group_name, listOf(hostlist)] as const,
  );
  const inGroup = new Map(
    members.map(([group, list]) => [group, list.filter((name) => name.startsWith("@"))]),
  );
  const naming = new Map<string, string[]>();
  for (const [group, list] of members)
    for (const host of list)
      naming.set(host.toLowerCase(), [...(naming.get(host.toLowerCase()) ?? []), group]);
  const byName = readComplexes(complexes ?? "");
  return {
    complexes: byName,
    consumables: [...new Set(byName.values())].filter(
      ({ name, consumable, relation }) => consumable !== "NO" && relation !== "EXCL" && name !== "slots",
    ),
    forced: [...new Set(byName.values())].filter(({ isForced }) => isForced),
    queues: recordsIn(queues ?? "", "qname")
      .map((fields) => ({ name: fields.qname ?? "", fields }))
      .toSorted((a, b) => sequenceOf(a) - sequenceOf(b) || (a.name < b.name ? -1 : 1)),
    pes: recordsIn(pes ?? "", "pe_name").map((fields) => ({
      name: fields.pe_name ?? "",
      slots: Number(fields.slots ?? 0),
      rule: fields.allocation_rule ?? "",
      allows: fields,
    })),
    groups: members.map(([group]) => group),
    groupsIn: (group) => groupsUnder(group, inGroup),
    groupsNaming: (host) => naming.get(host) ?? [],
    accessLists: new Map(
      recordsIn(lists ?? "", "name").map(({ name = "", entries = "NONE" }) => [name, listOf(entries)]),
    ),
    globalValues: valuesOf(recordsIn(global ?? "", "hostname")[0]?.complex_values ?? ""),
    quotas: quotas ?? "",
    mostOfUser: numberOf(of("scheduler"), "maxujobs"),
    mostOfArray: numberOf(of("configuration"), "max_aj_instances"),
  };
}

/** Of a line `key value`; 0, which is no limit, where there is none. */
function numberOf(text: string | undefined, key: string): number {
  const words = (text ?? "").split("\n").map((line) => line.trim().split(/\s+/));
  const value = words.find(([first]) => first === key)?.[1] ?? "";
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

function sequenceOf({ fields }: Queue): number {
  return Number(/^\d+/.exec(fields.seq_no ?? "")?.[0] ?? 0);
}

function readComplexes(text: string): ReadonlyMap<string, Complex> {
  const rows = text.split("\n").filter((line) => !line.startsWith("#"));
  return new Map(
    rows.flatMap((row) => {
      const [name, shortcut, type = "", relation = "", requestable, consumable, usual = "0"] = row
        .trim()
        .split(/\s+/);
      if (name === undefined || shortcut === undefined || name === "") return [];
      // Of other Grid Engines: once on each host. It is the same of a job that is on one.
      const isOnce = consumable === "JOB" || consumable === "HOST";
      const kind = isOnce ? "JOB" : consumable === "YES" ? "YES" : "NO";
      const isForced = requestable === "FORCED";
      const complex: Complex = { name, type, relation, consumable: kind, usual, isForced };
      return [[name, complex] as const, [shortcut, complex] as const];
    }),
  );
}

/** Records of lines `key value`, continued after a backslash; each begins with its first key. */
function recordsIn(text: string, first: string): readonly Fields[] {
  const records: Record<string, string>[] = [];
  for (const line of text.replace(/\\\n\s*/g, "").split("\n")) {
    const [key = ""] = /^\S*/.exec(line) ?? [];
    if (key === first) records.push({});
    const record = records.at(-1);
    if (record !== undefined) record[key] = line.slice(key.length).trim();
  }
  return records;
}

function groupsUnder(
  group: string,
  inGroup: ReadonlyMap<string, readonly string[]>,
  found: Set<string> = new Set(),
): ReadonlySet<string> {
  if (found.has(group)) return found;
  found.add(group);
  for (const inner of inGroup.get(group) ?? []) groupsUnder(inner, inGroup, found);
  return found;
}

/** Groups themselves, and all that have one of them inside. */
export function groupsAbove(
  { groups, groupsIn }: Pick<Definitions, "groups" | "groupsIn">,
  own: readonly string[],
): readonly string[] {
  const above = groups.filter((group) => [...groupsIn(group)].some((inner) => own.includes(inner)));
  return [...new Set([...own, ...above])];
}

/** `a,b c`; none for `NONE`. */
export function listOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((each) => each !== "" && each !== "NONE" && each !== "UNDEFINED");
}

/** `gpus=2,exclusive=true`. */
export function valuesOf(text: string): Fields {
  return Object.fromEntries(
    listOf(text).flatMap((pair) => {
      const at = pair.indexOf("=");
      return at < 1 ? [] : [[pair.slice(0, at), pair.slice(at + 1)]];
    }),
  );
}

/** What a field of a queue says for hosts of one of the groups: `1,[@htc=4],[ip-0a000005=2]`. The first that fits counts. */
export function fieldFor(field: string, groups: ReadonlySet<string>): string {
  const own = [...field.matchAll(/\[([^=[\]]+)=([^[\]]*)\]/g)].find(([, who = ""]) => groups.has(who));
  return own?.[2] ?? field.replace(/,?\[[^[\]]*\]/g, "");
}

/** Whether an access list, or the department of its name, has somebody. */
export function isListed(
  name: string,
  { user, department }: { readonly user: string; readonly department: string },
  accessLists: Definitions["accessLists"],
): "yes" | "no" | "unknown" {
  const entries = accessLists.get(name) ?? [];
  if (name === department || entries.includes(user)) return "yes";
  // A group of the operating system: qstat does not say whose members are whose.
  return entries.some((entry) => entry.startsWith("@")) ? "unknown" : "no";
}

/** Whether somebody may use what has these access lists and projects. */
export function mayUse(
  { user_lists = "", xuser_lists = "", projects = "", xprojects = "" }: Fields,
  groups: ReadonlySet<string>,
  who: { readonly user: string; readonly department: string; readonly project: string },
  accessLists: Definitions["accessLists"],
): boolean {
  const of = (field: string) => listOf(fieldFor(field, groups));
  const isIn = (name: string) => isListed(name, who, accessLists);
  const [allowed, denied] = [of(user_lists), of(xuser_lists)];
  if (allowed.length > 0 && !allowed.some((name) => isIn(name) !== "no")) return false;
  if (denied.some((name) => isIn(name) === "yes")) return false;
  const [wanted, refused] = [of(projects), of(xprojects)];
  if (wanted.length > 0 && !wanted.some((name) => name === who.project)) return false;
  return !refused.some((name) => name === who.project);
}

export function pesMatching({ pes }: Definitions, pattern: string): readonly ParallelEnvironment[] {
  return pes.filter(({ name }) => matches(pattern, name));
}
