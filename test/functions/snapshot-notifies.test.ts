import type { InvocationContext, Timer } from "@azure/functions";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { planScale } from "../../functions/plan-scale.ts";
import { snapshotNodes } from "../../functions/snapshot-nodes.ts";
import { UpstreamError } from "../../shared/errors/errors.ts";
import { pauseCluster } from "../../shared/operate/index.ts";
import { served, service } from "../fuzz/served-world.ts";
import { createReceiver, shortOf, teams } from "../support/notified.ts";
import { cluster, configOf } from "../support/world.ts";

/** The timer asks, and a second later the broker delivers what it asked for. */
async function beat(): Promise<void> {
  await snapshotNodes({} as Timer, {} as InvocationContext);
  served.world.advance(1);
  for (const { request } of served.world.ports.planRequests.takeDue(served.world.now()))
    if (request.onBeat) await planScale(request, {} as InvocationContext);
}

/** A cluster whose snapshot is too old, and that cannot be read. */
beforeEach(async () => {
  served.renew();
  served.world.ports.configs.put({ ...configOf({}), notifications: [teams] });
  await beat();
  served.world.advance(301);
  served.world.cycleCloud.outage = new UpstreamError("no answer", { retryable: true });
});

// The service is that of every file of this process.
afterEach(() => void vi.restoreAllMocks());

test("a beat that cannot read the cluster tells that it is stuck", async () => {
  const receiver = createReceiver();
  vi.spyOn(service.notifier, "send").mockImplementation(receiver.send);
  await beat();
  expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot"]);
  await beat();
  expect(receiver.arrived).toHaveLength(1);
});

test("a pause that ends by itself leaves one event, though nobody looks and the cluster cannot be read", async () => {
  const { world } = served;
  const untilSeconds = world.now() + 60;
  await pauseCluster(world.ports, { cluster, by: "ann", reason: "upgrade", untilSeconds });
  world.advance(90);
  await beat();
  await beat();
  const period = { fromSeconds: 0, untilSeconds: world.now(), limit: 10 };
  expect(await world.ports.events.list(cluster, period)).toMatchObject([
    { kind: "resume", atSeconds: untilSeconds, reason: "the pause by ann ended by itself (upgrade)" },
    { kind: "pause" },
  ]);
});

test("a beat whose events cannot be kept says so, and takes its snapshot", async () => {
  const { world } = served;
  await pauseCluster(world.ports, { cluster, by: "ann", reason: "upgrade", untilSeconds: world.now() + 60 });
  world.advance(90);
  world.cycleCloud.outage = undefined;
  vi.spyOn(world.ports.events, "note").mockRejectedValue(new UpstreamError("full", { retryable: true }));
  await beat();
  expect(world.log).toContain(`warn decisions-not-ended {"cluster":"${cluster}","message":"full"}`);
  expect((await world.ports.snapshots.load(cluster))?.value.takenAtSeconds).toBe(world.now());
});

test("a notifier that breaks stops no beat: it is a line in the log", async () => {
  vi.spyOn(service.notifier, "send").mockRejectedValue(new Error("a bug"));
  await beat();
  expect(served.world.log).toContain(`error notify-failed {"cluster":"${cluster}","message":"a bug"}`);
  served.world.cycleCloud.outage = undefined;
  await beat();
  expect((await served.world.ports.snapshots.load(cluster))?.value.takenAtSeconds).toBe(served.world.now());
});
