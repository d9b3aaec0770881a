import { parseJson } from "../../../shared/json.ts";
import { parseSwf, type SwfJob } from "../../../shared/workload/swf.ts";

/** What a file says that a scheduler wants, before it is checked. */
export interface Pushed {
  readonly jobs: readonly unknown[];
  readonly nodes: readonly unknown[];
}

export type ReadJobs = Pushed | { readonly problem: string };

/**
 * Reads a list of jobs (our own, or what `azpbs jobs` and `azge jobs` print), an object with `jobs` and `nodes` (our own
 * demand message, `azge jobs_and_nodes`), or an SWF trace, all of whose jobs then wait at once.
 */
export function readJobs(text: string, format: "json" | "swf"): ReadJobs {
  if (format === "swf") return { jobs: parseSwf(text).map(fromTrace), nodes: [] };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return { problem: `it is no JSON: ${(error as Error).message}` };
  }
  if (Array.isArray(value)) return { jobs: value.map(mended), nodes: [] };
  if (typeof value !== "object" || value === null) return { problem: "expected a list of jobs" };
  const { jobs, nodes = [] } = value as { readonly jobs?: unknown; readonly nodes?: unknown };
  if (!Array.isArray(jobs)) return { problem: 'expected a list of jobs, or an object with a list "jobs"' };
  if (!Array.isArray(nodes)) return { problem: 'expected "nodes" to be a list' };
  return { jobs: jobs.map(mended), nodes };
}

/** scalelib prints "in a placement group" as `{"class": …}` with the name of a class of Python's. */
function mended(job: unknown): unknown {
  if (typeof job !== "object" || job === null) return job;
  const { constraints } = job as { readonly constraints?: unknown };
  if (!Array.isArray(constraints)) return job;
  const isClass = (each: unknown) =>
    typeof each === "object" && each !== null && Object.keys(each).join() === "class";
  return {
    ...job,
    constraints: constraints.map((each) => (isClass(each) ? { "in-a-placement-group": true } : each)),
  };
}

function fromTrace({ name, nodes, ncpus, memoryGiB, exclusive }: SwfJob): object {
  return {
    name,
    constraints: { ncpus, ...(memoryGiB > 0 ? { memgb: memoryGiB } : {}) },
    ...(nodes > 1 ? { nodeCount: nodes } : {}),
    ...(exclusive ? { exclusive } : {}),
  };
}
