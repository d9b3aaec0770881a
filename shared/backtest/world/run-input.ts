import type { Reason } from "../../engine/index.ts";
import type { ClusterConfig } from "../../ports/index.ts";
import type { ClusterDefinition } from "../../simulated-cyclecloud/index.ts";
import type { NeverRan, RunSetup } from "../figures/run-figures.ts";
import type { QueuePolicy } from "../queue/queue-model.ts";
import type { Workload } from "../trace-job.ts";
import type { ToReading } from "./read-cluster.ts";
import type { RunWatch } from "./run-watch.ts";

/** How long things take that are neither jobs nor nodes. In seconds. */
export interface Delays {
  /** Between two passes of the scheduler's agent, which looks at jobs and hosts. */
  readonly passSeconds: number;
  /** Between two passes in which it takes events. */
  readonly eventSeconds: number;
  /** Between two messages at least. */
  readonly postSeconds: number;
  /** From a message until the service takes it off the queue. */
  readonly queueSeconds: number;
  /** Between two snapshots of the cluster. */
  readonly snapshotSeconds: number;
  /** From the moment for which a plan is asked until it is made. */
  readonly planSeconds: number;
  /** From a plan until CycleCloud is asked. */
  readonly actionSeconds: number;
}

/**
 * How the service is set up by default: the agent passes every 15 s (`interval_seconds`), the host looks into an empty queue every
 * 2 s (`maxPollingInterval` of host.json; half of that on average), and the timer takes a snapshot every minute.
 */
export const usualDelays: Delays = {
  passSeconds: 15,
  eventSeconds: 15,
  postSeconds: 15,
  queueSeconds: 1,
  snapshotSeconds: 60,
  planSeconds: 0,
  actionSeconds: 1,
};

export type InWords = (reasons: readonly Reason[]) => NeverRan["reasons"];

export interface RunInput {
  readonly workload: Workload;
  readonly config: ClusterConfig;
  /** The configuration with the settings of the windows that are open at a moment. */
  readonly inForce: (config: ClusterConfig, nowSeconds: number) => ClusterConfig;
  readonly definition: ClusterDefinition;
  readonly scheduler: QueuePolicy;
  readonly seed: number;
  readonly varied: RunSetup["varied"];
  /** Where boot times and failures of boots come from. Absent: from the definition. */
  readonly boots?: RunSetup["boots"];
  readonly toReading: ToReading;
  /** The planner's reasons in the words of the service. */
  readonly inWords: InWords;
  readonly delays?: Delays;
  /** Called now and then with the share of the workload's time that is over, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  /** Ends the run with an error. */
  readonly signal?: AbortSignal;
  readonly watch?: RunWatch;
  /** For tests: nothing is left out that cannot change anything. */
  readonly everyBeat?: boolean;
}
