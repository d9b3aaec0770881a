import { Recent } from "../collections/recent.ts";
import { loadWorld, type WorldPorts } from "../cycle/index.ts";
import type { Ports } from "../ports/index.ts";
import { HistoryMemory } from "./history-memory.ts";
import { type Outlook, outlookOf } from "./outlook.ts";

/** How old an outlook may be when nothing that is stored has changed since: only the clock has moved on. */
const longestAgeSeconds = 20;
/** For so long the pages of a list are of one outlook, and so many that are not the last of their cluster are kept for that. */
const longestHeldSeconds = 60;
const mostHeld = 2;
/** Nodes and jobs of all outlooks that are kept: each takes up to 0.9 KB (`npm run bench -- memory`) of 512 MB at least. */
const mostRecords = 200_000;

/**
 * The last outlook of each cluster, for as long as it is still so: views that are polled would else plan a large cluster
 * anew at every call. What it is made from is asked for at every call; stores read again what changed, and no more.
 */
export class OutlookMemory {
  readonly #mostRecords: number;
  readonly #last: Recent<Outlook>;
  #held: readonly Outlook[] = [];
  readonly #history = new HistoryMemory();

  /** The newest outlook is remembered, and one is held, however large they are. */
  constructor(options: { readonly mostRecords?: number } = {}) {
    this.#mostRecords = options.mostRecords ?? mostRecords;
    this.#last = new Recent({ most: this.#mostRecords });
  }

  /** The outlook that a page is of, for the page after it; undefined: not known here (any more), so the page is of a new one. */
  held(cluster: string, madeAtSeconds: number, nowSeconds: number): Outlook | undefined {
    const last = this.#last.get(cluster);
    return [...(last === undefined ? [] : [last]), ...this.#held].find(
      (outlook) =>
        outlook.cluster === cluster &&
        outlook.atSeconds === madeAtSeconds &&
        isAtMost(longestHeldSeconds, outlook, nowSeconds),
    );
  }

  /** The same ports for those who look: of the node history, only what was written since the last look is read. */
  remembering<P extends Pick<Ports, "clock" | "history" | "log">>(ports: P): P {
    return { ...ports, history: this.#history.storeOf(ports) };
  }

  /** Undefined for a cluster that is not configured. Throws StaleSnapshotError when it was never seen. */
  async lookAhead(ports: WorldPorts & Pick<Ports, "log">, cluster: string): Promise<Outlook | undefined> {
    const world = await loadWorld(this.remembering(ports), cluster);
    if (world === undefined) return undefined;
    const nowSeconds = ports.clock.nowSeconds();
    // Only now: when several callers start at the same time, the first plans for all.
    const last = this.#last.get(cluster);
    const isSame = last?.tag === world.tag && last.loaded.history === world.loaded.history;
    if (isSame && isAtMost(longestAgeSeconds, last, nowSeconds)) return last;
    const outlook = outlookOf(world, nowSeconds);
    this.#hold(last, nowSeconds);
    this.#last.set(cluster, outlook, recordsOf(outlook));
    return outlook;
  }

  /** The newest of all clusters. */
  #hold(outlook: Outlook | undefined, nowSeconds: number): void {
    const all = outlook === undefined ? this.#held : [outlook, ...this.#held];
    const recent = all.filter((each) => isAtMost(longestHeldSeconds, each, nowSeconds)).slice(0, mostHeld);
    const records = recent.reduce((sum, each) => sum + recordsOf(each), 0);
    this.#held = records <= this.#mostRecords ? recent : recent.slice(0, 1);
  }
}

function recordsOf({ input }: Outlook): number {
  return input.jobs.length + input.cluster.nodes.length;
}

function isAtMost(seconds: number, { atSeconds }: Outlook, nowSeconds: number): boolean {
  return nowSeconds >= atSeconds && nowSeconds - atSeconds <= seconds;
}
