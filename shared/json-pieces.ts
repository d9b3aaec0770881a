/** Items of a list that become one piece. */
const itemsAtOnce = 200;

/**
 * A value's JSON text in pieces: no string ever holds all of it, which may be longer than a string can be. Objects are
 * cut down to `depth` levels, long lists anywhere above that.
 */
export function* jsonPieces(value: unknown, depth = 4): Generator<string> {
  if (depth > 0 && Array.isArray(value)) yield* piecesOfList(value);
  else if (depth > 0 && isPlain(value)) yield* piecesOfObject(value, depth - 1);
  else yield JSON.stringify(value) ?? "null";
}

function* piecesOfList(list: readonly unknown[]): Generator<string> {
  yield "[";
  for (let start = 0; start < list.length; start += itemsAtOnce) {
    const text = JSON.stringify(list.slice(start, start + itemsAtOnce));
    yield start === 0 ? text.slice(1, -1) : `,${text.slice(1, -1)}`;
  }
  yield "]";
}

function* piecesOfObject(value: object, depth: number): Generator<string> {
  let before = "{";
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || typeof member === "function") continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* jsonPieces(member, depth);
    before = ",";
  }
  yield before === "{" ? "{}" : "}";
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && !("toJSON" in value);
}
