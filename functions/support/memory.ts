import { totalmem } from "node:os";
import { constrainedMemory } from "node:process";

/** What this process may use: the machine's memory, or what the container it runs in leaves of that. */
export function availableMemoryBytes(): number {
  // 0 or an enormous number where nothing is said.
  return Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);
}
