import { blobNameProblem } from "../../azure-limits.ts";
import type { DemandUploads } from "../../ports/index.ts";
import { largestUploadBytes, noSuchName, tooLarge } from "../upload-limit.ts";

/** Uploaded blobs by name; `put` stands for the sender. */
export class MemoryDemandUploads implements DemandUploads {
  readonly #texts = new Map<string, string>();
  readonly #limitBytes: number;

  constructor(options: { readonly limitBytes?: number } = {}) {
    this.#limitBytes = options.limitBytes ?? largestUploadBytes;
  }

  async read(blob: string): Promise<string | undefined | { readonly refused: string }> {
    const problem = blobNameProblem(blob);
    if (problem !== undefined) return { refused: noSuchName(blob, problem) };
    const text = this.#texts.get(blob);
    if (text === undefined) return undefined;
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#limitBytes) return { refused: tooLarge(blob, { bytes, limitBytes: this.#limitBytes }) };
    return text;
  }

  put(blob: string, text: string): void {
    this.#texts.set(blob, text);
  }
}
