import type { JobsCost, PlannedAddition } from "../../../shared/api/index.ts";
import { duration } from "../../../shared/text/durations.ts";
import { counted } from "../../../shared/text/text.ts";

/** So many kinds of nodes are named; of more, their number is. */
const mostNamed = 3;

/** A plan's answer in one line: the nodes that come, what they cost an hour, when they are ready, and who waits. */
export function answerLine(
  additions: readonly PlannedAddition[],
  { waits, gone = 0 }: { readonly waits: string; readonly gone?: number },
): string {
  const deleted = gone === 0 ? "" : `; ${counted(gone, "nodes")} deleted`;
  if (additions.length === 0) return `No new nodes${deleted}; ${waits}`;
  const parts = [namesOf(additions), costOf(additions), readyIn(additions)].filter((part) => part !== null);
  return `${parts.join(", ")}${deleted}; ${waits}`;
}

function namesOf(additions: readonly PlannedAddition[]): string {
  if (additions.length > mostNamed)
    return `+${counted(nodesOf(additions), "nodes")} of ${additions.length} kinds`;
  return additions.map(({ count, vmSize, nodeArray }) => `+${count} ${vmSize} in ${nodeArray}`).join(" and ");
}

/** Names unpriced nodes: otherwise the sum would look complete. */
function costOf(additions: readonly PlannedAddition[]): string {
  const unpriced = nodesOf(additions.filter(({ usdPerHour }) => usdPerHour === null));
  if (unpriced === nodesOf(additions)) return "price not known";
  const usd = additions.reduce((sum, { count, usdPerHour }) => sum + count * (usdPerHour ?? 0), 0);
  const more = unpriced === 0 ? "" : ` and ${counted(unpriced, "nodes")} without a price`;
  return `+${usd.toFixed(2)} USD/h${more}`;
}

/** When the slowest are; null: no boot of theirs is known. */
function readyIn(additions: readonly PlannedAddition[]): string | null {
  const seconds = additions.flatMap(({ readyInSeconds }) => readyInSeconds ?? []);
  if (seconds.length < additions.length) return null;
  const slowest = Math.max(...seconds);
  return `ready in about ${duration(slowest < 90 ? slowest : 60 * Math.round(slowest / 60))}`;
}

function nodesOf(additions: readonly PlannedAddition[]): number {
  return additions.reduce((sum, { count }) => sum + count, 0);
}

/** What jobs themselves will cost, which is less than their nodes where others share them; null when no price is known. */
export function jobsCostLine({ usdPerHour, usd, untimedJobs, unpricedJobs }: JobsCost): string | null {
  if (usdPerHour === 0 && unpricedJobs === 0) return null;
  if (usdPerHour === 0)
    return `The jobs' cost is not known: ${counted(unpricedJobs, "jobs")} on nodes without a price`;
  const untimed = untimedJobs === 0 ? "" : ` (${counted(untimedJobs, "jobs")} without a run time left out)`;
  const whole =
    usd === null ? "; in total not known without run times" : `, ${usd.toFixed(2)} USD in total${untimed}`;
  const unpriced = unpricedJobs === 0 ? "" : `; ${counted(unpricedJobs, "jobs")} without a price left out`;
  return `The jobs' share of their nodes: ${usdPerHour.toFixed(2)} USD/h${whole}${unpriced}`;
}

/** `0 jobs wait`, `1 job waits`. */
export function waitsOf(count: number, of = "jobs"): string {
  return `${counted(count, of)} ${count === 1 ? "waits" : "wait"}`;
}
