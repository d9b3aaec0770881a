/** Reads a stream, and stops as soon as it has more than so many bytes: undefined then. */
export async function readAtMost(
  stream: AsyncIterable<Uint8Array | string>,
  mostBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop closes the stream.
    if (bytes > mostBytes) return undefined;
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks, bytes);
}
