import { InvariantError } from "../../errors.ts";
import type { DemandJob } from "../../messages/index.ts";
import type { SourceDemand } from "../../ports/index.ts";

/** What jobs of one shape share: all but what tells one from the next. */
type JobShape = Omit<DemandJob, OwnKey>;
type OwnKey = "name" | "executingHostnames" | "submittedAt";
type Own = Partial<Pick<DemandJob, "executingHostnames" | "submittedAt">>;

/** Name, place of its shape in `shapes`, and what else is its own. */
type PackedJob = readonly [name: string, shape: number, own?: Own];

/** A source's demand as it is stored: what thousands of jobs have in common is written once. */
export interface PackedDemand extends Omit<SourceDemand, "jobs"> {
  readonly shapes: readonly JobShape[];
  readonly jobs: readonly PackedJob[];
}

const noHostnames: readonly string[] = [];

export function packDemand({ jobs, ...rest }: SourceDemand): PackedDemand {
  const shapes: JobShape[] = [];
  const places = new Map<string, number>();
  const packed = jobs.map(({ name, executingHostnames, submittedAt, ...shape }): PackedJob => {
    const key = JSON.stringify(shape);
    const place = places.get(key) ?? shapes.push(shape) - 1;
    places.set(key, place);
    const isRunning = executingHostnames.length > 0;
    if (!isRunning && submittedAt === undefined) return [name, place];
    return [name, place, { ...(isRunning && { executingHostnames }), ...(submittedAt && { submittedAt }) }];
  });
  return { ...rest, shapes, jobs: packed };
}

/** Jobs of one shape share their constraints: who works something out of them does it once. */
export function unpackDemand({ jobs, shapes, ...rest }: PackedDemand): SourceDemand {
  const unpacked = jobs.map(([name, place, own]): DemandJob => {
    const shape = shapes[place];
    if (shape === undefined)
      throw new InvariantError(`Stored job "${name}" is of shape ${place}, and there is none`);
    return { ...shape, name, executingHostnames: noHostnames, ...own } as DemandJob;
  });
  return { ...rest, jobs: unpacked };
}
