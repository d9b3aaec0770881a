import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { clusterNamed, fleetConfig } from "./load.ts";

const names = ["alpha", "beta", "gamma", "delta"];
const slow = "slow";
const down = "down";

const folder = ownFolder();
let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet({
    servers: [
      { definitions: names.map((name) => clusterNamed(name, 20)) },
      // Longer than the whole test takes: whoever waited for it would be seen.
      { definitions: [clusterNamed(slow, 20)], latencyMilliseconds: 300_000 },
      { definitions: [clusterNamed(down, 20)], isDown: true },
    ],
    speed: 60,
    snapshotSchedule: "*/1 * * * * *",
    config: fleetConfig,
    folder: folder(),
  });
});

afterAll(async () => {
  await fleet?.stop();
});

test("a slow cluster and one that is down hold up no other cluster", async () => {
  const count = 3;
  const job = { name: "1", constraints: { ncpus: 4, exclusive: true }, nodeCount: count };
  for (const name of [...names, slow, down]) await fleet.post(name, [job]);
  const everyOther = () => names.map((name) => fleet.nodes(name));
  await vi.waitFor(() => expect(everyOther()).toEqual(names.map(() => count)), {
    timeout: 240_000,
    interval: 200,
  });
  // The timer went on for them, too: each was read again after its nodes had been asked for.
  await vi.waitFor(
    () => {
      const seen = fleet.lines.filter(({ event, nodes }) => event === "snapshot" && Number(nodes) >= count);
      expect(new Set(seen.map(({ cluster }) => cluster))).toEqual(new Set(names));
    },
    { timeout: 240_000, interval: 200 },
  );
  expect(fleet.lines.filter(({ event, cluster }) => event === "snapshot" && cluster === slow)).toEqual([]);
  expect(fleet.nodes(slow)).toBe(0);
}, 600_000);
