import { app, type InvocationContext } from "@azure/functions";
import { planRequestsQueue, serviceBusConnection } from "../shared/app/names.ts";
import { answerPlanRequest } from "../shared/cycle/index.ts";
import { convertible } from "../shared/json/json.ts";
import { planRequestSchema } from "../shared/messages/index.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Plans one cluster, or looks at it because CycleCloud had news. Its session makes sure that no other instance plans the same cluster meanwhile. */
export async function planScale(body: unknown, context: InvocationContext): Promise<void> {
  const request = planRequestSchema.parse(convertible(body));
  const { cluster, traceparent } = request;
  await service.run(context, { name: "plan-scale", traceparent, attributes: { cluster } }, (ports) =>
    settled({ trigger: "service-bus", log: ports.log, subject: cluster }, () =>
      answerPlanRequest(ports, request),
    ),
  );
}

app.serviceBusQueue("plan-scale", {
  queueName: planRequestsQueue,
  connection: serviceBusConnection,
  isSessionsEnabled: true,
  handler: planScale,
});
