import { idleBorrowed, orphans } from "./at-end.ts";
import { type Chance, createChance } from "./chance.ts";
import { differences, type EndState, endState, residentSeconds } from "./end-state.ts";
import { drawnFaults, type Fault, listedFaults, remembering } from "./faults.ts";
import type { Scenario, Script } from "./scenario.ts";
import { needOf, range, slotsJob } from "./scenarios/cluster.ts";
import type { Departures } from "./watch.ts";
import { World } from "./world.ts";

/** What makes a run: the same values give the same run, to the last step. */
export interface RunOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Exactly these instead of drawn ones. */
  readonly faults?: readonly Fault[];
  /** Keeps only jobs at these places of the workload, over all clusters. */
  readonly jobs?: readonly number[];
  /** The demand queue looks empty, whatever lies there: to see that the simulation notices. */
  readonly isBlind?: boolean;
  readonly trace?: (line: string) => void;
}

export interface RunReport extends Departures {
  readonly scenario: string;
  readonly seed: number;
  readonly faults: readonly Fault[];
  readonly jobs: number;
  readonly violations: readonly string[];
  /** Simulated seconds from the last trouble until nothing was left to do; undefined when that never came. */
  readonly convergedAfterSeconds: number | undefined;
  /** Simulated seconds of the whole run. */
  readonly lastedSeconds: number;
  readonly created: number;
  /** Of these, nodes that no snapshot of the accounts shows. */
  readonly neverSeen: number;
  /** Plans that a spent budget held. */
  readonly heldByBudgets: number;
  /** Windows of schedules without a lead of their own, and those whose nodes were up when they began. */
  readonly windows: { readonly begun: number; readonly met: number };
  readonly moments: number;
}

/** Long enough for anything that waits for a time-out after a time-out. */
const longestCalmSeconds = 3 * 3600;

/** Lives through one scenario, with its faults and without, and says what went wrong and where the ends differ. */
export async function runSeed(options: RunOptions): Promise<RunReport> {
  const { report, end } = await live(options);
  if (report.faults.length === 0 || report.violations.length > 0) return report;
  const { trace: _, ...untold } = options;
  const calm = await live({ ...untold, faults: [] });
  const violations = [
    ...calm.report.violations.map((violation) => `without faults: ${violation}`),
    ...differences(end, calm.end).map((line) => `not the end that comes without faults: ${line}`),
  ];
  return { ...report, violations };
}

async function live(options: RunOptions): Promise<{ readonly report: RunReport; readonly end: EndState }> {
  const { scenario, seed } = options;
  const draw = createChance(seed);
  const drawn = withJobs(scenario.draw(draw), options.jobs);
  // Every tenth seed runs without faults.
  const probability = draw.happens(0.1) ? 0 : draw.pick([0.002, 0.01, 0.03]);
  const machines = draw.whole(1, 3);
  const snapshotSeconds = draw.pick([15, 30, 60]);
  const canDrain = draw.happens(0.6);
  const script = withResidents(drawn, draw);
  const chance = createChance(seed + 1_000_003);
  const isTroubled = { now: true };
  const happened: Fault[] = [];
  const source =
    options.faults === undefined
      ? drawnFaults(
          createChance(seed + 2_000_003),
          { probability, weights: script.weights },
          () => isTroubled.now,
        )
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
    canDrain: script.drains ?? canDrain,
    snapshotSeconds,
    isBlind: options.isBlind === true,
    trace: options.trace,
  });
  const calmFrom = world.startSeconds + script.troubleSeconds;
  await world.timeline.run(calmFrom, () => world.violations.length > 0);
  isTroubled.now = false;
  const left = () => orphans(world, script);
  const lastAt = world.startSeconds + Math.max(0, ...script.happenings.map(({ atSeconds }) => atSeconds));
  let checkedAt = 0;
  await world.timeline.run(calmFrom + longestCalmSeconds, () => {
    if (world.violations.length > 0) return true;
    if (world.nowSeconds - checkedAt < 5) return false;
    checkedAt = world.nowSeconds;
    return world.nowSeconds > lastAt && left().busy.length === 0;
  });
  const { busy, wrong } = left();
  if (world.violations.length === 0)
    for (const what of [...busy, ...wrong, ...(happened.length === 0 ? idleBorrowed(world, script) : [])])
      world.violate(`at the end: ${what}`);
  const report: RunReport = {
    scenario: scenario.name,
    seed,
    faults: happened,
    jobs: script.clusters.reduce((sum, { jobs }) => sum + jobs.length, 0),
    violations: world.violations,
    convergedAfterSeconds: busy.length === 0 ? Math.max(0, world.nowSeconds - calmFrom) : undefined,
    lastedSeconds: world.nowSeconds - world.startSeconds,
    ...world.departures,
    created: sum(world.clusters.map((cluster) => world.cloud.control.ledger(cluster).created)),
    windows: world.windows,
    heldByBudgets: sum(world.clusters.map((cluster) => world.heldByBudgets(cluster))),
    neverSeen: sum(
      world.clusters.map(
        (cluster) => world.cloud.control.ledger(cluster).created - world.counted(cluster).seen.size,
      ),
    ),
    moments: world.timeline.moments,
  };
  return {
    report,
    end: endState(world, new Map(script.clusters.map((each) => [each.definition.name, each.jobs]))),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** In every cluster a job or two that never end, so that something has to be left when all the others are done. */
function withResidents(script: Script, draw: Chance): Script {
  const clusters = script.clusters.map((cluster) => {
    const [array] = cluster.definition.nodearrays;
    const residents = range(draw.whole(0, 2)).map((index) =>
      slotsJob(`resident-${index}`, {
        submitSeconds: draw.between(0, script.troubleSeconds),
        runSeconds: residentSeconds,
        need: needOf({ nodeArrays: array === undefined ? [] : [array.name] }),
      }),
    );
    return { ...cluster, jobs: [...cluster.jobs, ...residents] };
  });
  return { ...script, clusters };
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
