import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import type { Allocation } from "./allocation.ts";
import { place } from "./apply-packing.ts";
import type { Packing } from "./packing/packing-problem.ts";
import type { QueueThere } from "./queue-there.ts";
import { demandIn, noRefusals } from "./shape.ts";

/** Puts the jobs of a queue where a packing has them, and takes back new nodes that hold none of them then. */
export function moveQueue(ledger: Ledger, { items, kinds }: QueueThere, { loads }: Packing): void {
  ledger.crossed = true;
  for (const { jobs } of items) for (const allocation of jobs) takeBack(ledger, allocation);
  const used = kinds.map(() => 0);
  const hands = items.map((item) => item.jobs.values());
  const current: (Allocation | undefined)[] = hands.map((hand) => hand.next().value);
  const put = (node: LedgerNode, item: number, count: number): void => {
    for (let missing = count; missing > 0; ) {
      const allocation = current[item];
      if (allocation === undefined) return;
      const slots = Math.min(missing, allocation.asked - allocation.granted);
      place(ledger, allocation, node, slots);
      missing -= slots;
      if (allocation.granted === allocation.asked) current[item] = hands[item]?.next().value;
    }
  };
  for (const { kind, nodes, slots } of loads) {
    const from = used[kind] as number;
    used[kind] = from + nodes;
    for (const node of kinds[kind]?.nodes.slice(from, from + nodes) ?? [])
      for (const [item, count] of slots) put(node, item, count);
  }
  const isLeftOver = ({ origin, jobs }: LedgerNode): boolean => origin === "new" && jobs.length === 0;
  ledger.dropMade(ledger.buckets.flatMap(({ nodes }) => nodes.filter(isLeftOver)));
}

function takeBack(ledger: Ledger, allocation: Allocation): void {
  const { job, shape } = allocation;
  for (const { node, slots } of allocation.placements)
    ledger.release(node, job.name, slots, demandIn(shape, node.bucket.columns));
  allocation.placements = [];
  allocation.granted = 0;
  allocation.refusals = noRefusals;
}
