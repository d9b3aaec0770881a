import { describe, expect, test } from "vitest";
import { snapshotCluster } from "../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { resumeCluster } from "../../../shared/operate/index.ts";
import { clusterStatus } from "../../../shared/views/index.ts";
import { clusterOf } from "../../support/cluster.ts";
import { crashingAt } from "../../support/crash.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, configOf, createWorld, jobFor, type World } from "../../support/world.ts";

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
      resumedAtSeconds: null,
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

describe("clusters with the same login", () => {
  const others = ["hpc-2", "hpc-3"];

  /** Three clusters behind one account. */
  function three(): World {
    const world = createWorld();
    for (const other of others) world.ports.configs.put({ ...configOf({}), cluster: other });
    return world;
  }

  const shownOf = async (world: World, name: string) =>
    (await clusterStatus(world.ports, name))?.loginStopped;

  test("are stopped by the first that is refused: one failed login, not one each", async () => {
    const world = three();
    world.cycleCloud.isLoginRefused = true;
    await world.snapshot();
    for (const other of others) await snapshotCluster(world.ports, other);
    expect(world.cycleCloud.asked).toBe(1);
    const shown = await shownOf(world, cluster);
    expect(shown).toMatchObject({ message: "Cannot log in: HTTP 401" });
    for (const other of others) expect(await shownOf(world, other)).toEqual(shown);
  });

  test("are all let go by a resume of any of them", async () => {
    const world = three();
    world.cycleCloud.isLoginRefused = true;
    await world.snapshot();
    for (const other of others) await snapshotCluster(world.ports, other);
    world.cycleCloud.isLoginRefused = false;
    await resumeCluster(world.ports, { cluster: "hpc-3", by: "ann", reason: "unlocked" });
    world.advance(60);
    for (const name of [cluster, ...others]) {
      await snapshotCluster(world.ports, name);
      expect(await shownOf(world, name)).toBeNull();
    }
    expect(world.cycleCloud.asked).toBe(4);
  });

  test("go on when their own credentials change, and the others stay stopped", async () => {
    const world = three();
    world.cycleCloud.isLoginRefused = true;
    await world.snapshot();
    await snapshotCluster(world.ports, "hpc-2");
    const changed = new FakeCycleCloud(clusterOf({ name: "hpc-2" }));
    changed.credentials = "credentials-2";
    await snapshotCluster({ ...world.ports, cycleCloudFor: () => changed }, "hpc-2");
    expect(await shownOf(world, "hpc-2")).toBeNull();
    for (const name of [cluster, "hpc-3"]) await snapshotCluster(world.ports, name);
    expect(world.cycleCloud.asked).toBe(1);
    expect(await shownOf(world, cluster)).not.toBeNull();
  });

  test("go back to credentials that were refused before: these are tried once more, by one of all that have them", async () => {
    const world = three();
    world.cycleCloud.isLoginRefused = true;
    for (const name of [cluster, ...others]) await snapshotCluster(world.ports, name);
    const changed = new FakeCycleCloud(clusterOf({ name: "hpc-2" }));
    changed.credentials = "credentials-2";
    await snapshotCluster({ ...world.ports, cycleCloudFor: () => changed }, "hpc-2");
    world.advance(60);
    await Promise.all([cluster, ...others].map((name) => snapshotCluster(world.ports, name)));
    expect(world.cycleCloud.asked).toBe(2);
    for (const name of [cluster, ...others]) expect(await shownOf(world, name)).not.toBeNull();
  });

  test.each(["before", "after"] as const)(
    "are stopped too when the run that was refused dies %s it shows so",
    async (when) => {
      const world = three();
      world.cycleCloud.isLoginRefused = true;
      const dying = crashingAt(world.ports, { port: "controls", method: "save", when });
      await expect(snapshotCluster(dying, cluster)).rejects.toThrow("crash");
      for (const name of [cluster, ...others]) await snapshotCluster(world.ports, name);
      expect(world.cycleCloud.asked).toBe(1);
    },
  );
});

describe("a refused login that an operator resumed", () => {
  const clusters = [cluster, "hpc-2", "hpc-3", "hpc-4", "hpc-5", "hpc-6"];
  const resume = (world: World, name: string) =>
    resumeCluster(world.ports, { cluster: name, by: "ann", reason: "unlocked" });
  const readAll = (world: World) => Promise.all(clusters.map((name) => snapshotCluster(world.ports, name)));

  /** Six clusters behind one account that was refused just now, and one of them resumed. */
  async function resumed(): Promise<World> {
    const world = createWorld();
    for (const other of clusters.slice(1)) world.ports.configs.put({ ...configOf({}), cluster: other });
    world.cycleCloud.isLoginRefused = true;
    await world.snapshot();
    await readAll(world);
    await resume(world, "hpc-2");
    return world;
  }

  test("is tried by one of the clusters that share it, a minute after the refusal; when that is refused too, by nobody", async () => {
    const world = await resumed();
    world.advance(59);
    await readAll(world);
    expect(world.cycleCloud.asked).toBe(1);
    world.advance(1);
    await readAll(world);
    expect(world.cycleCloud.asked).toBe(2);
    world.advance(600);
    await readAll(world);
    expect(world.cycleCloud.asked).toBe(2);
    expect(await loginStopped(world)).toMatchObject({ resumedAtSeconds: null });
  });

  test("is tried once a minute at most, however often it is resumed", async () => {
    const world = await resumed();
    for (let second = 0; second < 180; second += 10) {
      for (const name of clusters) await resume(world, name);
      await readAll(world);
      world.advance(10);
    }
    expect(world.cycleCloud.asked).toBe(3);
  });

  test("is left to another when the one that tries it dies, a minute later", async () => {
    const world = await resumed();
    world.advance(60);
    const dying = { ...world.ports, cycleCloudFor: () => deaf };
    await expect(snapshotCluster(dying, cluster)).rejects.toThrow("crash");
    world.cycleCloud.isLoginRefused = false;
    world.advance(59);
    await readAll(world);
    expect(world.cycleCloud.asked).toBe(1);
    world.advance(1);
    await readAll(world);
    await readAll(world);
    for (const name of clusters)
      expect(await clusterStatus(world.ports, name)).toMatchObject({ loginStopped: null });
  });

  test("is tried by snapshots alone: plans stay held, and no action tries it", async () => {
    const world = await sentAndRefused();
    await world.snapshot();
    await resume(world, cluster);
    world.advance(60);
    await world.plan();
    await world.execute();
    expect(world.cycleCloud.asked).toBe(2);
    expect((await world.ports.plans.loadHead(cluster))?.value.held).toBe("CycleCloud refused the login");
    world.cycleCloud.isLoginRefused = false;
    world.advance(1);
    await world.round();
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });

  test("shows in the status, and says to wait", async () => {
    const world = await resumed();
    const status = await clusterStatus(world.ports, "hpc-2");
    expect(status?.loginStopped).toMatchObject({ resumedAtSeconds: world.now() });
    expect(status?.problems[0]).toMatchObject({
      kind: "login-refused",
      next: expect.stringMatching(/^Wait: one of the next snapshots tries it/),
    });
  });
});

/** A server that a run dies at. */
const deaf = new FakeCycleCloud(clusterOf());
deaf.readCluster = () => Promise.reject(new Error("crash"));
