import { app, type InvocationContext } from "@azure/functions";
import { watchDeadPlanRequest } from "../shared/cycle/demand/watch-dead-letter.ts";
import { deadPlanRequestsQueue, planRequestsQueue, serviceBusConnection } from "../shared/names.ts";
import { deadLetterOf } from "./support/dead-letter.ts";
import { service } from "./support/service.ts";

/** Records plan requests that the broker gave up, so that they show in the status and are not lost. */
export async function watchDeadPlanRequests(body: unknown, context: InvocationContext): Promise<void> {
  const letter = deadLetterOf({ body, queue: planRequestsQueue }, context);
  await watchDeadPlanRequest(service.portsFor(context), letter);
}

app.serviceBusQueue("watch-dead-plan-requests", {
  queueName: deadPlanRequestsQueue,
  connection: serviceBusConnection,
  handler: watchDeadPlanRequests,
});
