import { z } from "zod";
import { requestFields } from "./actions.ts";
import { type Answer, aboutCluster, count, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull, request } from "./builders.ts";

const dictionary = z.record(z.string().max(1_000), z.unknown());

export const configAnswer = named("Config", {
  ...aboutCluster,
  etag: z.string().describe("Of what is stored, as in the header `ETag`: what `If-Match` takes"),
  config: orNull(
    dictionary,
    "As it is stored; secrets that it should not hold are `***`. Null: it is no JSON object",
  ),
  problems: list(z.string(), "Why the service cannot use it; empty: it can"),
  warnings: list(z.string(), "What is odd, and usable"),
});

export const configBody = request("ConfigRequest", {
  config: dictionary.describe("An `autoscale.json`"),
  includes: optional(
    dictionary,
    "What its `include` names, by path from the configuration: merged into it before it is stored. Absent: it is stored as it is, and `include` names files of the container `config`",
  ),
  ...requestFields,
});

export const configChanged = named("ConfigChanged", {
  ...aboutCluster,
  outcome: z.enum(["done", "would", "nothing-to-do"]).describe("would: a dry run"),
  summary: z.string().describe("The same in a sentence"),
  changes: list(z.string(), "One line per key that differs, without secrets"),
  warnings: list(z.string(), "What is odd, and usable, such as a node array that the cluster does not have"),
  effects: list(
    z.string(),
    "What a plan made now would do differently: nodes that would go, jobs that would wait, new nodes",
  ),
  etag: orNull(z.string(), "Of what is stored now; null: nothing is"),
});

/** `GET /api/clusters/{cluster}/config/versions`, newest first */
export const configVersionsAnswer = named("ConfigVersions", {
  ...aboutCluster,
  versions: z.array(
    z.object({
      version: count.describe("Counts up"),
      changedAtSeconds: unixSeconds,
      by: orNull(z.string(), "Null: it was changed in the store itself, by nobody that is known"),
      reason: z.string(),
      changes: list(z.string(), "Values that differ from the version before, without secrets"),
      config: orNull(
        dictionary,
        "What was stored; secrets are `***`. Null: no single version was asked for, or it is no JSON object",
      ),
    }),
  ),
});

export const configVersionsQuery = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe("Most versions; the newest 100 are kept"),
  version: optional(z.coerce.number().int().min(1), "This one alone, with its configuration"),
});

export type ConfigVersionsAnswer = Answer<typeof configVersionsAnswer>;
export type ConfigAnswer = Answer<typeof configAnswer>;
export type ConfigBody = Answer<typeof configBody>;
export type ConfigChanged = Answer<typeof configChanged>;
