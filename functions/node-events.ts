import { app, type InvocationContext } from "@azure/functions";
import { receiveEvent } from "../shared/cycle/index.ts";
import { convertible } from "../shared/json/json.ts";
import { service } from "./support/service.ts";
import { settled } from "./support/settle.ts";

/** Takes one event of CycleCloud from Event Grid. Whatever cannot be understood is logged and done with. */
export async function nodeEvents(event: unknown, context: InvocationContext): Promise<void> {
  const ports = service.portsFor(context);
  await settled(
    { trigger: "event-grid", log: ports.log, about: { invocationId: context.invocationId } },
    () => receiveEvent(ports, convertible(event)),
  );
}

app.eventGrid("node-events", { handler: nodeEvents });
