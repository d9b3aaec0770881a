import type { Job } from "../driver.ts";
import { amountOf } from "./amounts.ts";
import type { Definitions } from "./definitions.ts";
import { detailsOf, nameOf } from "./job-common.ts";
import type { RunningRecord } from "./queue-records.ts";

/** What a record takes of its host, of consumables that are counted by host. */
export function takenBy(
  { requests, slots }: RunningRecord,
  definitions: Definitions | undefined,
): Readonly<Record<string, number>> {
  const asked = new Map(
    requests.flatMap(({ name, value }) => {
      const complex = definitions?.complexes.get(name);
      return complex === undefined ? [] : [[complex.name, amountOf(value) ?? 0] as const];
    }),
  );
  return Object.fromEntries(
    (definitions?.consumables ?? []).flatMap(({ name, consumable, usual }) => {
      const amount = asked.get(name) ?? amountOf(usual) ?? 0;
      if (amount <= 0 || !Number.isFinite(amount)) return [];
      // Of a job on several hosts one has it, and nothing says which.
      const times = consumable === "YES" ? slots : 1;
      return [[name, amount * times]];
    }),
  );
}

function isExclusive({ requests }: RunningRecord, definitions: Definitions | undefined): boolean {
  return requests.some(
    ({ name, value }) => definitions?.complexes.get(name)?.relation === "EXCL" && amountOf(value) === 1,
  );
}

/** A job by hosts: one that has another number of slots on some of them is told in parts. */
export function toRunning(
  records: readonly RunningRecord[],
  definitions: Definitions | undefined,
  counted: ReadonlySet<string>,
  queueSlots: boolean,
  limitsOf: (record: RunningRecord) => Readonly<Record<string, number>>,
): readonly Job[] {
  const jobs = Map.groupBy(records, (record) => nameOf(record, { waits: false }));
  return [...jobs].flatMap(([name, own]) => {
    const byHost = [...Map.groupBy(own, ({ host }) => host)].map(([host, there]) => ({
      host,
      first: there[0] as RunningRecord,
      takes: amounts(there, definitions, counted, queueSlots, limitsOf),
    }));
    const parts = [...Map.groupBy(byHost, ({ takes }) => JSON.stringify(takes)).values()];
    return parts.flatMap((part, index): readonly Job[] => {
      const [one] = part;
      if (one === undefined) return [];
      return [
        {
          ...detailsOf(one.first, { queue: own[0]?.queue ?? "" }),
          name: index === 0 ? name : `${name}#${index + 1}`,
          constraints: one.takes,
          ...(isExclusive(one.first, definitions) ? { exclusive: true } : {}),
          ...(part.length === 1 ? {} : { nodeCount: part.length }),
          executingHostnames: part.map(({ host }) => host),
        },
      ];
    });
  });
}

function amounts(
  there: readonly RunningRecord[],
  definitions: Definitions | undefined,
  counted: ReadonlySet<string>,
  queueSlots: boolean,
  limitsOf: (record: RunningRecord) => Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const total: Record<string, number> = { slots: 0 };
  const add = (name: string, amount: number) => {
    total[name] = (total[name] ?? 0) + amount;
  };
  for (const record of there) {
    add("slots", record.slots);
    if (queueSlots) add(slotsName(record.queue), record.slots);
    for (const [name, amount] of Object.entries(takenBy(record, definitions)))
      if (counted.has(name)) add(name, amount);
    for (const [name, amount] of Object.entries(limitsOf(record))) add(name, amount);
  }
  return total;
}

/** The slots of one queue on a node; `slots` are those of all its queues. */
export function slotsName(queue: string): string {
  return `slots:${queue}`;
}
