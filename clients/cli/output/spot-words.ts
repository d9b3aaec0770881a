import type { ClusterStatus } from "../../../shared/api/index.ts";
import { counted } from "../../../shared/text/text.ts";
import { ago } from "./moments.ts";

export function spotInWords(spot: NonNullable<ClusterStatus["spot"]>, atSeconds: number): string {
  const { cores, spotCores, evicted, backedOff } = spot;
  const share = cores === 0 ? "" : ` (${((100 * spotCores) / cores).toFixed(0)} %)`;
  const lost = evicted.map(({ nodes, vmSize, nodeArray }) => `${nodes} ${vmSize} of ${nodeArray}`);
  return [
    `${spotCores} of ${counted(cores, "cores")}${share}`,
    ...(lost.length === 0 ? [] : [`evicted within the hour: ${lost.join(", ")}`]),
    ...backedOff.map(
      ({ vmSize, nodeArray, untilSeconds }) =>
        `${vmSize} of ${nodeArray} backed off, ends ${ago(untilSeconds, atSeconds)}`,
    ),
  ].join("; ");
}
