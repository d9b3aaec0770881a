import type { BlobServiceClient } from "@azure/storage-blob";
import { blobNameProblem } from "../../azure-limits.ts";
import { type JsonLimits, smallestLimits } from "../../json-limits.ts";
import type { DemandUploads } from "../../ports/index.ts";
import { noSuchName, type ReadUpload, textOfUpload, tooLarge } from "../upload-limit.ts";
import { staysInside } from "./blob-path.ts";
import { Container } from "./container.ts";

/** Container `demand-uploads`: senders write there, this program only reads. */
export class BlobDemandUploads implements DemandUploads {
  readonly #container: Container;
  readonly #limits: JsonLimits;

  constructor(service: BlobServiceClient, limits: JsonLimits = smallestLimits) {
    this.#container = new Container(service, "demand-uploads");
    this.#limits = limits;
  }

  async read(blob: string): Promise<ReadUpload | undefined> {
    if (!staysInside(blob)) {
      return {
        refused: `Cannot read upload "${blob}": not a plain path, expected a name without "." and ".."`,
      };
    }
    const problem = blobNameProblem(blob);
    if (problem !== undefined) return { refused: noSuchName(blob, problem) };
    const read = await this.#container.readAtMost(blob, this.#limits.bytes);
    if (read === undefined) return undefined;
    if ("tooLarge" in read) return { refused: tooLarge(blob, read.tooLarge, this.#limits) };
    return textOfUpload(blob, read.bytes, this.#limits);
  }
}
