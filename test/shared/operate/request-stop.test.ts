import { describe, expect, test } from "vitest";
import { undecided } from "../../../shared/cycle/index.ts";
import { StaleSnapshotError, UpstreamError } from "../../../shared/errors/errors.ts";
import { pauseCluster } from "../../../shared/operate/pause-cluster.ts";
import { requestStop } from "../../../shared/operate/request-stop.ts";
import { isOpen, type Ports } from "../../../shared/ports/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { Crash, crashingAt, interposed } from "../../support/crash.ts";
import { cluster, jobFor, type World, worldWith } from "../../support/world.ts";

const never = 1_000_000;
const names = (count: number) => Array.from({ length: count }, (_, index) => `htc-${index + 1}`);

/** `count` idle nodes, htc-1 to htc-N with instance ids vm-htc-1 to vm-htc-N; the planner itself deletes none. */
async function idleWorld(count: number, idleSeconds = 4_000): Promise<World> {
  const nodes = names(count).map((name) => nodeOf({ name, instanceId: `vm-${name}` }));
  const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ availableCount: 100 })] })];
  const world = worldWith({ nodes, nodeArrays });
  world.configure({ engine: { idleTimeoutSeconds: { default: never, byNodeArray: {} } } });
  await world.round();
  world.advance(idleSeconds);
  await world.snapshot();
  return world;
}

function ask(world: World, name: string, fields: { ports?: Ports; afterIdleTime?: boolean } = {}) {
  const { ports = world.ports, afterIdleTime = true } = fields;
  const requestedBy = { who: `node ${name}`, why: "it is idle" };
  return requestStop(ports, { cluster, instance: `vm-${name}`, requestedBy, afterIdleTime });
}

/** A demand that the planner has not seen yet. */
async function wanting(world: World, count: number): Promise<World> {
  await world.post([jobFor(count)]);
  return world;
}

const staying = (world: World) =>
  world.cycleCloud.nodes.filter(({ targetState }) => targetState === "Started").map(({ name }) => name);

