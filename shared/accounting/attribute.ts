import type { Amount, Dimensions } from "./lines.ts";
import type { SeenJob, SeenNode, Sight } from "./sight.ts";

/** Who got a piece of a node's time. `job` is null for what is no job's. */
export interface Entry {
  readonly atMs: number;
  readonly of: Dimensions;
  readonly job: SeenJob | null;
  readonly amount: Amount;
}

const msPerHour = 3_600_000;
const nanoPerUsd = 1e9;

/**
 * Who had the nodes between two moments at which they were seen. Nothing was seen in between: of a node that both show, the
 * first half goes to its use before and the second to its use after; a node that only one of them shows was there for
 * half of the time. No entry crosses the full hour. The same two sights always give the same entries.
 */
export function attribute(before: Sight, after: Sight): readonly Entry[] {
  const [fromMs, toMs] = [before, after].map(({ takenAtSeconds }) => Math.round(takenAtSeconds * 1_000)) as [
    number,
    number,
  ];
  if (toMs <= fromMs) return [];
  const middleMs = Math.floor((fromMs + toMs) / 2);
  const entries: Entry[] = [];
  const halves = [
    { sight: before, fromMs, toMs: middleMs },
    { sight: after, fromMs: middleMs, toMs },
  ];
  for (const half of halves) {
    const jobs = new Map(half.sight.jobs.map((job) => [job.key, job]));
    for (const span of byHour(half.fromMs, half.toMs))
      for (const node of half.sight.nodes) attributeNode(node, { ...span, jobs, entries });
  }
  return entries;
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Cut at full hours (UTC). */
function byHour(fromMs: number, toMs: number): readonly Span[] {
  const spans: Span[] = [];
  for (let at = fromMs; at < toMs; ) {
    const next = Math.min(toMs, (Math.floor(at / msPerHour) + 1) * msPerHour);
    spans.push({ fromMs: at, toMs: next });
    at = next;
  }
  return spans;
}

function attributeNode(
  node: SeenNode,
  {
    fromMs,
    toMs,
    jobs,
    entries,
  }: Span & { readonly jobs: ReadonlyMap<string, SeenJob>; readonly entries: Entry[] },
): void {
  const { nodeArray, vmSize, spot, usdPerHour, use } = node;
  const nodeMs = toMs - fromMs;
  const nanoUsd = Math.round((usdPerHour ?? 0) * nanoPerUsd * (nodeMs / msPerHour));
  const where = { nodeArray, vmSize, spot };
  const give = (
    of: Pick<Dimensions, "purpose" | "user" | "account" | "queue">,
    job: SeenJob | null,
    ms: number,
    nano: number,
  ) => {
    if (ms === 0 && nano === 0) return;
    const unpricedNodeMs = usdPerHour === null ? ms : 0;
    entries.push({
      atMs: fromMs,
      of: { ...where, ...of },
      job,
      amount: { nodeMs: ms, nanoUsd: nano, unpricedNodeMs, runs: 0 },
    });
  };
  if (use !== "jobs") {
    give({ purpose: use, ...nobody }, null, nodeMs, nanoUsd);
    return;
  }
  const shares = node.jobs.filter(({ share }) => share > 0);
  const taken = shares.reduce((sum, { share }) => sum + share, 0);
  const weights = [...shares.map(({ share }) => share), Math.max(0, 1 - taken)];
  const [ms, nano] = [splitExactly(nodeMs, weights), splitExactly(nanoUsd, weights)];
  shares.forEach(({ key }, index) => {
    const job = jobs.get(key) ?? null;
    const { user, account, queue } = job ?? nobody;
    give({ purpose: "job", user, account, queue }, job, ms[index] ?? 0, nano[index] ?? 0);
  });
  give({ purpose: "unused", ...nobody }, null, ms[shares.length] ?? 0, nano[shares.length] ?? 0);
}

const nobody = { user: null, account: null, queue: null };

/**
 * Splits a whole number into whole parts in proportion to the weights, so that the parts add up to it exactly: what is given
 * away up to each part is rounded, never the part itself, so errors do not add up. Weights are not negative; when all are
 * zero, the last part takes everything. No weights: an empty list.
 */
export function splitExactly(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let [weight, given] = [0, 0];
  return weights.map((own, index) => {
    weight += own;
    const until =
      index === weights.length - 1
        ? total
        : Math.min(total, Math.round(total * (sum === 0 ? 0 : weight / sum)));
    const part = until - given;
    given = until;
    return part;
  });
}
