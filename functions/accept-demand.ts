import { app, type InvocationContext } from "@azure/functions";
import { jobDemandQueue, storageConnection } from "../shared/app/names.ts";
import { type RawMessage, receiveDemand } from "../shared/cycle/index.ts";
import { UpstreamError } from "../shared/errors/errors.ts";
import { claimedBlob } from "../shared/messages/index.ts";
import { queueMessageOf } from "./support/queue-message.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Takes one message off the demand queue. What is refused is recorded and done with. */
export async function acceptDemand(body: unknown, context: InvocationContext): Promise<void> {
  const message = queueMessageOf(body, context, jobDemandQueue);
  const traceparent = context.traceContext?.traceParent;
  await service.run(context, { name: "accept-demand", traceparent }, (ports) =>
    settled({ trigger: "storage-queue", log: ports.log, about: { messageId: message.messageId } }, () =>
      inTurn(message, () => receiveDemand(ports, message)),
    ),
  );
}

/** The host hands over many messages at once; those that claim an upload wait for each other. */
async function inTurn<T>({ body }: RawMessage, work: () => Promise<T>): Promise<T> {
  if (claimedBlob(body) === undefined) return work();
  const turn = service.largeBodies.take("large", work);
  if (turn === undefined) throw new UpstreamError("Too many uploads wait to be read", { retryable: true });
  return turn;
}

app.storageQueue("accept-demand", {
  queueName: jobDemandQueue,
  connection: storageConnection,
  handler: acceptDemand,
});
