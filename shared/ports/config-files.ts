import type { ClusterConfig } from "./config.ts";
import type { IfMatch } from "./stored.ts";

/** An `autoscale.json` as it is written, unchecked. */
export interface ConfigFile {
  readonly text: string;
  readonly etag: string;
}

/** A configuration with what it includes merged in; or everything that is wrong with it. Then `json` is as far as it could be merged. */
export type CheckedConfig =
  | { readonly ok: true; readonly json: unknown; readonly config: ClusterConfig }
  | { readonly ok: false; readonly json: unknown; readonly problems: readonly string[] };

/** Configurations as they are written, for those who show and change them. `ConfigStore` reads them for everybody else. */
export interface ConfigFiles {
  /** Undefined when the cluster has none. */
  read(cluster: string): Promise<ConfigFile | undefined>;
  /** Throws ConflictError when somebody else wrote it since `ifMatch` was read. Returns the new ETag. */
  save(cluster: string, text: string, ifMatch: IfMatch): Promise<string>;
  /**
   * Reads a configuration as the service would. What it includes comes from `includes` when they are given, by path from
   * the configuration, else from where configurations are kept. Throws what the store throws.
   */
  check(cluster: string, json: unknown, includes?: Readonly<Record<string, unknown>>): Promise<CheckedConfig>;
}
