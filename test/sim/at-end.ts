import type { Script } from "./scenario.ts";
import type { World } from "./world.ts";

export interface Remains {
  /** What is still under way: a run is not over before this is empty. */
  readonly busy: readonly string[];
  /** What no amount of waiting mends. */
  readonly wrong: readonly string[];
}

/**
 * What is left when all should be done: jobs, nodes, operations, messages. A run with faults and one without come to the
 * same end exactly when nothing is left of either.
 */
export function orphans(world: World, script: Script): Remains {
  const busy: string[] = [];
  for (const { definition, hopeless = [] } of script.clusters) {
    const { waiting, running, later, total, done } = world.source(definition.name).scheduler.progress();
    const hoped = waiting - hopelessIn(script, definition.name, hopeless);
    if (hoped + running + later > 0) busy.push(`${definition.name}: ${done} of ${total} tasks done`);
    const nodes = world.cloud.nodes(definition.name).map((node) => `${node.name} ${node.status}`);
    if (nodes.length > 0) busy.push(`${definition.name}: nodes left: ${nodes.join(", ")}`);
    for (const { actionId, state } of world.records.open(definition.name))
      busy.push(`${actionId} is ${state}`);
  }
  if (world.demandQueue.waiting > 0) busy.push(`${world.demandQueue.waiting} demand messages`);
  if (world.scaleActions.waiting > 0) busy.push(`${world.scaleActions.waiting} actions on the queue`);
  return { busy, wrong: busy.length > 0 ? [] : wrongAtEnd(world, script) };
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
    if (!expected.includes(messageId)) wrong.push(`message ${messageId} was rejected though it was good`);
  for (const { definition, hopeless = [] } of script.clusters) {
    const waiting = new Map(
      world.records.heads.get(definition.name)?.waiting.map(({ job, why }) => [job, why]),
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
