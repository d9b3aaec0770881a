import { amountOf } from "./amounts.ts";
import { type Definitions, groupsAbove, type ParallelEnvironment } from "./definitions.ts";
import type { Host } from "./gridengine-nodes.ts";
import type { Place, Who } from "./places.ts";
import type { RunningRecord } from "./queue-records.ts";
import { limitsFor, parseQuotas } from "./quotas.ts";
import type { Asked } from "./requests.ts";
import { takenBy } from "./running.ts";

/** So many slots are no limit: the value that administrators write for "enough". */
const noLimit = 999;

/** What jobs share, wherever they run: of each slot, or of the job however many slots it has. */
export interface Draw {
  readonly name: string;
  readonly perSlot: number;
  readonly perJob: number;
  readonly total: number;
  readonly free: number;
}

/** What a quota leaves of each host by itself: a resource of hosts, of which a job takes some. */
export interface HostLimit {
  readonly name: string;
  readonly most: number;
  readonly perSlot: number;
  readonly perJob: number;
}

interface DrawsThere {
  readonly draws: readonly Draw[];
  readonly hostLimits: readonly HostLimit[];
}

/** Consumables of the host "global", slots of parallel environments, and resource quotas. */
export interface Pools {
  drawsOf(
    who: Who,
    pe: ParallelEnvironment | undefined,
    place: Place,
    asked: Asked,
  ): DrawsThere | { readonly refused: string };
  /** What hosts of each array have of limits that jobs were asked about, by name. */
  limitsOfHosts(): ReadonlyMap<string, Readonly<Record<string, number>>>;
  /** What a running job takes of them on its host. */
  takenOnHost(record: RunningRecord): Readonly<Record<string, number>>;
  /** How many tasks of so many slots may start beside those that were asked about before; they are counted from then on. */
  take(draws: readonly Draw[], slots: number, tasks: number): number;
  /** Whether one task may. */
  hasRoom(draws: readonly Draw[], slots: number): boolean;
}

export function poolsOf({
  definitions,
  running,
  hosts,
  offers,
  groupsOf,
}: {
  readonly definitions: Definitions;
  /** How much nodes of a place have of slots or a consumable; a quota of as much binds nobody. */
  readonly offers: (place: Place, complex: string) => number;
  readonly running: readonly RunningRecord[];
  readonly hosts: readonly Host[];
  /** Host groups of a host, those that it joined since the definitions were read included. */
  readonly groupsOf: (host: string) => readonly string[];
}): Pools {
  const ofEnvironments = new Map<string, number>();
  for (const { granted, slots } of running)
    if (granted !== undefined) ofEnvironments.set(granted, (ofEnvironments.get(granted) ?? 0) + slots);
  const jobsOf = new Map<string, Set<string>>();
  for (const { owner, id, tasks } of running)
    jobsOf.set(owner, (jobsOf.get(owner) ?? new Set()).add(`${id}.${tasks}`));
  const leftOfGlobal = new Map(
    (hosts[0]?.instances[0]?.resources ?? [])
      .filter(({ type }) => type === "gc")
      .map(({ name, value }) => [name, amountOf(value)]),
  );
  const quotas = parseQuotas(definitions.quotas);
  const limitsOn = limitsOfRunning(quotas, definitions, groupsOf);
  const ofQuotas = new Map<string, number>();
  for (const record of running)
    for (const { name, isPerHost, amount } of limitsOn(record))
      if (!isPerHost) ofQuotas.set(name, (ofQuotas.get(name) ?? 0) + amount);
  const ofHosts = new Map<string, Record<string, number>>();
  const taken = new Map<string, number>();
  const leftOf = ({ name, free }: Draw) => free - (taken.get(name) ?? 0);
  const fitting = (draws: readonly Draw[], slots: number, tasks: number) =>
    draws.reduce((most, draw) => {
      const whole = wholeOf(draw, slots);
      return whole === 0 ? most : Math.min(most, Math.max(0, Math.floor(leftOf(draw) / whole)));
    }, tasks);
  return {
    drawsOf: (who, pe, place, asked) => {
      const shared = asked.shared.map(({ complex, amount, isPerJob }) => {
        const total = amountOf(definitions.globalValues[complex] ?? "") ?? 0;
        return drawOn(complex, amount, isPerJob, total, leftOfGlobal.get(complex) ?? total);
      });
      const ofPe =
        pe === undefined || pe.slots >= noLimit
          ? []
          : [drawOn(`pe:${pe.name}`, 1, false, pe.slots, pe.slots - (ofEnvironments.get(pe.name) ?? 0))];
      const { groups, queue, hostValues, namesToCome: host } = place;
      const subject = { who, pe: pe?.name ?? "", queue: queue.name, host, groups };
      const limits = limitsFor(quotas, subject, definitions, (name) => amountOf(hostValues[name] ?? ""));
      if ("refused" in limits) return limits;
      const over = limits.find(({ complex, most }) => (asked.fixed[complex] ?? 0) > most);
      if (over !== undefined)
        return { refused: `${over.name}: ${asked.fixed[over.complex]} wanted, at most ${over.most}` };
      const hostLimits: HostLimit[] = [];
      const draws = limits.flatMap(({ name, complex, most, isPerHost }): readonly Draw[] => {
        const { amount, isPerJob } = askedOf(asked, complex);
        if (amount === 0) return [];
        if (!isPerHost) return [drawOn(name, amount, isPerJob, most, most - (ofQuotas.get(name) ?? 0))];
        if (most >= offers(place, complex)) return [];
        ofHosts.set(place.array, { ...ofHosts.get(place.array), [name]: most });
        hostLimits.push({ name, most, perSlot: isPerJob ? 0 : amount, perJob: isPerJob ? amount : 0 });
        return [];
      });
      const { mostOfUser } = definitions;
      const ofUser =
        mostOfUser === 0
          ? []
          : [
              drawOn(
                `maxujobs of ${who.user}`,
                1,
                true,
                mostOfUser,
                mostOfUser - (jobsOf.get(who.user)?.size ?? 0),
              ),
            ];
      return { draws: [...shared, ...ofPe, ...ofUser, ...draws], hostLimits };
    },
    limitsOfHosts: () => ofHosts,
    takenOnHost: (record) => {
      const names = new Set([...ofHosts.values()].flatMap((limits) => Object.keys(limits)));
      if (names.size === 0) return {};
      const there = limitsOn(record).filter(({ name, amount }) => names.has(name) && amount > 0);
      return Object.fromEntries(there.map(({ name, amount }) => [name, amount]));
    },
    take: (draws, slots, tasks) => {
      const count = fitting(draws, slots, tasks);
      for (const draw of draws)
        taken.set(draw.name, (taken.get(draw.name) ?? 0) + count * wholeOf(draw, slots));
      return count;
    },
    hasRoom: (draws, slots) => fitting(draws, slots, 1) > 0,
  };
}

