import { hourSeconds, startOf } from "../accounting/index.ts";
import type { WeekAnswer, WeekQuery } from "../api/index.ts";
import { bootsOf, isEviction, timesEvicted, windowsIn } from "../cycle/index.ts";
import type { NodeHistory } from "../engine/index.ts";
import { amountInWords } from "../messages/index.ts";
import type { ClusterConfig, NodeLoss, Ports, Sample } from "../ports/index.ts";
import { isAlwaysOpen } from "../time/recurring.ts";
import { drawUpCost } from "./draw-up-cost.ts";
import { matches } from "./node-selection.ts";

type WeekPorts = Pick<
  Ports,
  "accounts" | "clock" | "configs" | "history" | "losses" | "samples" | "snapshots"
>;
type WeekOfArray = WeekAnswer["nodeArrays"][number];
type Hour = WeekOfArray["hours"][number];

/** Each hour of the week once, the open one included. */
const hoursOfWeek = 168;
/** More than a week of the largest clusters has. */
const mostLosses = 100_000;

/** The last seven days of each node array. Undefined: the cluster is not configured. */
export async function drawUpWeek(
  ports: WeekPorts,
  cluster: string,
  { nodeArray }: WeekQuery,
): Promise<WeekAnswer | undefined> {
  const config = await ports.configs.load(cluster);
  if (config === undefined) return undefined;
  const atSeconds = ports.clock.nowSeconds();
  const fromSeconds = startOf(atSeconds, hourSeconds) - (hoursOfWeek - 1) * hourSeconds;
  const [cost, samples, history, losses, snapshot] = await Promise.all([
    drawUpCost(ports, cluster, { by: ["hour", "array"], from: fromSeconds }),
    ports.samples.list(cluster, { fromSeconds, untilSeconds: atSeconds + 1 }),
    ports.history.list(cluster),
    ports.losses.recent(cluster, mostLosses, fromSeconds, atSeconds),
    ports.snapshots.load(cluster),
  ]);
  // The period is one for which hours are kept.
  if (cost?.ok !== true) return undefined;
  const { rows, openedAtSeconds, untilSeconds: countedUntil } = cost.answer;
  const known =
    openedAtSeconds === null ? [] : hoursFrom(Math.max(fromSeconds, openedAtSeconds), countedUntil);
  const byArray = Map.groupBy(rows, ({ keys }) => String(keys.array));
  const there = snapshot?.value.cluster.nodeArrays.map(({ name }) => name) ?? [];
  const names = [...new Set([...there, ...byArray.keys()])].filter((name) => matches(nodeArray, name));
  const boots = bootsOf(history, {
    nowSeconds: atSeconds,
    bootTimeoutSeconds: config.engine.bootTimeoutSeconds,
  });
  return {
    cluster,
    atSeconds,
    fromSeconds,
    untilSeconds: atSeconds,
    openedAtSeconds,
    waiting: waitingByHour(samples),
    nodeArrays: names.map((name): WeekOfArray => {
      const own = byArray.get(name) ?? [];
      const byHour = new Map(own.map((row) => [Date.parse(String(row.keys.hour)) / 1_000, row]));
      const hours = known.map(({ hour, share }): Hour => {
        const row = byHour.get(hour);
        return {
          fromSeconds: hour,
          busyNodes: round((row?.busyNodeHours ?? 0) / share),
          nodes: round((row?.nodeHours ?? 0) / share),
          idleUsd: row?.usdByPurpose.idle ?? 0,
        };
      });
      const isOwn = (each: { readonly nodeArray: string }) => each.nodeArray === name;
      return {
        name,
        hours,
        unpricedNodeHours: round(own.reduce((sum, row) => sum + row.unpricedNodeHours, 0)),
        sizes: sizesOf(history.filter(isOwn), losses.filter(isOwn), boots, fromSeconds),
        kept: keptBy(config, name, { hours, fromSeconds, untilSeconds: atSeconds }),
        paused: schedulesOf(config, name).flatMap(({ schedule, keeps }) => {
          const { name, pausedUntilSeconds: untilSeconds = 0 } = schedule;
          return untilSeconds > atSeconds ? [{ schedule: name, keeps, untilSeconds }] : [];
        }),
      };
    }),
  };
}

