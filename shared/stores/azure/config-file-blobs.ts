import type { BlobServiceClient } from "@azure/storage-blob";
import { memberOf } from "../../engine/index.ts";
import { ConfigurationError } from "../../errors/errors.ts";
import { parseJson } from "../../json/json.ts";
import type { CheckedConfig, ConfigFile, ConfigFiles, IfMatch } from "../../ports/index.ts";
import { includesReader, readConfigText } from "./config-text.ts";
import { Container } from "./container.ts";
import { clusterBlob, staysInside } from "./keys.ts";

/** Checks a configuration with its includes. A missing include is undefined. */
export type CheckConfig = (
  cluster: string,
  json: unknown,
  loadInclude: (path: string) => Promise<unknown>,
) => Promise<CheckedConfig>;

/** The files of container `config` as texts. `BlobConfigStore` reads them checked. */
export class BlobConfigFiles implements ConfigFiles {
  readonly #container: Container;
  readonly #check: CheckConfig;

  constructor(service: BlobServiceClient, check: CheckConfig) {
    this.#container = new Container(service, "config");
    this.#check = check;
  }

  async read(cluster: string): Promise<ConfigFile | undefined> {
    const file = await readConfigText(this.#container, clusterBlob(cluster));
    return file && { text: file.text, etag: file.etag };
  }

  async save(cluster: string, text: string, ifMatch: IfMatch): Promise<string> {
    const content = { bytes: Buffer.from(text), contentType: "application/json" };
    const record = `configuration of "${cluster}"`;
    return this.#container.save(clusterBlob(cluster), content, { ifMatch, record });
  }

  check(
    cluster: string,
    json: unknown,
    includes?: Readonly<Record<string, unknown>>,
  ): Promise<CheckedConfig> {
    const given = async (path: string) => (includes === undefined ? undefined : memberOf(includes, path));
    return this.#check(cluster, json, includes === undefined ? this.#stored() : given);
  }

  #stored(): (path: string) => Promise<unknown> {
    const read = includesReader(this.#container);
    return async (path) => {
      if (!staysInside(path)) throw new ConfigurationError(`"${path}"`, ["outside the container config"]);
      const text = await read(path);
      return text === undefined ? undefined : parseJson(text);
    };
  }
}
