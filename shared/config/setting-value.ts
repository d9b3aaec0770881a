import { z } from "zod";
import { isDictionary } from "../dictionary.ts";

/** What single settings look like. Every schema says what is wanted, so that a problem can quote it. */
export const text = z
  .string("expected a text")
  .min(1, { error: "expected a text that is not empty", abort: true });
export const flag = z.boolean("expected true or false");

/** Times arrive as numbers and, from generated files, as numeric text. */
function numeric(wanted: string, accepts: (value: number) => boolean) {
  const error = `expected ${wanted}`;
  return z
    .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/, error)], { error })
    .transform(Number)
    .refine(accepts, error);
}

export const seconds = numeric("a number of seconds, 0 or more", (value) => value >= 0);
export const positiveSeconds = numeric("a number of seconds above 0", (value) => value > 0);
export const wholeNumber = numeric(
  "a whole number, 0 or more",
  (value) => value >= 0 && Number.isInteger(value),
);

type Seconds = typeof seconds;

/** One number for all node arrays, or `{"default": 300, "htc": 90}`; null leaves the default. */
export function perNodeArray(schema: Seconds) {
  return z.unknown().transform((value, context): Readonly<Record<string, number>> => {
    const entries = isDictionary(value) ? Object.entries(value) : [[null, value] as const];
    return Object.fromEntries(
      entries.flatMap(([array, entry]) => {
        if (entry === null && array !== null) return [];
        const parsed = schema.safeParse(entry);
        if (parsed.success) return [[array ?? "default", parsed.data]];
        const wanted = parsed.error.issues[0]?.message ?? "";
        const path = array === null ? [] : [array];
        context.addIssue({ code: "custom", message: wanted, input: entry, path });
        return [];
      }),
    );
  });
}
