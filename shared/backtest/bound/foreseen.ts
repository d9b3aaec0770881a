import TinyQueue from "tinyqueue";
import type { TraceJob, TraceJobs } from "../trace-job.ts";
import { partsThatFit } from "./lp-text.ts";
import { type JobParts, type PricedSize, partsOf } from "./work.ts";

const secondsPerHour = 3_600;

interface OpenNode {
  readonly size: PricedSize;
  readonly free: number[];
  running: number;
  endSeconds: number;
}

interface End {
  readonly atSeconds: number;
  readonly node: OpenNode;
  readonly taken: readonly number[];
}

/**
 * What jobs cost if each is known beforehand and none waits: nodes are asked for `bootSeconds` before they are needed, and deleted
 * when their last job ends. Each part of a job goes where it costs least more: a node that stays up longer for it, one that
 * bridges a gap, or a new one. A plan that can be had (but for limits), not the best one. In US dollars; jobs fit on some size.
 */
export function foreseenCost(jobs: TraceJobs, sizes: readonly PricedSize[], bootSeconds: number): number {
  const plan = new ForeseenPlan(sizes, bootSeconds);
  for (const job of jobs) plan.run(job);
  return plan.usd;
}

class ForeseenPlan {
  readonly #sizes: readonly PricedSize[];
  readonly #bootSeconds: number;
  readonly #ends = new TinyQueue<End>([], (a, b) => a.atSeconds - b.atSeconds);
  #open: OpenNode[] = [];
  usd = 0;

  constructor(sizes: readonly PricedSize[], bootSeconds: number) {
    this.#sizes = sizes;
    this.#bootSeconds = bootSeconds;
  }

  run(job: TraceJob): void {
    const now = job.submitSeconds;
    this.#endUntil(now);
    const of = partsOf(job);
    const { demand, wholeNodes } = of;
    const used = new Set<OpenNode>();
    for (let left = of.parts; left > 0; ) {
      const place = this.#cheapest(job, { ...of, left, used });
      if (place === undefined) return;
      const { node, fits } = place;
      const count = Math.min(left, fits);
      const taken = wholeNodes ? [...node.size.capacity] : demand.map((amount) => amount * count);
      for (const [k, amount] of taken.entries()) node.free[k] = (node.free[k] ?? 0) - amount;
      node.running += 1;
      used.add(node);
      const end = now + job.runSeconds;
      if (end > node.endSeconds) {
        this.usd += priceOf(node.size, end - node.endSeconds);
        node.endSeconds = end;
      }
      this.#ends.push({ atSeconds: end, node, taken });
      left -= count;
    }
  }

  #endUntil(now: number): void {
    for (let end = this.#ends.peek(); end !== undefined && end.atSeconds <= now; end = this.#ends.peek()) {
      this.#ends.pop();
      for (const [k, amount] of end.taken.entries()) end.node.free[k] = (end.node.free[k] ?? 0) + amount;
      end.node.running -= 1;
    }
    // A gap longer than a boot is never worth bridging, if a new node of the same size costs the boot.
    this.#open = this.#open.filter(
      ({ running, endSeconds }) => running > 0 || now - endSeconds <= this.#bootSeconds,
    );
  }

  /** Where one part costs least more. A new node is opened there. */
  #cheapest(
    { submitSeconds: now, runSeconds }: TraceJob,
    wish: JobParts & { readonly left: number; readonly used: ReadonlySet<OpenNode> },
  ): { readonly node: OpenNode; readonly fits: number } | undefined {
    const end = now + runSeconds;
    let best: { node: OpenNode | undefined; size: PricedSize; fits: number; each: number } | undefined;
    const offer = (node: OpenNode | undefined, size: PricedSize, usd: number) => {
      const free = node?.free ?? size.capacity;
      const isWhole = node === undefined || node.running === 0;
      const room = wish.wholeNodes && !isWhole ? 0 : partsThatFit(wish.demand, free);
      const fits = Math.min(wish.apart || wish.exclusive ? 1 : room, room);
      if (fits < 1) return;
      const each = usd / Math.min(fits, wish.left);
      if (best === undefined || each < best.each) best = { node, size, fits, each };
    };
    for (const node of this.#open)
      if (!(wish.apart && wish.used.has(node)))
        offer(node, node.size, priceOf(node.size, Math.max(0, end - node.endSeconds)));
    for (const size of this.#sizes) offer(undefined, size, priceOf(size, this.#bootSeconds + runSeconds));
    if (best === undefined) return undefined;
    return { node: best.node ?? this.#opened(best.size, now), fits: best.fits };
  }

  #opened(size: PricedSize, now: number): OpenNode {
    const node: OpenNode = { size, free: [...size.capacity], running: 0, endSeconds: now };
    this.usd += priceOf(size, this.#bootSeconds);
    this.#open.push(node);
    return node;
  }
}

function priceOf({ usdPerHour }: PricedSize, seconds: number): number {
  return (usdPerHour * seconds) / secondsPerHour;
}
