/**
 * Splits a stream into lines at line feeds, the only mark that JSON lines know: a string in JSON may hold U+2028, which
 * `node:readline` takes for the end of a line. Lines may be of any length.
 */
export async function* linesOf(input: AsyncIterable<Buffer | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of input) {
    const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const [first = "", ...more] = text.split("\n");
    pieces.push(first);
    for (const next of more) {
      yield pieces.join("");
      pieces = [next];
    }
  }
  const last = pieces.join("") + decoder.decode();
  if (last !== "") yield last;
}
