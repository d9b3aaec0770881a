import { z } from "zod";
import { by } from "./actions.ts";
import { type Answer, aboutCluster } from "./answer.ts";

const instance = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .describe("Which node: its instance id (`jetpack config cyclecloud.instance.id`) or its node id");

/** `GET /api/clusters/{cluster}/autostop`: a node asks whether it may stop. */
export const autostopQuery = z.object({ instance });

/** `POST /api/clusters/{cluster}/stop`: somebody asks for a node to be stopped if nobody needs it. */
export const stopQuery = z.object({
  instance,
  reason: z.string().trim().min(1).max(500).default("asked to stop").describe("Why, for the record"),
  by: by.default("caller of stop"),
});

/** What a node is told that stops. One that has to stay gets 409 and a problem of kind `refused` that says why. */
export const stopAnswer = z
  .object({
    ...aboutCluster,
    node: z.string().describe("Its name"),
    outcome: z
      .enum(["granted", "leaving"])
      .describe("granted: it is going to be deleted; leaving: that was decided before"),
    actionId: z.string().nullable().describe("Follow it with `operations/{actionId}`; null when leaving"),
  })
  .meta({ id: "StopAnswer" });

export type StopAnswer = Answer<typeof stopAnswer>;
