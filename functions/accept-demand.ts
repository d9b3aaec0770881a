import { app, type InvocationContext } from "@azure/functions";
import { receiveDemand } from "../shared/cycle/demand/receive-demand.ts";
import { jobDemandQueue, storageConnection } from "./support/names.ts";
import { queueMessageOf } from "./support/queue-message.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Takes one message off the demand queue. What is refused is recorded and done with. */
export async function acceptDemand(body: unknown, context: InvocationContext): Promise<void> {
  const message = queueMessageOf(body, context, jobDemandQueue);
  const traceparent = context.traceContext?.traceParent;
  await service.run(context, { name: "accept-demand", traceparent }, (ports) =>
    settled({ trigger: "storage-queue", log: ports.log, subject: message.messageId }, () =>
      receiveDemand(ports, message),
    ),
  );
}

app.storageQueue("accept-demand", {
  queueName: jobDemandQueue,
  connection: storageConnection,
  handler: acceptDemand,
});
