import type { z } from "zod";
import { whatIsWrong } from "./wire-value.ts";

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