describe("requestStop", () => {
  test("a node that nobody needs is granted, and goes", async () => {
    const world = await idleWorld(2);
    expect(await ask(world, "htc-1")).toMatchObject({ outcome: "granted", node: "htc-1" });
    await world.settle();
    expect(staying(world)).toEqual(["htc-2"]);
    expect(await world.ports.operations.recent(cluster, 9)).toMatchObject([
      { state: "visible", action: { cause: "autostop", requestedBy: { who: "node htc-1" } } },
    ]);
  });

  test("one that came up since the snapshot, and runs a job by now, stays", async () => {
    const world = await idleWorld(2);
    world.cycleCloud.change("htc-1", { status: "Preparing", hostname: null });
    await world.snapshot();
    world.cycleCloud.change("htc-1", { status: "Ready", hostname: "host-htc-1" });
    await world.post([jobFor(1, { executingHostnames: ["host-htc-1"] })]);
    await ask(world, "htc-1", { afterIdleTime: false });
    await world.execute();
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    expect(await world.ports.operations.recent(cluster, 9)).toMatchObject([
      { state: "dropped", messages: ["htc-1 runs a job now"] },
    ]);
  });

  test("a node that a target counts is told so, with the request set and its time", async () => {
    const world = await idleWorld(1);
    await world.receive({
      version: 1,
      kind: "targets",
      cluster,
      source: "cron",
      sequence: 1,
      sentAt: new Date(world.now() * 1000).toISOString(),
      expirationInterval: 600,
      arrays: [{ Name: "htc", TargetCount: 1 }],
    });
    await world.round();
    expect(await ask(world, "htc-1")).toMatchObject({
      reason: "not-idle-long-enough",
      why: expect.stringMatching(/; request set "standard" wants nodes of htc for \d+m(\d+s)? more/),
    });
  });

  test("asked again it is on its way, whoever let it go", async () => {
    const world = await idleWorld(1);
    await ask(world, "htc-1");
    expect(await ask(world, "htc-1")).toEqual({ outcome: "leaving", node: "htc-1" });
    await world.execute();
    await world.snapshot();
    expect(await ask(world, "htc-1")).toEqual({ outcome: "leaving", node: "htc-1" });
  });

  test("the node id names it as well as the instance id; nothing else does", async () => {
    const world = await idleWorld(1);
    const request = { cluster, requestedBy: { who: "x", why: "" }, afterIdleTime: true };
    const of = (instance: string) => requestStop(world.ports, { ...request, instance });
    for (const instance of ["htc-1", "host-htc-1", "VM-htc-1", "", "null"])
      expect(await of(instance)).toEqual({ outcome: "unknown-instance" });
    expect(await of("id-htc-1")).toMatchObject({ outcome: "granted" });
  });

  test("a node stays that the demand needs, as of now: no plan has seen it yet", async () => {
    const world = await wanting(await idleWorld(2), 2);
    const why = 'job "job-1" is planned on it, and without it 1 more would have to be started';
    expect(await ask(world, "htc-1")).toEqual({ outcome: "refused", node: "htc-1", reason: "needed", why });
  });

  test.each(["when it asks", "after it was granted"])(
    "no node goes under a job that a message names which nobody has read, %s",
    async (when) => {
      const world = await idleWorld(1);
      const job = jobFor(1, { executingHostnames: ["host-htc-1"] });
      const post = () =>
        world.ports.unreadDemand.post(
          JSON.stringify({
            version: 1,
            kind: "snapshot",
            cluster,
            source: "celery",
            sequence: 9,
            sentAt: new Date(world.now() * 1000).toISOString(),
            jobs: [job],
          }),
        );
      if (when === "when it asks") await post();
      expect(await ask(world, "htc-1")).toMatchObject({ outcome: "granted" });
      if (when !== "when it asks") await post();
      await world.execute();
      expect(world.cycleCloud.calls).toEqual([]);
      await world.receive(JSON.parse(world.ports.unreadDemand.take() ?? ""));
      world.ports.unreadDemand.done();
      world.advance(60);
      await world.settle();
      expect(staying(world)).toEqual(["htc-1"]);
      expect(world.cycleCloud.calls).toEqual([]);
    },
  );

  test("a node stays without which a job would get less", async () => {
    const world = await idleWorld(2);
    world.cycleCloud.shrink(2);
    await world.snapshot();
    await wanting(world, 2);
    const why = 'job "job-1" is planned on it, and without it job "job-1" would get less';
    expect(await ask(world, "htc-1")).toMatchObject({ reason: "needed", why });
  });

  test("any node may go when another one can take its job", async () => {
    const world = await wanting(await idleWorld(2), 1);
    expect(await ask(world, "htc-1")).toMatchObject({ outcome: "granted" });
    expect(await ask(world, "htc-2")).toMatchObject({ outcome: "refused", reason: "needed" });
    await world.settle();
    expect(staying(world)).toEqual(["htc-2"]);
    expect(world.cycleCloud.calls).toEqual(["shutdown"]);
  });

  test("a node that runs a job stays, though another one could run it", async () => {
    const world = await idleWorld(2);
    await world.post([jobFor(1, { executingHostnames: ["host-htc-1.example.com"] })]);
    expect(await ask(world, "htc-1", { afterIdleTime: false })).toMatchObject({ reason: "busy" });
  });

  test("a keep-alive node stays", async () => {
    const world = await idleWorld(1);
    world.cycleCloud.change("htc-1", { keepAlive: true });
    await world.snapshot();
    expect(await ask(world, "htc-1")).toMatchObject({ reason: "keep-alive" });
  });

  test("a node that is not scaled here stays", async () => {
    const world = await idleWorld(1);
    world.configure({ engine: { ignoredNodes: ["htc-1"] } });
    expect(await ask(world, "htc-1", { afterIdleTime: false })).toMatchObject({ reason: "left-alone" });
  });

  test("a node that an operator told to leave alone stays", async () => {
    const world = await idleWorld(1);
    const ignored = { nodeId: "id-htc-1", name: "htc-1", by: "ada", reason: "test", atSeconds: world.now() };
    const control = { ...undecided(cluster), ignoredNodes: [ignored] };
    await world.ports.controls.save(control, undefined);
    expect(await ask(world, "htc-1")).toMatchObject({ reason: "left-alone" });
  });

  test("where the scheduler can drain, a node goes when it is drained; taken back in between, it stays", async () => {
    const world = await idleWorld(1);
    const report = (state: string) => {
      const nodes = [{ hostname: "host-htc-1", resources: {}, state }];
      return world.post([], { capabilities: ["drain"], nodes });
    };
    for (const state of ["up", "draining"]) {
      await report(state);
      expect(await ask(world, "htc-1")).toMatchObject({ outcome: "refused", reason: "not-drained" });
    }
    await report("drained");
    expect(await ask(world, "htc-1")).toMatchObject({ outcome: "granted" });
    await report("up");
    await world.execute();
    expect(await world.ports.operations.recent(cluster, 1)).toMatchObject([
      { state: "dropped", messages: ["htc-1 is not drained"] },
    ]);
  });

  test("15 nodes ask at the same moment while 6 are needed: exactly 6 stay", async () => {
    const world = await wanting(await idleWorld(15), 6);
    const outcomes = await Promise.all(names(15).map((name) => ask(world, name)));
    expect(outcomes.filter(({ outcome }) => outcome === "granted")).toHaveLength(9);
    expect(outcomes.filter(({ outcome }) => outcome === "refused")).toHaveLength(6);
    await world.settle();
    expect(staying(world)).toHaveLength(6);
    expect(new Set(world.cycleCloud.calls)).toEqual(new Set(["shutdown"]));
  });
});

