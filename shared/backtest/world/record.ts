import { type Line, type Purpose, type SeenJob, type SeenNode, totalOf } from "../../accounting/index.ts";
import { kindName } from "../../engine/index.ts";
import { Columns, type Levels } from "../figures/columns.ts";
import type {
  CostFigures,
  JobFigures,
  NeverRan,
  NodeFigures,
  PerJob,
  PurposeCost,
  Series,
} from "../figures/run-figures.ts";
import { inMs, spreadOf } from "../figures/spread.ts";
import { ExactAccounts, linesOfAll } from "./exact-accounts.ts";

const mostNamed = 5;
/** The bound of slowdowns: waiting counts little for a job that is over at once. */
const boundSeconds = 10;

/** A number in a wait that never ended. */
const unknown = Number.NaN;

/** Why a job never ran. */
export type WhyNever = Omit<NeverRan, "count" | "first">;

/** What happens in a run, for its figures. Times are Unix seconds of the virtual clock. */
export class RunRecord {
  readonly accounts: ExactAccounts;
  readonly #columns: Columns;
  readonly #startSeconds: number;
  readonly #stepSeconds: number;
  readonly #waits: Float64Array<ArrayBuffer>;
  readonly #slowdowns: Float64Array;
  readonly #nanoUsd: Float64Array<ArrayBuffer>;
  readonly #unpriced: Uint8Array;
  readonly #never = new Map<string, { readonly of: WhyNever; count: number; readonly first: string[] }>();
  readonly #boots: number[] = [];
  readonly #bought = new Map<string, NodeFigures["boughtByBucket"][number]>();
  #levelsAtMs: number;
  #ended = 0;
  #reruns = 0;
  #lostProcessorMs = 0;
  #processorMs = 0;
  failed = 0;
  evicted = 0;
  plans = 0;
  snapshots = 0;
  #cutShort = { nodes: 0, nodeMs: 0, nanoUsd: 0 };
  #most = 0;

  constructor(run: { readonly jobs: number; readonly startSeconds: number; readonly stepSeconds: number }) {
    const { jobs, startSeconds, stepSeconds } = run;
    this.accounts = new ExactAccounts({ startSeconds, stepSeconds });
    this.#columns = new Columns(startSeconds * 1_000, stepSeconds * 1_000);
    this.#startSeconds = startSeconds;
    this.#stepSeconds = stepSeconds;
    this.#levelsAtMs = startSeconds * 1_000;
    this.#waits = new Float64Array(jobs).fill(unknown);
    this.#slowdowns = new Float64Array(jobs).fill(unknown);
    this.#nanoUsd = new Float64Array(jobs);
    this.#unpriced = new Uint8Array(jobs);
  }

  /** The levels held until now. */
  pass(levels: Levels, nowSeconds: number): void {
    const nowMs = inWholeMs(nowSeconds);
    this.#columns.add(levels, this.#levelsAtMs, nowMs);
    this.#levelsAtMs = nowMs;
  }

  see(seen: SeenNode, nowSeconds: number): void {
    this.accounts.see(seen, inWholeMs(nowSeconds));
  }

  gone(nodeId: string, nowSeconds: number): void {
    this.accounts.gone(nodeId, inWholeMs(nowSeconds));
  }

  begin(job: SeenJob): void {
    this.accounts.begin(job);
  }

