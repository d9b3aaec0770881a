import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-node.ts";
import { shortHostname } from "../model/hostname.ts";
import type { Allocation } from "./allocate.ts";
import { demandIn } from "./shape.ts";

/**
 * Puts a job on the hosts on which it runs already, whatever its constraints say: one slot per host named. A host
 * that the plan does not hold (terminating, ignored) still counts as a slot that needs no other place.
 */
export function occupy(
  ledger: Ledger,
  allocation: Allocation,
  byHostname: ReadonlyMap<string, LedgerNode>,
): void {
  const { job, shape } = allocation;
  for (const hostname of job.executingHostnames) {
    if (allocation.granted < allocation.asked) allocation.granted++;
    const node = byHostname.get(shortHostname(hostname));
    if (node === undefined) continue;
    const demand = demandIn(shape, node.bucket.example.stock.units);
    ledger.occupy({ node, job: job.name, slots: 1, demand, closes: shape.exclusive !== "none" });
    const known = allocation.placements.findIndex((placement) => placement.node === node);
    if (known < 0) allocation.placements.push({ node, slots: 1 });
    else allocation.placements[known] = { node, slots: (allocation.placements[known]?.slots ?? 0) + 1 };
  }
}
