import { hourSeconds } from "../accounting/index.ts";
import type { NodeHistory, TargetOutcome } from "../engine/index.ts";
import { accountOf, asksForSpares, isSizedByItself, type NodeArrayTarget } from "../messages/index.ts";
import type {
  ClusterConfig,
  PlannedTarget,
  Ports,
  RequestSet,
  Sample,
  SampleStore,
  SpareSizing,
} from "../ports/index.ts";
import { nearestRank, slowBootSeconds } from "./boot-times.ts";
import { type Scheduled, withScheduled } from "./schedules.ts";

/** An hour of the past, as its samples show it. */
interface PastHour {
  readonly daysAgo: number;
  readonly fromSeconds: number;
  readonly samples: readonly Sample[];
}

/** The hours of the last weeks that began at the same time of day. */
export type PastHours = readonly PastHour[];

/** Weeks are what counts; until two of them are known, days are. */
const lookedAtDays = [1, 2, 3, 4, 5, 6, 7, 14, 21, 28];
const fewestWeeks = 2;
/** The minutes in which an hour's jobs may begin to need more. */
const coveredShare = 0.95;
const stepSeconds = 60;
/** Boots that take longer are looked at as if they took so long. */
const longestBootSeconds = hourSeconds;

const readBefore = new WeakMap<
  SampleStore,
  Map<string, { readonly hour: number; hours: Promise<PastHours> }>
>();

/**
 * How much jobs used in hours like this one. The past does not change, so that each process reads it once an hour; nothing is read
 * for a cluster without spare nodes.
 */
export async function readPastHours(
  { samples }: Pick<Ports, "samples">,
  { cluster, schedules = [] }: Pick<ClusterConfig, "cluster" | "schedules">,
  { sets, nowSeconds }: { readonly sets: readonly RequestSet[]; readonly nowSeconds: number },
): Promise<PastHours> {
  const definitions = [
    ...sets.flatMap(({ arrays }) => arrays),
    ...schedules.flatMap(({ targets }) => targets),
  ];
  if (!definitions.some(asksForSpares)) return [];
  const hour = Math.floor(nowSeconds / hourSeconds);
  const ofStore = readBefore.get(samples) ?? new Map();
  readBefore.set(samples, ofStore);
  const known = ofStore.get(cluster);
  if (known?.hour === hour) return known.hours;
  const hours = Promise.all(
    lookedAtDays.map(async (daysAgo): Promise<PastHour> => {
      const fromSeconds = (hour - daysAgo * 24) * hourSeconds;
      const untilSeconds = fromSeconds + hourSeconds + longestBootSeconds;
      return { daysAgo, fromSeconds, samples: await samples.list(cluster, { fromSeconds, untilSeconds }) };
    }),
  );
  ofStore.set(cluster, { hour, hours });
  hours.catch(() => ofStore.delete(cluster));
  return hours;
}

/** The request sets that hold, those of schedules included, with numbers for what is left to us, and what spare room buys. */
export function targetsInForce(
  sets: readonly RequestSet[],
  scheduled: Scheduled & { readonly past: PastHours },
): { readonly targets: readonly RequestSet[]; readonly spares: readonly SpareSizing[] } {
  const { history, nowSeconds, past } = scheduled;
  const spares: SpareSizing[] = [];
  const targets = withScheduled(sets, scheduled).map((set): RequestSet => {
    if (set.expiresAtSeconds <= nowSeconds || !set.arrays.some(asksForSpares)) return set;
    const arrays = set.arrays.map((definition) => {
      if (!asksForSpares(definition)) return definition;
      const sizing = sizingOf(definition, { set, history, nowSeconds, past });
      spares.push(sizing);
      return withSize(definition, nearestRank(sizing.rises, coveredShare) ?? 0);
    });
    return { ...set, arrays };
  });
  return { targets, spares };
}

function withSize(definition: NodeArrayTarget, size: number): NodeArrayTarget {
  const { SpareCount, SpareSlots } = definition;
  return {
    ...definition,
    ...(SpareCount === "auto" && { SpareCount: size }),
    ...(SpareSlots === "auto" && { SpareSlots: size }),
  };
}

