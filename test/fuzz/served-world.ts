import { keyGuard } from "../../functions/support/guard.ts";
import { Pace, Room, Turns } from "../../functions/support/throttle.ts";
import type { OperatorService, Service } from "../../functions/support/wire.ts";
import { checkConfig } from "../../shared/config/read-config.ts";
import { smallestLimits } from "../../shared/json/json-limits.ts";
import { MemoryConfigFiles } from "../../shared/stores/in-memory/index.ts";
import { OutlookMemory } from "../../shared/views/index.ts";
import { MemoryDemandQueue } from "../support/memory-queues.ts";
import { cluster, createWorld, type World } from "../support/world.ts";

/**
 * The world that the functions of a test file work on: it takes the place of `functions/support/service.ts`, which would
 * read the settings of this process. `renew` starts over.
 */
export const served: { world: World; renew(): void } = {
  world: createWorld(),
  renew() {
    served.world = createWorld();
  },
};

type MemoryOperators = Omit<OperatorService, "configChanges"> & {
  configChanges: OperatorService["configChanges"];
  readonly configFiles: MemoryConfigFiles;
  readonly demandQueue: MemoryDemandQueue;
};

/** Of each world its own, with what is stored for its cluster. */
const operators = new WeakMap<World, MemoryOperators>();

export function operatorsOf(world: World): MemoryOperators {
  const known = operators.get(world);
  if (known !== undefined) return known;
  const configFiles = new MemoryConfigFiles(checkConfig);
  configFiles.put(cluster, JSON.stringify({ url: "https://cyclecloud.example", username: "autoscale" }));
  const made: MemoryOperators = {
    configFiles,
    demandQueue: new MemoryDemandQueue(),
    configChanges: "settings",
    knownSecrets: ["known-secret"],
    about: { api: "1" },
  };
  operators.set(world, made);
  return made;
}

/** Of each world its own: what is remembered of one says nothing about another. */
const memories = new WeakMap<World, OutlookMemory>();

const onWorld: Service = {
  portsFor: () => served.world.ports,
  run: (_invocation, _run, work) => work(served.world.ports),
  stop: async () => undefined,
  jsonLimits: smallestLimits,
  priceList: undefined,
  apiLogin: { by: "function-key" },
  notifier: { send: async () => ({ ok: true }) },
  largeBodies: new Turns({ mostWaiting: 40 }),
  planning: new Room(1_000),

  get outlooks() {
    const known = memories.get(served.world) ?? new OutlookMemory();
    memories.set(served.world, known);
    return known;
  },
  guard: keyGuard({ nodeLogin: "function-key", platformSignsIn: false }),
  get operators() {
    return operatorsOf(served.world);
  },
  stops: {
    login: "function-key",
    passwordOf: () => undefined,
    pace: new Pace({ everySeconds: 0 }),
    turns: new Turns({ mostWaiting: 10 }),
  },
};

/** What the functions use. */
export let service = onWorld;

/** Has the functions use another one, until this is called without. */
export function serve(instead: Service = onWorld): void {
  service = instead;
}
