import type { BlobServiceClient } from "@azure/storage-blob";
import { ConfigurationError, kindOf, messageOf } from "../../errors/errors.ts";
import type { ClusterConfig, ConfigStore, ConfigVersionStore, Log } from "../../ports/index.ts";
import { type ConfigText, includesReader, readChangedConfigText, readConfigText } from "./config-text.ts";
import { Container } from "./container.ts";
import { escapeName, staysInside, unescapeName } from "./keys.ts";

/** Reads a file that a configuration includes, by its blob's name; undefined when there is none. */
type ReadInclude = (path: string) => Promise<string | undefined>;

/** Checks the text of an `autoscale.json`, with what it includes. Rejects with ConfigurationError. */
export type ParseConfig = (cluster: string, text: string, readInclude: ReadInclude) => Promise<ClusterConfig>;

type Outcome = { readonly config: ClusterConfig } | { readonly error: ConfigurationError };
type Parsed = Outcome & {
  /** Undefined: the file could not be read. */
  readonly etag: string | undefined;
  /** Whether it read other files, which may change without it. */
  readonly includes: boolean;
  /** What is to be kept as a version, when it was first seen, and when that is due; undefined: nothing. */
  readonly unkept:
    | { readonly text: string; readonly seenSeconds: number; readonly atSeconds: number }
    | undefined;
  /** Why the file cannot be used, and when versions are looked through again. Absent: it can. */
  readonly broken?: Broken;
};
interface Broken {
  readonly error: ConfigurationError;
  readonly text: string | undefined;
  readonly againSeconds: number;
}

interface Options {
  readonly parse: ParseConfig;
  /** Where an earlier one is found when the file cannot be used. */
  readonly versions: ConfigVersionStore;
  /** Whether it adds usable files that were put there by hand. Absent: it only reads. */
  readonly keepsVersions?: boolean | undefined;
  readonly log?: Log | undefined;
  readonly nowSeconds?: () => number;
}

const suffix = ".json";
/** Whoever changes a file through the service adds its version within this time. */
const settledSeconds = 60;
/** Versions that are looked through for a usable one. */
const mostVersions = 20;

/**
 * Container `config`, `<cluster>.json`. Every load asks whether the file changed, so that an edit counts at once; it is
 * transferred and parsed only when it did, unless it includes other files: those may have changed by themselves.
 *
 * One that cannot be used leaves the newest usable version in force. So that there is one, a usable file that was put into the
 * container by hand is kept as a version by the service, too: after a minute, or when the next one cannot be used. All processes
 * look through the versions, again each minute, so that one which never saw that file comes to use it as well.
 */
export class BlobConfigStore implements ConfigStore {
  readonly #container: Container;
  readonly #parse: ParseConfig;
  readonly #versions: ConfigVersionStore;
  readonly #keepsVersions: boolean;
  readonly #log: Log | undefined;
  readonly #nowSeconds: () => number;
  readonly #parsed = new Map<string, Parsed>();
  readonly #warned = new Set<string>();

