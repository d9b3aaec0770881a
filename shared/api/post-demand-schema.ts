import { z } from "zod";
import { by } from "./actions.ts";
import { type Answer, aboutCluster, count, flag } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";

/** An item of a message that did not check out, while the rest of the message counts. */
const setAsideView = named("SetAsideItem", {
  kind: z.enum(["job", "node", "shape", "remove", "target"]),
  index: count.describe("Its place in the list of its message"),
  name: orNull(z.string(), "As it was sent; null when it cannot be read"),
  problems: list(z.string(), "What is wrong with it; only of the first hundred of a list"),
});

export const setAsideItems = z
  .object({ count, items: list(setAsideView, "The first hundred") })
  .describe("What did not check out, and was set aside; the rest counts");

export const postDemandBody = z
  .looseObject({
    version: z.literal(1).default(1),
    kind: z.enum(["snapshot", "delta"]),
    cluster: optional(z.string(), "That of the path, or absent"),
    source: z.string().describe("The scheduler that this is the demand of"),
    sequence: z.int().min(0).describe("Grows with every message of the source"),
    sentAt: z.string().describe("ISO 8601 with an offset"),
    jobs: z.array(z.unknown()).default([]).describe("Objects; what does not check out is set aside"),
    nodes: z.array(z.unknown()).default([]).describe("Objects; what does not check out is set aside"),
    nodeShapes: optional(
      z.array(z.unknown()),
      "What nodes that come will offer, as the scheduler counts it; what does not check out is set aside",
    ),
  })
  .meta({ id: "DemandMessage" })
  .describe("All fields: `shared/messages/job-demand.schema.json`, without `part` and `blob`");

export const postDemandQuery = z.object({
  dry_run: flag.default(false).describe("true: only say what would be posted"),
  by: by.optional(),
});

export const demandPosted = named("DemandPosted", {
  ...aboutCluster,
  outcome: z.enum(["done", "would"]).describe("done: on the queue, in its turn; would: a dry run"),
  summary: z.string().describe("The same in a sentence, with `effect` when that is not `merged`"),
  effect: z
    .enum(["merged", "ignored", "early"])
    .describe(
      "What the queue will do with it, as far as is known now. ignored: its sequence is not above that of a message that took effect; early: it is a delta whose predecessor has not come, and waits for it",
    ),
  source: z.string(),
  sequence: count,
  jobs: count,
  nodes: count,
  setAside: setAsideItems,
  warnings: list(
    z.string(),
    'Keys that are not understood, with their place and what was probably meant: `jobs[0].constraint is not known; did you mean "constraints"?`. At most 100',
  ),
});

export type DemandPosted = Answer<typeof demandPosted>;
