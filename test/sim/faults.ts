import type { Chance } from "./chance.ts";

/**
 * What may go wrong at one place. `crash-*`: the machine dies with all its runs, before or after the call had its effect.
 * `error-*`: the call throws, before or after its effect (a time-out after the server acted). `conflict-after`: it was
 * written, the answer was lost, and the SDK's own retry met its own ETag. `repeated`: the same for CycleCloud, where the
 * retry meets its own request id (409). `host-dies`: the machine that has just taken a message off the demand queue, which
 * stays hidden for as long as its lease. The others are named after what the server or the queue does.
 */
export type FaultKind =
  | "crash-before"
  | "crash-after"
  | "error-before"
  | "error-after"
  | "conflict-after"
  | "slow-request"
  | "slow-answer"
  | "status-500"
  | "status-429"
  | "refused-409"
  | "repeated"
  | "truncated"
  | "lost"
  | "late"
  | "twice"
  | "host-dies"
  | "lock-lost"
  | "done-twice"
  | "not-sent"
  | "half-sent"
  | "mangled";

/** One fault of a run: the `nth` time that something came to this place (counted from 1), and how long it takes. */
export interface Fault {
  readonly place: string;
  readonly nth: number;
  readonly kind: FaultKind;
  readonly seconds: number;
}

export interface FaultSource {
  /** The fault that happens here and now, if any. Call it once for every passage. */
  at(place: string, kinds: readonly [FaultKind, ...FaultKind[]]): Fault | undefined;
}

/** The longest that anything is late: longer than a lock, a retry or a plan window. */
const longestDelaySeconds = 240;

/** Faults with a probability, as long as `isOn`. `weights` of places come before the usual ones. */
export function drawnFaults(
  chance: Chance,
  drawn: { readonly probability: number; readonly weights?: Readonly<Record<string, number>> | undefined },
  isOn: () => boolean,
): FaultSource {
  const { probability, weights = {} } = drawn;
  return counted((place, nth, kinds) => {
    if (!chance.happens(probability * (weights[place] ?? weightOf(place)))) return undefined;
    const share = chance.between(0, 1);
    const fault: Fault = { place, nth, kind: chance.pick(kinds), seconds: longestDelaySeconds * share ** 3 };
    return isOn() ? fault : undefined;
  });
}

/** What is done seldom, and matters most, goes wrong more often. */
function weightOf(place: string): number {
  if (/^cyclecloud\.(?!read)/.test(place)) return 8;
  return /^(operations\.save|plans\.saveHead|scaleActions\.send|post demand|events queue)| delivery$/.test(
    place,
  )
    ? 3
    : 1;
}

/** Exactly these faults: to run a seed again with fewer. */
export function listedFaults(faults: readonly Fault[]): FaultSource {
  const byPassage = new Map(faults.map((fault) => [`${fault.place} ${fault.nth}`, fault]));
  return counted((place, nth) => byPassage.get(`${place} ${nth}`));
}

function counted(
  decide: (place: string, nth: number, kinds: readonly [FaultKind, ...FaultKind[]]) => Fault | undefined,
): FaultSource {
  const passages = new Map<string, number>();
  return {
    at: (place, kinds) => {
      const nth = (passages.get(place) ?? 0) + 1;
      passages.set(place, nth);
      return decide(place, nth, kinds);
    },
  };
}

/** The same source; `onFault` is told what happens. */
export function remembering(source: FaultSource, onFault: (fault: Fault) => void): FaultSource {
  return {
    at: (place, kinds) => {
      const fault = source.at(place, kinds);
      if (fault !== undefined) onFault(fault);
      return fault;
    },
  };
}
