import type { z } from "zod";
import { isDictionary } from "../../../shared/dictionary.ts";
import { describeProblems, shown } from "../../../shared/messages/problems.ts";

/** A value as its schema reads it. Throws one sentence with every problem, each with its path and what was wanted. */
export function check<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  if (!isDictionary(value)) throw new TypeError(`Cannot read ${what}: ${shown(value)}, expected an object`);
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new TypeError(`Cannot read ${what}: ${describeProblems(result.error).join("; ")}`);
}
