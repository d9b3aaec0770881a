import type { BlobServiceClient } from "@azure/storage-blob";
import { blobNameProblem } from "../../azure-limits.ts";
import type { DemandUploads } from "../../ports/index.ts";
import { largestUploadBytes, noSuchName, tooLarge } from "../upload-limit.ts";
import { staysInside } from "./blob-path.ts";
import { Container } from "./container.ts";

/** Container `demand-uploads`: senders write there, this program only reads. */
export class BlobDemandUploads implements DemandUploads {
  readonly #container: Container;
  readonly #limitBytes: number;

  constructor(service: BlobServiceClient, options: { readonly limitBytes?: number } = {}) {
    this.#container = new Container(service, "demand-uploads");
    this.#limitBytes = options.limitBytes ?? largestUploadBytes;
  }

  async read(blob: string): Promise<string | undefined | { readonly refused: string }> {
    if (!staysInside(blob)) {
      return {
        refused: `Cannot read upload "${blob}": not a plain path, expected a name without "." and ".."`,
      };
    }
    const problem = blobNameProblem(blob);
    if (problem !== undefined) return { refused: noSuchName(blob, problem) };
    const facts = await this.#container.facts(blob);
    if (facts === undefined) return undefined;
    const size = { bytes: facts.sizeBytes, limitBytes: this.#limitBytes };
    if (size.bytes > size.limitBytes) return { refused: tooLarge(blob, size) };
    return (await this.#container.read(blob))?.bytes.toString("utf8");
  }
}
