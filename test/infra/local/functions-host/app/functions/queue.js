import { app } from "@azure/functions";

app.storageQueue("on-job", {
  connection: "Store",
  queueName: "%JOB_QUEUE%",
  handler: async (job, context) => {
    context.log(JSON.stringify({ input: job, metadata: context.triggerMetadata }));
    if (job.sleepMs > 0) await new Promise((resolve) => setTimeout(resolve, job.sleepMs));
    if (job.failures >= context.triggerMetadata.dequeueCount) throw new Error("fails on purpose");
  },
});
app.storageQueue("on-poison", {
  connection: "Store",
  queueName: "%JOB_QUEUE%-poison",
  handler: (job, context) => context.log(JSON.stringify({ input: job })),
});
