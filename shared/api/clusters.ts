import { z } from "zod";
import { type Answer, unixSeconds } from "./answer.ts";

/** `GET /api/clusters` */
export const clustersAnswer = z
  .object({
    atSeconds: unixSeconds,
    clusters: z.array(
      z.object({
        cluster: z.string(),
        paused: z.boolean().describe("An operator paused it: plans are made, and nothing is sent"),
        snapshotTakenAtSeconds: unixSeconds.nullable().describe("Null: no snapshot was taken yet"),
        planAtSeconds: unixSeconds.nullable().describe("When its newest plan was made; null: never"),
      }),
    ),
  })
  .meta({ id: "Clusters" });

export type ClustersAnswer = Answer<typeof clustersAnswer>;
