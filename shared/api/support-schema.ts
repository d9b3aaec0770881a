import { z } from "zod";
import { type Answer, aboutCluster } from "./answer.ts";

/** What a support archive is made of, but for the archived plans, which are asked for one by one. */
export const supportParts = [
  "service",
  "config",
  "snapshot",
  "control",
  "demand",
  "targets",
  "history",
  "losses",
  "operations",
  "rejects",
  "plan-head",
  "plans",
] as const;

export type SupportPart = (typeof supportParts)[number];

export const supportAnswer = z
  .object({
    ...aboutCluster,
    part: z.enum(supportParts),
    content: z
      .unknown()
      .describe(
        "As it is stored, secrets as `***`; null: nothing is stored. Its form changes with the service's",
      ),
  })
  .meta({ id: "Support" });

export const supportQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(500)
    .describe("Of what there can be any number of, so many of the newest"),
});

export type SupportAnswer = Answer<typeof supportAnswer>;
