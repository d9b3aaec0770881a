import { app, type InvocationContext } from "@azure/functions";
import { receiveDemand } from "../shared/cycle/receive-demand.ts";
import { jobDemandQueue, storageConnection } from "./support/names.ts";
import { decodeQueueText } from "./support/queue-text.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Takes one message off the demand queue. What is refused is recorded and done with. */
export async function acceptDemand(body: unknown, context: InvocationContext): Promise<void> {
  const ports = service.portsFor(context);
  const messageId = String(context.triggerMetadata?.id ?? context.invocationId);
  await settled({ trigger: "storage-queue", log: ports.log, subject: messageId }, () =>
    receiveDemand(ports, { body: decodeQueueText(body), messageId, queue: jobDemandQueue }),
  );
}

app.storageQueue("accept-demand", {
  queueName: jobDemandQueue,
  connection: storageConnection,
  handler: acceptDemand,
});
