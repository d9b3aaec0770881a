import { describe, expect, test } from "vitest";
import { planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import { snapshotCluster } from "../../../../shared/cycle/snapshot/snapshot-cluster.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { SchedulerEvent } from "../../../../shared/messages/scheduler-event.ts";
import type { Ports } from "../../../../shared/ports/index.ts";
import { clusterOf, nodeOf } from "../../../support/cluster.ts";
import { Crash, crashingAt } from "../../../support/crash.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { createAction, operationOf } from "../../../support/operation.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

function worldWith(...names: readonly string[]): World {
  return createWorld(new FakeCycleCloud(clusterOf({ nodes: names.map((name) => nodeOf({ name })) })));
}

/** A world that was planned: nothing is due. */
async function calm(world = worldWith("htc-1")): Promise<World> {
  await world.round();
  world.advance(10);
  return world;
}

/** Why the snapshot asks for a plan now; undefined when it does not. */
async function reasonAfterSnapshot(world: World, ports: Ports = world.ports): Promise<string | undefined> {
  world.ports.planRequests.takeDue(world.now() + 60);
  world.advance(1);
  await snapshotCluster(ports, cluster);
  const [scheduled] = world.ports.planRequests.scheduled;
  return scheduled?.request.reason;
}

const told = (events: readonly SchedulerEvent[]) =>
  events.map(({ kind, nodes }) => `${kind} ${nodes.map((node) => node.name).join()}`);

describe("snapshotCluster: a plan is asked for", () => {
  test("by the first snapshot", async () => {
    expect(await reasonAfterSnapshot(createWorld())).toBe("first snapshot");
  });

  test("not when nothing changed", async () => {
    expect(await reasonAfterSnapshot(await calm())).toBeUndefined();
  });

  test("when a node changed its state", async () => {
    const world = await calm();
    world.cycleCloud.change("htc-1", { status: "Failed" });
    expect(await reasonAfterSnapshot(world)).toBe("snapshot changed");
  });

  test("not because the age of a capacity failure grew", async () => {
    const world = await calm();
    const reading = await world.cycleCloud.readCluster();
    const aged = (secondsSinceCapacityFailure: number): Ports => ({
      ...world.ports,
      cycleCloudFor: () => ({
        ...world.cycleCloud,
        readCluster: async () => ({
          ...reading,
          cluster: {
            ...reading.cluster,
            nodeArrays: reading.cluster.nodeArrays.map((array) => ({
              ...array,
              buckets: array.buckets.map((bucket) => ({ ...bucket, secondsSinceCapacityFailure })),
            })),
          },
        }),
      }),
    });
    expect(await reasonAfterSnapshot(world, aged(5))).toBe("snapshot changed");
    world.advance(1);
    await world.plan();
    expect(await reasonAfterSnapshot(world, aged(65))).toBeUndefined();
  });

  test("when an operation closed", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    await world.round();
    world.advance(10);
    expect(await reasonAfterSnapshot(world)).toBe("operations closed");
  });

  test("when an operation closed and whoever saw it died before it could ask", async () => {
    const world = await calm(createWorld());
    await world.ports.operations.save(operationOf(createAction(["htc-1"])), undefined);
    const dying = crashingAt(world.ports, { port: "planRequests", method: "send", when: "before" });
    await expect(snapshotCluster(dying, cluster)).rejects.toThrow(Crash);
    expect(await world.ports.operations.open(cluster)).toEqual([]);
    expect(await reasonAfterSnapshot(world)).toBe("operations closed");
  });

  test("when the configuration changed, however it was changed", async () => {
    const world = await calm();
    world.configure({ engine: { idleTimeoutSeconds: { default: 60, byNodeArray: {} } } });
    expect(await reasonAfterSnapshot(world)).toBe("configuration changed");
    await world.round();
    expect(await reasonAfterSnapshot(world)).toBeUndefined();
  });

  test("when a deadline passed", async () => {
    const world = await calm();
    world.advance(291);
    expect(await reasonAfterSnapshot(world)).toBe("deadline passed");
  });

  test("when demand came after the last plan, whatever became of its own request", async () => {
    const world = await calm();
    await world.post([jobFor(1)]);
    expect(await reasonAfterSnapshot(world)).toBe("new demand");
  });

  test("when the last planner died before it sent its actions, and nobody tried again", async () => {
    const world = await calm(createWorld());
    await world.post([jobFor(2)]);
    world.advance(1);
    const dying = crashingAt(world.ports, { port: "scaleActions", method: "send", when: "before" });
    for (const { request } of world.ports.planRequests.takeDue(world.now()))
      await expect(planScale(dying, request)).rejects.toThrow(Crash);
    expect(await reasonAfterSnapshot(world)).toBe("actions not sent");
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toMatchObject([{ sets: [{ count: 2 }] }]);
  });

  test("not for a cluster that is no longer configured", async () => {
    const world = await calm();
    world.ports.configs.delete(cluster);
    expect(await reasonAfterSnapshot(world)).toBeUndefined();
  });
});

