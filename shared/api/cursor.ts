import { parseJson } from "../json.ts";

/**
 * Where a page ended: its last item's place or time, its name, and when the look was made that the page is of, where the
 * next one should be of the same. Opaque to callers, so it may become another one.
 */
export type Cursor = readonly [at: number, name: string, madeAtSeconds?: number];

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Undefined for a text that no page ended with. */
export function decodeCursor(text: string): Cursor | undefined {
  try {
    const cursor: unknown = parseJson(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(cursor) || cursor.length < 2 || cursor.length > 3) return undefined;
    const [at, name, madeAtSeconds]: unknown[] = cursor;
    if (!isNumber(at) || typeof name !== "string") return undefined;
    if (madeAtSeconds === undefined) return [at, name];
    return isNumber(madeAtSeconds) ? [at, name, madeAtSeconds] : undefined;
  } catch {
    return undefined;
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
