import type { Log, Period, Sample, SampleStore } from "../../ports/index.ts";
import { inPeriod, withSample } from "../sample-hours.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Table } from "./table.ts";

const hourSeconds = 3_600;
const prefix = "hour:";

/**
 * Table `Samples`, partition cluster. Row `hour:<reverse time>:` has the samples of an hour, so that a month is read in
 * one page. No ETag guards it: two concurrent writers may lose one sample, which is acceptable for a curve.
 */
export class TableSampleStore implements SampleStore {
  readonly #table: Table;
  readonly #retention: Retention;

  constructor(table: Table, options: { readonly log?: Log | undefined } = {}) {
    this.#table = table;
    this.#retention = new Retention({ table, prefix, log: options.log });
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
    // Row keys count down, so the range runs from the hour of the end to the hour of the start.
    const range = { from: `${prefix}${reverseTime(untilSeconds)}`, to: `${rowOf(first)};` };
    return inPeriod((await this.#table.values<readonly Sample[]>(escapeName(cluster), range)).flat(), period);
  }
}

function rowOf(hour: number): string {
  return `${prefix}${reverseTime(hour)}:`;
}
