import {
  type Cluster,
  type EngineSettings,
  generatePlacementGroups,
  type Job,
  mainReasons,
  plan,
} from "../../engine/index.ts";
import type { JobShape } from "../queue/job-shape.ts";
import type { Jobs } from "./jobs.ts";

/** The answers for the kinds of jobs of a workload, each worked out once. */
export class NeverFits {
  readonly #jobs: Jobs;
  readonly #known: Known;
  readonly #answers = new Map<JobShape, string | undefined>();

  constructor(jobs: Jobs, known: Known) {
    this.#jobs = jobs;
    this.#known = known;
  }

  /** Undefined: it can run. */
  why(place: number): string | undefined {
    const shape = this.#jobs.shape(place);
    if (this.#answers.has(shape)) return this.#answers.get(shape);
    const why = whyNeverFits(this.#jobs.planned(place), this.#known);
    this.#answers.set(shape, why);
    return why;
  }
}

interface Known {
  readonly cluster: Cluster;
  readonly settings: EngineSettings;
  readonly nowSeconds: number;
}

/**
 * Why a job can never run, in the planner's own word: it gets no room in the cluster when nothing else is there. Undefined: it
 * can.
 */
function whyNeverFits(job: Job, { cluster, settings, nowSeconds }: Known): string | undefined {
  const { jobs } = plan({
    nowSeconds,
    cluster: generatePlacementGroups({ ...cluster, nodes: [] }, settings),
    jobs: [job],
    ...{ schedulerNodes: [], pending: [], leavingNodeIds: [], history: [] },
    lastPassSeconds: nowSeconds,
    settings,
  });
  const [outcome] = jobs;
  if (outcome === undefined || outcome.granted >= outcome.asked) return undefined;
  const codes = [...new Set(mainReasons(outcome.reasons).map(({ code }) => code))];
  const why = codes.length === 0 ? "" : ` (${codes.join(", ")})`;
  return outcome.granted === 0
    ? `no node of the cluster can hold it${why}`
    : `the whole cluster has room for ${outcome.granted} of its ${outcome.asked} slots${why}`;
}
