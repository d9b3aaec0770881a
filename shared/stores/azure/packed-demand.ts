import { InvariantError } from "../../errors/errors.ts";
import type { SourceDemand, StoredJob } from "../../ports/index.ts";

/** Members that differ from job to job in most schedulers. As part of a shape they would give each job its own shape. */
const ownKeys = [
  ...["priority", "submittedAt", "startedAtSeconds", "runtimeSeconds", "jobName"],
  ...["waitingSinceSeconds", "interruptedOn"],
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

export function packDemand({ jobs, ...rest }: SourceDemand): PackedDemand {
  const shapes = new Places<JobShape>();
  const owners = new Places<Owner>();
  const owner = jobs.map((job) => owners.of(ownerKey(job), () => ownerOf(job)));
  const isRunning = jobs.some(({ executingHostnames }) => executingHostnames.length > 0);
  const hosts = jobs.map(({ executingHostnames: names }) => (names.length === 0 ? null : names));
  const columns: Columns = {
    name: jobs.map(({ name }) => name),
    shape: jobs.map((job) => shapes.of(shapeKey(job), () => shapeOf(job))),
    ...(owners.values.length > 1 && { owner }),
    ...(isRunning && { executingHostnames: hosts }),
    ...Object.fromEntries(
      ownKeys
        .filter((key) => jobs.some((job) => (job[key] ?? 0) !== 0))
        .map((key) => [key, jobs.map((job) => job[key] ?? null)]),
    ),
  };
  return { ...rest, shapes: shapes.values, owners: owners.values, jobs: columns };
}

/** Distinct values with their indexes. */
class Places<T> {
  readonly values: T[] = [];
  readonly #places = new Map<string, number>();

  of(key: string, make: () => T): number {
    const knownPlace = this.#places.get(key);
    if (knownPlace !== undefined) return knownPlace;
    const place = this.values.push(make()) - 1;
    this.#places.set(key, place);
    return place;
  }
}

/** Fails to compile when a new member of a job is in none of the lists above. */
const shapeMembers = Object.keys({
  constraints: 0,
  iterations: 0,
  nodeCount: 0,
  colocated: 0,
  exclusive: 0,
  packingStrategy: 0,
  interruptible: 0,
  notes: 0,
  warnings: 0,
  waitingReason: 0,
  behindOthers: 0,
} satisfies Record<keyof JobShape, 0>) as readonly (keyof JobShape)[];

/** Cheaper for each job than the JSON of its shape. */
function shapeKey(job: StoredJob): string {
  let key = "";
  for (const member of shapeMembers) {
    const value = job[member];
    const isText = typeof value === "object" || typeof value === "string";
    key += isText ? `${JSON.stringify(value)} ` : `${value} `;
  }
  return key;
}

function shapeOf(job: StoredJob): JobShape {
  const told = shapeMembers.filter((member) => job[member] !== undefined);
  return Object.fromEntries(told.map((member) => [member, job[member]])) as unknown as JobShape;
}

/** Lengths prefix the texts, because any separator could occur in a text. */
function ownerKey({ user = "", account = "", queue = "" }: StoredJob): string {
  return `${user.length} ${account.length} ${user}${account}${queue}`;
}

function ownerOf({ user, account, queue }: StoredJob): Owner {
  return {
    ...(user !== undefined && { user }),
    ...(account !== undefined && { account }),
    ...(queue !== undefined && { queue }),
  };
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
