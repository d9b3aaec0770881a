import {
  type Cluster,
  type EngineSettings,
  forNodeArray,
  mostIdleTimes,
  type NodeHistory,
  retentionSeconds,
} from "../engine/index.ts";
import type { ChosenIdleTimeout } from "../ports/index.ts";
import { bootSecondsOf } from "./boot-times.ts";
import { type Gap, rentOrBuy } from "./rent-or-buy.ts";

/** The settings with a number for each array of the cluster that leaves it to us, and why it is that. */
export function chooseIdleTimeouts(
  settings: EngineSettings,
  {
    history,
    cluster,
    nowSeconds,
  }: {
    readonly history: readonly NodeHistory[];
    readonly cluster: Pick<Cluster, "nodeArrays">;
    readonly nowSeconds: number;
  },
): { readonly settings: EngineSettings; readonly chosen: readonly ChosenIdleTimeout[] } {
  const { auto, ...timeouts } = settings.idleTimeoutSeconds;
  if (auto === undefined) return { settings, chosen: [] };
  const bootOf = bootSecondsOf(history);
  const rowsOf = Map.groupBy(history, ({ nodeArray }) => nodeArray);
  const chosen = cluster.nodeArrays.flatMap(({ name: nodeArray }): readonly ChosenIdleTimeout[] => {
    const bounds = forNodeArray(auto, nodeArray);
    if (bounds === null) return [];
    const bootSeconds = bootOf(nodeArray);
    if (bootSeconds === null) {
      const seconds = forNodeArray(timeouts, nodeArray);
      return [{ nodeArray, seconds, by: "no-boots", bootSeconds, knownGaps: 0 }];
    }
    const rows = rowsOf.get(nodeArray) ?? [];
    const idling = {
      gaps: gapsOf(rows, nowSeconds),
      idleNodes: rows.filter(isIdle).length,
      rebootSeconds: rebootSecondsOf(bootSeconds),
    };
    return [{ nodeArray, bootSeconds, ...rentOrBuy(idling, bounds) }];
  });
  const byNodeArray = Object.fromEntries(chosen.map(({ nodeArray, seconds }) => [nodeArray, seconds]));
  const idleTimeoutSeconds = { ...timeouts, byNodeArray: { ...timeouts.byNodeArray, ...byNodeArray } };
  return { settings: { ...settings, idleTimeoutSeconds }, chosen };
}

/** The boot is paid for, and a job waits for as long; that hour of waiting counts as much as an hour of the node. */
function rebootSecondsOf(bootSeconds: number): number {
  return 2 * bootSeconds;
}

function isIdle({ readySeconds, lastMatchSeconds, deletedSeconds }: NodeHistory): boolean {
  return readySeconds !== null && lastMatchSeconds !== null && deletedSeconds === null;
}

/**
 * The gaps of an array's nodes that are over. Older ones are left out where a node remembers no more of them: what is left
 * is all there was since some moment.
 */
function gapsOf(rows: readonly NodeHistory[], nowSeconds: number): readonly Gap[] {
  const sinceSeconds = rows.reduce(
    (since, { idle = [] }) =>
      idle.length < mostIdleTimes ? since : Math.max(since, idle[0]?.endedSeconds ?? since),
    nowSeconds - retentionSeconds,
  );
  const used = rows.flatMap(({ idle = [] }) =>
    idle.flatMap(({ endedSeconds, seconds }): readonly Gap[] =>
      endedSeconds <= sinceSeconds
        ? []
        : [{ lastedSeconds: seconds, isKnown: true, keptSeconds: seconds, isGone: false }],
    ),
  );
  const bySize = Map.groupBy(rows, ({ vmSize }) => vmSize);
  return [...used, ...[...bySize.values()].flatMap((some) => goneGaps(some, sinceSeconds, nowSeconds))];
}

/** Of nodes of one size that went idle. A new one stands for the one that went last before it, which would have been there for it. */
function goneGaps(rows: readonly NodeHistory[], sinceSeconds: number, nowSeconds: number): readonly Gap[] {
  const gone = rows.flatMap(({ readySeconds, lastMatchSeconds, deletedSeconds }) =>
    readySeconds === null || lastMatchSeconds === null || (deletedSeconds ?? sinceSeconds) <= sinceSeconds
      ? []
      : [{ idleSeconds: lastMatchSeconds, goneSeconds: deletedSeconds ?? nowSeconds }],
  );
  // The earliest at the end, where it is taken off.
  gone.sort((a, b) => b.goneSeconds - a.goneSeconds);
  const made = rows.map(({ createdSeconds }) => createdSeconds).sort((a, b) => a - b);
  const waiting: (typeof gone)[number][] = [];
  const replaced = made.flatMap((madeSeconds): readonly Gap[] => {
    for (
      let first = gone.at(-1);
      first !== undefined && first.goneSeconds <= madeSeconds;
      first = gone.at(-1)
    ) {
      waiting.push(first);
      gone.pop();
    }
    const last = waiting.pop();
    return last === undefined ? [] : [goneGap(last, { untilSeconds: madeSeconds, isKnown: true })];
  });
  return [
    ...replaced,
    ...[...waiting, ...gone].map((last) => goneGap(last, { untilSeconds: nowSeconds, isKnown: false })),
  ];
}

function goneGap(
  { idleSeconds, goneSeconds }: { readonly idleSeconds: number; readonly goneSeconds: number },
  { untilSeconds, isKnown }: { readonly untilSeconds: number; readonly isKnown: boolean },
): Gap {
  return {
    lastedSeconds: untilSeconds - idleSeconds,
    isKnown,
    keptSeconds: goneSeconds - idleSeconds,
    isGone: true,
  };
}
