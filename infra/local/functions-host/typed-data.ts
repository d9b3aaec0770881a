import type { TypedData } from "./rpc.ts";

/**
 * Encodes a value for a function the way Azure's host does: bytes, text and fractions as such, everything else (whole
 * numbers, dates, lists, objects) as JSON text; nothing for null. The library then parses `string` as JSON when it
 * can, so the text `123` reaches the function as a number.
 */
export function toTypedData(value: unknown): TypedData | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return { string: value };
  if (value instanceof Uint8Array) return { bytes: value };
  if (typeof value === "number" && !Number.isInteger(value)) return { double: value };
  return { json: JSON.stringify(value, writeBigInt) };
}

function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

/** Encodes trigger metadata; entries without a value are left out, as in Azure. */
export function toMetadata(values: Readonly<Record<string, unknown>>): Readonly<Record<string, TypedData>> {
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const data = toTypedData(value);
    return data === undefined ? [] : [[key, data] as const];
  });
  return Object.fromEntries(entries);
}

/** Decodes what a function returned: text stays text, `json` is parsed; undefined when it returned nothing. */
export function fromTypedData(data: TypedData | null | undefined): unknown {
  if (data === undefined || data === null) return undefined;
  if (data.json !== undefined) return JSON.parse(data.json);
  return data.string ?? data.bytes ?? data.int ?? data.double ?? data.http;
}

/** The bytes of a body, whichever way it is encoded. */
export function bodyBytes(data: TypedData | null | undefined): Uint8Array {
  if (data === undefined || data === null) return new Uint8Array();
  if (data.bytes !== undefined) return data.bytes;
  return new TextEncoder().encode(data.string ?? data.json ?? String(fromTypedData(data) ?? ""));
}
