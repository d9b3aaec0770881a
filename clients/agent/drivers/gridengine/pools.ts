import { amountOf } from "./amounts.ts";
import type { Definitions } from "./definitions.ts";
import type { Host } from "./gridengine-nodes.ts";
import type { JobContext } from "./job-context.ts";
import type { RunningRecord } from "./queue-records.ts";

/** So many slots are no limit: the value that administrators write for "enough". */
const noLimit = 999;

/** What all hosts share: consumables of the host "global", and the slots of a parallel environment. */
export function poolsOf({
  definitions,
  running,
  hosts,
}: {
  readonly definitions: Definitions;
  readonly running: readonly RunningRecord[];
  readonly hosts: readonly Host[];
}): JobContext["poolsFor"] {
  const used = new Map<string, number>();
  for (const { granted, slots } of running)
    if (granted !== undefined) used.set(granted, (used.get(granted) ?? 0) + slots);
  const left = new Map(
    (hosts[0]?.instances[0]?.resources ?? [])
      .filter(({ type }) => type === "gc")
      .map(({ name, value }) => [name, amountOf(value)]),
  );
  return (shared, slots, pe) => {
    const consumables = shared.map(({ complex, amount, isPerJob }) => {
      const total = amountOf(definitions.globalValues[complex] ?? "") ?? 0;
      return pool(complex, isPerJob ? amount : amount * slots, total, left.get(complex) ?? total);
    });
    if (pe === undefined || pe.slots >= noLimit) return consumables;
    return [...consumables, pool(`pe:${pe.name}`, slots, pe.slots, pe.slots - (used.get(pe.name) ?? 0))];
  };
}

function pool(name: string, requested: number, total: number, free: number) {
  return {
    "resource-name": name,
    requested,
    "initial-value": total,
    "current-value": Math.max(0, Math.min(total, free)),
  };
}