describe("snapshotCluster: an action came to nothing since the last plan", () => {
  async function reasonAfter(happens: (world: World) => void): Promise<string | undefined> {
    const world = await calm();
    world.advance(300);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toMatchObject([{ kind: "shutdown-nodes" }]);
    happens(world);
    await world.execute();
    world.advance(10);
    return reasonAfterSnapshot(world);
  }

  test.each<readonly [string, (world: World) => void]>([
    [
      "refused by the server",
      (world) => {
        world.cycleCloud.refusal = "not now";
      },
    ],
    ["expired before its turn came", (world) => world.advance(601)],
    ["not done for any node", (world) => world.cycleCloud.stubborn.set("htc-1", "is locked")],
  ])("%s: a new plan tries again", async (_case, happens) => {
    expect(await reasonAfter(happens)).toBe("operations closed");
  });
});

describe("snapshotCluster: readings out of order", () => {
  test("one that started earlier replaces nothing and tells nothing", async () => {
    const world = await calm(worldWith("htc-1", "htc-2"));
    await world.post([]);
    const slow = overtaken(world, async () => {
      world.cycleCloud.change("htc-2", { targetState: "Terminated" });
      world.cycleCloud.settle();
      world.advance(1);
      await world.snapshot();
    });
    await snapshotCluster(slow, cluster);
    const stored = (await world.ports.snapshots.load(cluster))?.value;
    expect(stored?.takenAtSeconds).toBe(world.now());
    expect(stored?.cluster.nodes.map((node) => node.name)).toEqual(["htc-1"]);
    expect(told(world.ports.schedulerEvents.of("celery"))).toEqual(["node-deleted htc-2"]);
  });

  /** Ports whose reading is overtaken: something happens between the server's answer and its arrival. */
  function overtaken(world: World, meanwhile: () => Promise<void>): Ports {
    return {
      ...world.ports,
      cycleCloudFor: () => ({
        ...world.cycleCloud,
        readCluster: async () => {
          const reading = await world.cycleCloud.readCluster();
          await meanwhile();
          return reading;
        },
      }),
    };
  }
});

