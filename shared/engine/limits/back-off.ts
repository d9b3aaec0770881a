import { holdCharges } from "./hold.ts";
import type { Limit } from "./limit.ts";

/** A size gave less than asked, or its boots fail: it is asked for nothing for a while. */
export const backOff = {
  charges: (home, counters) => holdCharges("back-off", home, counters),
} satisfies Limit;
