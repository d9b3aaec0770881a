import type { Purpose } from "../../../shared/accounting/index.ts";
import type { RunFigures } from "../../../shared/backtest/index.ts";

/** What a test says of a run; the rest is made to fit. */
export interface Given {
  readonly varied?: RunFigures["setup"]["varied"];
  readonly startSeconds?: number;
  readonly stepSeconds?: number;
  /** Node-milliseconds of each step, by purpose. */
  readonly nodeMs?: Partial<Record<Purpose, readonly number[]>>;
  /** What a node-millisecond costs; null: no price. */
  readonly nanoUsdPerMs?: number | null;
  readonly aside?: RunFigures["cost"]["aside"];
  readonly waits?: readonly (number | null)[];
  readonly names?: { readonly nodeArray?: string; readonly user?: string };
}

const zeros = (count: number) => Array.from({ length: count }, () => 0);

/** Figures of a run that never happened, whose sums are right. */
export function figuresOf(given: Given = {}): RunFigures {
  const { nodeMs = {}, nanoUsdPerMs = 1, waits = [], stepSeconds = 3_600, startSeconds = 0 } = given;
  const price = nanoUsdPerMs ?? 0;
  const columns = Object.entries(nodeMs) as [Purpose, readonly number[]][];
  const steps = Math.max(1, ...columns.map(([, column]) => column.length));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const of = columns.map(([purpose, column]) => ({ purpose, nodeMs: sum(column) }));
  const total = sum(of.map((each) => each.nodeMs));
  const ran = waits.filter((wait) => wait !== null).toSorted((a, b) => a - b);
  const rank = (share: number) => ran[Math.max(0, Math.ceil(ran.length * share) - 1)] ?? 0;
  const spread =
    ran.length === 0
      ? null
      : { mean: sum(ran) / ran.length, median: rank(0.5), p95: rank(0.95), max: rank(1) };
  return {
    version: 1,
    setup: {
      cluster: "hpc",
      varied: given.varied ?? {},
      scheduler: "easy",
      wholeNodes: false,
      boots: ["Boot times are drawn."],
      seed: 1,
      workload: { jobs: waits.length, leftOut: [] },
    },
    period: { startSeconds, endSeconds: startSeconds + steps * stepSeconds },
    jobs: {
      submitted: waits.length,
      ended: ran.length,
      reruns: 0,
      lostProcessorMs: 0,
      neverRan:
        ran.length === waits.length
          ? []
          : [
              {
                code: "no-node",
                why: "No node holds it.",
                reasons: [{ code: "InsufficientResource", sentence: "htc: too small." }],
                count: waits.length - ran.length,
                first: ["x"],
              },
            ],
      processorMs: total,
    },
    waitSeconds: spread,
    boundedSlowdown: spread === null ? null : { mean: 1, median: 1, p95: 1, max: 1 },
    cost: {
      lines: of.map(({ purpose, nodeMs: time }) => ({
        purpose,
        nodeArray: given.names?.nodeArray ?? "htc",
        vmSize: "Standard_F2s_v2",
        spot: false,
        user: purpose === "job" ? (given.names?.user ?? "ada") : null,
        account: null,
        queue: null,
        nodeMs: time,
        nanoUsd: time * price,
        unpricedNodeMs: nanoUsdPerMs === null ? time : 0,
        runs: 0,
      })),
      total: { nodeMs: total, nanoUsd: total * price, unpricedNodeMs: nanoUsdPerMs === null ? total : 0 },
      byPurpose: Object.fromEntries(
        of.map(({ purpose, nodeMs: time }) => [purpose, { nodeMs: time, nanoUsd: time * price }]),
      ),
      aside: given.aside ?? [],
      processorMs: total,
      utilisation: total === 0 ? null : 1,
    },
    nodes: {
      bought: 1,
      boughtByBucket: [],
      most: 1,
      failed: 0,
      evicted: 0,
      cutShort: { nodes: 0, nodeMs: 0, nanoUsd: 0 },
      bootSeconds: null,
      plans: 1,
      snapshots: 1,
    },
    series: {
      stepSeconds,
      steps,
      nodeMs: Object.fromEntries(columns),
      nanoUsd: Object.fromEntries(
        columns.map(([purpose, column]) => [purpose, column.map((time) => time * price)]),
      ),
      waitingJobMs: zeros(steps),
      waitingProcessorMs: zeros(steps),
      runningProcessorMs: nodeMs.job ?? zeros(steps),
      nodeProcessorMs: zeros(steps).map((_, step) => sum(columns.map(([, column]) => column[step] ?? 0))),
    },
    hourNanoUsd: Float64Array.from({ length: Math.ceil((steps * stepSeconds) / 3_600) }, (_, hour) => {
      const step = Math.floor((hour * 3_600) / stepSeconds);
      const ofStep = sum(columns.map(([, column]) => column[step] ?? 0)) * price;
      return ofStep * Math.min(1, 3_600 / stepSeconds);
    }),
    perJob: { waitSeconds: columnOf(waits), nanoUsd: columnOf(waits) },
  };
}

function columnOf(values: readonly (number | null)[]): Float64Array<ArrayBuffer> {
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}
