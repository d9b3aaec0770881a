/** What stands for an object whose `toString` is data: a text, which is refused wherever an object is wanted. */
export const withMemberToString = "an object with a member toString";

/** A backslash may spell a letter of the name. One expression: in 25 MB, looking for the name alone takes three times as long. */
const mayHaveTrap = /toString|\\u/;

/**
 * The value that a text from outside holds as JSON. An object whose `toString` is data throws wherever somebody compares it or
 * writes it as a text, libraries too (zod compares the length of `{"length": {"toString": 1}}` with a number), so a text stands
 * in its place. Throws SyntaxError, which quotes nothing: the text may hold secrets.
 */
export function parseJson(text: string): unknown {
  const value = parse(text);
  return mayHaveTrap.test(text) ? convertible(value) : value;
}

/** The same; `otherwise`, or undefined, stands for a text that is no JSON. */
export function jsonOr(text: string, otherwise?: unknown): unknown {
  try {
    return parseJson(text);
  } catch {
    return otherwise;
  }
}

/** The same for a value that somebody else has parsed: it is changed in place. */
export function convertible(value: unknown): unknown {
  if (isTrap(value)) return withMemberToString;
  // No recursion: JSON.parse takes any depth, the stack does not.
  const open: object[] = isObject(value) ? [value] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, member] of Object.entries(next)) {
      if (isTrap(member)) replace(next, key);
      else if (isObject(member)) open.push(member);
    }
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Some messages quote the text; the place is all that is kept of any.
    const place = / at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0] ?? "";
    throw new SyntaxError(`it is not JSON${place}`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isTrap(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, "toString");
}

/** Defined, not assigned: `__proto__` is a member like others here. */
function replace(object: object, key: string): void {
  Object.defineProperty(object, key, { value: withMemberToString });
}

/** A JSON object, as opposed to a list or a single value. */
export function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
