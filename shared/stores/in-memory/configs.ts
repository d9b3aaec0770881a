import { ConfigurationError } from "../../errors.ts";
import type { ClusterConfig, ConfigStore } from "../../ports/index.ts";
import { Records } from "./records.ts";

type Entry = { readonly config: ClusterConfig } | { readonly problems: readonly string[] };

/** Configurations given as values; `putBroken` stands for a file that cannot be used. */
export class MemoryConfigStore implements ConfigStore {
  readonly #entries = new Records<Entry>("configuration");

  async clusters(): Promise<readonly string[]> {
    return this.#entries
      .entries()
      .map(({ key }) => key)
      .sort();
  }

  async load(cluster: string): Promise<ClusterConfig | undefined> {
    const entry = this.#entries.get(cluster)?.value;
    if (entry === undefined) return undefined;
    if ("problems" in entry) throw new ConfigurationError(`configuration of "${cluster}"`, entry.problems);
    return entry.config;
  }

  put(config: ClusterConfig): void {
    this.#entries.put(config.cluster, { config });
  }

  putBroken(cluster: string, problems: readonly string[]): void {
    this.#entries.put(cluster, { problems });
  }

  delete(cluster: string): void {
    this.#entries.delete(cluster);
  }
}
