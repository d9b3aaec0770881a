import type { CapBound, Caps, Running } from "../model/caps.ts";
import { capNames } from "../model/limits.ts";
import { limits } from "./limits.ts";

/** The caps that are set. A price that is not known has no figure. */
export function capBounds(caps: Caps, running: Running): readonly CapBound[] {
  return capNames.flatMap((cap) => {
    const bound = limits[cap].bound(caps, running);
    return bound === null ? [] : [{ cap, max: bound.max, used: bound.used }];
  });
}
