import { z } from "zod";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { causeView, plannerStep, refusalView } from "./explain.ts";
import { metTarget } from "./status.ts";

/** `GET /api/clusters/{cluster}/targets/{target}/explain` */
export const targetExplanation = z
  .object({
    ...aboutCluster,
    ...metTarget.omit({ name: true, why: true, nodes: true }).shape,
    target: metTarget.shape.name,
    source: z.string().describe("Who asked last"),
    receivedAtSeconds: unixSeconds.describe("When the request came that holds"),
    expiresAtSeconds: unixSeconds.describe("From then on the set wants nothing"),
    ignoredRequests: count.describe("Left out, because a newer or the same one had come before"),
    state: z
      .enum(["met", "booting", "partly", "waiting", "expired"])
      .describe(
        "met: all of it is up; booting: all of it is there or on its way; partly, waiting: some or all of it is refused; expired: its set wants nothing any more",
      ),
    headline: z.string().describe("How it stands, in one sentence"),
    summary: z.string().describe("The same with the gravest cause"),
    nodes: z
      .array(
        z.object({
          node: z.string(),
          origin: z.string().describe("As of a node"),
          state: z.string().nullable().describe("CycleCloud's status"),
          expectedReadySeconds: unixSeconds.nullable(),
        }),
      )
      .describe("Nodes that count towards it, those that are not up first; at most 100"),
    nodeCount: count,
    causes: z.array(causeView).describe("Why it is not met, the gravest first; empty when it is"),
    refusals: z.array(refusalView).describe("Bucket by bucket; empty when it got all"),
    planner: z.array(plannerStep).describe("What the planner did about it, newest first"),
  })
  .meta({ id: "TargetExplanation" });

export const explainTargetQuery = z.object({
  requestSet: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Where two request sets have a target of that name"),
});

export type TargetExplanation = Answer<typeof targetExplanation>;
