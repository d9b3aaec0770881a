import { InvariantError } from "../../errors.ts";
import type { DemandJob } from "../../messages/index.ts";
import type { SourceDemand } from "../../ports/index.ts";

/** What jobs of one shape share: all but what tells one from the next. */
type JobShape = Omit<DemandJob, OwnKey | OwnerKey>;
type OwnKey =
  | "name"
  | "executingHostnames"
  | "submittedAt"
  | "startedAtSeconds"
  | "runtimeSeconds"
  | "jobName";
type Own = Partial<Pick<DemandJob, Exclude<OwnKey, "name">>>;
/** What jobs of one owner share, of whatever shape they are: a shape for each owner would be written as often. */
type OwnerKey = "user" | "account" | "queue";
type Owner = Partial<Pick<DemandJob, OwnerKey>>;

/** Name, places of its shape and of its owner, and what else is its own. */
type PackedJob = readonly [name: string, shape: number, owner?: number, own?: Own];

/** A source's demand as it is stored: what thousands of jobs have in common is written once. */
export interface PackedDemand extends Omit<SourceDemand, "jobs"> {
  readonly shapes: readonly JobShape[];
  readonly owners: readonly Owner[];
  readonly jobs: readonly PackedJob[];
}

const noHostnames: readonly string[] = [];

export function packDemand({ jobs, ...rest }: SourceDemand): PackedDemand {
  const shapes = new Places<JobShape>();
  const owners = new Places<Owner>();
  const ofNobody = owners.of({});
  const packed = jobs.map((job): PackedJob => {
    const { name, executingHostnames, submittedAt, startedAtSeconds, runtimeSeconds, jobName, ...others } =
      job;
    const { user, account, queue, ...shape } = others;
    const place = shapes.of(shape);
    const owner = owners.of({ user, account, queue });
    const own: Own = {
      ...(executingHostnames.length > 0 && { executingHostnames }),
      ...(submittedAt !== undefined && { submittedAt }),
      ...(startedAtSeconds !== undefined && { startedAtSeconds }),
      ...(runtimeSeconds !== undefined && { runtimeSeconds }),
      ...(jobName !== undefined && { jobName }),
    };
    if (Object.keys(own).length > 0) return [name, place, owner, own];
    return owner === ofNobody ? [name, place] : [name, place, owner];
  });
  return { ...rest, shapes: shapes.values, owners: owners.values, jobs: packed };
}

/** Values that are written once, and where. */
class Places<T> {
  readonly values: T[] = [];
  readonly #places = new Map<string, number>();

  of(value: T): number {
    const key = JSON.stringify(value);
    const place = this.#places.get(key) ?? this.values.push(value) - 1;
    this.#places.set(key, place);
    return place;
  }
}

/** Jobs of one shape share their constraints: who works something out of them does it once. */
export function unpackDemand({ jobs, shapes, owners, ...rest }: PackedDemand): SourceDemand {
  const unpacked = jobs.map(([name, place, owner = 0, own]): DemandJob => {
    const shape = shapes[place];
    if (shape === undefined)
      throw new InvariantError(`Stored job "${name}" is of shape ${place}, and there is none`);
    return { ...shape, name, executingHostnames: noHostnames, ...owners[owner], ...own } as DemandJob;
  });
  return { ...rest, jobs: unpacked };
}
