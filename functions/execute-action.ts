import { app, type InvocationContext } from "@azure/functions";
import { scaleActionsQueue, serviceBusConnection } from "../shared/app/names.ts";
import { executeAction as execute } from "../shared/cycle/index.ts";
import { convertible } from "../shared/json/json.ts";
import { scaleActionSchema } from "../shared/messages/index.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Carries out one action. Its session keeps the actions of a cluster in order, one at a time. */
export async function executeAction(body: unknown, context: InvocationContext): Promise<void> {
  const action = scaleActionSchema.parse(convertible(body));
  const { cluster, actionId, traceparent } = action;
  const attributes = { cluster, actionId };
  await service.run(context, { name: "execute-action", traceparent, attributes }, (ports) =>
    settled({ trigger: "service-bus", log: ports.log, about: attributes }, () => execute(ports, action)),
  );
}

app.serviceBusQueue("execute-action", {
  queueName: scaleActionsQueue,
  connection: serviceBusConnection,
  isSessionsEnabled: true,
  handler: executeAction,
});
