/** How much JSON from outside is read at once. */
export interface JsonLimits {
  readonly bytes: number;
  /** Values of all kinds, counted by commas and brackets: each costs memory beyond its text. */
  readonly values: number;
  /** Items of one list, or members of one object. */
  readonly items: number;
  readonly depth: number;
  /** Of the instance, in MiB; for what a refusal says. */
  readonly memoryMiB: number;
}

const mebibyte = 1024 * 1024;
const mostBytes = 32 * mebibyte;
const mostItems = 200_000;
/** Far more than any reader takes, each of which names its own limit; JSON.stringify ends at some thousands. */
const mostDepth = 50_000;
/** What a parsed and checked value takes is 70 to 190 bytes; a quarter of the memory goes to one body. */
const memoryPerValue = 640;
const mostValues = 4_000_000;

/**
 * Limits for an instance with so much memory: 32 MiB of text and 840,000 values with 512 MiB, five times the values from
 * 2.4 GiB on.
 */
export function jsonLimitsFor(memoryBytes: number): JsonLimits {
  return {
    bytes: clamped(memoryBytes / 16, mebibyte, mostBytes),
    values: clamped(memoryBytes / memoryPerValue, 100_000, mostValues),
    items: mostItems,
    depth: mostDepth,
    memoryMiB: Math.round(memoryBytes / mebibyte),
  };
}

/** What an instance of the smallest size takes. */
export const smallestLimits = jsonLimitsFor(512 * mebibyte);

function clamped(value: number, least: number, most: number): number {
  return Math.floor(Math.min(most, Math.max(least, value)));
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Why JSON text is not to be parsed; undefined when it may be. It is one pass over the bytes that makes nothing: `{},{},…`
 * takes forty times its size once it is parsed, so that looking afterwards is too late. Text that is no JSON passes, or is
 * refused for its size: JSON.parse says the rest.
 */
export function excessOfJson(text: Uint8Array, limits: JsonLimits): string | undefined {
  if (text.length > limits.bytes) return tooManyBytes(text.length, limits);
  const items = new Uint32Array(limits.depth + 1);
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case quote:
        at = endOfString(text, at);
        break;
      case openList:
      case openObject:
        depth += 1;
        values += 1;
        if (depth > limits.depth) return `nested more than ${limits.depth} levels deep`;
        items[depth] = 1;
        break;
      case closeList:
      case closeObject:
        depth = Math.max(0, depth - 1);
        break;
      case comma:
        values += 1;
        items[depth] = (items[depth] ?? 0) + 1;
        if ((items[depth] ?? 0) > limits.items)
          return `a list or object of more than ${limits.items} items${advice}`;
        break;
    }
    if (values > limits.values)
      return `more than ${limits.values} values, the most that ${limits.memoryMiB} MiB of memory take${advice}`;
  }
  return undefined;
}

const advice = ": send less at once, such as fewer jobs or a snapshot in parts";

/** The position of the closing quote, or the end of the text. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
}

export function tooManyBytes(bytes: number | string, limits: Pick<JsonLimits, "bytes">): string {
  return `${bytes} bytes, expected at most ${limits.bytes}${advice}`;
}
