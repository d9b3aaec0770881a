import { listen } from "./amqp/amqp-server.ts";
import { editApplicationProperties } from "./amqp/sections.ts";
import { Broker } from "./broker/broker.ts";
import { type Clock, systemClock } from "./broker/clock.ts";
import type { BusConfig } from "./config.ts";
import { fileStore, memoryStore, readJournal, type Store } from "./store.ts";

export { type BusConfig, parseConfig, readConfig } from "./config.ts";

export interface ServiceBusOptions {
  readonly config: BusConfig;
  /** 0 takes a free port; 5672 is the one that the SDK uses when the connection string names none. */
  readonly port: number;
  /** Keeps everything over a restart in this file; without it a restart begins empty. One process at a time. */
  readonly dataFile?: string;
  readonly clock?: Clock;
  /** Gets a line when a client breaks the protocol, or we do; the console's error output by default. */
  readonly log?: (line: string) => void;
}

export interface ServiceBusEmulator {
  readonly port: number;
  /** For `new ServiceBusClient(...)`. */
  readonly connectionString: string;
  stop(): Promise<void>;
}

/**
 * Starts the emulator on 127.0.0.1. Rejects when the port is taken, or with a SyntaxError when the data file is
 * damaged.
 */
export async function startServiceBus(options: ServiceBusOptions): Promise<ServiceBusEmulator> {
  const { config, dataFile: path } = options;
  let store: Store = memoryStore();
  const broker = new Broker({
    queues: config.queues,
    clock: options.clock ?? systemClock,
    append: (record) => store.append(record),
    edit: editApplicationProperties,
  });
  if (path !== undefined) {
    // The store begins with a snapshot, so that nothing which happens during `restore` needs to be written.
    broker.restore(readJournal(path));
    store = fileStore({ path, snapshot: () => broker.snapshot() });
  }
  const log = options.log ?? console.error;
  const server = await listen({ broker, store, log, port: options.port });
  return {
    port: server.port,
    connectionString: connectionString(server.port),
    async stop() {
      await server.stop();
      broker.close();
      store.close();
    },
  };
}

/** The same key as Microsoft's emulator; any other works too. The last part makes the SDK use plain TCP. */
function connectionString(port: number): string {
  return [
    `Endpoint=sb://127.0.0.1:${port}`,
    "SharedAccessKeyName=RootManageSharedAccessKey",
    "SharedAccessKey=SAS_KEY_VALUE",
    "UseDevelopmentEmulator=true;",
  ].join(";");
}
