import { hostnameOf } from "../../shared/simulated-cyclecloud/simulated-node.ts";
import type { TrueNode } from "./cloud.ts";
import { residentSeconds } from "./end-state.ts";
import type { Script } from "./scenario.ts";
import type { World } from "./world.ts";

export interface Remains {
  /** What is still under way: a run is not over before this is empty. */
  readonly busy: readonly string[];
  /** What no amount of waiting corrects. */
  readonly wrong: readonly string[];
}

/** What is left when all should be done, besides residents on their nodes: jobs, nodes, operations, messages. */
export function orphans(world: World, script: Script): Remains {
  const busy: string[] = [];
  for (const { definition, hopeless = [], mostDeallocated = 0 } of script.clusters) {
    const { scheduler } = world.watched(definition.name);
    const { waiting, later, total, done } = scheduler.progress();
    const hoped = waiting - hopelessIn(script, definition.name, hopeless);
    const residents = scheduler.runningTasks.filter(({ job }) => job.runSeconds === residentSeconds);
    const running = scheduler.runningTasks.length - residents.length;
    if (hoped + running + later > 0) busy.push(`${definition.name}: ${done} of ${total} tasks done`);
    const homes = new Set(residents.flatMap(({ hostnames }) => hostnames));
    const isHome = ({ hostname = "", status, isWanted }: TrueNode) =>
      homes.has(hostname) && status === "Ready" && isWanted;
    const isAsleep = ({ status }: TrueNode) => mostDeallocated > 0 && status === "Deallocated";
    const nodes = world.cloud.nodes(definition.name).filter((node) => !isHome(node) && !isAsleep(node));
    const left = nodes.map((node) => `${node.name} ${node.status}`);
    if (left.length > 0) busy.push(`${definition.name}: nodes left: ${left.join(", ")}`);
    for (const { name, phase } of world.records.heads.get(definition.name)?.draining ?? [])
      busy.push(`${definition.name}: ${name} is ${phase}`);
    for (const { actionId, state } of world.records.open(definition.name))
      busy.push(`${actionId} is ${state}`);
  }
  if (world.demandQueue.waiting > 0) busy.push(`${world.demandQueue.waiting} demand messages`);
  if (world.scaleActions.waiting > 0) busy.push(`${world.scaleActions.waiting} actions on the queue`);
  return { busy, wrong: busy.length > 0 ? [] : wrongAtEnd(world, script) };
}

/** Its scheduler posts once a minute, the plan after that drains the node, and the next one deletes it. */
const longestLentSeconds = 120;

/**
 * Nodes that lay idle while a job of another cluster waited that never wants more than what is guaranteed to it: until that job had a
 * node on order. Only without faults, which hold deletions up.
 */
export function idleBorrowed(world: World, { clusters }: Script): readonly string[] {
  const lenders = clusters.filter(({ config }) => Object.hasOwn(config?.shares ?? {}, "guaranteed"));
  return lenders.flatMap(({ definition: { name: lender } }) => {
    const waits = livesOf(world, lender).flatMap(({ createdAt, runs }) =>
      runs.map(({ submit, start }) => ({ since: submit, until: Math.min(start, createdAt) })),
    );
    const borrowers = clusters.map(({ definition: { name } }) => name).filter((name) => name !== lender);
    return borrowers.flatMap((borrower) =>
      livesOf(world, borrower).flatMap(({ name, runs, leaves }) => {
        const idleFrom = Math.max(...runs.map(({ end }) => end));
        const seconds = waits.map(({ since, until }) => Math.min(until, leaves) - Math.max(since, idleFrom));
        const longest = Math.max(0, ...seconds);
        if (runs.length === 0 || longest <= longestLentSeconds) return [];
        return [
          `${borrower}: ${name} lay idle for ${longest.toFixed(0)} s while ${lender} waited for its guarantee`,
        ];
      }),
    );
  });
}

/** Nodes of a cluster that have left, or were still there, and the tasks that ended on them. An address may have had several nodes. */
function livesOf(world: World, cluster: string) {
  const { runs } = world.source(cluster).scheduler;
  return [...world.cloud.site.clusterNow(cluster).cluster.population.all()].map((node) => {
    const { name, createdAt, life, privateIp } = node;
    const leaves = life.find(({ target }) => target !== "Started")?.at ?? world.nowSeconds;
    const own = runs
      .filter(({ hostnames }) => hostnames.includes(hostnameOf(privateIp)))
      .map(({ submitSeconds, startSeconds, endSeconds }) => ({
        submit: world.startSeconds + submitSeconds,
        start: world.startSeconds + startSeconds,
        end: world.startSeconds + endSeconds,
      }))
      .filter(({ start }) => start >= createdAt && start <= leaves);
    return { name, createdAt, leaves, runs: own };
  });
}

function wrongAtEnd(world: World, script: Script): readonly string[] {
  const wrong: string[] = [];
  const recorded = world.records.rejections;
  const expected = [
    ...world.mangled,
    ...world.demandQueue.poisoned,
    ...world.planRequests.dead.map(({ messageId }) => messageId),
    ...world.scaleActions.dead.map(({ messageId }) => messageId),
  ];
  for (const messageId of expected)
    if (!recorded.has(messageId)) wrong.push(`message ${messageId} was given up without a record`);
  for (const messageId of recorded)
    if (!expected.includes(messageId) && !messageId.startsWith("set-aside-"))
      wrong.push(`message ${messageId} was rejected though it was good`);
  for (const { definition, hopeless = [] } of script.clusters) {
    const waiting = new Map(
      world.records.heads.get(definition.name)?.waiting.map(({ name, reasons }) => [name, reasons]),
    );
    for (const job of hopeless)
      if ((waiting.get(job) ?? []).length === 0)
        wrong.push(`job "${job}" waits for ever, and no plan says why`);
  }
  return wrong;
}

function hopelessIn(script: Script, cluster: string, hopeless: readonly string[]): number {
  const names = new Set(hopeless);
  const jobs = script.clusters.find(({ definition }) => definition.name === cluster)?.jobs ?? [];
  return jobs.filter((job) => names.has(job.name)).length;
}
