import { InvariantError } from "../../errors/errors.ts";
import type { SourceDemand, StoredJob } from "../../ports/index.ts";

/** How each of some members is read. Written out: by their names, reading those of 100,000 jobs takes three times as long. */
type Readers<Key extends keyof StoredJob> = { readonly [K in Key]-?: (job: StoredJob) => StoredJob[K] };

/** Members that differ from job to job in most schedulers. As part of a shape they would give each job its own shape. */
const ownMembers = {
  priority: (job) => job.priority,
  submittedAt: (job) => job.submittedAt,
  startedAtSeconds: (job) => job.startedAtSeconds,
  runtimeSeconds: (job) => job.runtimeSeconds,
  jobName: (job) => job.jobName,
  waitingSinceSeconds: (job) => job.waitingSinceSeconds,
  interruptedOn: (job) => job.interruptedOn,
  gang: (job) => job.gang,
} satisfies Partial<Readers<keyof StoredJob>>;
type OwnKey = keyof typeof ownMembers;
const ownKeys = Object.keys(ownMembers) as readonly OwnKey[];
/** Members that an owner's jobs share across shapes. As part of a shape they would multiply shapes by owners. */
type Owner = Partial<Pick<StoredJob, "user" | "account" | "queue">>;
const ownerMembers: Readers<keyof Owner> = {
  user: (job) => job.user,
  account: (job) => job.account,
  queue: (job) => job.queue,
};
/** Members that jobs of one shape share: all the rest. */
type JobShape = Omit<StoredJob, "name" | "executingHostnames" | OwnKey | keyof Owner>;

/** Jobs as columns. A column without any value is left out; null means that the job has none. */
type Columns = { readonly [Key in OwnKey]?: readonly (NonNullable<StoredJob[Key]> | null)[] } & {
  readonly name: readonly string[];
  /** Indexes into `shapes` and `owners`. */
  readonly shape: readonly number[];
  /** Absent: all jobs have the first owner. */
  readonly owner?: readonly number[];
  readonly executingHostnames?: readonly (readonly string[] | null)[];
};

/** A source's demand as it is stored: what thousands of jobs have in common is written once. */
export interface PackedDemand extends Omit<SourceDemand, "jobs"> {
  readonly shapes: readonly JobShape[];
  readonly owners: readonly Owner[];
  readonly jobs: Columns;
}

const noHostnames: readonly string[] = [];

/** Fails to compile when a new member of a job is in none of the lists above. The constraints differ most. */
const shapeMembers: Readers<keyof JobShape> = {
  constraints: (job) => job.constraints,
  iterations: (job) => job.iterations,
  nodeCount: (job) => job.nodeCount,
  colocated: (job) => job.colocated,
  exclusive: (job) => job.exclusive,
  packingStrategy: (job) => job.packingStrategy,
  gangApart: (job) => job.gangApart,
  mayDivide: (job) => job.mayDivide,
  gangSize: (job) => job.gangSize,
  interruptible: (job) => job.interruptible,
  notes: (job) => job.notes,
  warnings: (job) => job.warnings,
  waitingReason: (job) => job.waitingReason,
  behindOthers: (job) => job.behindOthers,
};

export function packDemand({ jobs, ...rest }: SourceDemand): PackedDemand {
  const shapes = new Parts<JobShape>(shapeMembers);
  const owners = new Parts<Owner>(ownerMembers);
  const shape = jobs.map((job) => shapes.placeOf(job));
  const owner = jobs.map((job) => owners.placeOf(job));
  const own = Object.entries<(job: StoredJob) => unknown>(ownMembers).flatMap(([key, read]) => {
    const isTold = jobs.some((job) => (read(job) ?? 0) !== 0);
    return isTold ? [[key, jobs.map((job) => read(job) ?? null)]] : [];
  });
  const hosts = jobs.map(({ executingHostnames: names }) => (names.length === 0 ? null : names));
  const columns: Columns = {
    name: jobs.map(({ name }) => name),
    shape,
    ...(owners.values.length > 1 && { owner }),
    ...(hosts.some((names) => names !== null) && { executingHostnames: hosts }),
    ...Object.fromEntries(own),
  };
  return { ...rest, shapes: shapes.values, owners: owners.values, jobs: columns };
}

/** Parts of the same first member that are compared before a key is made of one. */
const mostCompared = 8;

/** Distinct parts of jobs, each made of the same members, with their indexes. */
class Parts<T extends Partial<StoredJob>> {
  readonly values: T[] = [];
  readonly #members: readonly string[];
  readonly #readers: readonly ((job: StoredJob) => unknown)[];
  readonly #places = new Map<string, number>();
  /** Parts by their first member: mostly one of the first few is the same, and no key has to be made. */
  readonly #alike = new Map<unknown, { readonly part: readonly unknown[]; readonly place: number }[]>();

  constructor(members: Readers<keyof T & keyof StoredJob>) {
    this.#members = Object.keys(members);
    this.#readers = Object.values(members);
  }

  placeOf(job: StoredJob): number {
    const first = this.#readers[0]?.(job);
    const alike = this.#alike.get(first) ?? [];
    for (const each of alike) if (this.#isSame(each.part, job)) return each.place;
    const part = this.#readers.map((read) => read(job));
    const key = keyOf(part);
    const place = this.#places.get(key) ?? this.values.push(this.#valueOf(part)) - 1;
    this.#places.set(key, place);
    if (alike.length < mostCompared) alike.push({ part, place });
    if (alike.length === 1) this.#alike.set(first, alike);
    return place;
  }

  #isSame(part: readonly unknown[], job: StoredJob): boolean {
    let index = 0;
    for (const read of this.#readers) {
      if (read(job) !== part[index]) return false;
      index += 1;
    }
    return true;
  }

  #valueOf(part: readonly unknown[]): T {
    const told = this.#members.flatMap((member, at) => (part[at] === undefined ? [] : [[member, part[at]]]));
    return Object.fromEntries(told) as T;
  }
}

/** Cheaper for each job than the JSON of its part. */
function keyOf(part: readonly unknown[]): string {
  let key = "";
  for (const value of part) {
    const isText = typeof value === "object" || typeof value === "string";
    key += isText ? `${JSON.stringify(value)} ` : `${value} `;
  }
  return key;
}

/** Jobs of one shape share one constraints object, so derived values can be cached by it. */
export function unpackDemand({ jobs, shapes, owners, ...rest }: PackedDemand): SourceDemand {
  const { priority = [] } = jobs;
  const columns = ownKeys.flatMap((key) => {
    const column = key === "priority" ? undefined : jobs[key];
    return column === undefined ? [] : [{ key, column }];
  });
  const unpacked = jobs.name.map((name, index): StoredJob => {
    const place = jobs.shape[index] ?? -1;
    const shape = shapes[place];
    if (shape === undefined)
      throw new InvariantError(`Stored job "${name}" is of shape ${place}, and there is none`);
    const job: Omit<StoredJob, OwnKey> & { [Key in OwnKey]?: unknown } = {
      ...shape,
      name,
      priority: priority[index] ?? 0,
      executingHostnames: (jobs.executingHostnames?.[index] ?? noHostnames) as string[],
      ...owners[jobs.owner?.[index] ?? 0],
    };
    for (const { key, column } of columns) {
      const value = column[index] ?? null;
      if (value !== null) job[key] = value;
    }
    return job as StoredJob;
  });
  return { ...rest, jobs: unpacked };
}
