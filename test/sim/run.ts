import { orphans } from "./at-end.ts";
import { createChance } from "./chance.ts";
import { drawnFaults, type Fault, listedFaults, remembering } from "./faults.ts";
import type { Scenario, Script } from "./scenario.ts";
import { startSeconds, World } from "./world.ts";

/** What makes a run: the same values give the same run, to the last step. */
export interface RunOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Exactly these instead of drawn ones. */
  readonly faults?: readonly Fault[];
  /** Keeps only jobs at these places of the workload, over all clusters. */
  readonly jobs?: readonly number[];
  readonly trace?: (line: string) => void;
}

export interface RunReport {
  readonly scenario: string;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly jobs: number;
  readonly violations: readonly string[];
  /** Simulated seconds from the last trouble until nothing was left to do; undefined when that never came. */
  readonly convergedAfterSeconds: number | undefined;
  /** Simulated seconds of the whole run. */
  readonly lastedSeconds: number;
  readonly raced: number;
  readonly created: number;
  readonly moments: number;
}

/** Long enough for anything that waits for a time-out after a time-out. */
const longestCalmSeconds = 3 * 3600;

/** Lives through one scenario until nothing is left to do, and says what went wrong. */
export async function runSeed(options: RunOptions): Promise<RunReport> {
  const { scenario, seed } = options;
  const draw = createChance(seed);
  const script = withJobs(scenario.draw(draw), options.jobs);
  // Every tenth seed runs without faults: what the others must come to is what these come to.
  const probability = draw.happens(0.1) ? 0 : draw.pick([0.002, 0.01, 0.03]);
  const machines = draw.whole(1, 3);
  const snapshotSeconds = draw.pick([15, 30, 60]);
  const chance = createChance(seed + 1_000_003);
  const isTroubled = { now: true };
  const happened: Fault[] = [];
  const source =
    options.faults === undefined
      ? drawnFaults(createChance(seed + 2_000_003), probability, () => isTroubled.now)
      : listedFaults(options.faults);
  const faults = remembering(source, (fault) => {
    happened.push(fault);
    world.trace(`## ${fault.kind} at ${fault.place} (${fault.nth})`);
  });
  const world: World = new World({
    script,
    seed,
    chance,
    faults,
    machines,
    snapshotSeconds,
    trace: options.trace,
  });
  const calmFrom = startSeconds + script.troubleSeconds;
  await world.timeline.run(calmFrom, () => world.violations.length > 0);
  isTroubled.now = false;
  const left = () => orphans(world, script);
  let checkedAt = 0;
  await world.timeline.run(calmFrom + longestCalmSeconds, () => {
    if (world.violations.length > 0) return true;
    if (world.nowSeconds - checkedAt < 5) return false;
    checkedAt = world.nowSeconds;
    return left().busy.length === 0;
  });
  const { busy, wrong } = left();
  if (world.violations.length === 0)
    for (const what of [...busy, ...wrong]) world.violate(`at the end: ${what}`);
  return {
    scenario: scenario.name,
    seed,
    faults: happened,
    jobs: script.clusters.reduce((sum, { jobs }) => sum + jobs.length, 0),
    violations: world.violations,
    convergedAfterSeconds: busy.length === 0 ? Math.max(0, world.nowSeconds - calmFrom) : undefined,
    lastedSeconds: world.nowSeconds - startSeconds,
    raced: world.raced,
    created: world.clusters.reduce((sum, cluster) => sum + world.cloud.control.ledger(cluster).created, 0),
    moments: world.timeline.moments,
  };
}

function withJobs(script: Script, kept: readonly number[] | undefined): Script {
  if (kept === undefined) return script;
  const places = new Set(kept);
  let place = -1;
  const clusters = script.clusters.map((cluster) => ({
    ...cluster,
    jobs: cluster.jobs.filter(() => {
      place += 1;
      return places.has(place);
    }),
  }));
  return { ...script, clusters };
}
