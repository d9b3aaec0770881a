import { amountOf, isPattern, matches } from "./amounts.ts";
import type { Complex, Definitions } from "./definitions.ts";
import { type Place, type ValueAt, valuesAt } from "./places.ts";
import type { Request } from "./queue-records.ts";

/** What a job's hard requests mean in one place. */
export interface Asked {
  /** Of each slot. */
  readonly perSlot: Readonly<Record<string, number>>;
  /** Of the job, however many slots it has. */
  readonly perJob: Readonly<Record<string, number>>;
  /** Of what is not used up, such as `h_rt`. */
  readonly fixed: Readonly<Record<string, number>>;
  /** Of what all hosts share. */
  readonly shared: readonly {
    readonly complex: string;
    readonly amount: number;
    readonly isPerJob: boolean;
  }[];
  readonly exclusive: boolean;
  /** Hosts that it must not get, by name. */
  readonly notOn: readonly string[];
  readonly notes: readonly string[];
}

/** Reported by the daemon of a host that is there. */
const loadValue = /^(?:arch|num_proc|cpu|(?:load|np_load|mem|swap|virtual|m|display)_\w+)$/;

/** Or why the job cannot run there. */
export function askedAt(
  requests: readonly Request[],
  place: Place,
  definitions: Definitions,
): Asked | { readonly refused: string } {
  const perSlot: Record<string, number> = {};
  const perJob: Record<string, number> = {};
  const fixed: Record<string, number> = {};
  const shared: { complex: string; amount: number; isPerJob: boolean }[] = [];
  const notes: string[] = [];
  const notOn: string[] = [];
  let exclusive = false;
  const consume = (complex: Complex, amount: number, of: ValueAt["of"]) => {
    const isPerJob = complex.consumable === "JOB";
    if (of === "limit") return;
    if (of === "global") shared.push({ complex: complex.name, amount, isPerJob });
    else (isPerJob ? perJob : perSlot)[complex.name] = amount;
  };
  for (const { name, value } of requests) {
    const complex = definitions.complexes.get(name);
    if (complex === undefined) return { refused: `complex "${name}" is not defined` };
    if (complex.name === "slots") continue;
    const problem = `no node of "${place.array}" in queue ${place.queue.name} has ${name}=${value}`;
    if (complex.name === "hostname") {
      const others = othersThan(value) ?? othersByPattern(value, place);
      if (others === undefined) return { refused: `asks for ${ofCertainHosts(value)}` };
      notOn.push(...others);
      continue;
    }
    if (complex.name === "qname") {
      if (!matches(value, place.queue.name)) return { refused: problem };
      continue;
    }
    const all = valuesAt(complex, place, definitions);
    if (all.length === 0) {
      if (!loadValue.test(complex.name)) return { refused: problem };
      // What is free is no more than what there is.
      const total = amountOf(place.hostValues[complex.name.replace(/_free$/, "_total")] ?? "");
      if (total !== undefined && (amountOf(value) ?? 0) > total) return { refused: problem };
      notes.push(`${name}=${value} is not planned for: it is not known of nodes to come`);
    }
    const wanted = amountOf(value);
    if (wanted !== undefined && complex.consumable === "NO") fixed[complex.name] = wanted;
    for (const at of all) {
      const offered = amountOf(at.value);
      if (complex.relation === "EXCL") {
        if (offered === 0) return { refused: problem };
        exclusive ||= wanted === 1;
      } else if (complex.consumable !== "NO" && wanted !== undefined) {
        if (offered === undefined || wanted > offered) return { refused: problem };
        if (Number.isFinite(offered) && wanted > 0) consume(complex, wanted, at.of);
      } else if (!holds(complex, value, at.value)) return { refused: problem };
    }
  }
  const asked = new Set(requests.flatMap(({ name }) => definitions.complexes.get(name)?.name ?? []));
  // What a job takes that does not ask.
  for (const complex of definitions.consumables) {
    const usual = asked.has(complex.name) ? 0 : (amountOf(complex.usual) ?? 0);
    if (usual <= 0) continue;
    for (const { of, value } of valuesAt(complex, place, definitions))
      if (Number.isFinite(amountOf(value))) consume(complex, usual, of);
  }
  const unasked = definitions.forced.find(
    ({ name }) =>
      !asked.has(name) && [place.queueValues, place.hostValues].some((values) => Object.hasOwn(values, name)),
  );
  if (unasked !== undefined)
    return { refused: `queue ${place.queue.name} takes only jobs that ask for ${unasked.name} there` };
  return { perSlot, perJob, fixed, shared, exclusive, notOn, notes };
}

/** Any host (`*`) or any but some that are named (`!a`, `!a&!b`, `!(a|b)`), which are given back; undefined: certain ones. */
function othersThan(value: string): readonly string[] | undefined {
  if (value === "*") return [];
  const list = /^!\(([\w.|-]+)\)$/.exec(value)?.[1];
  if (list !== undefined) return list.split("|");
  const names = value.split("&").map((each) => /^!([\w.-]+)$/.exec(each)?.[1]);
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** A pattern for hosts: those that are there and do not fit; undefined: it names certain hosts, or may not fit the ones to come. */
function othersByPattern(value: string, { namesToCome, hostnames }: Place): readonly string[] | undefined {
  if (!isPattern(value) || !namesToCome.every((name) => matches(value, name))) return undefined;
  return hostnames.filter((name) => !matches(value, name));
}

function ofCertainHosts(value: string): string {
  return isPattern(value)
    ? `hosts "${value}": not all nodes to come would fit by their names`
    : `host "${value}": hosts cannot be ordered by name`;
}

function holds({ type, relation }: Complex, wanted: string, offered: string): boolean {
  const isText = /STRING|HOST/.test(type);
  const [a, b] = [amountOf(wanted), amountOf(offered)];
  if (isText || a === undefined || b === undefined) {
    const isSame = matches(wanted, offered, { isCaseSensitive: type === "STRING" || type === "RESTRING" });
    return relation === "!=" ? !isSame : isSame;
  }
  switch (relation) {
    case "<=":
      return a <= b;
    case ">=":
      return a >= b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "!=":
      return a !== b;
    default:
      return a === b;
  }
}
