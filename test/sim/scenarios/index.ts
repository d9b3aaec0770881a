import type { Scenario } from "../scenario.ts";
import { arrayJobs } from "./array-jobs.ts";
import { askingNodes } from "./asking-nodes.ts";
import { badJobsScenario } from "./bad-jobs.ts";
import { burst } from "./burst.ts";
import { capacityDrought } from "./capacity-drought.ts";
import { changedMinds } from "./changed-minds.ts";
import { clockJumps } from "./clock-jumps.ts";
import { configChanges } from "./config-changes.ts";
import { deafScheduler } from "./deaf-scheduler.ts";
import { deallocatedNodes } from "./deallocated-nodes.ts";
import { deletedBehindOurBack } from "./deleted-behind-our-back.ts";
import { dyingHosts } from "./dying-hosts.ts";
import { failingNodes } from "./failing-nodes.ts";
import { groups } from "./groups.ts";
import { hopelessJobs } from "./hopeless-jobs.ts";
import { keepAlive } from "./keep-alive.ts";
import { laggingLists } from "./lagging-lists.ts";
import { manyClusters } from "./many-clusters.ts";
import { multiNodeJobs } from "./multi-node-jobs.ts";
import { neverBoots } from "./never-boots.ts";
import { quotaCut } from "./quota-cut.ts";
import { refusingScheduler } from "./refusing-scheduler.ts";
import { schedules } from "./schedules.ts";
import { sharedQuota } from "./shared-quota.ts";
import { shortLives } from "./short-lives.ts";
import { silentScheduler } from "./silent-scheduler.ts";
import { slurm } from "./slurm.ts";
import { spentBudgets } from "./spent-budgets.ts";
import { spotFirst } from "./spot-first.ts";
import { spotLoss } from "./spot-loss.ts";
import { stopped } from "./stopped.ts";
import { targets } from "./targets.ts";
import { tightQuotas } from "./tight-quotas.ts";
import { trickle } from "./trickle.ts";
import { unhealthyNodes } from "./unhealthy-nodes.ts";

/** Every kind of trouble. A new one joins at the end, so that seeds keep their scenario as far as they can. */
export const scenarios: readonly [Scenario, ...Scenario[]] = [
  burst,
  multiNodeJobs,
  arrayJobs,
  spotLoss,
  capacityDrought,
  quotaCut,
  neverBoots,
  deletedBehindOurBack,
  silentScheduler,
  clockJumps,
  configChanges,
  manyClusters,
  keepAlive,
  hopelessJobs,
  deafScheduler,
  trickle,
  targets,
  groups,
  askingNodes,
  stopped,
  laggingLists,
  badJobsScenario,
  tightQuotas,
  spotFirst,
  shortLives,
  spentBudgets,
  dyingHosts,
  failingNodes,
  refusingScheduler,
  schedules,
  changedMinds,
  unhealthyNodes,
  sharedQuota,
  deallocatedNodes,
  slurm,
];

/** The scenario of a seed, when none is named. */
export function scenarioOf(seed: number): Scenario {
  return scenarios[seed % scenarios.length] ?? scenarios[0];
}
