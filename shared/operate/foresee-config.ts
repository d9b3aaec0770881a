import { doubtsOf, loadWorld, type World, type WorldPorts, worldUnder } from "../cycle/index.ts";
import { ConfigurationError, StaleSnapshotError } from "../errors/errors.ts";
import type { ClusterConfig } from "../ports/index.ts";
import { counted, someOf } from "../text/text.ts";
import { type Outlook, outlookOf } from "../views/index.ts";

/** What another configuration would make of the plan that would be made now: one sentence for each thing that differs. */
export async function foreseeConfig(
  ports: WorldPorts,
  cluster: string,
  next: ClusterConfig,
): Promise<readonly string[]> {
  const world = await knownWorld(ports, cluster);
  if (world === undefined) return [];
  const nowSeconds = ports.clock.nowSeconds();
  const before = outlookOf(world, nowSeconds);
  const { world: other, newBudgets } = withKnownBudgets(world, worldUnder(world, next));
  const after = outlookOf(other, nowSeconds);
  const differences = [
    ...held(before, after),
    ...going(before, after, { isInDoubt: doubtsOf(world.loaded.demand, nowSeconds).length > 0 }),
    ...waiting(before, after),
    ...coming(before, after),
    ...newBudgets.map((name) => `What is spent of budget "${name}" is known with the next snapshot.`),
  ];
  // Reported explicitly: an empty list could also mean that nothing was compared.
  return differences.length > 0 ? differences : ["A plan made now would be the same."];
}

/** Until the next snapshot knows new budgets of people, they would hold all their jobs: they are left out, and named. */
function withKnownBudgets(before: World, after: World) {
  const holdsNow = new Set(before.loaded.jobHolds?.map(({ budget }) => budget.name));
  const isNew = ({ budget }: JobHold) => budget.spentUsd === null && !holdsNow.has(budget.name);
  const holds = after.loaded.jobHolds ?? [];
  const loaded = { ...after.loaded, jobHolds: holds.filter((hold) => !isNew(hold)) };
  return { world: { ...after, loaded }, newBudgets: holds.filter(isNew).map(({ budget }) => budget.name) };
}

type JobHold = NonNullable<World["loaded"]["jobHolds"]>[number];

/** Undefined where nothing can be planned now: before the first snapshot, or while the stored configuration is broken. */
async function knownWorld(ports: WorldPorts, cluster: string) {
  try {
    return await loadWorld(ports, cluster);
  } catch (error) {
    if (error instanceof StaleSnapshotError || error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

function held(before: Outlook, after: Outlook): readonly string[] {
  if (before.held === after.held) return [];
  return [after.held === undefined ? "Plans would be sent again." : `Nothing would be sent: ${after.held}.`];
}

function going(
  before: Outlook,
  after: Outlook,
  { isInDoubt }: { readonly isInDoubt: boolean },
): readonly string[] {
  const retiredBefore = new Set(before.made.plan.retire.map(({ nodeId }) => nodeId));
  const more = after.made.plan.retire
    .filter(({ nodeId }) => !retiredBefore.has(nodeId))
    .map(({ name }) => name);
  if (more.length === 0) return [];
  const when = isInDoubt ? "as soon as it is known again what runs where" : "at once";
  return [`${counted(more.length, "nodes")} would go ${when}, being idle for long enough: ${someOf(more)}.`];
}

function waiting(before: Outlook, after: Outlook): readonly string[] {
  const placed = new Set(before.plan.jobs.flatMap((job, index) => (job.granted >= job.asked ? [index] : [])));
  const losing = after.plan.jobs.flatMap((job, index) =>
    placed.has(index) && job.granted < job.asked ? [job.name] : [],
  );
  if (losing.length === 0) return [];
  const verb = losing.length === 1 ? "that has a place" : "that have a place";
  return [`${counted(losing.length, "jobs")} ${verb} would wait: ${someOf(losing)}.`];
}

function coming(before: Outlook, after: Outlook): readonly string[] {
  const nodes = ({ plan }: Outlook) => plan.create.reduce((sum, { count }) => sum + count, plan.start.length);
  const more = nodes(after) - nodes(before);
  if (more === 0) return [];
  return [
    `The next plan would buy or start ${counted(Math.abs(more), "nodes")} ${more > 0 ? "more" : "fewer"}.`,
  ];
}
