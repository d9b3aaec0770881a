import { describe, expect, test } from "vitest";
import { clusterStatus } from "../../../shared/cycle/status.ts";
import { cluster, createWorld, jobFor, type World } from "../../support/world.ts";

const stoppedLines = (world: World) => world.log.filter((line) => line.startsWith("error login-stopped"));

async function loginStopped(world: World) {
  return (await clusterStatus(world.ports, cluster))?.loginStopped;
}

/** A world whose snapshot has met a 401. */
async function stopped(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.round();
  world.advance(10);
  world.cycleCloud.isLoginRefused = true;
  await world.snapshot();
  return world;
}

/** A world with an action on the queue and a server that no longer takes the login. */
async function sentAndRefused(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.cycleCloud.isLoginRefused = true;
  return world;
}

describe("a refused login stops the calls of the cluster", () => {
  test("the snapshot that meets it ends with one error line, and shows it in the status", async () => {
    const world = await stopped();
    expect(stoppedLines(world)).toHaveLength(1);
    expect(await loginStopped(world)).toEqual({
      atSeconds: world.now(),
      message: "Cannot log in: HTTP 401",
    });
  });

  test("snapshots make no call from then on, also when the server would take the login again", async () => {
    const world = await stopped();
    world.cycleCloud.isLoginRefused = false;
    const { asked } = world.cycleCloud;
    const before = await world.ports.snapshots.load(cluster);
    for (const _ of [1, 2]) await world.snapshot();
    expect(world.cycleCloud.asked).toBe(asked);
    expect(stoppedLines(world)).toHaveLength(3);
    expect(await world.ports.snapshots.load(cluster)).toEqual(before);
  });

  test("an action that meets it is dropped with that reason, as are those behind it, without a call", async () => {
    const world = await sentAndRefused();
    await world.post([jobFor(2), jobFor(1, { name: "job-2" })]);
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(world.cycleCloud.asked).toBe(2);
    const why = "CycleCloud is not called since it refused the login: Cannot log in: HTTP 401";
    expect(await world.ports.operations.recent(cluster, 5)).toMatchObject([
      { state: "dropped", messages: [why] },
      { state: "dropped", messages: [why] },
    ]);
    expect(stoppedLines(world)).toHaveLength(2);
    expect(world.cycleCloud.calls).toEqual([]);
  });

  test("an action that may have had its effect stays open until somebody can look", async () => {
    const world = await sentAndRefused();
    world.cycleCloud.isLoginRefused = false;
    world.cycleCloud.fault = { afterEffect: true };
    const [action] = world.ports.scaleActions.waiting;
    await world.execute();
    world.cycleCloud.isLoginRefused = true;
    if (action !== undefined) await world.deliver(action);
    expect(await world.ports.operations.open(cluster)).toMatchObject([{ value: { state: "sent" } }]);
    expect(world.log.at(-1)).toMatch(/^warn action .*"unclear"/);
    world.cycleCloud.isLoginRefused = false;
    world.cycleCloud.credentials = "credentials-2";
    world.advance(1_501);
    await world.snapshot();
    expect(await world.ports.operations.open(cluster)).toMatchObject([
      { value: { state: "accepted", nodes: [{}, {}] } },
    ]);
  });

  test("other credentials are tried at once, and the next plan is as before", async () => {
    const world = await stopped();
    world.cycleCloud.isLoginRefused = false;
    world.cycleCloud.credentials = "credentials-2";
    await world.snapshot();
    expect(await loginStopped(world)).toBeNull();
    expect((await world.ports.snapshots.load(cluster))?.value.takenAtSeconds).toBe(world.now());
  });

  test("other credentials that are refused too stop it again", async () => {
    const world = await stopped();
    world.cycleCloud.credentials = "credentials-2";
    const { asked } = world.cycleCloud;
    for (const _ of [1, 2]) await world.snapshot();
    expect(world.cycleCloud.asked).toBe(asked + 1);
    expect((await world.ports.controls.load(cluster))?.value.refusedLogin?.fingerprint).toBe("credentials-2");
  });

  test("the status tells no fingerprint", async () => {
    const world = await stopped();
    expect(JSON.stringify(await clusterStatus(world.ports, cluster))).not.toContain("credentials-1");
  });
});
