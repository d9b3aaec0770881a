import { z } from "zod";
import type { Scalar } from "../engine/index.ts";
import { parseJson } from "../json/json.ts";
import { named, optional, orNull } from "./builders.ts";

/** What a schema describes, as our own code makes it and hands it around: read-only all the way down. */
export type Answer<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The fields of a schema, and no others, of what has them all. */
export function only<S extends z.ZodObject>({ shape }: S, of: Answer<S>): Answer<S> {
  const names = Object.keys(shape).filter((name) => Object.hasOwn(of, name));
  return Object.fromEntries(names.map((name) => [name, of[name as keyof Answer<S>]])) as Answer<S>;
}

export const unixSeconds = z.number().describe("Unix time in seconds");

/** A moment that a caller names is before this, in the year 5138: what is later can be written as no date. */
export const latestSeconds = 99_999_999_999;

/** A moment that a query names, in Unix seconds. */
export const moment = z.coerce.number().int().min(0).max(latestSeconds);

export const durationSeconds = z.number().nonnegative().describe("A length of time in seconds");

export const count = z.int().nonnegative();

/** What every answer about one cluster starts with. */
export const aboutCluster = {
  cluster: z.string().describe("Name of the cluster"),
  atSeconds: unixSeconds.describe("When this answer was made, Unix time in seconds"),
};

/** What every list that can be long ends with. */
export const paged = {
  total: orNull(count, "How many items match, on all pages; null where counting them would cost too much"),
  next: orNull(
    z.string(),
    "Send it as `cursor` to get the next page; null on the last page. Its content means nothing to callers",
  ),
};

/** The query of every list that can be long. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1_000).default(200).describe("Most items of a page"),
  cursor: optional(
    z
      .string()
      .min(1)
      .max(2_000)
      .transform((text, context) => {
        const cursor = decodeCursor(text);
        if (cursor === undefined) context.addIssue({ code: "custom", message: "expected `next` of a page" });
        return cursor ?? z.NEVER;
      }),
    "`next` of the page before; absent: the first page",
  ),
};

/** The query of a list that is drawn up as a whole for any page of it: a large page costs less than many small ones. */
export const wholeListQuery = {
  ...pageQuery,
  limit: z.coerce.number().int().min(1).max(10_000).default(200).describe("Most items of a page"),
};

/** The time that a list is about, in a query. */
export const periodQuery = {
  from: optional(moment, "Unix seconds; absent: 24 hours before `until`"),
  until: optional(moment, "Unix seconds; absent: now"),
};

/** `?all=true`; what is neither true nor false is refused, not guessed at. */
export const flag = z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] });

/** Where a page ended: its last item's place or time, its name, and the look it is of. Opaque to callers. */
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

const size = named(
  "Size",
  {
    bytes: z.number(),
    magnitude: z.enum(["b", "k", "m", "g", "t", "p", "K", "M", "G", "T", "P"]),
  },
  "A size, and the unit in which it was written (lower case: powers of 1024)",
);

/** A resource's value, or a figure of a refusal. */
export const scalar = z
  .union([z.number(), z.string(), z.boolean(), z.null(), size])
  .meta({ id: "Scalar" }) satisfies z.ZodType<Scalar>;

export const resources = z.record(z.string(), scalar).describe("Resources by name");
