/** The largest uploaded demand that is read: it is parsed in memory, at several times its size. */
export const largestUploadBytes = 32 * 1024 * 1024;

/** The sentence for whoever sent a blob that is too large. */
export function tooLarge(
  blob: string,
  size: { readonly bytes: number; readonly limitBytes: number },
): string {
  return `Cannot read upload "${blob}": ${size.bytes} bytes, expected at most ${size.limitBytes}`;
}

/** The sentence for whoever named a blob that there cannot be. */
export function noSuchName(blob: string, problem: string): string {
  return `Cannot read upload "${blob.slice(0, 80).toWellFormed()}": ${problem}`;
}
