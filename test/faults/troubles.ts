import { setTimeout as sleep } from "node:timers/promises";
import { connectControl } from "../../infra/local/demo/simulator.ts";
import type { Environment } from "../../infra/local/environment/environment.ts";
import type { Chance } from "../sim/chance.ts";

/** What a trouble happens to. */
interface Scene {
  readonly environment: Environment;
  readonly chance: Chance;
  /** Tells that it strikes now. */
  readonly note: (what: string) => void;
}

/** Something that goes wrong around a workload that goes on meanwhile. */
export type Trouble = (scene: Scene) => Promise<void>;

/** Kills the Functions host (SIGKILL) so often, each time after a random while, and starts it again at once. */
export function killHost(times: number, gapSeconds: readonly [least: number, most: number]): Trouble {
  return async ({ environment, chance, note }) => {
    for (let kill = 0; kill < times; kill += 1) {
      await sleep(chance.between(...gapSeconds) * 1000);
      note("kill");
      await environment.stopHost("kill");
      await environment.startHost();
    }
  };
}

/** Kills the Service Bus emulator and starts it again with what it had written down. */
export function restartServiceBus(afterSeconds: number): Trouble {
  return async ({ environment, note }) => {
    await sleep(afterSeconds * 1000);
    note("service bus restart");
    await environment.restartServiceBus();
  };
}

/** CycleCloud answers 503 to everything that the autoscaler asks. Nodes live on, and so does the scheduler. */
export function unavailable(afterSeconds: number, forSeconds: number): Trouble {
  const asked = [{ path: "/status" }, { path: "request_id=" }, { method: "POST" }];
  return async ({ environment, note }) => {
    await sleep(afterSeconds * 1000);
    note(`503 for ${forSeconds} s`);
    const { tell } = await connectControl(environment.cycleCloudUrl, 1);
    for (const matching of asked)
      await tell("fault", { kind: "status", status: 503, times: 1_000_000, ...matching });
    await sleep(forSeconds * 1000);
    note("503 over");
    await tell("clearFaults", {});
  };
}

/** One after the other. */
export function inTurn(...troubles: readonly Trouble[]): Trouble {
  return async (scene) => {
    for (const trouble of troubles) await trouble(scene);
  };
}
