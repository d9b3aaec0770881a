import type { SetAside } from "./drivers/driver.ts";
import { logText } from "./log-text.ts";

const shownRecords = 20;

/** What is wrong with single records, told when it is new and not in every pass. */
export class Notices {
  readonly #event: string;
  readonly #agent: { readonly cluster: string; readonly source: string };
  #known: ReadonlySet<string> = new Set();

  constructor(event: string, { cluster, source }: { readonly cluster: string; readonly source: string }) {
    this.#event = event;
    this.#agent = { cluster, source };
  }

  /** A line of JSON about the records that were not there before; undefined when there are none. */
  lineFor(records: readonly SetAside[]): string | undefined {
    const all = new Set(records.map(({ record, reason }) => logText(`${record}: ${reason}`)));
    const news = [...all].filter((each) => !this.#known.has(each));
    this.#known = all;
    if (news.length === 0) return undefined;
    return JSON.stringify({
      event: this.#event,
      level: "warning",
      ...this.#agent,
      total: records.length,
      new: news.length,
      records: news.slice(0, shownRecords),
    });
  }
}
