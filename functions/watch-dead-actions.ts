import { app, type InvocationContext } from "@azure/functions";
import { watchDeadAction } from "../shared/cycle/demand/watch-dead-letter.ts";
import { deadActionsQueue, scaleActionsQueue, serviceBusConnection } from "../shared/names.ts";
import { deadLetterOf } from "./support/dead-letter.ts";
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
