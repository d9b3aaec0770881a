import type { Period, Sample, SampleStore } from "../../ports/index.ts";
import { inPeriod, withSample } from "../sample-hours.ts";

const keptSeconds = 30 * 86_400;

/** Samples of every cluster. */
export class MemorySampleStore implements SampleStore {
  readonly #clusters = new Map<string, readonly Sample[]>();

  async add(cluster: string, sample: Sample): Promise<void> {
    const samples = this.#clusters.get(cluster) ?? [];
    const kept = samples.filter(({ atSeconds }) => atSeconds >= sample.atSeconds - keptSeconds);
    this.#clusters.set(cluster, withSample(kept, structuredClone(sample)));
  }

  async list(cluster: string, period: Period): Promise<readonly Sample[]> {
    return structuredClone(inPeriod(this.#clusters.get(cluster) ?? [], period));
  }
}
