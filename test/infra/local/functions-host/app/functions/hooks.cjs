const { app } = require("@azure/functions");

app.hook.preInvocation((context) => {
  context.hookData.started = true;
});
app.hook.postInvocation((context) => {
  const { functionName, log } = context.invocationContext;
  if (functionName !== "hooked") return;
  log.call(context.invocationContext, `after ${context.hookData.started}`);
  context.result = { body: `${context.result.body} and changed` };
});
app.hook.log((context) => {
  if (context.message === "quiet") context.level = "trace";
});
app.get("hooked", (_request, context) => {
  context.log("quiet");
  context.warn("loud");
  return { body: "made" };
});
