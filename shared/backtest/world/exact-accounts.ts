import {
  type AsideLine,
  asideIn,
  type Line,
  Lines,
  mergeAside,
  type SeenAside,
  type SeenJob,
  type SeenNode,
  type Sum,
  Tally,
} from "../../accounting/index.ts";

const msPerHour = 3_600_000;

/**
 * Where each node-second goes, to the moment: the accounts of the service count between snapshots, here every change is known
 * when it happens. The same ledger splits and rounds, so its identity holds: parts add up to what nodes cost.
 */
export class ExactAccounts {
  readonly #running = new Map<string, SeenJob>();
  readonly #nodes = new Map<string, { readonly seen: SeenNode; readonly sinceMs: number }>();
  readonly #tally: Tally;
  #beside: { readonly seen: readonly SeenAside[]; readonly fromMs: number } = { seen: [], fromMs: 0 };
  #aside: readonly AsideLine[] = [];

  readonly #firstHour: number;
  readonly #hours: number[] = [];

  constructor({
    startSeconds,
    stepSeconds,
  }: { readonly startSeconds: number; readonly stepSeconds: number }) {
    this.#firstHour = Math.floor(startSeconds / 3_600);
    this.#tally = new Tally(() => this.#running, { stepSeconds });
  }

  /** Before the nodes that it runs on are seen with it. */
  begin(job: SeenJob): void {
    this.#running.set(job.key, job);
  }

  /** After the nodes that it ran on were seen without it. What the run cost; undefined: nothing. */
  end(key: string): Sum | undefined {
    this.#running.delete(key);
    const sum = this.#tally.byJob.get(key);
    this.#tally.byJob.delete(key);
    return sum;
  }

  /** What a node is used for from now on. */
  see(seen: SeenNode, atMs: number): void {
    this.#settle(seen.nodeId, atMs);
    this.#nodes.set(seen.nodeId, { seen, sinceMs: atMs });
  }

  gone(nodeId: string, atMs: number): void {
    this.#settle(nodeId, atMs);
    this.#nodes.delete(nodeId);
  }

  /** What is paid beside nodes from now on. */
  seeBeside(seen: readonly SeenAside[], untilMs: number): void {
    this.#aside = mergeAside(this.#aside, ...asideIn([{ ...this.#beside, untilMs }]).values());
    this.#beside = { seen, fromMs: untilMs };
  }

  /** What was paid beside nodes until `seeBeside` was called last. */
  get aside(): readonly AsideLine[] {
    return this.#aside;
  }

  settleAll(atMs: number): void {
    this.seeBeside(this.#beside.seen, atMs);
    for (const { seen } of [...this.#nodes.values()]) this.see(seen, atMs);
  }

  /** By the start of their step, Unix seconds. */
  lines(): ReadonlyMap<number, readonly Line[]> {
    return this.#tally.lines();
  }

  /** What each clock hour cost, from the first. */
  hourNanoUsd(): Float64Array<ArrayBuffer> {
    return Float64Array.from(this.#hours);
  }

  #settle(nodeId: string, atMs: number): void {
    const node = this.#nodes.get(nodeId);
    if (node === undefined) return;
    const { seen, sinceMs } = node;
    this.#tally.add(seen, sinceMs, atMs);
    for (let from = sinceMs; from < atMs; ) {
      const hour = Math.floor(from / msPerHour);
      const until = Math.min(atMs, (hour + 1) * msPerHour);
      while (this.#hours.length <= hour - this.#firstHour) this.#hours.push(0);
      const nanoUsd = (seen.usdPerHour ?? 0) * 1e9 * ((until - from) / msPerHour);
      this.#hours[hour - this.#firstHour] = (this.#hours[hour - this.#firstHour] ?? 0) + nanoUsd;
      from = until;
    }
  }
}

/** Lines of all steps together. */
export function linesOfAll(byStep: ReadonlyMap<number, readonly Line[]>): readonly Line[] {
  return new Lines([...byStep.values()].flat()).toArray();
}
