import { memberOf } from "../../engine/index.ts";
import { ConfigurationError } from "../../errors/errors.ts";
import type {
  CheckedConfig,
  ClusterConfig,
  ConfigFile,
  ConfigFiles,
  ConfigStore,
  IfMatch,
} from "../../ports/index.ts";
import { Records } from "./memory-records.ts";

type Entry = { readonly config: ClusterConfig } | { readonly problems: readonly string[] };

/** Configurations given as values; `putBroken` stands for a file that cannot be used. */
export class MemoryConfigStore implements ConfigStore {
  readonly #entries = new Records<Entry>("configuration");
  readonly #lastUsable = new Map<string, ClusterConfig>();

  async clusters(): Promise<readonly string[]> {
    return this.#entries
      .entries()
      .map(({ key }) => key)
      .sort();
  }

  async load(cluster: string): Promise<ClusterConfig | undefined> {
    const entry = this.#entries.get(cluster)?.value;
    if (entry === undefined) return undefined;
    if ("config" in entry) return entry.config;
    const error = new ConfigurationError(`configuration of "${cluster}"`, entry.problems);
    const before = this.#lastUsable.get(cluster);
    if (before === undefined) throw error;
    return { ...before, inPlaceOf: error.message };
  }

  put(config: ClusterConfig): void {
    this.#lastUsable.set(config.cluster, config);
    this.#entries.put(config.cluster, { config });
  }

  putBroken(cluster: string, problems: readonly string[]): void {
    this.#entries.put(cluster, { problems });
  }

  delete(cluster: string): void {
    this.#lastUsable.delete(cluster);
    this.#entries.delete(cluster);
  }
}

/** Configurations as texts; `check` stands for the parser, which gets what is given as includes, or nothing. */
export class MemoryConfigFiles implements ConfigFiles {
  readonly #files = new Records<string>("configuration");
  readonly #check: Check;

  constructor(check: Check) {
    this.#check = check;
  }

  async read(cluster: string): Promise<ConfigFile | undefined> {
    const stored = this.#files.get(cluster);
    return stored && { text: stored.value, etag: stored.etag };
  }

  async save(cluster: string, text: string, ifMatch: IfMatch): Promise<string> {
    return this.#files.save(cluster, text, ifMatch);
  }

  check(
    cluster: string,
    json: unknown,
    includes: Readonly<Record<string, unknown>> = {},
  ): Promise<CheckedConfig> {
    return this.#check(cluster, json, async (path) => memberOf(includes, path));
  }

  put(cluster: string, text: string): void {
    this.#files.put(cluster, text);
  }
}

type Check = (
  cluster: string,
  json: unknown,
  loadInclude: (path: string) => Promise<unknown>,
) => Promise<CheckedConfig>;
