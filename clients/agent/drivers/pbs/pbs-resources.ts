import { memberOf } from "../../../../shared/engine/index.ts";

/** What a resource is to the scheduler, whatever JSON made of its values. */
export type ResourceKind =
  /** A number that jobs use up. */
  | "amount"
  /** The same in bytes. */
  | "size"
  | "text"
  /** A list of texts; a job asks for one of them. */
  | "texts"
  | "boolean"
  /** Nothing by which a node is chosen. */
  | "none";

/** Of a release of PBS itself: qmgr lists only what a site added. */
const builtIn: Readonly<Record<string, ResourceKind>> = {
  ncpus: "amount",
  mem: "size",
  vmem: "size",
  naccelerators: "amount",
  accelerator: "boolean",
  accelerator_memory: "size",
  accelerator_model: "text",
  hbmem: "size",
  arch: "text",
  host: "text",
  vnode: "text",
  aoe: "texts",
  eoe: "texts",
  vntype: "texts",
};

const alwaysScheduled = ["ncpus", "mem", "arch", "host", "vnode"];

/** Of a whole job, or for the processes on a node. */
const notOfNodes =
  /^(?:mpp|PBScray|pcput$|cput$|cpupercent$|energy$|exec_vnode$|file$|[a-z]+_walltime$|walltime$|mpiprocs$|ompthreads$|nchunk$|nice$|node(?:ct|s)$|place$|pmem$|preempt_targets$|pvmem$|select$|site$|software$|start_time$|stageout$|min_walltime$|max_walltime$)/;

interface OwnResource {
  readonly kind: ResourceKind;
  readonly flags: string;
}

/** The resources that `qmgr -c "list resource"` shows, and those of PBS itself. */
export class ResourceTypes {
  readonly #own: ReadonlyMap<string, OwnResource>;
  readonly #scheduled: ReadonlySet<string> | undefined;

  /** `scheduled`: undefined when nobody knows, so that all count. */
  constructor(own: ReadonlyMap<string, OwnResource>, scheduled: ReadonlySet<string> | undefined) {
    this.#own = own;
    this.#scheduled = scheduled;
  }

  /** Undefined: PBS would not know it either. */
  kindOf(name: string): ResourceKind | undefined {
    const known = this.#own.get(name)?.kind ?? memberOf(builtIn, name);
    return known ?? (notOfNodes.test(name) ? "none" : undefined);
  }

  /** Whether the scheduler looks at it: it is in sched_config, or a boolean of hosts. */
  isScheduled(name: string): boolean {
    if (this.#scheduled === undefined || this.#scheduled.has(name) || alwaysScheduled.includes(name))
      return true;
    const own = this.#own.get(name);
    return own?.kind === "boolean" && isOfHosts(own);
  }

  /** Whether what jobs have of it is gone for others. Without one of these flags PBS compares, and counts nothing. */
  isUsedUp(name: string): boolean {
    const own = this.#own.get(name);
    return own === undefined || /[nfq]/.test(own.flags);
  }

  /** Whether the server adds up what the chunks of a job ask of it. */
  isSummed(name: string): boolean {
    return this.#own.get(name)?.flags.includes("q") ?? true;
  }

  /** Amounts and booleans of hosts that a site added: what a host does not have of them is nothing. */
  counted(): readonly (readonly [string, 0 | false])[] {
    return [...this.#own]
      .filter(([name, own]) => isOfHosts(own) && this.isScheduled(name))
      .flatMap(([name, { kind }]): readonly (readonly [string, 0 | false])[] => {
        if (kind === "amount" || kind === "size") return [[name, 0] as const];
        return kind === "boolean" ? [[name, false] as const] : [];
      });
  }

  /** Those that a site added, which nodes can be given. */
  own(): readonly string[] {
    return [...this.#own].filter(([, own]) => isOfHosts(own)).map(([name]) => name);
  }
}

const isOfHosts = ({ flags }: OwnResource) => flags.includes("h");

const kinds: Readonly<Record<string, ResourceKind>> = {
  long: "amount",
  float: "amount",
  size: "size",
  string: "text",
  string_array: "texts",
  boolean: "boolean",
};

/** `qmgr -c "list resource"`; undefined when a record is not whole. A record that is missing shows where its name is used. */
export function readResourceTypes(
  text: string,
  scheduled: ReadonlySet<string> | undefined,
): ResourceTypes | undefined {
  const own = new Map<string, OwnResource>();
  const records = text.split(/^Resource /m);
  for (const record of records.slice(1)) {
    const [name = "", ...lines] = record.split("\n").map((line) => line.trim());
    const type = lineValue(lines, "type");
    // A record ends with an empty line: what was cut short has none.
    if (!/^[\w-]+$/.test(name) || type === undefined || !record.endsWith("\n\n")) return undefined;
    own.set(name, { kind: kinds[type] ?? "none", flags: lineValue(lines, "flag") ?? "" });
  }
  const before = (records[0] ?? "").split("\n");
  return before.every((line) => line === "" || line.startsWith("#"))
    ? new ResourceTypes(own, scheduled)
    : undefined;
}

function lineValue(lines: readonly string[], name: string): string | undefined {
  return lines.find((line) => line.startsWith(`${name} = `))?.slice(name.length + 3);
}

/** The line `resources: "ncpus, mem, …"` of sched_config; undefined when it is not there. */
export function readScheduledResources(text: string): ReadonlySet<string> | undefined {
  const list = /^resources:\s*"([^"\n]*)"/m.exec(text)?.[1];
  return list === undefined ? undefined : new Set(list.split(",").map((name) => name.trim()));
}

const bytesOf: Readonly<Record<string, number>> = {
  "": 1,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  p: 2 ** 50,
};

/** `16gb`, `1048576kb`, `2mw` (words of 8 bytes) or bytes, as PBS writes sizes; undefined for what is none. */
function bytesIn(value: string): number | undefined {
  const match = /^(\d{1,15})([kmgtp]?)([bw]?)$/i.exec(value.trim());
  if (match === null) return undefined;
  const [, count, scale = "", unit = ""] = match;
  return Number(count) * (bytesOf[scale.toLowerCase()] ?? 1) * (unit.toLowerCase() === "w" ? 8 : 1);
}

/** A number, or a size in bytes; undefined for what is neither. */
export function amountIn(value: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(value) && value.length < 16 ? Number(value) : bytesIn(value);
}

/** PBS's words for true and false; undefined for others. */
export function booleanIn(value: string): boolean | undefined {
  if (/^(?:true|t|yes|y|1)$/i.test(value)) return true;
  return /^(?:false|f|no|n|0)$/i.test(value) ? false : undefined;
}

/** Seconds of `HH:MM:SS`, `MM:SS` or a number. */
export function secondsIn(value: string): number | undefined {
  if (!/^\d{1,9}(?::\d{1,2}){0,2}(?:\.\d+)?$/.test(value)) return undefined;
  return value.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}
