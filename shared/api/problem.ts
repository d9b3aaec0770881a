import { z } from "zod";
import { supportParts } from "../names/support-parts.ts";
import type { Answer } from "./answer.ts";
import { named, optional } from "./builders.ts";

/** Kinds of problems; the last part of a problem's `type`. Stable: clients decide by them. */
const problemKinds = [
  "bad-request",
  "unauthorized",
  "forbidden",
  "unknown-cluster",
  "not-found",
  "too-large",
  "unsupported-media-type",
  "refused",
  "key-reused",
  "too-often",
  "busy",
  "conflict",
  "configuration",
  "upstream",
  "stale-snapshot",
  "internal",
] as const;

export type ProblemKind = (typeof problemKinds)[number];

const typePrefix = "urn:cyclecloud-autoscale:problem:";

export function problemType(kind: ProblemKind): string {
  return `${typePrefix}${kind}`;
}

/** Every answer that is no success (RFC 9457, `application/problem+json`). */
export const problemSchema = named("Problem", {
  type: z
    .string()
    .describe(`\`${typePrefix}\` and one of ${problemKinds.map((kind) => `\`${kind}\``).join(", ")}`),
  title: z.string().describe("What went wrong, in one sentence"),
  status: z.int().describe("The HTTP status, once more"),
  detail: optional(z.string(), "What it means for the caller, and what to do next"),
  problems: optional(z.array(z.string()), "Everything that is wrong, one sentence each"),
  takenNames: optional(
    z.array(z.string()),
    "Of `create-nodes`: the `names` that a node has or will have, where nothing else is wrong",
  ),
  retryAfterSeconds: optional(
    z.number(),
    "When another try may succeed, whole seconds; also in `Retry-After`",
  ),
  invocationId: optional(z.string(), "Of an unexpected error: what to look for in the logs"),
});

export type Problem = Answer<typeof problemSchema>;

function refusal(kind: ProblemKind, status: number, words: Omit<Problem, "type" | "status">): Problem {
  return { type: problemType(kind), status, ...words };
}

const longestShownName = 100;

/** What somebody asked for, as it is told back: cut where it is long. */
export function quoted(name: string): string {
  return `"${name.length <= longestShownName ? name : `${name.slice(0, longestShownName)}…`}"`;
}

const mostShownNames = 20;

function oneOf(names: readonly string[]): string {
  if (names.length === 0) return "one that is configured, and there is none yet";
  const shown = names.slice(0, mostShownNames).map(quoted).join(", ");
  const more = names.length - mostShownNames;
  return `one of ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Refusals in the words of the service, given by its functions or by `ccscale` on the storage account. */
export const refusals = {
  /** `configured`: all clusters, for callers who may know them; left out for others. */
  unknownCluster: (cluster: string, configured?: readonly string[]) =>
    refusal("unknown-cluster", 404, {
      title: `No cluster ${quoted(cluster)} is configured`,
      ...(configured !== undefined && { problems: [`cluster: expected ${oneOf(configured)}`] }),
    }),
  unknownPlan: (planId: string) => refusal("not-found", 404, { title: `No plan ${quoted(planId)} is kept` }),
  unknownReject: (rejectionId: string) =>
    refusal("not-found", 404, {
      title: `No rejected message ${quoted(rejectionId)} is kept`,
      detail: "Rejected messages are kept for 30 days",
    }),
  unknownSupportPart: (part: string) =>
    refusal("not-found", 404, {
      title: `There is no part ${quoted(part)}`,
      detail: `Parts: ${supportParts.join(", ")}`,
    }),
  notReplayed: (problems: readonly string[]) =>
    refusal("refused", 409, {
      title: "Nothing was sent",
      detail: "Fix the demand message and send it as `message`; with ccscale, `--file fixed.json`",
      problems: [...problems],
    }),
  demandUnusable: (problems: readonly string[]) =>
    refusal("bad-request", 400, { title: "This is no demand that can be taken", problems: [...problems] }),
  configUnusable: (problems: readonly string[]) =>
    refusal("bad-request", 400, { title: "This configuration cannot be used", problems: [...problems] }),
  configChangedMeanwhile: (cluster: string) =>
    refusal("conflict", 412, {
      title: `The configuration of "${cluster}" is not the one that was seen`,
      detail: "Look again, then try again",
    }),
} as const;
