import { z } from "zod";
import { isDictionary } from "../json/json.ts";
import { parseDuration } from "../text/durations.ts";

/** What single settings look like. Every schema says what is wanted, so that a problem can quote it. */
export const text = z
  .string("expected a text")
  .min(1, { error: "expected a text that is not empty", abort: true });

/** A setting in which people put passwords by mistake: problems never quote its value. */
export function secretText(wanted: string, accepts: (value: string) => boolean) {
  return z.custom<string>((value) => typeof value === "string" && accepts(value), {
    error: ({ input }) => (input === undefined ? `missing, ${wanted}` : wanted),
    params: { secret: true },
  });
}

/** The name of an app setting that holds a password or a key. The fixed prefix keeps any other setting from being sent as one. */
export function passwordSetting(prefix: string, held = "password") {
  const form = `expected the name of the app setting that holds the ${held}: "${prefix}", or "${prefix}_" and letters, digits and _`;
  return secretText(form, (value) => isPasswordSetting(value, prefix)).default(prefix);
}

/** A colon would end the name in a Basic login, and what is behind it is often a password. */
export const username = secretText(
  "expected a user name without a colon",
  (value) => value !== "" && !value.includes(":"),
);

function isPasswordSetting(value: string, prefix: string): boolean {
  return value === prefix || (value.startsWith(`${prefix}_`) && /^\w{1,200}$/.test(value));
}

export const flag = z.boolean("expected true or false");

/** Times arrive as numbers and, from generated files, as numeric text. */
function numeric(wanted: string, accepts: (value: number) => boolean) {
  const error = `expected ${wanted}`;
  return z
    .union([z.number(), z.string().regex(/^\d+(\.\d+)?$/, error)], { error })
    .transform(Number)
    .refine(accepts, error);
}

/** A length of time: seconds, as everywhere in the file, or a text as people write it, such as "10m". */
function lengthOfTime(wanted: string, accepts: (value: number) => boolean) {
  const error = `expected ${wanted}, such as 600 or "10m"`;
  return z.union([z.number(), z.string()], { error }).transform((value, context) => {
    const length = typeof value === "number" ? value : parseDuration(value, { isPlain: true });
    if (length !== undefined && Number.isFinite(length) && accepts(length)) return length;
    context.addIssue({ code: "custom", message: error, input: value });
    return z.NEVER;
  });
}

export function secondsFrom(least: number) {
  return lengthOfTime(`a number of seconds, ${least} or more`, (value) => value >= least);
}

export const seconds = secondsFrom(0);
export const positiveSeconds = lengthOfTime("a number of seconds above 0", (value) => value > 0);
export const wholeNumber = numeric(
  "a whole number, 0 or more",
  (value) => value >= 0 && Number.isInteger(value),
);

/** An object of these keys and no others: a misspelt one is named with those that there are. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape, wanted: string) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown keys ${issue.keys.join(", ")}, expected ${Object.keys(shape).join(", ")}`
        : wanted,
  });
}

/** One value for all node arrays, or `{"default": 300, "htc": 90}`; null leaves the default. */
export function perNodeArray<T>(schema: z.ZodType<T>) {
  return z.unknown().transform((value, context): Readonly<Record<string, T>> => {
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
