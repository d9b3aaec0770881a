import { holdCharges } from "./hold.ts";
import type { Limit } from "./limit.ts";

/** A budget of some kind is spent and holds a size. */
export const budget = {
  charges: (home, counters) => holdCharges("budget", home, counters),
} satisfies Limit;
