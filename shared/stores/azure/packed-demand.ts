import { InvariantError } from "../../errors/errors.ts";
import type { SourceDemand, StoredJob } from "../../ports/index.ts";

/** Members that differ from job to job in most schedulers. As part of a shape they would give each job its own shape. */
const ownKeys = [
  ...["priority", "submittedAt", "startedAtSeconds", "runtimeSeconds", "jobName"],
  ...["waitingSinceSeconds", "interruptedOn", "gang"],
] as const satisfies readonly (keyof StoredJob)[];
type OwnKey = (typeof ownKeys)[number];
/** Members that an owner's jobs share across shapes. As part of a shape they would multiply shapes by owners. */
type Owner = Partial<Pick<StoredJob, "user" | "account" | "queue">>;
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
const shapeMembers = Object.keys({
  constraints: 0,
  iterations: 0,
  nodeCount: 0,
  colocated: 0,
  exclusive: 0,
  packingStrategy: 0,
  gangSize: 0,
  interruptible: 0,
  notes: 0,
  warnings: 0,
  waitingReason: 0,
  behindOthers: 0,
} satisfies Record<keyof JobShape, 0>) as readonly (keyof JobShape)[];

export function packDemand({ jobs, ...rest }: SourceDemand): PackedDemand {
  const shapes = new Parts<JobShape>(shapeMembers);
  const owners = new Parts<Owner>(["user", "account", "queue"]);
  const name: string[] = [];
  const shape: number[] = [];
  const owner: number[] = [];
  const hosts: (readonly string[] | null)[] = [];
  const own = ownKeys.map((key) => ({ key, isTold: false, values: [] as unknown[] }));
  for (const job of jobs) {
    name.push(job.name);
    shape.push(shapes.placeOf(job));
    owner.push(owners.placeOf(job));
    hosts.push(job.executingHostnames.length === 0 ? null : job.executingHostnames);
    for (const column of own) {
      const value = job[column.key] ?? null;
      if (value !== null && value !== 0) column.isTold = true;
      column.values.push(value);
    }
  }
  const told = own.filter(({ isTold }) => isTold).map(({ key, values }) => [key, values]);
  const columns: Columns = {
    name,
    shape,
    ...(owners.values.length > 1 && { owner }),
    ...(hosts.some((names) => names !== null) && { executingHostnames: hosts }),
    ...Object.fromEntries(told),
  };
  return { ...rest, shapes: shapes.values, owners: owners.values, jobs: columns };
}

/** Parts of the same first member that are compared before a key is made of one. */
const mostCompared = 8;

/** Distinct parts of jobs, each made of the same members, with their indexes. */
class Parts<T extends Partial<StoredJob>> {
  readonly values: T[] = [];
  readonly #members: readonly (keyof T & keyof StoredJob)[];
  readonly #places = new Map<string, number>();
  /** Jobs by their first member: mostly one of the first few has the same part, and no key has to be made. */
  readonly #alike = new Map<unknown, { readonly job: StoredJob; readonly place: number }[]>();

  constructor(members: readonly (keyof T & keyof StoredJob)[]) {
    this.#members = members;
  }

  placeOf(job: StoredJob): number {
    const [first = "name"] = this.#members;
    const alike = this.#alike.get(job[first]) ?? [];
    for (const each of alike) if (this.#isSame(each.job, job)) return each.place;
    const key = this.#keyOf(job);
    const place = this.#places.get(key) ?? this.values.push(this.#partOf(job)) - 1;
    this.#places.set(key, place);
    if (alike.length < mostCompared) alike.push({ job, place });
    if (alike.length === 1) this.#alike.set(job[first], alike);
    return place;
  }

  #isSame(one: StoredJob, other: StoredJob): boolean {
    for (const member of this.#members) if (one[member] !== other[member]) return false;
    return true;
  }

  /** Cheaper for each job than the JSON of its part. */
  #keyOf(job: StoredJob): string {
    let key = "";
    for (const member of this.#members) {
      const value = job[member];
      const isText = typeof value === "object" || typeof value === "string";
      key += isText ? `${JSON.stringify(value)} ` : `${value} `;
    }
    return key;
  }

  #partOf(job: StoredJob): T {
    const told = this.#members.filter((member) => job[member] !== undefined);
    return Object.fromEntries(told.map((member) => [member, job[member]])) as T;
  }
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
