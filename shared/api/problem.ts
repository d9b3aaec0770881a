import { z } from "zod";
import type { Answer } from "./answer.ts";

/** Kinds of problems; the last part of a problem's `type`. Stable: clients decide by them. */
export const PROBLEM_KINDS = [
  "bad-request",
  "unauthorized",
  "forbidden",
  "unknown-cluster",
  "not-found",
  "too-large",
  "refused",
  "too-often",
  "busy",
  "conflict",
  "configuration",
  "upstream",
  "stale-snapshot",
  "internal",
] as const;

export type ProblemKind = (typeof PROBLEM_KINDS)[number];

const typePrefix = "urn:cyclecloud-autoscale:problem:";

export function problemType(kind: ProblemKind): string {
  return `${typePrefix}${kind}`;
}

/** Every answer that is no success (RFC 9457, `application/problem+json`). */
export const problemSchema = z
  .object({
    type: z
      .string()
      .describe(`\`${typePrefix}\` and one of ${PROBLEM_KINDS.map((kind) => `\`${kind}\``).join(", ")}`),
    title: z.string().describe("What went wrong, in one sentence"),
    status: z.int().describe("The HTTP status, once more"),
    detail: z.string().optional().describe("What it means for the caller, and what to do next"),
    problems: z.array(z.string()).optional().describe("Everything that is wrong, one sentence each"),
    retryAfterSeconds: z
      .number()
      .optional()
      .describe("When another try may succeed, whole seconds; also in `Retry-After`"),
    invocationId: z.string().optional().describe("Of an unexpected error: what to look for in the logs"),
  })
  .meta({ id: "Problem" });

export type Problem = Answer<typeof problemSchema>;
