import { z } from "zod";
import type { Json } from "../engine/index.ts";

/**
 * Building blocks of CycleCloud's answers. `null` and absent mean the same on the wire: not known. Fields that are
 * not listed pass. A field of a wrong type fails its record, and only its record: see `setAside`.
 */
export const text = z.string().min(1);
/** Absent, null and "" all mean that CycleCloud reports no value. */
export const maybeText = z
  .string()
  .nullish()
  .transform((value) => (value === "" || value === undefined ? null : value));
export const maybeNumber = z
  .number()
  .nullish()
  .transform((value) => value ?? null);
/** Templates are written by hand: `true`, "true" and 1 all occur. */
export const maybeFlag = z
  .union([z.boolean(), z.stringbool(), z.literal(0), z.literal(1)])
  .nullish()
  .transform((value) => (value === null || value === undefined ? null : Boolean(value)));
/** Free-form JSON; it was read by `parseJson`, so it need not be checked again. */
const json = z.custom<Json>();
export const record = z
  .record(z.string(), json)
  .nullish()
  .transform((value) => value ?? {});

/** The problems of an answer or a record: `NodeId: invalid input: expected string, received undefined`. */
export function whatIsWrong(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = issue.path.map(String).join(".");
      const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
      return path === "" ? message : `${path}: ${message}`;
    })
    .join(", ");
}

/** Collects what could not be understood, one sentence each; the rest of an answer goes on. */
export class SetAside {
  readonly sentences: string[] = [];

  add(subject: string, why: string): void {
    this.sentences.push(`Left out ${subject}: ${why}`);
  }

  /** The record as its schema reads it, or undefined once it is set aside. */
  read<S extends z.ZodType>(schema: S, value: unknown, subject: string): z.output<S> | undefined {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    this.add(subject, whatIsWrong(result.error));
    return undefined;
  }
}

/** Names a record for its sentence: `node "htc-3"`, or `node 7` (counted from 1) when it has no name. */
export function subjectOf(kind: string, value: unknown, place: { key: string; index: number }): string {
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const name = fields[place.key];
  return typeof name === "string" && name !== "" ? `${kind} "${name}"` : `${kind} ${place.index + 1}`;
}
