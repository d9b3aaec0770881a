import { z } from "zod";
import { decodeCursor } from "./cursor.ts";

/** What a schema describes, as our own code makes it and hands it around: read-only all the way down. */
export type Answer<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** A moment, as everywhere in this service. */
export const unixSeconds = z.number().describe("Unix time in seconds");

export const durationSeconds = z.number().nonnegative().describe("A length of time in seconds");

export const count = z.int().nonnegative();

/** What every answer about one cluster starts with. */
export const aboutCluster = {
  cluster: z.string().describe("Name of the cluster"),
  atSeconds: unixSeconds.describe("When this answer was made, Unix time in seconds"),
};

/** What every list that can be long ends with. */
export const paged = {
  total: count
    .nullable()
    .describe("How many items match, on all pages; null where counting them would cost too much"),
  next: z
    .string()
    .nullable()
    .describe(
      "Send it as `cursor` to get the next page; null on the last page. Its content means nothing to callers",
    ),
};

/** The query of every list that can be long. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(1_000).default(200).describe("Most items of a page"),
  cursor: z
    .string()
    .min(1)
    .max(2_000)
    .transform((text, context) => {
      const cursor = decodeCursor(text);
      if (cursor === undefined) context.addIssue({ code: "custom", message: "expected `next` of a page" });
      return cursor ?? z.NEVER;
    })
    .optional()
    .describe("`next` of the page before; absent: the first page"),
};

/** The query of a list that is drawn up as a whole for any page of it: a large page costs less than many small ones. */
export const wholeListQuery = {
  ...pageQuery,
  limit: z.coerce.number().int().min(1).max(10_000).default(200).describe("Most items of a page"),
};

/** `?all=true`; what is neither true nor false is refused, not guessed at. */
export const flag = z.stringbool({ truthy: ["true", "1"], falsy: ["false", "0"] });
