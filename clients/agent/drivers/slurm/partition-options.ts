import { minutesIn } from "./amounts.ts";

/** Power saving, by which Slurm itself asks for nodes. */
const powerOptions = ["PowerDownOnIdle", "ResumeTimeout", "SuspendTime", "SuspendTimeout"];

/**
 * Options of a partition that the driver's files may have as an administrator wants them, and what a controller prints of one that
 * a partition does not have; empty: nothing. Undefined: the cluster's own setting decides. Nodes and the default partition are ours.
 */
const options: Readonly<Record<string, string | undefined>> = {
  PowerDownOnIdle: "NO",
  ResumeTimeout: "GLOBAL",
  SuspendTime: "GLOBAL",
  SuspendTimeout: "GLOBAL",
  AllocNodes: "ALL",
  AllowAccounts: "ALL",
  AllowGroups: "ALL",
  AllowQos: "ALL",
  Alternate: "",
  CpuBind: "",
  DefaultTime: "NONE",
  DefCpuPerGPU: "",
  DefMemPerCPU: "UNLIMITED",
  DefMemPerGPU: "",
  DefMemPerNode: "UNLIMITED",
  DenyAccounts: "",
  DenyQos: "",
  DisableRootJobs: undefined,
  ExclusiveTopo: "NO",
  ExclusiveUser: "NO",
  GraceTime: "0",
  Hidden: "NO",
  LLN: "NO",
  MaxCPUsPerNode: "UNLIMITED",
  MaxCPUsPerSocket: "UNLIMITED",
  MaxMemPerCPU: undefined,
  MaxMemPerNode: undefined,
  MaxNodes: "UNLIMITED",
  MaxTime: "UNLIMITED",
  MinNodes: "0",
  OverSubscribe: "NO",
  OverTimeLimit: "NONE",
  PreemptMode: undefined,
  PriorityJobFactor: "1",
  PriorityTier: "1",
  QOS: "N/A",
  ReqResv: "NO",
  RootOnly: "NO",
  SelectTypeParameters: "NONE",
  State: "UP",
  Topology: "",
  TRESBillingWeights: "",
};

const spellings = new Map(Object.keys(options).map((name) => [name.toLowerCase(), name]));

export function isPartitionOption(name: string): boolean {
  return spellings.has(name.toLowerCase());
}

export function isPowerOption(name: string): boolean {
  return powerOptions.includes(spellings.get(name.toLowerCase()) ?? "");
}

/** One word: nothing of it ends the value, begins a comment or continues the line. */
export const optionValue = /^[\w.:+,=/%@()[\]*-]{1,2000}$/;

/** A partition's options behind those that it has without: the same key once, as Slurm reads keys. */
export function optionsWith(
  usual: readonly (readonly [key: string, value: string])[],
  wanted: Readonly<Record<string, string>>,
): readonly string[] {
  const own = new Map(Object.entries(wanted).map(([key, value]) => [key.toLowerCase(), value]));
  // Slurm takes one of these alone.
  const isMemory = (name: string) => ["defmempercpu", "defmempernode", "defmempergpu"].includes(name);
  const hasMemory = [...own.keys()].some(isMemory);
  const kept = usual.filter(([key]) => {
    const name = key.toLowerCase();
    return !own.has(name) && !(hasMemory && isMemory(name));
  });
  return [...kept, ...[...own].map(([name, value]) => [spellings.get(name) ?? name, value] as const)].map(
    ([key, value]) => `${key}=${value}`,
  );
}

type Fields = Readonly<Record<string, string>>;

/**
 * The options that a partition has on one of two sides, a line of slurm.conf or what a controller prints: the same words where they
 * mean the same.
 */
export function optionsOfBoth(
  wanted: Fields,
  running: Fields,
): readonly { readonly name: string; readonly wanted: string; readonly running: string }[] {
  const [own, theirs] = [optionsIn(wanted), optionsIn(running)];
  return Object.entries(options).flatMap(([name, usual]) => {
    const asked = own.get(name.toLowerCase()) ?? usual;
    const has = theirs.get(name.toLowerCase()) ?? usual ?? "";
    return asked === undefined || (asked === usual && has === usual)
      ? []
      : [{ name, wanted: asked, running: has }];
  });
}

/** What slurm.conf and controllers of 26.05 call `Exclusive`, by the keys of all releases. */
const exclusives: Readonly<Record<string, Fields>> = {
  NODE: { OverSubscribe: "EXCLUSIVE" },
  TOPO: { ExclusiveTopo: "YES" },
  USER: { ExclusiveUser: "YES" },
};

function optionsIn({ JobDefaults = "", Exclusive = "", ...fields }: Fields): ReadonlyMap<string, string> {
  const defaults = JobDefaults.split(",").map((pair) => pair.split("="));
  const exclusive = exclusives[Exclusive.toUpperCase()] ?? {};
  return new Map(
    [...Object.entries({ ...fields, ...exclusive }), ...defaults].map(([name = "", value = ""]) => [
      name.toLowerCase(),
      inOneSpelling(name.toLowerCase(), value),
    ]),
  );
}

/** Slurm prints many values in other letters or another order than they were written in. */
function inOneSpelling(name: string, value: string): string {
  if (["defaulttime", "maxtime"].includes(name)) {
    const minutes = minutesIn(value);
    if (minutes !== undefined) return String(minutes);
  }
  const word = value.toUpperCase();
  // The number of jobs that share a node is four unless it is given.
  if (name === "oversubscribe" && ["FORCE", "YES"].includes(word)) return `${word}:4`;
  return /^(INFINITE|-1)$/.test(word) ? "UNLIMITED" : word.split(",").toSorted().join(",");
}
