import { app } from "@azure/functions";

app.eventGrid("on-event", {
  handler: (event, context) => {
    context.log(JSON.stringify({ event, metadata: context.triggerMetadata }));
    if (event.data?.broken === true) throw new Error("broken");
  },
});
