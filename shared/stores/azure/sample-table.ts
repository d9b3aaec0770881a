import type { Log, Period, Sample, SampleStore } from "../../ports/index.ts";
import { inPeriod, withSample } from "../sample-hours.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Table } from "./table.ts";

const hourSeconds = 3_600;
const prefix = "hour:";

/**
 * Table `Samples`, partition cluster. Row `hour:<reverse time>:` has the samples of an hour, so that a month is read in
 * one page. Nothing guards it: of two writers at once one loses a sample, which nobody misses.
 */
export class TableSampleStore implements SampleStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    // The row is all there is of an hour.
    this.#retention = new Retention({ table, prefix, log: options.log, remove: async () => {} });
  }

  async add(cluster: string, sample: Sample): Promise<void> {
    const partition = escapeName(cluster);
    const { atSeconds } = sample;
    const row = rowOf(Math.floor(atSeconds / hourSeconds) * hourSeconds);
    const hourSamples = (await this.#table.get<readonly Sample[]>(partition, row))?.value ?? [];
    const change = { kind: "put", row, value: withSample(hourSamples, sample) } as const;
    await this.#table.submit(partition, [change], `samples of "${cluster}"`);
    await this.#retention.enforce(partition, atSeconds);
  }

  async list(cluster: string, period: Period): Promise<readonly Sample[]> {
    const { fromSeconds, untilSeconds } = period;
    if (fromSeconds >= untilSeconds) return [];
    const first = Math.floor(fromSeconds / hourSeconds) * hourSeconds;
    // Rows are the newest first: from the hour of the end to that of the start.
    const range = { from: `${prefix}${reverseTime(untilSeconds)}`, to: `${rowOf(first)};` };
    const rows = await this.#table.list<readonly Sample[]>(escapeName(cluster), range);
    return inPeriod(
      rows.flatMap(({ value }) => value ?? []),
      period,
    );
  }
}

function rowOf(hour: number): string {
  return `${prefix}${reverseTime(hour)}:`;
}
