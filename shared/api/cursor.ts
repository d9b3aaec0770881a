/** Where a page ended: its last item's place or time, and its name. Opaque to callers, so it may become another one. */
export type Cursor = readonly [at: number, name: string];

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

/** Undefined for a text that no page ended with. */
export function decodeCursor(text: string): Cursor | undefined {
  try {
    const cursor: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(cursor) || cursor.length !== 2) return undefined;
    const [at, name]: unknown[] = cursor;
    return typeof at === "number" && Number.isFinite(at) && typeof name === "string" ? [at, name] : undefined;
  } catch {
    return undefined;
  }
}