describe("snapshotCluster: scheduler events", () => {
  test("a node that became Ready has joined, one that vanished is deleted", async () => {
    const world = createWorld();
    await world.post([jobFor(2)]);
    await world.round();
    world.cycleCloud.settle();
    world.advance(10);
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("celery")).toMatchObject([
      {
        kind: "node-joined",
        cluster,
        source: "celery",
        atSeconds: world.now(),
        nodes: [
          {
            nodeId: "node-1",
            name: "htc-1",
            hostname: "host-node-1",
            nodeArray: "htc",
            vmSize: "Standard_F4s_v2",
            placementGroup: null,
          },
          { nodeId: "node-2", name: "htc-2", hostname: "host-node-2" },
        ],
      },
    ]);
    world.cycleCloud.change("htc-1", { targetState: "Terminated" });
    world.cycleCloud.settle();
    await world.snapshot();
    await world.snapshot();
    expect(told(world.ports.schedulerEvents.of("celery"))).toEqual([
      "node-joined htc-1,htc-2",
      "node-deleted htc-1",
    ]);
  });

  describe("a node with another host name, such as after a restart with another address", () => {
    test.each([
      {
        what: "is Ready",
        now: { hostname: "host-new" },
        events: [
          ["node-deleted", "host-htc-1"],
          ["node-joined", "host-new"],
        ],
      },
      {
        what: "is not Ready yet",
        now: { hostname: "host-new", status: "Preparing" },
        events: [["node-deleted", "host-htc-1"]],
      },
      { what: "has a domain behind its name", now: { hostname: "HOST-htc-1.example.org" }, events: [] },
    ])("is gone under its old name, and $what: $events", async ({ now, events }) => {
      const world = worldWith("htc-1", "htc-2");
      world.cycleCloud.change("htc-1", { hostname: "host-htc-1" });
      await world.post([]);
      await world.snapshot();
      world.cycleCloud.change("htc-1", now);
      await world.snapshot();
      await world.snapshot();
      const sent = world.ports.schedulerEvents.of("celery");
      const renamed = sent.flatMap((event) => event.nodes.map(({ hostname }) => [event.kind, hostname]));
      expect(renamed).toEqual(events);
      const marked = sent.flatMap(({ kind, nodes }) => nodes.map((node) => [kind, node.isRenamed ?? false]));
      expect(marked).toEqual(events.map(([kind]) => [kind, kind === "node-deleted"]));
    });
  });

  test("go to every source, also to one that is silent: it may come back", async () => {
    const world = worldWith("htc-1");
    await world.post([]);
    await world.post([], { source: "slurm" });
    await world.post([], { source: "silent", ttlSeconds: 5 });
    await world.snapshot();
    world.advance(5);
    world.cycleCloud.clear();
    await world.snapshot();
    const kinds = (source: string) => told(world.ports.schedulerEvents.of(source));
    expect(kinds("celery")).toEqual(["node-deleted htc-1"]);
    expect(kinds("slurm")).toEqual(["node-deleted htc-1"]);
    expect(kinds("silent")).toEqual(["node-deleted htc-1"]);
  });

  test("the first snapshot tells nothing: nobody knows what was before", async () => {
    const world = worldWith("htc-1");
    await world.post([]);
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("celery")).toEqual([]);
  });

  test.each([
    ["the snapshot was not stored", { port: "snapshots", method: "save", when: "before" }],
    ["the event could not be sent", { port: "schedulerEvents", method: "send", when: "before" }],
    ["operations could not be read", { port: "operations", method: "open", when: "before" }],
    ["no plan could be asked for", { port: "planRequests", method: "send", when: "before" }],
  ] as const)("%s: they are told by a later snapshot at the latest", async (_case, point) => {
    const world = await calm();
    await world.post([]);
    world.cycleCloud.clear();
    await expect(snapshotCluster(crashingAt(world.ports, point), cluster)).rejects.toThrow(Crash);
    await world.snapshot();
    expect(told(world.ports.schedulerEvents.of("celery"))).toContain("node-deleted htc-1");
  });

  test("a look at an operation that fails loses none of them", async () => {
    const world = worldWith("htc-9");
    await world.post([jobFor(1)]);
    world.cycleCloud.isListLate = true;
    await world.round();
    world.advance(10);
    world.cycleCloud.change("htc-9", { targetState: "Terminated" });
    world.cycleCloud.settle();
    world.cycleCloud.fault = { afterEffect: false, on: "nodes-of-request" };
    await world.snapshot().catch(() => undefined);
    await world.snapshot();
    expect(told(world.ports.schedulerEvents.of("celery"))).toContain("node-deleted htc-9");
  });
});

