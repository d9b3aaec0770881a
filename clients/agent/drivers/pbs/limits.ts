import type { Draw } from "../shared-pools.ts";
import type { JobRecord, QueueRecord, ServerRecord } from "./pbs-records.ts";
import { amountIn, type ResourceTypes } from "./pbs-resources.ts";

type Limited = Pick<
  QueueRecord & ServerRecord,
  | "max_run"
  | "max_run_res"
  | "max_running"
  | "max_user_run"
  | "max_group_run"
  | "max_user_res"
  | "max_group_res"
  | "resources_available"
  | "resources_assigned"
>;

/** Whom a limit is for: each user, group or project by itself, or all jobs together. */
type Who = "u" | "g" | "p" | "o";
const whoNames: Readonly<Record<Who, string>> = { u: "user", g: "group", p: "project", o: "all jobs" };

interface Limit {
  /** Empty: the number of jobs. */
  readonly resource: string;
  readonly who: Who;
  /** Empty: everybody of whom there is no other limit. */
  readonly name: string;
  readonly most: number;
}

/** Those of one resource and one kind of owner, of which one counts for a job. */
type LimitGroup = readonly [Limit, ...Limit[]];

interface Scope {
  readonly groups: readonly LimitGroup[];
  readonly record: Limited;
}

const everybody = "PBS_GENERIC";

/** Limits of queues and of the server on jobs that run, and how much of each is used. */
export class Limits {
  readonly #server: Scope;
  readonly #queues: ReadonlyMap<string, Scope>;
  readonly #used = new Map<string, number>();
  readonly #types: Pick<ResourceTypes, "isScheduled" | "isUsedUp">;

  constructor(
    server: Limited,
    queues: ReadonlyMap<string, Limited>,
    running: readonly JobRecord[],
    types: Pick<ResourceTypes, "isScheduled" | "isUsedUp">,
  ) {
    this.#server = scopeOf(server);
    this.#queues = new Map([...queues].map(([name, record]) => [name, scopeOf(record)]));
    this.#types = types;
    for (const job of running) {
      this.#use(job, "", this.#server.groups);
      this.#use(job, job.queue, this.#queues.get(job.queue)?.groups ?? []);
    }
  }

  /** Counts what limits are of: nobody asks about anything else. */
  #use(job: JobRecord, scope: string, groups: readonly LimitGroup[]): void {
    const owners = ownersOf(job);
    for (const [{ resource, who }] of groups)
      this.#add([scope, who, owners.get(who) ?? "", resource], amountOf(job, resource));
  }

  #add(key: readonly string[], amount: number): void {
    const text = JSON.stringify(key);
    this.#used.set(text, (this.#used.get(text) ?? 0) + amount);
  }

  /** What the job takes of all limits that are for it; a text: why it can never start. */
  drawsOf(job: JobRecord): readonly Draw[] | string {
    const queue = this.#queues.get(job.queue);
    const draws = [
      ...this.#ofLimits(job, "", this.#server.groups),
      ...this.#ofLimits(job, job.queue, queue?.groups ?? []),
    ];
    const pools = this.#ofAvailable(job);
    if (typeof pools === "string") return pools;
    const all = [...draws, ...pools].filter(({ requested }) => requested > 0);
    const never = all.find(({ requested, total }) => requested > total);
    return never === undefined ? all : `${never.name}: ${never.requested} wanted, at most ${never.total}`;
  }

  #ofLimits(job: JobRecord, scope: string, groups: readonly LimitGroup[]): readonly Draw[] {
    const owners = ownersOf(job);
    return groups.flatMap((group): readonly Draw[] => {
      const [{ resource, who }] = group;
      const name = owners.get(who) ?? "";
      const limit = group.find((each) => each.name === name) ?? group.find((each) => each.name === "");
      if (limit === undefined) return [];
      const requested = amountOf(job, resource);
      const used = this.#used.get(JSON.stringify([scope, who, name, resource])) ?? 0;
      const what = resource === "" ? "max_run" : `max_run_res.${resource}`;
      const whose = who === "o" ? whoNames.o : `${whoNames[who]} ${name}`;
      const where = scope === "" ? "server" : `queue ${scope}`;
      return [
        {
          name: `${what} of ${whose}, ${where}`,
          requested,
          total: limit.most,
          free: Math.max(0, limit.most - used),
        },
      ];
    });
  }

  /** Licences and the like: what the server or the queue has, and not its nodes. */
  #ofAvailable(job: JobRecord): readonly Draw[] | string {
    const draws: Draw[] = [];
    for (const [where, record] of [
      ["server", this.#server.record],
      [`queue ${job.queue}`, this.#queues.get(job.queue)?.record],
    ] as const) {
      for (const [resource, value] of record?.resources_available ?? []) {
        const asked = job.Resource_List.get(resource);
        if (asked === undefined || !this.#types.isScheduled(resource)) continue;
        const total = amountIn(value);
        const requested = amountIn(asked);
        if (total !== undefined && requested !== undefined) {
          const name = `${resource} of ${where}`;
          const used = amountIn(record?.resources_assigned.get(resource) ?? "0") ?? 0;
          if (this.#types.isUsedUp(resource))
            draws.push({ name, requested, total, free: Math.max(0, total - used) });
          else if (requested > total) return `${name}: ${requested} wanted, at most ${total}`;
        } else if (!value.split(",").some((each) => each.trim().toLowerCase() === asked.toLowerCase())) {
          return `asks for ${resource}=${asked}, the ${where} has ${value}`;
        }
      }
    }
    return draws;
  }
}

function scopeOf(record: Limited): Scope {
  const groups = Map.groupBy(limitsIn(record), ({ resource, who }) => JSON.stringify([resource, who]));
  return { groups: [...groups.values()].map((group) => group as unknown as LimitGroup), record };
}

/** What a job has of a resource; of none: it is one job. */
function amountOf(job: JobRecord, resource: string): number {
  return resource === "" ? 1 : (amountIn(job.Resource_List.get(resource) ?? "") ?? 0);
}

function ownersOf(job: JobRecord): ReadonlyMap<Who, string> {
  return new Map([
    ["u", job.euser],
    ["g", job.egroup],
    ["p", job.project],
    ["o", ""],
  ]);
}

/** `[u:PBS_GENERIC=1], [u:ann=3], [o:PBS_ALL=10]`, and the older attributes. */
function limitsIn(record: Limited): readonly Limit[] {
  return [
    ...listed("", record.max_run),
    ...[...record.max_run_res].flatMap(([resource, value]) => listed(resource, value)),
    ...single("o", "", record.max_running),
    ...single("u", "", record.max_user_run),
    ...single("g", "", record.max_group_run),
    ...[...record.max_user_res].flatMap(([resource, value]) => single("u", resource, value)),
    ...[...record.max_group_res].flatMap(([resource, value]) => single("g", resource, value)),
  ];
}

function listed(resource: string, text: string): readonly Limit[] {
  return [...text.matchAll(/\[([ugpo]):("[^"[]*"|[^="[\]]+)=([^[\]]+)\]/g)].flatMap(
    ([, who, name = "", value = ""]) => {
      const most = amountIn(value.trim());
      const bare = name.replaceAll('"', "").trim();
      if (most === undefined) return [];
      return [{ resource, who: who as Who, name: bare === everybody || who === "o" ? "" : bare, most }];
    },
  );
}

function single(who: Who, resource: string, value: string): readonly Limit[] {
  const most = amountIn(value);
  return most === undefined ? [] : [{ resource, who, name: "", most }];
}
