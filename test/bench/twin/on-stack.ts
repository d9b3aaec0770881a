import { runDemo } from "../../../infra/local/demo/demo.ts";
import { connectControl } from "../../../infra/local/demo/simulator.ts";
import type { Environment } from "../../../infra/local/environment/environment.ts";
import { parseWorkload } from "../../../infra/local/scheduler/workload.ts";
import type { WholePlan } from "../../../shared/ports/index.ts";
import { connectStorage, createAzureStores } from "../../../shared/stores/azure/index.ts";
import type { TwinCase } from "./cases.ts";
import type { Seen } from "./seen.ts";

/** What a workload took on the local stack. */
export interface OnStack extends Seen {
  readonly created: number;
  /** Empty when all went well. */
  readonly faults: readonly string[];
  /** When messages were sent. */
  readonly posts: readonly number[];
}

/** Runs a workload on a local stack that is up, until all its nodes are gone. Times are those of the service's clock. */
export async function runOnStack(
  environment: Environment,
  { jobs, speed }: Pick<TwinCase, "jobs"> & { readonly speed: number },
): Promise<OnStack> {
  const { cluster } = environment;
  const workload = parseWorkload(JSON.stringify(jobs));
  const ends = workload.map(({ submitSeconds, runSeconds }) => submitSeconds + runSeconds);
  // Jobs that wait for others, boots and idle times: long before that something is wrong.
  const timeoutSeconds = 180 + (3 * Math.max(...ends)) / speed;
  const { faults, posts } = await runDemo({
    environment,
    jobs: workload,
    speed,
    timeoutSeconds,
    mayLoseNodes: false,
    onFrame: () => {},
    signal: AbortSignal.timeout((timeoutSeconds + 60) * 1_000),
  });
  const control = await connectControl(environment.cycleCloudUrl, speed);
  const [realSeconds, simulatedSeconds] = [Date.now() / 1_000, control.simulatedSeconds()];
  const real = (at: number) => realSeconds + (at - simulatedSeconds) / speed;
  const ledger = await control.ledger(cluster);
  return {
    created: ledger.created,
    faults,
    posts: posts.map(({ atSeconds }) => atSeconds),
    nodes: ledger.nodes.map(({ nodeId, createdAt, terminatingAt, terminatedAt }) => ({
      nodeId,
      createdAt: real(createdAt),
      terminatingAt: terminatingAt === null ? null : real(terminatingAt),
      terminatedAt: terminatedAt === null ? null : real(terminatedAt),
    })),
    plans: await plansOf(environment),
  };
}

const mostPlans = 1_000;

/** Plans that did something, oldest first. */
async function plansOf({ cluster, storageConnectionString }: Environment): Promise<readonly WholePlan[]> {
  const clients = connectStorage({ connectionString: storageConnectionString });
  const parseConfig = () => Promise.reject(new TypeError("no configuration is read here"));
  const { plans } = createAzureStores({ ...clients, parseConfig });
  const found: WholePlan[] = [];
  for (const { planId, create, retire } of (await plans.list(cluster, mostPlans)).toReversed()) {
    const plan = create + retire === 0 ? undefined : await plans.load(cluster, planId);
    if (plan?.archive === "whole") found.push(plan);
  }
  return found;
}
