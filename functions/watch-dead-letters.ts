import { app, type InvocationContext } from "@azure/functions";
import {
  deadActionsQueue,
  deadPlanRequestsQueue,
  planRequestsQueue,
  scaleActionsQueue,
  serviceBusConnection,
} from "../shared/app/names.ts";
import { watchDeadAction, watchDeadPlanRequest } from "../shared/cycle/index.ts";
import { deadLetterOf } from "./support/queue-message.ts";
import { service } from "./support/service.ts";

/** Records actions that the broker gave up and closes their operations, so that no plan waits for their nodes. */
export async function watchDeadActions(body: unknown, context: InvocationContext): Promise<void> {
  const letter = deadLetterOf({ body, queue: scaleActionsQueue }, context);
  await watchDeadAction(service.portsFor(context), letter);
}

app.serviceBusQueue("watch-dead-actions", {
  queueName: deadActionsQueue,
  connection: serviceBusConnection,
  handler: watchDeadActions,
});

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
