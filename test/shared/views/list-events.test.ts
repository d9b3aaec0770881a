import { describe, expect, test } from "vitest";
import { type EventsAnswer, eventsAnswer, eventsQuery } from "../../../shared/api/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { pauseCluster } from "../../../shared/operate/index.ts";
import { listEvents } from "../../../shared/views/events/list-events.ts";
import { nodeOf } from "../../support/cluster.ts";
import { cluster, createWorld, jobFor, type World, worldWith } from "../../support/world.ts";

async function list(world: World, query: Readonly<Record<string, unknown>> = {}): Promise<EventsAnswer> {
  const answer = await listEvents(world.ports, cluster, eventsQuery.parse(query));
  return eventsAnswer.strict().parse(JSON.parse(JSON.stringify(answer)));
}

/** Of every page, one after the other. */
async function allOf(
  world: World,
  query: Readonly<Record<string, unknown>>,
): Promise<EventsAnswer["events"]> {
  const { events, next } = await list(world, query);
  return next === null ? events : [...events, ...(await allOf(world, { ...query, cursor: next }))];
}

/** A cluster that grew by two nodes, of which one failed and both went, with decisions of people in between. */
async function eventful(): Promise<World> {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.round();
  await world.settle();
  const { ports } = world;
  world.advance(10);
  const at = { by: "alice", atSeconds: world.now(), source: null };
  const node = { nodeId: "id-htc-1", name: "htc-1", hostname: "host-1" };
  await ports.events.note(cluster, [
    { ...at, eventId: "drain:id-htc-1", kind: "drain", node, reason: "disk errors" },
    { ...at, eventId: "pause:alice", kind: "pause", node: null, reason: "password=hunter2hunter2" },
  ]);
  world.advance(10);
  const loss = { nodeId: null, nodeName: "htc-9", nodeArray: "htc", vmSize: "Standard_F4s_v2" };
  const lost = { ...loss, cluster, eventId: "e1", atSeconds: world.now(), reason: "SpotEvicted" } as const;
  await ports.losses.add(lost);
  world.advance(10);
  await world.receive("{", "bad");
  return world;
}

