import {
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import { type BusConfig, readConfig, startServiceBus } from "../../../../../infra/local/service-bus/index.ts";

/** What the contract runs against: the emulator by default, or the namespace of this connection string. */
const external = process.env.SERVICE_BUS_CONNECTION_STRING;

/** These tests mostly wait. They run at once, but where they share one queue of each kind. */
export const atOnce = { concurrent: external === undefined };

/** The queues of Config.json, without the prefix that keeps them apart in a shared namespace. */
type Kind = "plain" | "unique" | "sessions";

/** A brief lock is for tests that see one expire; a long one outlasts any test, however busy its machine is. */
export type Lock = "brief" | "long";

export interface Target {
  readonly client: ServiceBusClient;
  readonly connectionString: string;
  /** How long a brief lock lasts, in milliseconds: Config.json's five seconds where queues are not ours to choose. */
  readonly lockMs: number;
  /** False for a real namespace or Microsoft's emulator. */
  readonly isOurs: boolean;
  /** An empty queue: here one that nobody has used yet, elsewhere the only one of its kind, emptied. */
  queue(kind: Kind, lock?: Lock): Promise<string>;
  stop(): Promise<void>;
}

/** No retries: a test wants to see the first answer. */
export const clientOptions = {
  retryOptions: { maxRetries: 0, retryDelayInMs: 100, maxRetryDelayInMs: 1_000 },
};

export const configPath = new URL("Config.json", import.meta.url).pathname;

export async function startTarget(): Promise<Target> {
  return external ? useExternal(external) : startOurs();
}

async function startOurs(): Promise<Target> {
  const bus = await startServiceBus({ config: manyQueues(readConfig(configPath)), port: 0 });
  const client = new ServiceBusClient(bus.connectionString, clientOptions);
  let used = 0;
  return {
    client,
    connectionString: bus.connectionString,
    lockMs: lockMs.brief,
    isOurs: true,
    queue: async (kind, lock = "long") => `contract-${kind}-${lock}-${used++}`,
    async stop() {
      await client.close();
      await bus.stop();
    },
  };
}

const lockMs: Readonly<Record<Lock, number>> = { brief: 1500, long: 60_000 };

/** Every test has a queue of its own, so that none has to wait for another one's queue to be empty. */
function manyQueues(config: BusConfig): BusConfig {
  const copies = Array.from({ length: 60 }, (_, index) => index);
  const queues = config.queues.flatMap((queue) =>
    copies.flatMap((copy) => [
      { ...queue, name: `${queue.name}-brief-${copy}`, lockMs: lockMs.brief },
      { ...queue, name: `${queue.name}-long-${copy}`, lockMs: lockMs.long },
    ]),
  );
  return { ...config, queues };
}

function useExternal(connectionString: string): Target {
  const client = new ServiceBusClient(connectionString, clientOptions);
  return {
    client,
    connectionString,
    lockMs: 5000,
    isOurs: false,
    async queue(kind) {
      const name = `contract-${kind}`;
      await (kind === "sessions" ? emptySessions(name) : empty(client.createReceiver(name, deleting())));
      await empty(client.createReceiver(name, { ...deleting(), subQueueType: "deadLetter" }));
      return name;
    },
    stop: () => client.close(),
  };
}

/** New each time: the SDK deletes `receiveMode` from the options that it is given. */
const deleting = () => ({ receiveMode: "receiveAndDelete" }) as const;

async function empty(receiver: ServiceBusReceiver): Promise<void> {
  while ((await receiver.receiveMessages(100, { maxWaitTimeInMs: 1000 })).length > 0);
  await receiver.close();
}

async function emptySessions(name: string): Promise<void> {
  const impatient = new ServiceBusClient(external ?? "", {
    retryOptions: { ...clientOptions.retryOptions, timeoutInMs: 5000 },
  });
  for (;;) {
    const receiver = await impatient.acceptNextSession(name, deleting()).catch(() => undefined);
    if (receiver === undefined) break;
    await receiver.setSessionState(null);
    await empty(receiver);
  }
  await impatient.close();
}

/**
 * So long may nothing move at all: more than one wait of the SDK, which takes 60 s to give up a link that is gone. As long
 * as something moves, a test goes on, however busy the machine is.
 */
const standstillMs = 150_000;

/** Exactly `count` messages; fewer when none comes any more. Asking for more than there are costs a second of waiting. */
export async function receive(
  receiver: ServiceBusReceiver,
  count: number,
): Promise<ServiceBusReceivedMessage[]> {
  const messages: ServiceBusReceivedMessage[] = [];
  let movedAt = Date.now();
  while (messages.length < count && Date.now() - movedAt < standstillMs) {
    const more = await receiver.receiveMessages(count - messages.length, { maxWaitTimeInMs: 3000 });
    if (more.length > 0) movedAt = Date.now();
    messages.push(...more);
  }
  return messages;
}

/** The one message that there must be. */
export async function receiveOne(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receive(receiver, 1);
  if (message === undefined) throw new Error("No message came");
  return message;
}

/** Nothing comes within a moment. */
export async function isEmpty(receiver: ServiceBusReceiver): Promise<boolean> {
  return (await receiver.receiveMessages(1, { maxWaitTimeInMs: 200 })).length === 0;
}

/** Polls until the condition holds; fails when what it counts has not changed for a long while. */
export async function until(condition: () => boolean, count: () => number = () => 0): Promise<void> {
  let seen = count();
  let movedAt = Date.now();
  while (!condition()) {
    const now = count();
    if (now !== seen) movedAt = Date.now();
    seen = now;
    if (Date.now() - movedAt > standstillMs) throw new Error(`Nothing moves any more, at ${now}`);
    await pause(10);
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
