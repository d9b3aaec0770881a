import { z } from "zod";
import { jsonOr } from "../../../shared/json/json.ts";
import type { Answer, Backlog } from "./driver.ts";

const waitingMessage = z.object({ queue: z.string(), headers: z.record(z.string(), z.unknown()) });

const backlogSchema: z.ZodType<Backlog> = z.object({
  queues: z.array(z.object({ name: z.string(), length: z.int().min(0), messages: z.array(waitingMessage) })),
  unacknowledged: z.array(waitingMessage).optional(),
  unreadable: z.int().min(0).optional(),
});

/** The text of a `backlog` read; undefined when it is not one. */
export function readBacklog(answer: Answer | undefined): Backlog | undefined {
  return answer && backlogSchema.safeParse(jsonOr(answer.text)).data;
}