describe("snapshotCluster: CycleCloud does not answer", () => {
  test("nothing is stored, closed, told or asked for", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    await world.round();
    const before = await world.ports.snapshots.load(cluster);
    world.cycleCloud.settle();
    world.advance(10_000);
    world.cycleCloud.fault = { afterEffect: false };
    await expect(world.snapshot()).rejects.toThrow(UpstreamError);
    expect(await world.ports.snapshots.load(cluster)).toEqual(before);
    expect(await world.ports.operations.open(cluster)).toMatchObject([{ value: { state: "accepted" } }]);
    expect(world.ports.schedulerEvents.of("celery")).toEqual([]);
    expect(world.ports.planRequests.scheduled).toEqual([]);
  });

  test("what it says of records that it cannot make out is kept with the snapshot and logged", async () => {
    const world = createWorld();
    const ports: Ports = {
      ...world.ports,
      cycleCloudFor: () => ({
        ...world.cycleCloud,
        readCluster: async () => ({
          ...(await world.cycleCloud.readCluster()),
          setAside: ["node 3: no name"],
        }),
      }),
    };
    await snapshotCluster(ports, cluster);
    expect(await world.ports.snapshots.load(cluster)).toMatchObject({
      value: { setAside: ["node 3: no name"] },
    });
    expect(world.log.some((line) => line.startsWith("warn set-aside"))).toBe(true);
  });
});

test("a node that is Ready before it has a host name joins when it has one", async () => {
  const world = await calm();
  await world.post([jobFor(1)]);
  world.cycleCloud.change("htc-1", { status: "Preparing", hostname: null });
  await world.snapshot();
  world.cycleCloud.change("htc-1", { status: "Ready" });
  world.advance(10);
  await world.snapshot();
  expect(world.ports.schedulerEvents.of("celery")).toEqual([]);
  world.cycleCloud.change("htc-1", { hostname: "ip-0A000009" });
  world.advance(10);
  await world.snapshot();
  expect(world.ports.schedulerEvents.of("celery")).toMatchObject([
    { kind: "node-joined", nodes: [{ hostname: "ip-0A000009" }] },
  ]);
});

