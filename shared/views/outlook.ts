import { loadWorld, type MadePlan, makePlan, type World, type WorldPorts, whyHeld } from "../cycle/index.ts";
import type { BucketSurvey, Plan, PlanInput, PlannedNode } from "../engine/index.ts";
import { survey } from "../engine/index.ts";
import { ConfigurationError, StaleSnapshotError } from "../errors/errors.ts";
import type { SourceDemand } from "../ports/index.ts";
import { exactDuration } from "../text/durations.ts";

/** What is known, and the plan that would be made of it now. Nothing of it is recorded or sent. */
export interface Outlook extends World {
  readonly atSeconds: number;
  /** Why the plan would not be sent; undefined: it would be. */
  readonly held: string | undefined;
  readonly made: MadePlan;
  readonly plan: Plan;
  readonly input: PlanInput;
  /** By name, of every node that the plan counts with. */
  readonly nodesByName: ReadonlyMap<string, PlannedNode>;
  /** The buckets before the plan. Worked out when first asked for. */
  readonly buckets: () => readonly BucketSurvey[];
}

/** The plan that would be made now, with `extra` jobs at the end of the queue. Pure. */
export function outlookOf(world: World, nowSeconds: number, extra?: SourceDemand): Outlook {
  const { config, control, snapshot, recent, losses, head } = world;
  const held = whyHeldNow(world, nowSeconds);
  const loaded =
    extra === undefined ? world.loaded : { ...world.loaded, demand: [...world.loaded.demand, extra] };
  const isSent = whyHeld(config, control) === undefined;
  const made = makePlan({ config, loaded, snapshot, recent, losses, before: head, isSent, nowSeconds });
  let buckets: readonly BucketSurvey[] | undefined;
  return {
    ...world,
    loaded,
    atSeconds: nowSeconds,
    held,
    made,
    plan: made.decided,
    input: made.input,
    nodesByName: new Map(made.decided.nodes.map((node) => [node.name, node])),
    buckets: () => {
      buckets ??= survey(made.input);
      return buckets;
    },
  };
}

export async function lookAhead(ports: WorldPorts, cluster: string): Promise<Outlook | undefined> {
  const world = await loadWorld(ports, cluster);
  return world && outlookOf(world, ports.clock.nowSeconds());
}

/** Undefined too for a world that cannot be planned: that is no reason to show nothing else. */
export async function ifPlannable(look: () => Promise<Outlook | undefined>): Promise<Outlook | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof StaleSnapshotError) return undefined;
    throw error;
  }
}

function whyHeldNow({ config, control, snapshot }: World, nowSeconds: number): string | undefined {
  const ageSeconds = nowSeconds - snapshot.takenAtSeconds;
  const { maxSnapshotAgeSeconds } = config.cycle;
  if (ageSeconds > maxSnapshotAgeSeconds)
    return `the snapshot is ${exactDuration(Math.ceil(ageSeconds))} old, expected at most ${exactDuration(maxSnapshotAgeSeconds)}`;
  return whyHeld(config, control);
}
