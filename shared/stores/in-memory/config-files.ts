import type { CheckedConfig, ConfigFile, ConfigFiles, IfMatch } from "../../ports/index.ts";
import { Records } from "./records.ts";

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
    return this.#check(cluster, json, async (path) =>
      Object.hasOwn(includes, path) ? includes[path] : undefined,
    );
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
