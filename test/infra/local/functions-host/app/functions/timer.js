import { app } from "@azure/functions";

app.timer("tick", {
  schedule: "%TICK%",
  handler: (timer, context) => context.log(JSON.stringify({ input: timer })),
});
app.timer("yearly", {
  schedule: "0 0 0 1 1 *",
  handler: (timer, context) => context.log(JSON.stringify({ input: timer })),
});