  bought(bucket: Omit<NodeFigures["boughtByBucket"][number], "nodes">, nodesNow: number): void {
    const { nodeArray, vmSize, spot } = bucket;
    const key = kindName(bucket);
    const nodes = (this.#bought.get(key)?.nodes ?? 0) + 1;
    this.#bought.set(key, { nodeArray, vmSize, spot, nodes });
    this.#most = Math.max(this.#most, nodesNow);
  }

  /** A node was deleted while it booted, which spares so much of its time. */
  cutShort(nodeMs: number, usdPerHour: number | null): void {
    const { nodes, nodeMs: before, nanoUsd } = this.#cutShort;
    const spared = Math.round(((usdPerHour ?? 0) * 1e9 * nodeMs) / 3_600_000);
    this.#cutShort = { nodes: nodes + 1, nodeMs: before + nodeMs, nanoUsd: nanoUsd + spared };
  }

  booted(seconds: number): void {
    this.#boots.push(inMs(seconds));
  }

  /** After its nodes were seen without it. */
  ended(job: {
    readonly place: number;
    readonly key: string;
    readonly processors: number;
    readonly submitSeconds: number;
    readonly startSeconds: number;
    readonly endSeconds: number;
  }): void {
    const { place, processors, submitSeconds, startSeconds, endSeconds } = job;
    const [wait, ran] = [startSeconds - submitSeconds, endSeconds - startSeconds];
    this.#ended += 1;
    this.#processorMs += processors * (inWholeMs(endSeconds) - inWholeMs(startSeconds));
    this.#waits[place] = inMs(wait);
    this.#slowdowns[place] = inMs(Math.max(1, (wait + ran) / Math.max(ran, boundSeconds)));
    this.#paid(place, job.key);
  }

  lost(job: { readonly place: number; readonly key: string; readonly processorMs: number }): void {
    this.#reruns += 1;
    this.#lostProcessorMs += job.processorMs;
    this.#paid(job.place, job.key);
  }

  neverRan(name: string, of: WhyNever): void {
    const key = JSON.stringify([of.why, of.reasons]);
    const reason = this.#never.get(key) ?? { of, count: 0, first: [] };
    this.#never.set(key, reason);
    reason.count += 1;
    if (reason.first.length < mostNamed) reason.first.push(name);
  }

  jobFigures(submitted: number): JobFigures {
    const never = [...this.#never.values()].map(
      ({ of, count, first }): NeverRan => ({ ...of, count, first }),
    );
    return {
      submitted,
      ended: this.#ended,
      reruns: this.#reruns,
      lostProcessorMs: this.#lostProcessorMs,
      neverRan: never.toSorted((a, b) => b.count - a.count || (a.why < b.why ? -1 : 1)),
      processorMs: this.#processorMs,
    };
  }

  waitSpread() {
    return spreadOf(this.#waits.filter(isKnown));
  }

  slowdownSpread() {
    return spreadOf(this.#slowdowns.filter(isKnown));
  }

  costFigures(endSeconds: number): CostFigures {
    this.accounts.settleAll(inWholeMs(endSeconds));
    const lines = linesOfAll(this.accounts.lines());
    const { nodeMs, nanoUsd, unpricedNodeMs } = totalOf(lines);
    const nodeProcessorMs = sum(this.#columns.column("nodeProcessors", this.#steps(endSeconds)));
    const utilisation = nodeProcessorMs === 0 ? null : this.#processorMs / nodeProcessorMs;
    return {
      lines,
      total: { nodeMs, nanoUsd, unpricedNodeMs },
      byPurpose: byPurpose(lines),
      aside: this.accounts.aside,
      processorMs: nodeProcessorMs,
      utilisation: utilisation === null ? null : Math.round(utilisation * 1e6) / 1e6,
    };
  }

  nodeFigures(): NodeFigures {
    const boughtByBucket = [...this.#bought.values()];
    return {
      bought: sum(boughtByBucket.map(({ nodes }) => nodes)),
      boughtByBucket,
      most: this.#most,
      failed: this.failed,
      evicted: this.evicted,
      cutShort: this.#cutShort,
      bootSeconds: spreadOf(this.#boots),
      plans: this.plans,
      snapshots: this.snapshots,
    };
  }

  series(endSeconds: number): Series {
    const steps = this.#steps(endSeconds);
    const nodeMs: { [Name in Purpose]?: number[] } = {};
    const nanoUsd: { [Name in Purpose]?: number[] } = {};
    const empty = () => Array.from({ length: steps }, () => 0);
    const stepped = [...this.accounts.lines()].toSorted(([a], [b]) => a - b);
    for (const [fromSeconds, lines] of stepped) {
      const step = Math.floor((fromSeconds - this.#startSeconds) / this.#stepSeconds);
      for (const line of lines) {
        const [time, money] = [nodeMs[line.purpose] ?? empty(), nanoUsd[line.purpose] ?? empty()];
        nodeMs[line.purpose] = time;
        nanoUsd[line.purpose] = money;
        time[step] = (time[step] ?? 0) + line.nodeMs;
        money[step] = (money[step] ?? 0) + line.nanoUsd;
      }
    }
    return {
      stepSeconds: this.#stepSeconds,
      steps,
      nodeMs,
      nanoUsd,
      waitingJobMs: this.#columns.column("waitingJobs", steps),
      waitingProcessorMs: this.#columns.column("waitingProcessors", steps),
      runningProcessorMs: this.#columns.column("runningProcessors", steps),
      nodeProcessorMs: this.#columns.column("nodeProcessors", steps),
    };
  }

  perJob(): PerJob {
    return {
      waitSeconds: this.#waits,
      nanoUsd: this.#nanoUsd.map((cost, place) => (this.#unpriced[place] === 1 ? unknown : cost)),
    };
  }

  #paid(place: number, key: string): void {
    const cost = this.accounts.end(key);
    if (cost === undefined) return;
    this.#nanoUsd[place] = (this.#nanoUsd[place] ?? 0) + cost.nanoUsd;
    if (cost.unpricedNodeMs > 0) this.#unpriced[place] = 1;
  }

  #steps(endSeconds: number): number {
    return Math.max(1, Math.ceil((inWholeMs(endSeconds) / 1_000 - this.#startSeconds) / this.#stepSeconds));
  }
}

export function inWholeMs(seconds: number): number {
  return Math.round(seconds * 1_000);
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function byPurpose(lines: readonly Line[]): { readonly [Name in Purpose]?: PurposeCost } {
  const costs: { [Name in Purpose]?: PurposeCost } = {};
  for (const { purpose, nodeMs, nanoUsd } of lines) {
    const cost = costs[purpose] ?? { nodeMs: 0, nanoUsd: 0 };
    costs[purpose] = { nodeMs: cost.nodeMs + nodeMs, nanoUsd: cost.nanoUsd + nanoUsd };
  }
  return costs;
}
