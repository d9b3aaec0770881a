import { z } from "zod";
import { limitNames } from "../engine/index.ts";
import { type Answer, aboutCluster, count, flag, scalar, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";
import { jobState } from "./jobs-schema.ts";
import { metTarget } from "./status-schema.ts";

const bucketName = z.object({
  nodeArray: z.string(),
  vmSize: z.string(),
  placementGroup: z.string().nullable(),
});

/** Why one bucket, or the whole cluster, could not take (all of) a job. */
export const refusalView = named("Refusal", {
  code: z.string().describe("Stable: InsufficientResource, NoCapacity, PlacementGroupTooSmall, ..."),
  bucket: orNull(bucketName, "Null: true of the whole cluster"),
  limit: orNull(z.string(), "The limit that refused; null when a constraint did"),
  constraint: orNull(z.string(), "The constraint that refused, in short; null when a limit did"),
  asked: scalar.describe("How much was asked, or the value wanted"),
  left: scalar.describe("How much there was, or the value found"),
  text: z.string().describe("The same in a sentence"),
  why: z.string().describe("The code in a few words"),
});

/** One cause of a wait, with what ends it. */
const causeView = named("Cause", {
  kind: z
    .enum([
      "too-big",
      "never-satisfiable",
      "quota",
      "cap",
      "demand-cap",
      "budget",
      "placement-group-too-small",
      "capacity-back-off",
      "boots-failing",
      "pool-empty",
      "source-expired",
      "set-aside",
      "request-expired",
      "cluster-paused",
      "read-only",
      "login-refused",
      "snapshot-stale",
      "booting",
      "partly-placed",
      "nodes-full",
      "nodes-drained",
      "nodes-ignored",
      "nodes-failed",
      "nodes-undraining",
      "not-joined",
      "others-first",
      "gang-incomplete",
      "bucket-unusable",
      "nothing-requested",
      "spot-off",
      "own-condition",
      "not-planned-yet",
    ])
    .describe("Stable. More kinds may come"),
  text: z.string().describe("What holds the job up, with numbers"),
  next: z.string().describe("What ends it, or what to do, with the command to type"),
  limit: orNull(z.string(), "Of `quota` and `cap`: which one"),
  asked: scalar,
  left: scalar,
  untilSeconds: orNull(unixSeconds, "When it ends by itself, as far as is known"),
});

/** Which limits keep a job waiting, one behind the other, and what raising them would give it. */
const raiseView = named("Raise", {
  limits: list(
    z.object({
      limit: z.enum(limitNames),
      scope: z.string().describe("What it limits: `htc`, `westeurope/standardFSv2Family`"),
      unit: z.enum(["nodes", "cores", "usd"]),
      used: z.number(),
      max: z.number(),
      more: orNull(z.number(), "By how much it is short for all that is missing; null: unknown"),
      granted: count.describe("Places that the job has with this one and those before it raised"),
    }),
    "In the order in which they bind; at most 5",
  ),
  asked: count,
  granted: count.describe("With all of them raised"),
  text: z.string().describe("The same in sentences"),
});

/** Something that the planner did or saw. */
const plannerStep = named("PlannerStep", {
  atSeconds: unixSeconds,
  planId: z.string().nullable(),
  actionId: z.string().nullable(),
  text: z.string(),
});

export const explainAnswer = named("Explanation", {
  ...aboutCluster,
  job: z.string(),
  source: z.string().nullable(),
  state: jobState,
  unit: z.enum(["slots", "nodes"]),
  asked: count,
  granted: count,
  headline: z.string().describe("How it stands, in one sentence"),
  summary: z.string().describe("The same with the gravest cause"),
  places: list(
    z.object({
      node: z.string(),
      slots: count,
      origin: z.string().describe("As of a node"),
      state: orNull(z.string(), "CycleCloud's status"),
      expectedReadySeconds: unixSeconds.nullable(),
    }),
    "Where it runs or would go; at most 100",
  ),
  placeCount: count,
  causes: list(causeView, "Why it waits, the gravest first; empty when it does not"),
  raise: orNull(
    raiseView,
    "Found by planning again without these limits; null: no limit keeps it waiting, or it was not asked for",
  ),
  refusals: list(refusalView, "Bucket by bucket; empty when it got all"),
  sizes: list(
    z.string(),
    "Why the new nodes that it would get are of their size, as in `demand`; empty: it gets none",
  ),
  planner: list(plannerStep, "What the planner did about it, newest first"),
  request: orNull(
    z.record(z.string(), z.unknown()),
    "What it asks for, as in a demand message; null: it is not known, or did not check out",
  ),
  notes: list(
    z.string(),
    "What of the job's wishes its scheduler's agent could not carry over, and why it waits in its scheduler's words",
  ),
  warnings: list(z.string(), "Keys of it that are not understood, and what was probably meant"),
});

export const explainQuery = z.object({
  source: optional(z.string().min(1).max(50), "Where two sources use the same job name"),
  raise: flag.default(true).describe("false: without `raise`, which takes up to five plans"),
});

export type RefusalView = Answer<typeof refusalView>;
export type CauseView = Answer<typeof causeView>;
export type ExplainAnswer = Answer<typeof explainAnswer>;

export const targetExplanation = named("TargetExplanation", {
  ...aboutCluster,
  ...metTarget.omit({ name: true, why: true, nodes: true }).shape,
  target: metTarget.shape.name,
  source: z.string().describe("Who asked last"),
  receivedAtSeconds: unixSeconds.describe("When the request came that holds"),
  expiresAtSeconds: unixSeconds.describe("From then on the set wants nothing"),
  lasting: z.boolean().describe("The same follows then: a schedule without a start"),
  ignoredRequests: count.describe("Left out, because a newer or the same one had come before"),
  state: z
    .enum(["met", "booting", "partly", "waiting", "expired"])
    .describe(
      "met: all of it is up; booting: all of it is there or on its way; partly, waiting: some or all of it is refused; expired: its set wants nothing any more",
    ),
  headline: z.string().describe("How it stands, in one sentence"),
  summary: z.string().describe("The same with the gravest cause"),
  nodes: list(
    z.object({
      node: z.string(),
      origin: z.string().describe("As of a node"),
      state: orNull(z.string(), "CycleCloud's status"),
      expectedReadySeconds: unixSeconds.nullable(),
    }),
    "Nodes that count towards it, those that are not up first; at most 100",
  ),
  nodeCount: count,
  causes: list(causeView, "Why it is not met, the gravest first; empty when it is"),
  refusals: list(refusalView, "Bucket by bucket; empty when it got all"),
  planner: list(plannerStep, "What the planner did about it, newest first"),
});

export const explainTargetQuery = z.object({
  requestSet: optional(z.string().min(1).max(64), "Where two request sets have a target of that name"),
});

export type TargetExplanation = Answer<typeof targetExplanation>;
