import { app } from "@azure/functions";

const handler = async (body, context) => {
  context.log(JSON.stringify({ input: body, metadata: context.triggerMetadata }));
  if (body.sleepMs > 0) await new Promise((resolve) => setTimeout(resolve, body.sleepMs));
  if (body.failures >= context.triggerMetadata.deliveryCount) throw new Error("fails on purpose");
};
app.serviceBusQueue("on-message", { connection: "Bus", queueName: "plain", handler });
app.serviceBusQueue("on-session", {
  connection: "Bus",
  queueName: "sessions",
  isSessionsEnabled: true,
  handler,
});
app.serviceBusQueue("on-batch", { connection: "Bus", queueName: "plain", cardinality: "many", handler });
app.serviceBusQueue("on-unsettled", {
  connection: "Bus",
  queueName: "plain",
  autoCompleteMessages: false,
  handler,
});
