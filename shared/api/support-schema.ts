import { z } from "zod";
import { supportParts } from "../names/support-parts.ts";
import { type Answer, aboutCluster } from "./answer.ts";
import { named } from "./builders.ts";

export const supportAnswer = named("Support", {
  ...aboutCluster,
  part: z.enum(supportParts),
  content: z
    .unknown()
    .describe(
      "As it is stored, secrets as `***`; null: nothing is stored. Its form changes with the service's",
    ),
});

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
