import { z } from "zod";
import { requestFields } from "./actions.ts";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";

const dictionary = z.record(z.string().max(1_000), z.unknown());

export const configAnswer = z
  .object({
    ...aboutCluster,
    etag: z.string().describe("Of what is stored, as in the header `ETag`: what `If-Match` takes"),
    config: dictionary
      .nullable()
      .describe("As it is stored; secrets that it should not hold are `***`. Null: it is no JSON object"),
    problems: z.array(z.string()).describe("Why the service cannot use it; empty: it can"),
    warnings: z.array(z.string()).describe("What is odd, and usable"),
  })
  .meta({ id: "Config" });

export const configBody = z
  .object({
    config: dictionary.describe("An `autoscale.json`"),
    includes: dictionary
      .optional()
      .describe(
        "What its `include` names, by path from the configuration: merged into it before it is stored. Absent: it is stored as it is, and `include` names files of the container `config`",
      ),
    ...requestFields,
  })
  .strict()
  .meta({ id: "ConfigRequest" });

export const configChanged = z
  .object({
    ...aboutCluster,
    outcome: z.enum(["done", "would", "nothing-to-do"]).describe("would: a dry run"),
    summary: z.string().describe("The same in a sentence"),
    changes: z.array(z.string()).describe("One line per key that differs, without secrets"),
    warnings: z
      .array(z.string())
      .describe("What is odd, and usable, such as a node array that the cluster does not have"),
    effects: z
      .array(z.string())
      .describe(
        "What a plan made now would do differently: nodes that would go, jobs that would wait, new nodes",
      ),
    etag: z.string().nullable().describe("Of what is stored now; null: nothing is"),
  })
  .meta({ id: "ConfigChanged" });

/** `GET /api/clusters/{cluster}/config/versions`, newest first */
export const configVersionsAnswer = z
  .object({
    ...aboutCluster,
    versions: z.array(
      z.object({
        version: count.describe("Counts up"),
        changedAtSeconds: unixSeconds,
        by: z
          .string()
          .nullable()
          .describe("Null: it was changed in the store itself, by nobody that is known"),
        reason: z.string(),
        changes: z.array(z.string()).describe("Values that differ from the version before, without secrets"),
        config: dictionary
          .nullable()
          .describe(
            "What was stored; secrets are `***`. Null: no single version was asked for, or it is no JSON object",
          ),
      }),
    ),
  })
  .meta({ id: "ConfigVersions" });

export const configVersionsQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe("Most versions; the newest 100 are kept"),
  version: z.coerce.number().int().min(1).optional().describe("This one alone, with its configuration"),
});

export type ConfigVersionsAnswer = Answer<typeof configVersionsAnswer>;
export type ConfigAnswer = Answer<typeof configAnswer>;
export type ConfigBody = Answer<typeof configBody>;
export type ConfigChanged = Answer<typeof configChanged>;
