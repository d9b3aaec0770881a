import {
  type Cluster,
  type EngineSettings,
  generatePlacementGroups,
  type Job,
  plan,
} from "../../engine/index.ts";
import type { PlanHead } from "../../ports/index.ts";
import type { JobShape } from "../queue/job-shape.ts";
import type { Jobs } from "./jobs.ts";
import type { WhyNever } from "./record.ts";
import type { InWords } from "./run-input.ts";

/** The answers for the kinds of jobs of a workload, each worked out once. */
export class NeverFits {
  readonly #jobs: Jobs;
  readonly #empty: EmptyCluster;
  readonly #answers = new Map<JobShape, WhyNever | undefined>();

  constructor(jobs: Jobs, empty: EmptyCluster) {
    this.#jobs = jobs;
    this.#empty = empty;
  }

  /** Undefined: it can run. */
  why(place: number): WhyNever | undefined {
    const shape = this.#jobs.shape(place);
    if (this.#answers.has(shape)) return this.#answers.get(shape);
    const why = whyNeverFits(this.#jobs.planned(place), this.#empty);
    this.#answers.set(shape, why);
    return why;
  }

  /** Reasons of the last plan, by name, for jobs that still wait when nothing happens any more. */
  stillWaiting(head: PlanHead | undefined): (name: string) => WhyNever {
    const reasons = new Map(head?.waiting.map((job) => [job.name, job.reasons]));
    return (name) => ({
      code: "given-up",
      why: "It still waited for nodes when nothing else happened any more.",
      reasons: this.#empty.inWords(reasons.get(name) ?? []),
    });
  }
}

interface EmptyCluster {
  readonly inWords: InWords;
  readonly cluster: Cluster;
  readonly settings: EngineSettings;
  readonly nowSeconds: number;
}

/** Why a job can never run: it gets no room in the cluster when nothing else is there. Undefined: it can. */
function whyNeverFits(
  job: Job,
  { cluster, settings, nowSeconds, inWords }: EmptyCluster,
): WhyNever | undefined {
  const { jobs } = plan({
    nowSeconds,
    cluster: generatePlacementGroups({ ...cluster, nodes: [] }, settings),
    jobs: [job],
    schedulerNodes: [],
    pending: [],
    leavingNodeIds: [],
    history: [],
    lastPassSeconds: nowSeconds,
    settings,
  });
  const [outcome] = jobs;
  if (outcome === undefined || outcome.granted >= outcome.asked) return undefined;
  const { granted, asked } = outcome;
  const reasons = inWords(outcome.reasons);
  const room =
    granted > 0
      ? `The whole cluster has room for ${granted} of its ${asked} slots`
      : "The whole cluster cannot hold all of its parts at once";
  // Parts that fit one by one, and no limit allows as many nodes as they need.
  const isTooLarge = granted > 0 || outcome.reasons.every(({ limit }) => limit !== null);
  return isTooLarge
    ? { code: "too-few-slots", why: `${room}, even if nothing else runs.`, reasons }
    : { code: "no-node", why: "No node of the cluster can hold it, even if nothing else runs.", reasons };
}
