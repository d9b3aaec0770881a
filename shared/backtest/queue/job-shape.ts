import type { TraceJob } from "../trace-job.ts";

/** What one slot of a job, or its part of one node, takes of a host. */
export interface Need {
  readonly ncpus: number;
  readonly memoryGiB: number;
  readonly gpus: number;
  /** `part`: each has the host to itself. `job`: no other job is there. */
  readonly exclusive: Exclusive;
}

type Exclusive = "none" | "part" | "job";

/** How a job sits on hosts: all of its parts start at once. */
export interface JobShape {
  /** `slots`: several on one host where they fit. `nodes`: each on another host. */
  readonly kind: "slots" | "nodes";
  readonly count: number;
  readonly need: Need;
  /** All hosts in one placement group. */
  readonly colocated: boolean;
  /** Only hosts of these node arrays; empty: any. */
  readonly nodeArrays: readonly string[];
  /** The same for jobs that sit alike. */
  readonly key: string;
}

/**
 * The shape of a recorded job. One that names no nodes is that many processors wherever there are some, as traces of parallel
 * machines have it; one node is one slot; several nodes are as many hosts with equal parts.
 */
export function shapeOf(job: TraceJob): JobShape {
  const { processors, nodes, memoryGiB = 0, gpus = 0, exclusive = false, wholeNodes = false } = job;
  const { nodeArrays = [], colocated = false } = job;
  const count = nodes === undefined ? processors : nodes;
  const kind = nodes === undefined || nodes <= 1 ? "slots" : "nodes";
  const need: Need = {
    ncpus: Math.ceil(processors / count),
    memoryGiB: memoryGiB / count,
    gpus: Math.ceil(gpus / count),
    exclusive: exclusive ? "part" : wholeNodes ? "job" : "none",
  };
  const key = [
    ...[kind, count, need.ncpus, need.memoryGiB, need.gpus, need.exclusive, colocated],
    ...nodeArrays,
  ].join(" ");
  return { kind, count, need, colocated, nodeArrays, key };
}

/** Jobs of one shape are the same object: there are few, whatever the number of jobs. */
export class Shapes {
  readonly #byKey = new Map<string, JobShape>();

  of(job: TraceJob): JobShape {
    const shape = shapeOf(job);
    const sameShape = this.#byKey.get(shape.key);
    if (sameShape !== undefined) return sameShape;
    this.#byKey.set(shape.key, shape);
    return shape;
  }
}
