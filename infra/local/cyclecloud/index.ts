import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import {
  type Clock,
  createPacedClock,
  createSite,
  type DefinitionInput,
  parseDefinition,
} from "../../../shared/simulated-cyclecloud/index.ts";
import { type Control, createControl, createInstruments } from "./control-api.ts";
import { publishEvents } from "./event-publisher.ts";
import { createApplication, createLogin } from "./simulator-server.ts";

export {
  createManualClock,
  type DefinitionInput,
  type ManualClock,
  parseDefinition,
} from "../../../shared/simulated-cyclecloud/index.ts";

export interface CycleCloudOptions {
  /** One or more clusters, in the form of the files in `clusters/`. */
  readonly definitions: readonly DefinitionInput[];
  /** 0 takes a free one. */
  readonly port?: number;
  readonly username: string;
  readonly password: string;
  /** The same seed and the same calls at the same times give the same nodes with the same fates. */
  readonly seed?: number;
  /** Simulated seconds per real second. */
  readonly speed?: number;
  /** Instead of a running clock: one that a test moves by hand. */
  readonly clock?: Clock;
  /** Where events of nodes are posted to, as Event Grid does it; nowhere when left out. */
  readonly eventsUrl?: string;
}

export interface RunningCycleCloud {
  readonly url: string;
  readonly port: number;
  readonly control: Control;
  /** Cuts open connections; resolves when the port is free. */
  stop(): Promise<void>;
}

/** Listens on 127.0.0.1 only. Throws a TypeError for a definition that does not hold. */
export async function startCycleCloud(options: CycleCloudOptions): Promise<RunningCycleCloud> {
  const { definitions, port = 0, username, password, seed = 1, speed = 1 } = options;
  const clock = options.clock ?? createPacedClock(speed);
  const site = createSite({ definitions: definitions.map(parseDefinition), seed, clock });
  const instruments = createInstruments(site);
  const application = createApplication(instruments, createLogin({ username, password }, clock));
  const server = createAdaptorServer({ fetch: application.fetch }) as Server;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const publisher = options.eventsUrl === undefined ? undefined : publishEvents(site, options.eventsUrl);
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    control: createControl(instruments),
    async stop() {
      await publisher?.stop();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Where the shipped definitions are. */
export const clustersFolder = new URL("./clusters/", import.meta.url);

/** Reads a definition file; the server checks the content when it starts. */
export async function loadDefinition(file: string | URL): Promise<DefinitionInput> {
  return JSON.parse(await readFile(file, "utf8"));
}
