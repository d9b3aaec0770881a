import { counted } from "../../../shared/text/text.ts";
import { ago } from "../output/moments.ts";
import type { TopData, TopStatus } from "./top-state.ts";

const barWidth = 30;

/** The gravest problem, and how many more there are; undefined: none. */
export function problemLine({ problems }: TopStatus): string | undefined {
  const [first, ...others] = problems;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` (+${others.length}: ccscale status)`;
  // First, because the sentence may be cut.
  return `${first.gravity.toUpperCase()}${more}: ${first.text}`;
}

/** What an hour costs now, and the month. Null is not zero. */
export function moneyLine({ spending }: TopStatus): string {
  if (spending === null) return "Cost: not counted yet";
  const { usdPerHour, monthUsd, forecastUsd, month, unpricedNodes } = spending;
  const unpriced = unpricedNodes === 0 ? "" : `, ${counted(unpricedNodes, "nodes")} without a price`;
  return `Cost: ${usdPerHour.toFixed(2)} USD/h, ${month}: ${monthUsd.toFixed(2)} USD, forecast ${forecastUsd.toFixed(2)}${unpriced}`;
}

/** An older sample is not shown as the present state. */
const freshSeconds = 300;

/** Nodes as bars by what they are used for; without a fresh sample by CycleCloud's states. One line in words where `most` has no room. */
export function barLines({ status, sample }: TopData, most: number): readonly string[] {
  const isFresh = sample !== undefined && status.atSeconds - sample.atSeconds <= freshSeconds;
  const counts = Object.entries(isFresh ? sample.nodes : status.nodes).filter(([, nodes]) => nodes > 0);
  if (status.snapshot === null) return ["Nodes: not known, no snapshot yet"];
  const total = counts.reduce((sum, [, nodes]) => sum + nodes, 0);
  if (total === 0) return ["Nodes: none"];
  const by = isFresh
    ? ""
    : ` by state${sample === undefined ? "" : `, use last known ${ago(sample.atSeconds, status.atSeconds)}`}`;
  if (counts.length > most)
    return [`Nodes${by}: ${counts.map(([use, nodes]) => `${use} ${nodes}`).join(", ")}`];
  const width = Math.max(...counts.map(([use]) => use.length));
  return counts.map(([use, nodes], index) => {
    // One node of a thousand still has a mark.
    const bar = "█".repeat(Math.max(1, Math.round((nodes / total) * barWidth)));
    return `${use.padEnd(width)} ${bar} ${nodes}${index === 0 ? ` nodes${by}` : ""}`;
  });
}
