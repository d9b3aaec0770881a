import { amountOf, matches } from "./amounts.ts";
import type { Complex, Definitions } from "./definitions.ts";
import { type Place, valueAt } from "./places.ts";
import type { Request } from "./queue-records.ts";

/** What a job's hard requests mean in one place. */
export interface Asked {
  /** Of each slot. */
  readonly perSlot: Readonly<Record<string, number>>;
  /** Of the job, however many slots it has. */
  readonly perJob: Readonly<Record<string, number>>;
  /** Of what all hosts share. */
  readonly shared: readonly {
    readonly complex: string;
    readonly amount: number;
    readonly isPerJob: boolean;
  }[];
  readonly exclusive: boolean;
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
  const shared: { complex: string; amount: number; isPerJob: boolean }[] = [];
  const notes: string[] = [];
  let exclusive = false;
  const consume = (complex: Complex, amount: number, of: string) => {
    const isPerJob = complex.consumable === "JOB";
    if (of === "global") shared.push({ complex: complex.name, amount, isPerJob });
    else (isPerJob ? perJob : perSlot)[complex.name] = amount;
  };
  for (const { name, value } of requests) {
    const complex = definitions.complexes.get(name);
    if (complex === undefined) return { refused: `complex "${name}" is not defined` };
    if (complex.name === "slots") continue;
    const problem = `no node of "${place.array}" in queue ${place.queue.name} has ${name}=${value}`;
    if (complex.name === "hostname") {
      if (value !== "*") return { refused: `asks for host "${value}": hosts cannot be ordered by name` };
      continue;
    }
    if (complex.name === "qname") {
      if (!matches(value, place.queue.name)) return { refused: problem };
      continue;
    }
    const at = valueAt(complex, place, definitions);
    if (at === undefined) {
      if (!loadValue.test(complex.name)) return { refused: problem };
      notes.push(`${name}=${value} is not planned for: it is not known of nodes to come`);
      continue;
    }
    if (complex.relation === "EXCL") {
      if (amountOf(at.value) === 0) return { refused: problem };
      exclusive ||= amountOf(value) === 1;
      continue;
    }
    const wanted = amountOf(value);
    const offered = amountOf(at.value);
    if (complex.consumable !== "NO" && wanted !== undefined) {
      if (offered === undefined || wanted > offered) return { refused: problem };
      if (Number.isFinite(offered) && wanted > 0) consume(complex, wanted, at.of);
      continue;
    }
    if (!holds(complex, value, at.value)) return { refused: problem };
  }
  const asked = new Set(requests.flatMap(({ name }) => definitions.complexes.get(name)?.name ?? []));
  // What a job takes that does not ask.
  for (const complex of definitions.consumables) {
    const usual = asked.has(complex.name) ? 0 : (amountOf(complex.usual) ?? 0);
    if (usual <= 0) continue;
    const at = valueAt(complex, place, definitions);
    const offered = at === undefined ? undefined : amountOf(at.value);
    if (at !== undefined && offered !== undefined && Number.isFinite(offered)) consume(complex, usual, at.of);
  }
  return { perSlot, perJob, shared, exclusive, notes };
}

function holds({ type, relation }: Complex, wanted: string, offered: string): boolean {
  const isText = /STRING|HOST/.test(type);
  const [a, b] = [amountOf(wanted), amountOf(offered)];
  if (isText || a === undefined || b === undefined) {
    const isSame = matches(wanted, offered);
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