describe("requestStop: idle time", () => {
  /** A node that ran a job and is idle since, or never ran any. */
  async function since(seconds: number, ranJob: boolean): Promise<World> {
    const world = await idleWorld(1, 0);
    if (ranJob) {
      await world.post([jobFor(1, { executingHostnames: ["host-htc-1"] })]);
      await world.round();
      world.advance(1);
      await world.post([]);
      world.advance(1);
      await world.plan();
    }
    world.advance(seconds);
    await world.snapshot();
    return world;
  }

  test.each([
    ["ran a job", true, 299, "refused"],
    ["ran a job", true, 300, "granted"],
    ["ran no job yet", false, 300, "refused"],
    ["ran no job yet", false, 3_598, "refused"],
    ["ran no job yet", false, 3_600, "granted"],
  ] as const)("one that %s (%s) is %s s later %s", async (_, ranJob, seconds, outcome) => {
    const answer = await ask(await since(seconds, ranJob), "htc-1");
    expect(answer.outcome).toBe(outcome);
  });

  test("a refusal says how long it still takes", async () => {
    expect(await ask(await since(100, true), "htc-1")).toEqual({
      outcome: "refused",
      node: "htc-1",
      reason: "not-idle-long-enough",
      why: "has been idle for 1m40s since its last job, expected 5m",
      retryAfterSeconds: 200,
    });
  });

  test("the configuration says how long", async () => {
    const world = await since(60, true);
    world.configure({ autostop: { idleSecondsAfterJobs: 60 } });
    expect(await ask(world, "htc-1")).toMatchObject({ outcome: "granted" });
  });

  test("it does not count for those who ask for a node by name", async () => {
    expect(await ask(await since(1, true), "htc-1", { afterIdleTime: false })).toMatchObject({
      outcome: "granted",
    });
  });

  test("a node that no plan has seen has not been idle at all", async () => {
    const nodes = [nodeOf({ name: "htc-1", instanceId: "vm-htc-1" })];
    const world = worldWith({ nodes });
    await world.snapshot();
    expect(await ask(world, "htc-1")).toMatchObject({ reason: "not-idle-long-enough" });
  });
});