describe("snapshotCluster: a source that cannot be told", () => {
  const forbidden = new UpstreamError('Cannot send to queue "events-celery": HTTP 403', {
    status: 403,
    retryable: false,
  });
  const deaf = (world: World): Ports => ({
    ...world.ports,
    schedulerEvents: { send: () => Promise.reject(forbidden), forget: () => Promise.reject(forbidden) },
  });

  test("keeps nothing from being read, and is named", async () => {
    const world = await calm();
    await world.post([jobFor(1)]);
    world.cycleCloud.change("htc-1", { status: "Failed" });
    await snapshotCluster(deaf(world), cluster);
    world.cycleCloud.change("htc-1", { status: "Ready" });
    world.advance(10);
    await snapshotCluster(deaf(world), cluster);
    expect((await world.ports.snapshots.load(cluster))?.value.takenAtSeconds).toBe(world.now());
    expect(world.log.filter((line) => line.startsWith("warn events-not-sent"))).toHaveLength(1);
  });

  test("is told once its queue takes messages again, and nobody is told twice", async () => {
    const world = await calm();
    await world.post([jobFor(1)]);
    await world.post([], { source: "other" });
    world.cycleCloud.change("htc-1", { status: "Failed" });
    await snapshotCluster(world.ports, cluster);
    world.cycleCloud.change("htc-1", { status: "Ready" });
    world.advance(10);
    const { schedulerEvents } = world.ports;
    const half: Ports = {
      ...world.ports,
      schedulerEvents: {
        send: (event) =>
          event.source === "celery" ? Promise.reject(forbidden) : schedulerEvents.send(event),
        forget: (...source) => schedulerEvents.forget(...source),
      },
    };
    await snapshotCluster(half, cluster);
    expect(schedulerEvents.of("celery")).toEqual([]);
    for (let snapshot = 0; snapshot < 2; snapshot += 1) {
      world.advance(10);
      await snapshotCluster(world.ports, cluster);
    }
    for (const source of ["celery", "other"])
      expect(schedulerEvents.of(source)).toMatchObject([{ kind: "node-joined", nodes: [{ name: "htc-1" }] }]);
  });

  test("learns later when a node went, so that a machine of the same name that started meanwhile is not taken for it", async () => {
    const world = await calm();
    await world.post([jobFor(1)]);
    world.cycleCloud.clear();
    world.advance(10);
    const wentAtSeconds = world.now();
    for (let snapshot = 0; snapshot < 3; snapshot += 1) {
      await snapshotCluster(deaf(world), cluster);
      world.advance(600);
    }
    await snapshotCluster(world.ports, cluster);
    expect(world.ports.schedulerEvents.of("celery")).toMatchObject([
      { kind: "node-deleted", nodes: [{ name: "htc-1" }], atSeconds: wentAtSeconds },
    ]);
  });

  test("is told of a machine that was replaced while nobody looked as if it went when it was last seen", async () => {
    const world = await calm();
    await world.post([jobFor(1)]);
    await world.snapshot();
    const lastSeenSeconds = world.now();
    world.advance(900);
    world.cycleCloud.change("htc-1", { nodeId: "the next one", status: "Preparing", hostname: null });
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("celery")).toMatchObject([
      { kind: "node-deleted", nodes: [{ name: "htc-1" }], atSeconds: lastSeenSeconds + 30 },
    ]);
  });

  test("is told of a deletion no earlier than of the join that it ends, however long the reading took", async () => {
    const world = await calm();
    await world.post([jobFor(1)]);
    world.cycleCloud.change("htc-1", { status: "Preparing", hostname: null });
    await world.snapshot();
    world.cycleCloud.change("htc-1", { status: "Ready", hostname: "host-1" });
    world.advance(10);
    const slow: Ports = {
      ...world.ports,
      cycleCloudFor: (config) => {
        const cycleCloud = world.ports.cycleCloudFor(config);
        const readCluster = async () => {
          const reading = await cycleCloud.readCluster();
          world.advance(40);
          return reading;
        };
        return new Proxy(cycleCloud, {
          get: (target, key) => (key === "readCluster" ? readCluster : Reflect.get(target, key).bind(target)),
        });
      },
    };
    await snapshotCluster(slow, cluster);
    const joinedAtSeconds = world.now();
    world.advance(20);
    world.cycleCloud.change("htc-1", { nodeId: "the next one", status: "Preparing", hostname: null });
    await world.snapshot();
    expect(world.ports.schedulerEvents.of("celery")).toMatchObject([
      { kind: "node-joined", atSeconds: joinedAtSeconds },
      { kind: "node-deleted", atSeconds: joinedAtSeconds },
    ]);
  });

  test("for days loses its oldest changes, and none of another source", async () => {
    const world = await calm();
    for (const source of ["a", "b", "c"]) await world.post([], { source });
    await snapshotCluster(world.ports, cluster);
    const changesFor = (source: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        kind: "node-deleted" as const,
        nodes: [{ nodeId: `id-${index}`, name: `htc-${index}`, hostname: null }],
        source,
      }));
    const untold = [...changesFor("a", 3), ...changesFor("b", 502), ...changesFor("c", 3)];
    const { snapshots } = world.ports;
    const before = await snapshots.load(cluster);
    if (before === undefined) throw new Error("no snapshot");
    await snapshots.save(cluster, { ...before.value, untold }, { latestSeconds: world.now() });
    world.advance(10);
    await snapshotCluster(deaf(world), cluster);
    const left = (await snapshots.load(cluster))?.value.untold ?? [];
    const firstOf = (source: string) => left.find((change) => change.source === source)?.nodes[0]?.name;
    expect(["a", "b", "c"].map((each) => left.filter(({ source }) => source === each).length)).toEqual([
      3, 500, 3,
    ]);
    expect(["a", "b", "c"].map(firstOf)).toEqual(["htc-0", "htc-2", "htc-0"]);
  });

  test("whose queue answers 401 does not stop the calls to CycleCloud", async () => {
    const world = await calm();
    const refusal = new UpstreamError("Cannot read: HTTP 401", { status: 401, retryable: false });
    const ports: Ports = {
      ...world.ports,
      snapshots: {
        ...world.ports.snapshots,
        save: () => Promise.reject(refusal),
        load: async () => undefined,
      },
    };
    await expect(snapshotCluster(ports, cluster)).rejects.toBe(refusal);
    expect((await world.ports.controls.load(cluster))?.value.refusedLogin ?? null).toBeNull();
  });
});
