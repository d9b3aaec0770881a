import type { BlobServiceClient } from "@azure/storage-blob";
import type { IfMatch } from "../../ports.ts";
import { Container } from "./container.ts";
import { escapeName } from "./keys.ts";

/** An `autoscale.json` as it is stored, unchecked. */
export interface ConfigFile {
  readonly text: string;
  readonly etag: string;
}

/** The files of container `config` as texts, for those who write them. `BlobConfigStore` reads them checked. */
export class BlobConfigFiles {
  readonly #container: Container;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "config");
  }

  /** Undefined when the cluster has none. */
  async read(cluster: string): Promise<ConfigFile | undefined> {
    const blob = await this.#container.read(nameOf(cluster));
    return blob && { text: blob.bytes.toString("utf8"), etag: blob.etag };
  }

  /** A file that another one includes, by its blob's name. */
  async readInclude(path: string): Promise<string | undefined> {
    return (await this.#container.read(path))?.bytes.toString("utf8");
  }

  /** Throws ConflictError when somebody else wrote it since `ifMatch` was read. */
  async save(cluster: string, text: string, ifMatch: IfMatch): Promise<void> {
    const content = { bytes: Buffer.from(text), contentType: "application/json" };
    await this.#container.save(nameOf(cluster), content, {
      ifMatch,
      record: `configuration of "${cluster}"`,
    });
  }
}

function nameOf(cluster: string): string {
  return `${escapeName(cluster)}.json`;
}