describe("requestStop: what cannot be told is not granted", () => {
  test("without a fresh snapshot", async () => {
    const world = await idleWorld(1);
    world.advance(301);
    await expect(ask(world, "htc-1")).rejects.toThrow(StaleSnapshotError);
  });

  test("when demand cannot be read", async () => {
    const world = await idleWorld(1);
    const ports = interposed(world.ports, { port: "demand", method: "list" }, async () => {
      throw new UpstreamError("Cannot list demand", { retryable: true });
    });
    await expect(ask(world, "htc-1", { ports })).rejects.toThrow("Cannot list demand");
    expect(await world.ports.operations.recent(cluster, 9)).toEqual([]);
  });

  test("while the cluster is paused, or is not configured", async () => {
    const world = await idleWorld(1);
    await pauseCluster(world.ports, { cluster, by: "ada", reason: "maintenance" });
    expect(await ask(world, "htc-1")).toMatchObject({ outcome: "held" });
    world.ports.configs.delete(cluster);
    expect(await ask(world, "htc-1")).toEqual({ outcome: "unknown-cluster" });
  });
});

describe("requestStop: between the grant and the deletion", () => {
  const fateOf = async (world: World) => {
    const [operation] = await world.ports.operations.recent(cluster, 1);
    return operation && [operation.state, ...operation.messages].join(": ");
  };

  test("a job comes that needs the node: it stays, and the operation says why", async () => {
    const world = await idleWorld(1);
    await ask(world, "htc-1");
    await wanting(world, 1);
    await world.execute();
    expect(await fateOf(world)).toBe(
      'dropped: htc-1 is needed: job "job-1" is planned on it, and without it 1 more would have to be started',
    );
  });

  test("a job starts on the node: it stays", async () => {
    const world = await idleWorld(2);
    await ask(world, "htc-1");
    await world.post([jobFor(1, { executingHostnames: ["host-htc-1"] })]);
    await world.execute();
    expect(await fateOf(world)).toBe("dropped: htc-1 runs a job now");
  });

  test("the snapshot becomes too old: it stays, and may ask again", async () => {
    const world = await idleWorld(1);
    await ask(world, "htc-1");
    world.advance(400);
    await world.execute();
    expect(await fateOf(world)).toMatch(/^dropped: htc-1 Cannot plan cluster "hpc": snapshot 6m40s old/);
    await world.snapshot();
    expect(await ask(world, "htc-1")).toMatchObject({ outcome: "granted" });
  });

  test("jobs come for one of two nodes that were granted: one stays", async () => {
    const world = await idleWorld(2);
    await ask(world, "htc-1");
    await ask(world, "htc-2");
    await wanting(world, 1);
    await world.execute();
    expect(staying(world)).toEqual(["htc-1"]);
    await world.settle();
    expect(world.cycleCloud.calls).toEqual(["shutdown"]);
  });

  test.each(["before", "after"] as const)(
    "a run that dies %s it was recorded is made up for by the next question",
    async (when) => {
      const world = await wanting(await idleWorld(3), 2);
      const point = { port: "operations", method: "saveRequested", when } as const;
      await expect(ask(world, "htc-1", { ports: crashingAt(world.ports, point) })).rejects.toThrow(Crash);
      const again = await Promise.all(names(3).map((name) => ask(world, name)));
      const granted = again.filter(({ outcome }) => outcome === "granted" || outcome === "leaving");
      expect(granted).toHaveLength(1);
      await world.settle();
      expect(staying(world)).toHaveLength(2);
      expect((await world.ports.operations.recent(cluster, 9)).filter(isOpen)).toEqual([]);
    },
  );
});
