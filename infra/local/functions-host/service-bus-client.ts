import { DefaultAzureCredential } from "@azure/identity";
import {
  ServiceBusClient,
  type ServiceBusClientOptions,
  type ServiceBusReceivedMessage,
} from "@azure/service-bus";
import type { Connection } from "./connections.ts";

/**
 * A broker that was restarted must be found again within a second (the client's default is to wait 30 s), and the loops
 * here retry for ever anyway. The time-out is also the length of one wait for the next session.
 * @throws Error when the connection string cannot be read.
 */
export function connectServiceBus(connection: Connection, timeoutInMs: number): ServiceBusClient {
  const clientOptions: ServiceBusClientOptions = {
    retryOptions: { maxRetries: 0, retryDelayInMs: 300, maxRetryDelayInMs: 500, timeoutInMs },
  };
  if (connection.kind === "connection-string")
    return new ServiceBusClient(connection.connectionString, clientOptions);
  const { address, clientId } = connection;
  const credential = new DefaultAzureCredential(
    clientId === undefined ? {} : { managedIdentityClientId: clientId },
  );
  return new ServiceBusClient(address, credential, clientOptions);
}

/** The part of a receiver that settles messages; plain and session receivers both have it. */
export interface SettlingReceiver {
  completeMessage(message: ServiceBusReceivedMessage): Promise<void>;
  abandonMessage(message: ServiceBusReceivedMessage): Promise<void>;
}

/** Settles messages of one link. */
export type Settle = (message: ServiceBusReceivedMessage, outcome: "complete" | "abandon") => Promise<void>;

/**
 * Settles one message per turn of the event loop. The client (rhea 3.0.5) joins dispositions of neighbouring
 * deliveries that are written in one tick and takes the outcome of the first for all: an abandon beside a complete
 * would be lost.
 */
export function settleInTurn(receiver: SettlingReceiver): Settle {
  let turn: Promise<unknown> = Promise.resolve();
  return (message, outcome) => {
    const settled = turn.then(() =>
      outcome === "complete" ? receiver.completeMessage(message) : receiver.abandonMessage(message),
    );
    // Waits for the writing, not for the answer: without a broker that takes a minute.
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    return settled;
  };
}