function sizingOf(
  definition: NodeArrayTarget,
  known: {
    readonly set: RequestSet;
    readonly history: readonly NodeHistory[];
    readonly nowSeconds: number;
    readonly past: PastHours;
  },
): SpareSizing {
  const { Name, Extends: nodeArray = Name, SlotResources } = definition;
  const bootSeconds = Math.min(
    longestBootSeconds,
    slowBootSeconds(known.history, nodeArray, known.nowSeconds),
  );
  const amountOf = ({ used }: Sample): number | null => {
    if (used === undefined) return null;
    const { nodes, cores } = used[nodeArray] ?? { nodes: 0, cores: 0 };
    if (SlotResources?.ncpus === undefined) return nodes;
    return cores === null ? null : cores / SlotResources.ncpus;
  };
  // Nodes that jobs use tell nothing of slots without cores.
  const isTold = SlotResources === undefined || SlotResources.ncpus !== undefined;
  const hours = isTold ? alike(known.past.flatMap((hour) => knownOf(hour, amountOf))) : [];
  const rises = hours.flatMap((hour) => risesIn(hour, bootSeconds)).sort((a, b) => a - b);
  return {
    requestSet: known.set.requestSet,
    target: accountOf(definition),
    isAuto: isSizedByItself(definition),
    hours: hours.length,
    bootSeconds,
    rises,
  };
}

/** What was in use in an hour, by the samples that tell it. */
type KnownHour = Omit<PastHour, "samples"> & {
  readonly points: readonly { readonly atSeconds: number; readonly amount: number }[];
};

/** None where less than half of an hour is known, as of the time before an upgrade. */
function knownOf(
  { samples, ...hour }: PastHour,
  amountOf: (sample: Sample) => number | null,
): readonly KnownHour[] {
  const points = samples.flatMap((sample) => {
    const amount = amountOf(sample);
    return amount === null ? [] : [{ atSeconds: sample.atSeconds, amount }];
  });
  const firstSeconds = points[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
  const isKnown = firstSeconds < hour.fromSeconds + hourSeconds / 2 && points.length >= samples.length / 2;
  return isKnown ? [{ ...hour, points }] : [];
}

/** The same hour of earlier weeks, if enough of them are known, else of earlier days. */
function alike(known: readonly KnownHour[]): readonly KnownHour[] {
  const weeks = known.filter(({ daysAgo }) => daysAgo % 7 === 0);
  return weeks.length >= fewestWeeks ? weeks : known;
}

/** For each minute of an hour from its first sample on, how much more was used at most until one boot later. */
function risesIn({ fromSeconds, points }: KnownHour, bootSeconds: number): readonly number[] {
  let first = 0;
  const minutes = Array.from(
    { length: hourSeconds / stepSeconds },
    (_, step) => fromSeconds + step * stepSeconds,
  );
  const known = minutes.filter((atSeconds) => atSeconds >= (points[0]?.atSeconds ?? 0));
  return known.map((atSeconds) => {
    while ((points[first + 1]?.atSeconds ?? Number.POSITIVE_INFINITY) <= atSeconds) first += 1;
    const before = points[first]?.amount ?? 0;
    let most = before;
    for (let index = first; index < points.length; index += 1) {
      const point = points[index];
      if (point === undefined || point.atSeconds > atSeconds + bootSeconds) break;
      most = Math.max(most, point.amount);
    }
    return Math.max(0, Math.ceil(most - before - 1e-9));
  });
}

/** How long who needs more waits on average for a boot, with so much spare room; null: nobody needed more. */
function waitSecondsOf({ rises, bootSeconds }: SpareSizing, spare: number): number | null {
  const sum = rises.reduce((all, rise) => all + rise, 0);
  const beyond = rises.reduce((all, rise) => all + Math.max(0, rise - spare), 0);
  return sum === 0 ? null : (bootSeconds * beyond) / sum;
}

/** What a plan made of a target, with what its spare room buys. */
export function withSizing(outcome: TargetOutcome, spares: readonly SpareSizing[]): PlannedTarget {
  const sizing = spares.find(
    ({ requestSet, target }) => requestSet === outcome.requestSet && target === outcome.name,
  );
  if (sizing === undefined) return outcome;
  const { isAuto, hours, bootSeconds } = sizing;
  return {
    ...outcome,
    spare: { isAuto, hours, bootSeconds, waitSeconds: waitSecondsOf(sizing, outcome.granted) },
  };
}