/** Hours that a time touches, each with the share of it that the time has. */
function hoursFrom(fromSeconds: number, untilSeconds: number) {
  const hours: { readonly hour: number; readonly share: number }[] = [];
  for (let hour = startOf(fromSeconds, hourSeconds); hour < untilSeconds; hour += hourSeconds)
    hours.push({
      hour,
      share: overlap([hour, hour + hourSeconds], [fromSeconds, untilSeconds]) / hourSeconds,
    });
  return hours;
}

function waitingByHour(samples: readonly Sample[]): WeekAnswer["waiting"] {
  const byHour = Map.groupBy(samples, ({ atSeconds }) => startOf(atSeconds, hourSeconds));
  return [...byHour].map(([fromSeconds, some]) => ({
    fromSeconds,
    jobs: round(some.reduce((sum, { waitingJobs }) => sum + waitingJobs, 0) / some.length),
  }));
}

function sizesOf(
  history: readonly NodeHistory[],
  losses: readonly NodeLoss[],
  boots: ReturnType<typeof bootsOf>,
  fromSeconds: number,
): WeekOfArray["sizes"] {
  const rows = Map.groupBy(history, ({ vmSize }) => vmSize);
  const evicted = Map.groupBy(losses.filter(isEviction), ({ vmSize }) => vmSize);
  return [...new Set([...rows.keys(), ...evicted.keys()])].toSorted().flatMap((vmSize) => {
    const [{ nodeArray } = { nodeArray: "" }] = rows.get(vmSize) ?? [];
    const { count, failed, p50Seconds, p95Seconds } = boots({ nodeArray, vmSize });
    const later = (rows.get(vmSize) ?? []).filter(
      ({ failure, readySeconds }) =>
        failure !== undefined &&
        readySeconds !== null &&
        failure.atSeconds >= Math.max(readySeconds, fromSeconds),
    );
    const failures = failed + later.length;
    const evictions = timesEvicted(evicted.get(vmSize) ?? []);
    return count + failures + evictions === 0
      ? []
      : [{ vmSize, boots: count, p50Seconds, p95Seconds, failures, evictions }];
  });
}

/** Those that keep something of a node array. */
function schedulesOf({ schedules = [] }: Pick<ClusterConfig, "schedules">, nodeArray: string) {
  return schedules.flatMap((schedule) => {
    const targets = schedule.targets.filter(({ Name, Extends = Name }) => Extends === nodeArray);
    return targets.length === 0 ? [] : [{ schedule, keeps: targets.map(amountInWords).join(", ") }];
  });
}

/** What schedules of the configuration that holds now kept of an array, beside what ran there. */
function keptBy(
  config: Pick<ClusterConfig, "schedules">,
  nodeArray: string,
  {
    hours,
    fromSeconds,
    untilSeconds,
  }: Pick<WeekAnswer, "fromSeconds" | "untilSeconds"> & { hours: readonly Hour[] },
): WeekOfArray["kept"] {
  const kept = schedulesOf(config, nodeArray).flatMap(({ schedule, keeps }) => {
    const startSeconds = Math.max(fromSeconds, schedule.pausedUntilSeconds ?? 0);
    const always = startSeconds < untilSeconds ? [{ startSeconds, endSeconds: untilSeconds }] : [];
    const windows = isAlwaysOpen(schedule) ? always : windowsIn(schedule, fromSeconds, untilSeconds);
    return windows.map(({ startSeconds, endSeconds }) => {
      const span = [Math.max(startSeconds, fromSeconds), Math.min(endSeconds, untilSeconds)] as const;
      return {
        schedule: schedule.name,
        keeps,
        fromSeconds: span[0],
        untilSeconds: span[1],
        busyNodes: busyIn(hours, span),
      };
    });
  });
  return kept.toSorted((a, b) => a.fromSeconds - b.fromSeconds);
}

type Span = readonly [from: number, until: number];

function busyIn(hours: readonly Hour[], span: Span): number | null {
  const parts = hours.map(({ fromSeconds, busyNodes }) => ({
    busyNodes,
    seconds: overlap([fromSeconds, fromSeconds + hourSeconds], span),
  }));
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  if (seconds === 0) return null;
  return round(parts.reduce((sum, part) => sum + part.busyNodes * part.seconds, 0) / seconds);
}

function overlap([a, b]: Span, [from, until]: Span): number {
  return Math.max(0, Math.min(b, until) - Math.max(a, from));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
