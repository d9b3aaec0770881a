import { createChance } from "./chance.ts";
import { listedFaults } from "./faults.ts";
import type { ClusterScript, Script } from "./scenario.ts";
import { range, slotsJob, smallCluster } from "./scenarios/cluster.ts";
import { startSeconds, World } from "./world.ts";

/** The timer's usual schedule. */
const beatSeconds = 60;
/** `max_snapshot_age` / 2, in which a cluster at rest is read, and `snapshot_interval`. */
const atRestSeconds = 150;
const atWorkSeconds = 60;
/** A reading takes a second or two, and those of one beat begin within 30 s, in the same order each time. */
const readingSeconds = 10;
const livedSeconds = 12 * 60;

/** What came of a deployment with many clusters. */
export interface ClustersReport {
  readonly clusters: number;
  readonly busy: number;
  readonly readings: number;
  /** The longest between two readings of a healthy cluster, at rest and at work, in seconds. */
  readonly longestAtRestSeconds: number;
  readonly longestAtWorkSeconds: number;
  /** Most readings that began within one second. */
  readonly mostAtOnce: number;
  /** Clusters of which a beat was skipped. */
  readonly late: readonly string[];
  readonly moments: number;
  readonly violations: readonly string[];
}

/**
 * Lives through twelve minutes of a deployment: most clusters are at rest, one in ten has jobs, and one in a hundred is slow and another
 * one dead. No faults are drawn: what is looked at is the rhythm in which clusters are read, and that nothing gets lost.
 */
export async function runClusters(
  clusters: number,
  {
    sessionsOfMachine = 8,
    clustersOfMachine = 100,
  }: {
    /** How many clusters an instance works on at a time; 8 is what 512 MB get. */
    readonly sessionsOfMachine?: number;
    /** One instance for so many clusters; one cluster in so many is slow, and one dead. */
    readonly clustersOfMachine?: number;
  } = {},
): Promise<ClustersReport> {
  const seed = 1;
  const chance = createChance(seed);
  const script: Script = {
    clusters: range(clusters).map((index): ClusterScript => {
      const kind = index % clustersOfMachine;
      const name = `${kind === 1 ? "slow" : kind === 2 ? "dead" : "cluster"}-${index + 1}`;
      const isBusy = index % 10 === 5;
      const jobs = range(isBusy ? 3 : 0).map((job) =>
        slotsJob(`job-${job}`, { submitSeconds: chance.between(60, livedSeconds / 2) }),
      );
      const answerSeconds = kind === 1 ? 30 : kind === 2 ? 3_600 : 0;
      return {
        definition: smallCluster(name),
        jobs,
        answerSeconds,
        config: { snapshot_interval: atWorkSeconds },
      };
    }),
    happenings: [],
    troubleSeconds: livedSeconds,
  };
  const machines = Math.ceil(clusters / clustersOfMachine);
  const world = new World({
    script,
    seed,
    chance,
    faults: listedFaults([]),
    machines,
    mostSessions: machines * sessionsOfMachine,
    canDrain: false,
    snapshotSeconds: beatSeconds,
    isBlind: false,
    trace: undefined,
  });
  await world.timeline.run(startSeconds + livedSeconds, () => world.violations.length > 0);
  return report(world, script);
}

function report(world: World, script: Script): ClustersReport {
  const names = script.clusters.map(({ definition }) => definition.name);
  const healthy = names.filter((name) => name.startsWith("cluster"));
  const violations = [...world.violations];
  const readings = Map.groupBy(world.readings, ({ cluster }) => cluster);
  let [longestAtRestSeconds, longestAtWorkSeconds] = [0, 0];
  for (const name of healthy) {
    const own = (readings.get(name) ?? []).toSorted((a, b) => a.atSeconds - b.atSeconds);
    const times = [...own, { atSeconds: world.nowSeconds, nodes: 0 }];
    times.slice(1).forEach(({ atSeconds }, index) => {
      const before = own[index];
      if (before === undefined) return;
      const seconds = atSeconds - before.atSeconds;
      const isAtWork = before.nodes > 0;
      if (isAtWork) longestAtWorkSeconds = Math.max(longestAtWorkSeconds, seconds);
      else longestAtRestSeconds = Math.max(longestAtRestSeconds, seconds);
      const most = (isAtWork ? atWorkSeconds : atRestSeconds) + beatSeconds + readingSeconds;
      if (seconds > most)
        violations.push(`${name} was not read for ${seconds.toFixed(0)} s, expected at most ${most} s`);
    });
    const first = own[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
    if (first - startSeconds > beatSeconds) violations.push(`${name} was not read by the first beat`);
    const { total, done } = world.source(name).scheduler.progress();
    if (done < total) violations.push(`${name}: ${done} of ${total} tasks done`);
  }
  const late = [...new Set(world.lateBeats.map(({ cluster }) => cluster))];
  for (const name of names.filter((each) => each.startsWith("dead")))
    if (!late.includes(name)) violations.push(`nothing names ${name} as late`);
  for (const name of late) {
    if (healthy.includes(name)) violations.push(`${name} was skipped as late`);
    const times = world.lateBeats.filter(({ cluster }) => cluster === name).map(({ atSeconds }) => atSeconds);
    times.slice(1).forEach((time, index) => {
      if (time - (times[index] ?? 0) < 1.5 * beatSeconds)
        violations.push(`${name} was skipped twice in a row`);
    });
  }
  for (const { messageId } of [...world.planRequests.dead, ...world.scaleActions.dead])
    violations.push(`message ${messageId} was dropped`);
  for (const messageId of world.records.rejections) violations.push(`message ${messageId} was rejected`);
  const perSecond = Map.groupBy(world.readings, ({ atSeconds }) => Math.floor(atSeconds));
  return {
    clusters: names.length,
    busy: script.clusters.filter(({ jobs }) => jobs.length > 0).length,
    readings: world.readings.length,
    longestAtRestSeconds,
    longestAtWorkSeconds,
    mostAtOnce: Math.max(...[...perSecond.values()].map(({ length }) => length)),
    late,
    moments: world.timeline.moments,
    violations,
  };
}
