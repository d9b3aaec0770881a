import { keyGuard } from "../../functions/support/guard.ts";
import { Pace } from "../../functions/support/pace.ts";
import { Turns } from "../../functions/support/turns.ts";
import type { Service } from "../../functions/support/wire.ts";
import { OutlookMemory } from "../../shared/cycle/views/index.ts";
import { createWorld, type World } from "../support/world.ts";

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

/** Of each world its own: what is remembered of one says nothing about another. */
const memories = new WeakMap<World, OutlookMemory>();

export const service: Service = {
  portsFor: () => served.world.ports,
  run: (_invocation, _run, work) => work(served.world.ports),
  stop: async () => undefined,
  get outlooks() {
    const known = memories.get(served.world) ?? new OutlookMemory();
    memories.set(served.world, known);
    return known;
  },
  guard: keyGuard({ nodeLogin: "function-key", platformSignsIn: false }),
  stops: {
    login: "function-key",
    passwordOf: () => undefined,
    pace: new Pace({ everySeconds: 0 }),
    turns: new Turns({ mostWaiting: 10 }),
  },
};
