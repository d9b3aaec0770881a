import { memberOf } from "../../../../shared/engine/index.ts";
import { amountOf } from "./amounts.ts";
import {
  type Complex,
  type Definitions,
  fieldFor,
  groupsAbove,
  listOf,
  mayUse,
  type Queue,
  valuesOf,
} from "./definitions.ts";
import type { GridengineSettings, NodeArraySettings } from "./gridengine-settings.ts";

/** A cluster queue on nodes of an array that are to come. */
export interface Place {
  readonly array: string;
  readonly queue: Queue;
  /** Host groups of the array, and those that have them inside. */
  readonly groups: ReadonlySet<string>;
  readonly slots: number;
  /** What the hosts have: set on them, or seen on others of the array. */
  readonly hostValues: Readonly<Record<string, string>>;
  readonly queueValues: Readonly<Record<string, string>>;
  /** Names such as nodes to come may have: that of a host of the array with other numbers, or those that CycleCloud gives. */
  readonly namesToCome: readonly string[];
  /** Names of all hosts that are there, of whatever array. */
  readonly hostnames: readonly string[];
}

/** CycleCloud makes names of addresses, unless the array says otherwise; some have a domain. */
export const usualName = /^ip-[0-9a-f]{8}(?=\.|$)/i;

/** With each digit: a pattern that some of them do not fit is not for all nodes to come. */
function namesLike(name = "ip-00000000"): readonly string[] {
  if (usualName.test(name))
    return [..."0123456789abcdef"].map((digit) => name.replace(usualName, `ip-${digit.repeat(8)}`));
  const [label = ""] = name.split(".");
  const last = [...label.matchAll(/\d+/g)].at(-1);
  if (last === undefined) return [name];
  const [number] = last;
  const before = name.slice(0, last.index);
  const after = name.slice(last.index + number.length);
  // One that is not filled up with zeros becomes longer.
  const lengths = number.startsWith("0") ? [number.length] : [number.length, number.length + 1];
  return lengths.flatMap((length) => [..."0123456789"].map((digit) => before + digit.repeat(length) + after));
}

/** Queues of an array: those that are set, or all that have one of its host groups. */
export function queuesOf(
  { queues, host_groups }: NodeArraySettings,
  definitions: Definitions | undefined,
): readonly string[] {
  if (queues !== undefined) return queues;
  return (definitions?.queues ?? [])
    .filter(({ fields }) =>
      listOf(fields.hostlist ?? "").some((entry) =>
        [...(definitions?.groupsIn(entry) ?? [])].some((group) => host_groups.includes(group)),
      ),
    )
    .map(({ name }) => name);
}

export function placesOf(
  settings: GridengineSettings,
  definitions: Definitions,
  seen: Readonly<Record<string, Readonly<Record<string, string>>>>,
  hostnames: readonly string[],
): readonly Place[] {
  return Object.entries(settings.node_arrays).flatMap(([array, own]) => {
    const groups = new Set(groupsAbove(definitions, own.host_groups));
    const values = { ...memberOf(seen, array), ...textValues(own.complex_values) };
    const names = new Set(queuesOf(own, definitions));
    return definitions.queues
      .filter(({ name }) => names.has(name))
      .map((queue): Place => {
        const slots = slotsSet(own, queue.name) ?? amountOf(fieldFor(queue.fields.slots ?? "", groups)) ?? 0;
        return {
          array,
          queue,
          groups,
          slots,
          hostValues: values,
          queueValues: valuesOf(fieldFor(queue.fields.complex_values ?? "", groups)),
          namesToCome: namesLike(values.hostname),
          hostnames,
        };
      });
  });
}

function textValues(values: NodeArraySettings["complex_values"]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

export interface Who {
  readonly user: string;
  readonly department: string;
  readonly project: string;
}

export function isOpenTo({ queue, groups }: Place, who: Who, { accessLists }: Definitions): boolean {
  return mayUse(queue.fields, groups, who, accessLists);
}

export interface ValueAt {
  /** `limit`: of each slot in the queue, which jobs do not use up. */
  readonly of: "host" | "queue" | "global" | "limit";
  readonly value: string;
}

/** Where values of a complex stand: on the host, on the queue (its limits, too), on all hosts together. All of them hold. */
export function valuesAt(
  { name }: Complex,
  { hostValues, queueValues, queue, groups }: Place,
  { globalValues }: Definitions,
): readonly ValueAt[] {
  const valueIn = (of: ValueAt["of"], values: Readonly<Record<string, string>>): readonly ValueAt[] => {
    const value = memberOf(values, name);
    return value === undefined ? [] : [{ of, value }];
  };
  // Limits of a queue are complexes of the same name.
  const limit = /^[hs]_(rt|cpu|fsize|data|stack|core|rss|vmem)$/.test(name) ? queue.fields[name] : undefined;
  return [
    ...valueIn("host", hostValues),
    ...valueIn("queue", queueValues),
    ...valueIn("global", globalValues),
    ...(limit === undefined ? [] : [{ of: "limit" as const, value: fieldFor(limit, groups) }]),
  ];
}

/** What hosts of an array can give of consumables, beside slots: of the host, or of its queues. */
export function consumablesAt(place: Place, definitions: Definitions): ReadonlyMap<string, number> {
  return new Map(
    definitions.consumables.flatMap((complex) => {
      const amounts = valuesAt(complex, place, definitions).flatMap(({ of, value }) =>
        of === "global" || of === "limit" ? [] : (amountOf(value) ?? []),
      );
      const least = Math.min(...amounts);
      return Number.isFinite(least) ? [[complex.name, least] as const] : [];
    }),
  );
}

/** Slots that jobs of all its queues can have of a node of an array. */
export function slotsOfNode(places: readonly Place[]): number {
  const sum = places.reduce((total, { slots }) => total + slots, 0);
  const most = amountOf(places[0]?.hostValues.slots ?? "") ?? Number.POSITIVE_INFINITY;
  return Math.min(sum, most);
}

/** What the settings say of each node. */
export function slotsSet({ slots }: NodeArraySettings, queue: string): number | undefined {
  return typeof slots === "object" ? slots[queue] : slots;
}
