import type { SourceDemand } from "../../ports/index.ts";
import { doubtsOf } from "../doubts.ts";
import { longestSilenceSeconds } from "./live-demand.ts";

/**
 * Why it is not known what jobs want; undefined: it is. A node that boots is up to nothing yet, so it is judged by what waits, which
 * a silent source no longer reports, and which nobody knows of jobs that were set aside.
 */
export function whyWantsUnknown(demand: readonly SourceDemand[], nowSeconds: number): string | undefined {
  const counting = demand.filter(
    ({ expiresAtSeconds }) => expiresAtSeconds + longestSilenceSeconds > nowSeconds,
  );
  if (counting.length === 0) return "no source reports its demand";
  const silent = counting.find(({ expiresAtSeconds }) => expiresAtSeconds <= nowSeconds);
  if (silent !== undefined) return `source "${silent.source}" is silent`;
  const odd = counting.find(({ setAside }) => setAside !== undefined && setAside.items.length > 0);
  if (odd !== undefined) return `jobs of source "${odd.source}" were set aside`;
  return doubtsOf(demand, nowSeconds)[0]?.why;
}