  constructor(service: BlobServiceClient, options: Options) {
    this.#container = new Container(service, "config");
    this.#parse = options.parse;
    this.#versions = options.versions;
    this.#keepsVersions = options.keepsVersions ?? false;
    this.#log = options.log;
    this.#nowSeconds = options.nowSeconds ?? (() => Date.now() / 1000);
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
    const blob = await this.#read(name, parsedBefore);
    if (blob === "unchanged")
      return parsedBefore && this.#keptAsVersion(cluster, await this.#lookedAgain(cluster, parsedBefore));
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
    const outcome =
      "error" in blob
        ? { error: blob.error }
        : await outcomeOf(() => this.#parse(cluster, blob.text, readInclude));
    if (!includes && "config" in outcome) this.#warn(outcome.config);
    const { etag, text } = "error" in blob ? {} : blob;
    if ("error" in outcome)
      return this.#inPlaceOf(cluster, { ...outcome, text }, { before: parsedBefore, etag, includes });
    const isSame = etag !== undefined && etag === parsedBefore?.etag;
    const seenSeconds = this.#nowSeconds();
    const parsed: Parsed = {
      ...outcome,
      etag,
      includes,
      unkept: isSame
        ? parsedBefore.unkept
        : text === undefined || !this.#keepsVersions
          ? undefined
          : { text, seenSeconds, atSeconds: seenSeconds + settledSeconds },
    };
    this.#parsed.set(cluster, parsed);
    return this.#keptAsVersion(cluster, parsed);
  }

  /** What holds in place of a file that cannot be used, kept for a minute. */
  async #inPlaceOf(
    cluster: string,
    { error, text }: Pick<Broken, "error" | "text">,
    { before, ...seen }: { readonly before: Parsed | undefined } & Pick<Parsed, "etag" | "includes">,
  ): Promise<Parsed> {
    const nowSeconds = this.#nowSeconds();
    const isKnown = before?.broken?.error.message === error.message && before.broken.text === text;
    if (before !== undefined && isKnown && nowSeconds < (before.broken?.againSeconds ?? 0)) return before;
    // The file before it may be known to this process alone.
    const unkept = before?.unkept && { ...before.unkept, atSeconds: nowSeconds };
    const kept = before && (await this.#keptAsVersion(cluster, { ...before, unkept }));
    const broken = { error, text, againSeconds: nowSeconds + settledSeconds };
    const outcome = await this.#lastUsable(cluster, broken, kept);
    const parsed = { ...outcome, ...seen, unkept: kept?.unkept, broken };
    this.#parsed.set(cluster, parsed);
    return parsed;
  }

  async #lookedAgain(cluster: string, parsed: Parsed): Promise<Parsed> {
    const { broken, etag, includes } = parsed;
    if (broken === undefined || this.#nowSeconds() < broken.againSeconds) return parsed;
    return this.#inPlaceOf(cluster, broken, { before: parsed, etag, includes });
  }

  async #read(
    name: string,
    before: Parsed | undefined,
  ): Promise<ConfigText | "unchanged" | undefined | { readonly error: ConfigurationError }> {
    const isKnown = before?.etag !== undefined && !before.includes;
    const read = await outcomeOf(async () =>
      isKnown
        ? readChangedConfigText(this.#container, name, before.etag)
        : readConfigText(this.#container, name),
    );
    return "error" in read ? read : read.config;
  }

  /** The newest usable version, or else what this process used before; or why the file cannot be used. */
  async #lastUsable(
    cluster: string,
    { error, text }: Pick<Broken, "error" | "text">,
    before: Parsed | undefined,
  ): Promise<Outcome> {
    const inPlaceOf = error.message;
    const versions = await this.#versions.list(cluster, mostVersions);
    const readInclude = includesReader(this.#container);
    // Where the text is the same, what it includes is at fault: an older one may be from before that was included.
    for (const version of versions[0]?.text === text ? [] : versions) {
      const outcome = await outcomeOf(() => this.#parse(cluster, version.text, readInclude));
      if ("config" in outcome) return { config: { ...outcome.config, inPlaceOf } };
    }
    return before !== undefined && "config" in before
      ? { config: { ...before.config, inPlaceOf } }
      : { error };
  }

  /** Adds a usable file to the versions, unless its text is the newest one, or a newer one was added since it was seen. */
  async #keptAsVersion(cluster: string, parsed: Parsed): Promise<Parsed> {
    const { unkept } = parsed;
    const nowSeconds = this.#nowSeconds();
    if (unkept === undefined || nowSeconds < unkept.atSeconds) return parsed;
    const { text, seenSeconds } = unkept;
    let again: Parsed["unkept"];
    try {
      const [newest] = await this.#versions.list(cluster, 1);
      if (newest?.text !== text && (newest?.atSeconds ?? 0) <= seenSeconds) {
        const version = (newest?.version ?? 0) + 1;
        const by = { by: null, reason: "changed in the storage account", changes: [] };
        await this.#versions.add(cluster, { ...by, version, atSeconds: nowSeconds, text });
      }
    } catch (error) {
      if (kindOf(error) === "invariant") throw error;
      // Another process was faster. The configuration holds, kept or not.
      if (kindOf(error) !== "conflict") {
        this.#log?.warn("config-version-not-kept", { cluster, message: messageOf(error) });
        again = { ...unkept, atSeconds: nowSeconds + settledSeconds };
      }
    }
    const kept = { ...parsed, unkept: again };
    this.#parsed.set(cluster, kept);
    return kept;
  }

  /** Once per change of the file. */
  #warn({ cluster, warnings }: ClusterConfig): void {
    for (const message of warnings) this.#log?.warn("config-warning", { cluster, message });
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

async function outcomeOf<T>(
  read: () => Promise<T>,
): Promise<{ readonly config: T } | { readonly error: ConfigurationError }> {
  try {
    return { config: await read() };
  } catch (error) {
    if (error instanceof ConfigurationError) return { error };
    throw error;
  }
}
