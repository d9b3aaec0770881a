import { ServiceBusClient } from "@azure/service-bus";

/* A client to be killed: holds the session and its message until then. */

const client = new ServiceBusClient(process.argv[2] ?? "");
const receiver = await client.acceptSession("contract-sessions", "s");
await receiver.receiveMessages(1);
console.log(`holding ${receiver.sessionId}`);