describe("events", () => {
  test("one list of all records, newest first", async () => {
    const { events } = await list(await eventful());
    expect(events.map(({ kind }) => kind)).toEqual([
      "rejected",
      "node-lost",
      "drain",
      "pause",
      // Both nodes, seen by one pass.
      "node-joined",
      "action-done",
      // Of one second: by their ids.
      "plan",
      "action",
    ]);
    expect(events.find(({ kind }) => kind === "plan")).toMatchObject({
      text: "Because of demand from celery: create 2.",
      by: "the autoscaler",
      planId: "plan-0001",
    });
    expect(events.find(({ kind }) => kind === "action")).toMatchObject({
      text: expect.stringMatching(/^create-nodes of 2 nodes asked for: .*\.$/),
      nodes: ["htc-1", "htc-2"],
    });
    expect(events.find(({ kind }) => kind === "drain")).toMatchObject({
      by: "alice",
      nodes: ["htc-1"],
      text: "No new jobs there: disk errors.",
    });
    // Reasons are people's words.
    expect(events.find(({ kind }) => kind === "pause")?.text).toBe("Paused: password=***");
  });

  test("nodes that one pass saw to join are one event; asked for one of them, it is about that node alone", async () => {
    const world = await eventful();
    const joined = async (query: Readonly<Record<string, unknown>>) =>
      (await list(world, { kind: "node-joined", ...query })).events;
    expect(await joined({})).toMatchObject([
      { nodes: ["htc-1", "htc-2"], nodeCount: 2, text: expect.stringMatching(/^2 nodes are up, .* after/) },
    ]);
    const [event] = await joined({});
    const [row] = (await world.ports.history.list(cluster)).filter(({ name }) => name === "htc-2");
    expect(await joined({ node: row?.nodeId })).toMatchObject([
      { atSeconds: event?.atSeconds, nodes: ["htc-2"], text: expect.stringMatching(/^htc-2 is up, /) },
    ]);
  });

  test("failures of one time are one event for each reason", async () => {
    const world = createWorld();
    const row = (name: string, message: string) => ({
      nodeId: `id-${name}`,
      name,
      hostname: null,
      instanceId: null,
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      createdSeconds: world.now() - 60,
      readySeconds: null,
      lastMatchSeconds: null,
      deletedSeconds: null,
      failure: { atSeconds: world.now() - 5, message },
    });
    const rows = [row("htc-10", "no mount"), row("htc-9", "no mount"), row("htc-2", "bad disk")];
    await world.ports.history.save(cluster, rows);
    const { events } = await list(world);
    const shown = events.map(({ kind, nodes, text }) => ({ kind, nodes, text }));
    expect(shown.toSorted((a, b) => a.text.localeCompare(b.text))).toEqual([
      { kind: "node-failed", nodes: ["htc-9", "htc-10"], text: "2 nodes failed: no mount." },
      { kind: "node-failed", nodes: ["htc-2"], text: "htc-2 failed: bad disk." },
    ]);
  });

  test("a cluster that is held wants the same again and again: that is one event", async () => {
    const world = await eventful();
    await pauseCluster(world.ports, { cluster, by: "ann", reason: "upgrade" });
    for (let again = 0; again < 3; again += 1) {
      await world.post([jobFor(9)]);
      await world.round();
      world.advance(20);
    }
    const { events } = await list(world, { kind: "plan", from: 0 });
    const held = events.filter(({ text }) => text.includes("nothing was sent"));
    expect(
      (await world.ports.plans.list(cluster, 50)).filter(({ held }) => held !== undefined).length,
    ).toBeGreaterThan(1);
    expect(held).toHaveLength(1);
  });

  test("by kind, node and time", async () => {
    const world = await eventful();
    const kinds = async (query: Readonly<Record<string, unknown>>) =>
      (await list(world, query)).events.map(({ kind }) => kind);
    expect(await kinds({ kind: "pause,drain" })).toEqual(["drain", "pause"]);
    expect(await kinds({ node: "id-htc-1" })).toEqual(["drain"]);
    expect(await kinds({ node: "htc-9" })).toEqual(["node-lost"]);
    expect(await kinds({ from: world.now() - 10 })).toEqual(["rejected", "node-lost"]);
    expect(await kinds({ from: world.now() - 20, until: world.now() - 10 })).toEqual([
      "node-lost",
      "drain",
      "pause",
    ]);
    const [plan] = await world.ports.plans.list(cluster, 1);
    if (plan === undefined) throw new Error("no plan");
    for (let index = 0; index < 2_000; index += 1)
      await world.ports.plans.recordFailed({ ...plan, planId: `later-${index}`, atSeconds: world.now() });
    // No plan is about a node: however many there were since, its page is whole.
    expect(await list(world, { node: "id-htc-1" })).toMatchObject({
      events: [{ kind: "drain" }],
      next: null,
    });
    expect(() => eventsQuery.parse({ kind: "drian" })).toThrow("expected of plan");
  });

  test("pages of any size are the whole list, each event once", async () => {
    const world = await eventful();
    const { events: all } = await list(world);
    for (const limit of [1, 2, 5, 100]) {
      expect(await allOf(world, { limit })).toEqual(all);
    }
  });

  test("more of one record than are read at a time leave nothing out, whatever else is there", async () => {
    const world = await eventful();
    const start = world.now() - 3_000;
    const about = { by: "bob", source: null, node: null, reason: "r", kind: "ignore" } as const;
    const noted = Array.from({ length: 4_500 }, (_, index) => ({
      ...about,
      eventId: `ignore:${index}`,
      atSeconds: start + Math.floor(index / 2),
    }));
    await world.ports.events.note(cluster, noted);
    const events = await allOf(world, { limit: 1_000 });
    expect(events).toHaveLength(4_500 + 8);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4_500 + 8);
    const times = events.map(({ atSeconds }) => atSeconds);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test("what was decided of many nodes at once is one event; asked for one of them, it is about that node", async () => {
    const world = createWorld();
    const at = { by: "alice", source: null, atSeconds: world.now() - 60, reason: "new image" };
    const drain = (index: number, reason = at.reason) => {
      const [nodeId, name] = [`id-${index}`, `htc-${index}`];
      return {
        ...at,
        reason,
        kind: "drain",
        eventId: `drain:${nodeId}`,
        node: { nodeId, name, hostname: null },
      } as const;
    };
    const before = {
      ...at,
      atSeconds: at.atSeconds - 60,
      eventId: "config:bob",
      kind: "config",
      node: null,
    } as const;
    const noted = Array.from({ length: 5_000 }, (_, index) => drain(index + 1));
    await world.ports.events.note(cluster, [before, ...noted, drain(9_000, "bad disk")]);
    const kinds = async (query: Readonly<Record<string, unknown>>) =>
      (await allOf(world, query)).map(({ kind, nodes, nodeCount }) => [kind, nodes[0], nodeCount]);
    expect(await kinds({})).toEqual([
      ["drain", "htc-1", 5_000],
      ["drain", "htc-9000", 1],
      ["config", undefined, 0],
    ]);
    expect(await kinds({ node: "htc-77" })).toEqual([["drain", "htc-77", 1]]);
  });

  test("more nodes that are lost than are read at a time leave nothing out", async () => {
    const world = createWorld();
    const loss = {
      cluster,
      nodeId: null,
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      reason: "SpotEvicted",
    } as const;
    for (let index = 0; index < 4_500; index += 1) {
      // Ten in each second, at different times.
      const atSeconds = world.now() - 1_000 - index / 10;
      await world.ports.losses.add({ ...loss, eventId: `e${index}`, nodeName: `htc-${index}`, atSeconds });
    }
    const events = await allOf(world, { limit: 100 });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.length).toBeLessThan(460);
    expect(events.reduce((nodes, { nodeCount }) => nodes + nodeCount, 0)).toBe(4_500);
  });

  test("nodes that are lost at once are one event, and that they are gone is no other one", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" }), nodeOf({ name: "htc-2" })] });
    await world.round();
    const [first, second] = world.cycleCloud.nodes;
    if (first === undefined || second === undefined) throw new Error("no nodes");
    world.cycleCloud.clear();
    world.advance(60);
    await world.round();
    const wanted = { kind: "node-lost,node-gone" };
    const gone = (await list(world, wanted)).events;
    expect(gone).toMatchObject([{ kind: "node-gone", nodes: ["htc-1", "htc-2"] }]);
    const at = { cluster, nodeArray: "htc", vmSize: "Standard_F4s_v2", reason: "SpotEvicted" } as const;
    for (const { nodeId, name } of [second, first])
      await world.ports.losses.add({
        ...at,
        eventId: name,
        nodeId,
        nodeName: name,
        message: `Node ${name} was terminated.`,
        atSeconds: Math.floor(world.now()) - (name === "htc-1" ? 0.2 : 0.3),
      });
    expect((await list(world, wanted)).events).toMatchObject([
      {
        kind: "node-lost",
        text: "2 nodes of htc (Standard_F4s_v2) were lost: SpotEvicted.",
        nodes: ["htc-1", "htc-2"],
        nodeCount: 2,
      },
    ]);
    expect((await list(world, { ...wanted, node: "htc-2" })).events).toMatchObject([
      {
        text: "htc-2 of htc (Standard_F4s_v2) was lost: SpotEvicted: Node htc-2 was terminated.",
        nodes: ["htc-2"],
      },
    ]);
  });

  test("a spot node that CycleCloud's event and a snapshot both miss is lost once, on whatever page", async () => {
    const world = createWorld();
    const at = world.now() - 100;
    const loss = { cluster, nodeArray: "spot", vmSize: "Standard_F4s_v2", hostname: "host" } as const;
    const lose = (nodeName: string, reason: "SpotGone" | "SpotEvicted", atSeconds: number) =>
      world.ports.losses.add({
        ...loss,
        ...(reason === "SpotGone" && { jobs: [`of-${nodeName}`] }),
        nodeId: `id-${nodeName}`,
        nodeName,
        eventId: `${reason}:${nodeName}`,
        reason,
        atSeconds,
      });
    await lose("spot-1", "SpotGone", at);
    await lose("spot-1", "SpotEvicted", at + 2);
    await lose("spot-2", "SpotEvicted", at);
    await lose("spot-2", "SpotGone", at + 2);
    await lose("spot-3", "SpotGone", at);
    const shown = async (query: Readonly<Record<string, unknown>>) =>
      (await list(world, query)).events.map(({ text }) => text.replace(/ of .* was lost: /, " "));
    expect(await shown({})).toEqual(["spot-1 SpotEvicted.", "spot-2 SpotEvicted.", "spot-3 SpotGone."]);
    const { events } = await list(world, {});
    expect(events.map(({ loss }) => loss?.jobs)).toEqual([["of-spot-1"], ["of-spot-2"], ["of-spot-3"]]);
    expect(await shown({ until: at + 1 })).toEqual(["spot-2 SpotEvicted.", "spot-3 SpotGone."]);
    expect(await shown({ from: at + 1 })).toEqual(["spot-1 SpotEvicted."]);
  });

  test("drains that the planner asks for are there, a repeat of one once", async () => {
    const nodes = [nodeOf({ name: "htc-1" })];
    const world = worldWith({ nodes });
    world.configure({ engine: { idleTimeoutSeconds: { default: 60, byNodeArray: {} } } });
    const hosts = [{ hostname: "host-htc-1", state: "up" }];
    const post = () => world.post([], { nodes: hosts, capabilities: ["drain"], ttlSeconds: 80_000 });
    await post();
    for (let step = 0; step < 8; step += 1) {
      await world.round();
      world.advance(31);
    }
    const { events } = await list(world, { kind: "drain" });
    expect(events).toMatchObject([
      { nodes: ["htc-1"], by: "the autoscaler", text: "No new jobs there: idle, and about to go." },
    ]);
  });

  test("a store that does not answer undoes no decision", async () => {
    const world = createWorld();
    await world.snapshot();
    const { ports } = world;
    const events = {
      ...ports.events,
      note: () => Promise.reject(new UpstreamError("down", { retryable: true })),
    };
    const decision = { cluster, by: "alice", reason: "upgrade" };
    await pauseCluster({ ...ports, events }, decision);
    expect(world.log.join("\n")).toContain("warn events-not-noted");
    expect((await list(world)).events).toEqual([]);
    await pauseCluster(ports, decision);
    expect((await list(world)).events).toMatchObject([
      { kind: "pause", by: "alice", text: "Paused: upgrade." },
    ]);
  });
});
