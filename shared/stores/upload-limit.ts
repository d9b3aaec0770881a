import { excessOfJson, type JsonLimits, tooManyBytes } from "../json-limits.ts";

export type ReadUpload = string | { readonly refused: string };

/** An upload as text, unless parsing it would take more memory than there is. */
export function textOfUpload(blob: string, bytes: Buffer, limits: JsonLimits): ReadUpload {
  const excess = excessOfJson(bytes, limits);
  return excess === undefined ? bytes.toString("utf8") : { refused: refusedUpload(blob, excess) };
}

/** The sentence for whoever sent a blob that is too large. */
export function tooLarge(blob: string, bytes: number, limits: JsonLimits): string {
  return refusedUpload(blob, tooManyBytes(bytes, limits));
}

function refusedUpload(blob: string, why: string): string {
  return `Cannot read upload "${blob}": ${why}`;
}

/** The sentence for whoever named a blob that there cannot be. */
export function noSuchName(blob: string, problem: string): string {
  return `Cannot read upload "${blob.slice(0, 80).toWellFormed()}": ${problem}`;
}
