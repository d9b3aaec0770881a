import { z } from "zod";
import { type Answer, count } from "./answer.ts";
import { demandAnswer } from "./demand.ts";
import { explainAnswer } from "./explain.ts";
import { selection } from "./selection.ts";

/** `POST /api/clusters/{cluster}/what-if`: a plan with extra jobs; nothing is sent. */
export const whatIfBody = z
  .object({
    jobs: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(1_000)
      .describe("Jobs as in a demand message; `name` may be left out"),
    nodes: selection.optional().describe("Of the plan, only what is about these nodes, as in `demand`"),
  })
  .strict()
  .meta({ id: "WhatIfRequest" });

export const whatIfAnswer = z
  .object({
    ...demandAnswer.shape,
    extra: z.array(explainAnswer).describe("What became of the extra jobs, in their order; at most 100"),
    more: z.object({
      create: count.describe("Nodes that are created on top of what would be created without them"),
      start: count,
    }),
  })
  .meta({ id: "WhatIf" });

export type WhatIfBody = Answer<typeof whatIfBody>;
export type WhatIfAnswer = Answer<typeof whatIfAnswer>;
