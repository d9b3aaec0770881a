import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerNode } from "../ledger/ledger-bucket.ts";
import { shortHostname } from "../model/names.ts";
import type { Allocation } from "./allocation.ts";
import { chargeOwners, chargeUnknownHost } from "./owner-cores.ts";
import { demandIn } from "./shape.ts";

/**
 * Puts a job on the hosts on which it runs already, even against its constraints: one slot per host named. A host
 * that the plan does not hold (terminating, ignored) still counts as a slot that needs no other place.
 */
export function occupy(
  ledger: Ledger,
  allocation: Allocation,
  byHostname: ReadonlyMap<string, LedgerNode>,
): void {
  const { job, shape } = allocation;
  const slotsOn = new Map<LedgerNode, number>();
  for (const hostname of job.executingHostnames) {
    if (allocation.granted < allocation.asked) allocation.granted++;
    const node = byHostname.get(shortHostname(hostname));
    if (node === undefined) {
      chargeUnknownHost(allocation);
      continue;
    }
    const demand = demandIn(shape, node.bucket.columns);
    const closes = shape.exclusive !== "none";
    ledger.occupy(node, job.name, 1, { demand, closes });
    if (!closes || !slotsOn.has(node)) chargeOwners(allocation, node, { demand, closes }, 1);
    slotsOn.set(node, (slotsOn.get(node) ?? 0) + 1);
  }
  allocation.placements = [...slotsOn].map(([node, slots]) => ({ node, slots }));
  allocation.runsOn = new Set(slotsOn.keys());
}
