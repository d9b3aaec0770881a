import { expect, test } from "vitest";
import { mergeDemand } from "../../../../shared/cycle/demand/merge-demand.ts";
import { isDrained, listingsFor, listingsOf } from "../../../../shared/cycle/listings.ts";
import { receiveEvent } from "../../../../shared/cycle/snapshot/receive-event.ts";
import type { DemandMessage } from "../../../../shared/messages/job-demand.ts";
import { eventOf } from "../../../support/event.ts";
import { cluster, createWorld, jobFor } from "../../../support/world.ts";

const hour = 3_600;

test.each([65, hour])(
  "an instance whose clock was %i s ahead holds up nothing once it is right",
  async (ahead) => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    world.advance(ahead);
    await world.round();
    world.advance(-ahead);
    const before = world.cycleCloud.nodes.length;
    const snapshotAt = async () => (await world.ports.snapshots.load(cluster))?.value.takenAtSeconds;
    await world.snapshot();
    expect(await snapshotAt()).toBe(world.now());
    await world.post(
      [jobFor(1), jobFor(2), jobFor(3)].map((job, index) => ({ ...job, name: `later-${index}` })),
    );
    world.advance(2);
    expect(await world.plan()).toBeGreaterThan(0);
    await world.execute();
    expect(world.cycleCloud.nodes.length).toBeGreaterThan(before);
  },
);

test("an event is looked into, though a snapshot of a clock that was ahead says that it was seen", async () => {
  const world = createWorld();
  world.advance(hour);
  await world.snapshot();
  world.advance(-hour);
  const event = eventOf("NodeTerminated", { id: "e-1", atSeconds: world.now(), data: {} });
  expect(await receiveEvent(world.ports, event)).toMatchObject({ outcome: "look" });
});

const message = (sequence: number, sentSeconds: number): DemandMessage => ({
  version: 1,
  kind: "snapshot",
  cluster,
  source: "pbs",
  sequence,
  sentAt: new Date(sentSeconds * 1000).toISOString(),
  jobs: [],
  nodes: [{ hostname: "h", resources: {}, state: "drained" }],
  capabilities: ["drain"],
});

test.each([
  ["right, after one that was an hour ahead", hour, 0, "merged"],
  ["an hour ahead as before", hour, hour, "merged"],
  ["right as before", 0, 0, "merged"],
  ["late: it was sent before the last one", 0, -302, "ignored"],
  ["late: it was sent with the last one", 0, -301, "ignored"],
])("a source that counts anew, and whose clock is %s", (_case, before, now, outcome) => {
  const first = mergeDemand(undefined, message(9, 1_000 + before), { nowSeconds: 1_000, ttlSeconds: 300 });
  if (first.outcome !== "merged") throw new Error(first.outcome);
  const next = message(1, 1_301 + now);
  expect(mergeDemand(first.demand, next, { nowSeconds: 1_301, ttlSeconds: 300 }).outcome).toBe(outcome);
});

test("what was read before a drain is not dated to after it by a clock that is ahead", () => {
  const merged = mergeDemand(undefined, message(1, 1_000 + hour), { nowSeconds: 1_000, ttlSeconds: 300 });
  if (merged.outcome !== "merged") throw new Error(merged.outcome);
  const [listing] = listingsFor(listingsOf([merged.demand], 1_010), "h");
  if (listing === undefined) throw new Error("not listed");
  expect(isDrained(listing, 1_005)).toBe(false);
  expect(isDrained(listing, 970)).toBe(true);
});
