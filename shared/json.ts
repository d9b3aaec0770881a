/** What stands for an object whose `toString` is data: a text, which is refused wherever an object is wanted. */
export const withMemberToString = "an object with a member toString";

/**
 * The value that a text from outside holds as JSON. An object whose `toString` is data throws wherever somebody compares it or
 * writes it as a text, libraries too (zod compares the length of `{"length": {"toString": 1}}` with a number), so a text stands
 * in its place. Throws SyntaxError, which quotes nothing: the text may hold secrets.
 */
export function parseJson(text: string): unknown {
  const value = parse(text);
  // A backslash may spell a letter of the name.
  return text.includes("toString") || text.includes("\\u") ? convertible(value) : value;
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
