import { z } from "zod";
import { type Answer, aboutCluster, count, latestSeconds, paged, pageQuery, unixSeconds } from "./answer.ts";
import { list, named, optional, orNull } from "./builders.ts";

/** What can happen to a cluster, as `events` names it. */
export const eventKinds = [
  "plan",
  "action",
  "action-done",
  "action-failed",
  "node-joined",
  "node-failed",
  "node-gone",
  "node-lost",
  "drain",
  "undrain",
  "keep-alive",
  "release",
  "ignore",
  "unignore",
  "pause",
  "resume",
  "config",
  "targets",
  "rejected",
  "jobs-stalled",
  "jobs-unstalled",
  "node-unhealthy",
  "node-replaced",
] as const;

const eventView = named("Event", {
  id: z.string().describe("The same for the same event, also when it is listed again"),
  atSeconds: unixSeconds,
  kind: z.enum(eventKinds).describe("Stable. More kinds may come"),
  text: z.string().describe("What happened, in a sentence"),
  by: orNull(z.string(), "Who: a person, the autoscaler, or the source; null: nobody asked"),
  nodes: list(z.string(), "Names of the nodes that it is about; at most 50"),
  nodeCount: count,
  planId: z.string().nullable(),
  actionId: z.string().nullable(),
  loss: optional(
    z.object({
      reason: z.string(),
      nodeArray: z.string(),
      vmSize: z.string(),
      jobs: optional(
        z.array(z.string()),
        "Jobs that ran there when the nodes were seen last, also those that are over; absent: not known",
      ),
    }),
    "Of `node-lost`: why, and what kind of nodes. SpotEvicted and SpotGone are evictions",
  ),
});

/** `GET /api/clusters/{cluster}/events`, newest first; of one time by their ids. */
export const eventsAnswer = named("Events", {
  ...aboutCluster,
  fromSeconds: unixSeconds,
  events: z.array(eventView),
  ...paged,
});

const kinds = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const asked = text.split(",").map((each) => each.trim());
    const known = eventKinds.filter((kind) => asked.includes(kind));
    for (const each of asked)
      if (!known.some((kind) => kind === each))
        context.addIssue({
          code: "custom",
          message: `"${each.slice(0, 100)}", expected of ${eventKinds.join(", ")}`,
        });
    return known;
  });

export const eventsQuery = z.object({
  ...pageQuery,
  from: optional(
    z.coerce.number().min(0).max(latestSeconds),
    "Unix seconds, included; absent: an hour ago. Kept for 30 days",
  ),
  until: optional(z.coerce.number().min(0).max(latestSeconds), "Unix seconds, included; absent: now"),
  kind: optional(kinds, "Only these kinds, comma-separated"),
  node: optional(z.string().min(1).max(300), "Only events about a node of this name, id or host name"),
});

export type EventView = Answer<typeof eventView>;
export type EventsAnswer = Answer<typeof eventsAnswer>;
export type EventsQuery = Answer<typeof eventsQuery>;
