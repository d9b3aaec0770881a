import type { NodeHistory } from "../../engine/index.ts";
import { type Outlook, type OutlookPorts, outlookOf, readKnown } from "./outlook.ts";

/** How old an outlook may be when nothing that is stored has changed since: only the clock has moved on. */
const longestAgeSeconds = 20;
const mostClusters = 8;

interface Remembered {
  readonly tag: string;
  readonly outlook: Outlook;
  readonly headTag: string | undefined;
  readonly history: readonly NodeHistory[];
  readonly historyAtSeconds: number;
}

/**
 * The last outlook of each cluster, for as long as it is still so: views that are polled would else plan a large cluster
 * anew at every call. Node history, which only plans write, is read again with every new plan, and after a while.
 */
export class OutlookMemory {
  readonly #last = new Map<string, Remembered>();

  /** Undefined for a cluster that is not configured. Throws StaleSnapshotError when it was never seen. */
  async lookAhead(ports: OutlookPorts, cluster: string): Promise<Outlook | undefined> {
    const last = this.#last.get(cluster);
    const nowSeconds = ports.clock.nowSeconds();
    const isRecent = (atSeconds: number) =>
      nowSeconds >= atSeconds && nowSeconds - atSeconds <= longestAgeSeconds;
    const read = await readKnown(ports, cluster, (headTag) =>
      last !== undefined && last.headTag === headTag && isRecent(last.historyAtSeconds)
        ? last.history
        : undefined,
    );
    if (read === undefined) return undefined;
    const { known, tag, headTag } = read;
    if (last?.tag === tag && isRecent(last.outlook.atSeconds)) return last.outlook;
    const outlook = outlookOf(known, ports.clock.nowSeconds());
    const { history } = known.loaded;
    const historyAtSeconds = history === last?.history ? last.historyAtSeconds : nowSeconds;
    this.#last.delete(cluster);
    this.#last.set(cluster, { tag, outlook, headTag, history, historyAtSeconds });
    const [oldest] = this.#last.keys();
    if (this.#last.size > mostClusters && oldest !== undefined) this.#last.delete(oldest);
    return outlook;
  }
}
