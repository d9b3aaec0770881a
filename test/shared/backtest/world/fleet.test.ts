import { expect, test } from "vitest";
import { Fleet } from "../../../../shared/backtest/world/fleet.ts";
import { HostCapacity } from "../../../../shared/backtest/world/host-capacity.ts";
import { ClusterReader } from "../../../../shared/backtest/world/read-cluster.ts";
import { Timeline } from "../../../../shared/backtest/world/timeline.ts";
import {
  create,
  createManualClock,
  createSite,
  type DefinitionInput,
  manage,
} from "../../../../shared/simulated-cyclecloud/index.ts";
import { inputOf } from "./small-world.ts";

/** Spot nodes that Azure takes back within minutes once they are up. */
const definition: DefinitionInput = {
  name: "small",
  region: "westeurope",
  quotas: { westeurope: { cores: 200, spotCores: 200 } },
  times: { boot: { minSeconds: 200, medianSeconds: 200, maxSeconds: 200 } },
  nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], interruptible: true, evictionsPerHour: 60 }],
};

/** What happens to a node that is asked to go so many seconds after it was asked for. */
function lifeOf(deletedAfterSeconds: number) {
  const input = inputOf({ jobs: [], definition });
  const clock = createManualClock(0);
  const site = createSite({ definitions: [input.definition], seed: 1, clock, forgetsGone: true });
  const reader = new ClusterReader(site, "small", input.toReading);
  const timeline = new Timeline();
  const happened: string[] = [];
  const note = (what: string) => happened.push(`${what} at ${Math.round(clock.nowSeconds())}`);
  const fleet = new Fleet({
    site,
    cluster: "small",
    timeline,
    reader,
    capacity: new HostCapacity(reader.read().cluster, input.config.engine),
    events: {
      up: () => note("up"),
      down: () => note("down"),
      bought: () => note("bought"),
      failed: () => note("failed"),
      evicted: () => note("evicted"),
      cutShort: (_, seconds) => note(`cut short by ${Math.round(seconds)}`),
      gone: () => note("gone"),
      changed: () => {},
      matters: () => {},
    },
  });
  const until = (seconds: number) => {
    for (
      let next = timeline.peek();
      next !== undefined && next.atSeconds <= seconds;
      next = timeline.peek()
    ) {
      timeline.pop();
      clock.advance(next.atSeconds - clock.nowSeconds());
      void next.happens();
    }
    clock.advance(seconds - clock.nowSeconds());
  };
  create(site, "small", { requestId: "create", sets: [{ nodearray: "htc", count: 1 }] });
  fleet.look();
  until(deletedAfterSeconds);
  manage(site, "small", "shutdown", { requestId: "shutdown", names: ["htc-1"] });
  fleet.look();
  until(20_000);
  return { happened, size: fleet.size };
}

test("a node that is deleted before it has a VM is gone at once, and never comes up", () => {
  expect(lifeOf(10)).toEqual({
    happened: ["bought at 0", "cut short by 190 at 10", "gone at 10"],
    size: 0,
  });
});

test("one that is deleted while it is prepared ends like any other", () => {
  const { happened, size } = lifeOf(190);
  expect(happened).toEqual(["bought at 0", "cut short by 10 at 190", expect.stringMatching(/^gone at /)]);
  expect(size).toBe(0);
});

test("one that is deleted when it is up was not cut short", () => {
  const { happened } = lifeOf(201);
  expect(happened).toEqual(["bought at 0", "up at 200", "down at 201", expect.stringMatching(/^gone at /)]);
});
