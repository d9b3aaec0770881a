import type { BlobServiceClient } from "@azure/storage-blob";
import { ConfigurationError } from "../../errors/errors.ts";
import type { ClusterConfig, ConfigStore, Log } from "../../ports/index.ts";
import { includesReader, readChangedConfigText, readConfigText } from "./config-text.ts";
import { Container } from "./container.ts";
import { escapeName, staysInside, unescapeName } from "./keys.ts";

/** Reads a file that a configuration includes, by its blob's name; undefined when there is none. */
export type ReadInclude = (path: string) => Promise<string | undefined>;

/** Checks the text of an `autoscale.json`, with what it includes. Rejects with ConfigurationError. */
export type ParseConfig = (cluster: string, text: string, readInclude: ReadInclude) => Promise<ClusterConfig>;

type Outcome = { readonly config: ClusterConfig } | { readonly error: ConfigurationError };
type Parsed = Outcome & {
  readonly etag: string;
  /** Whether it read other files, which may change without it. */
  readonly includes: boolean;
};

const suffix = ".json";

/**
 * Container `config`, `<cluster>.json`. Every load asks whether the file changed, so that an edit counts at once; it is
 * transferred and parsed only when it did, unless it includes other files: those may have changed by themselves.
 */
export class BlobConfigStore implements ConfigStore {
  readonly #container: Container;
  readonly #parse: ParseConfig;
  readonly #log: Log | undefined;
  readonly #parsed = new Map<string, Parsed>();
  readonly #warned = new Set<string>();

  constructor(
    service: BlobServiceClient,
    options: { readonly parse: ParseConfig; readonly log?: Log | undefined },
  ) {
    this.#container = new Container(service, "config");
    this.#parse = options.parse;
    this.#log = options.log;
  }

  async clusters(): Promise<readonly string[]> {
    const names = await this.#container.names("");
    const files = names.filter((name) => name.endsWith(suffix) && !name.includes("/"));
    return files.flatMap((file) => this.#clusterOf(file) ?? []).sort();
  }

  async load(cluster: string): Promise<ClusterConfig | undefined> {
    const parsed = await this.#current(cluster);
    if (parsed === undefined) return undefined;
    if ("error" in parsed) throw parsed.error;
    return parsed.config;
  }

  async #current(cluster: string): Promise<Parsed | undefined> {
    const name = `${escapeName(cluster)}${suffix}`;
    const parsedBefore = this.#parsed.get(cluster);
    const blob =
      parsedBefore === undefined || parsedBefore.includes
        ? await readConfigText(this.#container, name)
        : await readChangedConfigText(this.#container, name, parsedBefore.etag);
    if (blob === "unchanged") return parsedBefore;
    if (blob === undefined) {
      this.#parsed.delete(cluster);
      return undefined;
    }
    let includes = false;
    const read = includesReader(this.#container);
    const readInclude: ReadInclude = async (path) => {
      includes = true;
      if (!staysInside(path)) throw new ConfigurationError(`"${path}"`, ["outside the container config"]);
      return read(path);
    };
    const outcome = await this.#outcome(cluster, blob.text, readInclude);
    const parsed = { ...outcome, etag: blob.etag, includes };
    if (!includes && "config" in outcome) this.#warn(outcome.config);
    this.#parsed.set(cluster, parsed);
    return parsed;
  }

  /** Once per change of the file. */
  #warn({ cluster, warnings }: ClusterConfig): void {
    for (const message of warnings) this.#log?.warn("config-warning", { cluster, message });
  }

  async #outcome(cluster: string, text: string, readInclude: ReadInclude): Promise<Outcome> {
    try {
      return { config: await this.#parse(cluster, text, readInclude) };
    } catch (error) {
      if (error instanceof ConfigurationError) return { error };
      throw error;
    }
  }

  /** A file whose name no cluster gives would never be loaded: it is named once in the log and left out. */
  #clusterOf(file: string): string | undefined {
    const part = file.slice(0, -suffix.length);
    const cluster = unescapeName(part);
    if (cluster === undefined && !this.#warned.has(file)) {
      this.#warned.add(file);
      this.#log?.warn("config-file-ignored", { file, expected: `${escapeName(part)}${suffix}` });
    }
    return cluster;
  }
}
