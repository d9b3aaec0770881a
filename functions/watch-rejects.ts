import { app, type InvocationContext } from "@azure/functions";
import { reject } from "../shared/cycle/reject.ts";
import { jobDemandPoisonQueue, jobDemandQueue, storageConnection } from "./support/names.ts";
import { decodeQueueText } from "./support/queue-text.ts";
import { service } from "./support/service.ts";

/** Records demand messages that failed again and again, so that they show in the status and are not lost. */
export async function watchRejects(body: unknown, context: InvocationContext): Promise<void> {
  const { id } = context.triggerMetadata ?? {};
  const messageId = typeof id === "string" ? id : context.invocationId;
  const problem = "message: failed in every attempt, see the log of accept-demand for why";
  const raw = { body: decodeQueueText(body), messageId, queue: jobDemandQueue };
  await reject(service.portsFor(context), raw, { kind: "poison", problems: [problem] });
}

app.storageQueue("watch-rejects", {
  queueName: jobDemandPoisonQueue,
  connection: storageConnection,
  handler: watchRejects,
});
