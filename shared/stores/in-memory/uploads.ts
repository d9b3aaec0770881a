import { blobNameProblem } from "../../azure-limits.ts";
import { type JsonLimits, smallestLimits } from "../../json-limits.ts";
import type { DemandUploads } from "../../ports/index.ts";
import { noSuchName, type ReadUpload, textOfUpload } from "../upload-limit.ts";

/** Uploaded blobs by name; `put` stands for the sender. */
export class MemoryDemandUploads implements DemandUploads {
  readonly #texts = new Map<string, string>();
  readonly #limits: JsonLimits;

  constructor(limits: JsonLimits = smallestLimits) {
    this.#limits = limits;
  }

  async read(blob: string): Promise<ReadUpload | undefined> {
    const problem = blobNameProblem(blob);
    if (problem !== undefined) return { refused: noSuchName(blob, problem) };
    const text = this.#texts.get(blob);
    return text === undefined ? undefined : textOfUpload(blob, Buffer.from(text), this.#limits);
  }

  put(blob: string, text: string): void {
    this.#texts.set(blob, text);
  }
}
