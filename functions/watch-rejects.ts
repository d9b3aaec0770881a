import { app, type InvocationContext } from "@azure/functions";
import { jobDemandPoisonQueue, jobDemandQueue, storageConnection } from "../shared/app/names.ts";
import { refuseDemand } from "../shared/cycle/index.ts";
import { queueMessageOf } from "./support/queue-message.ts";
import { service } from "./support/service.ts";

/** Records demand messages that failed again and again, so that they show in the status and are not lost. */
export async function watchRejects(body: unknown, context: InvocationContext): Promise<void> {
  const problem = "message: failed in every attempt, see the log of accept-demand for why";
  // Its deliveries as a poison message say nothing about those that made it one.
  const message = { ...queueMessageOf(body, context, jobDemandQueue), attempts: undefined };
  await refuseDemand(service.portsFor(context), message, { kind: "poison", problems: [problem] });
}

app.storageQueue("watch-rejects", {
  queueName: jobDemandPoisonQueue,
  connection: storageConnection,
  handler: watchRejects,
});