function drawOn(name: string, amount: number, isPerJob: boolean, total: number, free: number): Draw {
  const [perSlot, perJob] = isPerJob ? [0, amount] : [amount, 0];
  return { name, perSlot, perJob, total, free: Math.max(0, Math.min(total, free)) };
}

export function wholeOf({ perSlot, perJob }: Draw, slots: number): number {
  return perSlot * slots + perJob;
}

/** Why a job of so many slots never starts; undefined: it may. */
export function neverOf(draws: readonly Draw[], slots: number): string | undefined {
  const never = draws.find((draw) => wholeOf(draw, slots) > draw.total);
  return never === undefined
    ? undefined
    : `${never.name}: ${wholeOf(never, slots)} wanted, at most ${never.total}`;
}

function askedOf({ perSlot, perJob, shared }: Asked, complex: string) {
  if (complex === "slots") return { amount: 1, isPerJob: false };
  const own = shared.find((each) => each.complex === complex);
  if (own !== undefined) return own;
  return perJob[complex] === undefined
    ? { amount: perSlot[complex] ?? 0, isPerJob: false }
    : { amount: perJob[complex], isPerJob: true };
}

/** What a running job has of each limit. One of which it is not known whether a rule is for it counts. */
function limitsOfRunning(
  quotas: ReturnType<typeof parseQuotas>,
  definitions: Definitions,
  groupsOf: (host: string) => readonly string[],
) {
  const groupsByHost = new Map<string, ReadonlySet<string>>();
  return (record: RunningRecord) => {
    if (quotas.length === 0) return [];
    const { host, queue, granted = "", owner, department, project, slots } = record;
    const groups = groupsByHost.get(host) ?? new Set(groupsAbove(definitions, groupsOf(host)));
    groupsByHost.set(host, groups);
    const amounts: Readonly<Record<string, number>> = { ...takenBy(record, definitions), slots };
    const subject = { who: { user: owner, department, project }, pe: granted, queue, host, groups };
    // One set at a time: what cannot be read in one of them says nothing about another.
    return quotas.flatMap((set) => {
      // Only names are wanted: any value will do.
      const limits = limitsFor([set], subject, definitions, () => 0, "counts");
      if ("refused" in limits) return [];
      return limits.map(({ name, complex, isPerHost }) => ({
        name,
        isPerHost,
        amount: amounts[complex] ?? 0,
      }));
    });
  };
}
