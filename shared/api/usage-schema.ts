import { z } from "zod";
import { type Answer, aboutCluster, unixSeconds } from "./answer.ts";
import { named, optional, orNull } from "./builders.ts";

/** The words are CycleCloud's own. */
export const usageTimeframe = z
  .enum(["monthToDate", "lastMonth", "weekToDate", "custom"])
  .describe("In UTC; weeks begin on Sunday; custom: `from` and `to`");
export const usageGranularity = z.enum(["total", "daily", "hourly"]);

const moment = z.iso.datetime({ offset: true });

export const usageQuery = z
  .object({
    timeframe: usageTimeframe.default("monthToDate"),
    granularity: usageGranularity.default("total"),
    from: optional(moment, "ISO 8601; CycleCloud rounds it down to its hour or day"),
    to: optional(moment, "ISO 8601; CycleCloud rounds it up"),
  })
  .refine(
    ({ timeframe, from, to }) => (timeframe === "custom") === (from !== undefined && to !== undefined),
    {
      error: "expected from and to with the timeframe custom, and with it alone",
      path: ["from"],
    },
  );

const used = {
  coreHours: z.number(),
  cost: orNull(z.number(), "As CycleCloud estimates it, in its currency; null: it does not know"),
};

/** `GET /api/clusters/{cluster}/usage`: CycleCloud's own account of a cluster, asked for when it is called. */
export const usageAnswer = named("Usage", {
  ...aboutCluster,
  intervals: z.array(
    z.object({
      startSeconds: unixSeconds,
      endSeconds: unixSeconds,
      total: z.object(used),
      parts: z.array(
        z.object({
          category: z.string().describe("nodearray, or node for one outside of all arrays"),
          name: z.string(),
          ...used,
        }),
      ),
    }),
  ),
});

export type UsageQuery = Answer<typeof usageQuery>;
export type UsageAnswer = Answer<typeof usageAnswer>;
