import { describe, expect, test } from "vitest";
import { undecided } from "../../../../shared/cycle/control.ts";
import { planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import { ConflictError, UpstreamError } from "../../../../shared/errors/errors.ts";
import { isOpen } from "../../../../shared/ports/index.ts";
import { clusterStatus, lookAhead, nodeViews } from "../../../../shared/views/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { Crash, type CrashPoint, crashingAt, interposed } from "../../../support/crash.ts";
import { DrainingSource } from "../../../support/draining-source.ts";
import { cluster, configOf, jobFor, type World, worldWith } from "../../../support/world.ts";

/** Asked for later than any plan of these worlds, so that none has overtaken it. */
const request = { version: 1, cluster, reason: "test", atSeconds: 4e9 } as const;

/** Two nodes of a scheduler that can drain, idle for so long that the next plan wants them gone. */
async function idleWorld(): Promise<{ readonly world: World; readonly source: DrainingSource }> {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const world = worldWith({ nodes });
  const source = new DrainingSource(world);
  await source.post();
  await world.round();
  world.advance(301);
  await world.snapshot();
  return { world, source };
}

async function drainingWorld(): ReturnType<typeof idleWorld> {
  const { world, source } = await idleWorld();
  await planScale(world.ports, request);
  return { world, source };
}

/** A minute of an undisturbed cycle in which the scheduler hears and reports. */
async function calmMinute(world: World, source: DrainingSource): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    source.hear();
    await source.post();
    await world.round();
    world.cycleCloud.settle();
    world.advance(29);
  }
}

const told = (source: DrainingSource) =>
  source.events
    .filter(({ kind }) => kind === "drain" || kind === "undrain")
    .map(({ kind, nodes }) => `${kind} ${nodes.map(({ name }) => name).join(" ")}`);
const staying = (world: World) =>
  world.cycleCloud.nodes.filter((node) => node.targetState === "Started").map((node) => node.name);
const lastMessages = async (world: World) =>
  (await world.ports.operations.recent(cluster, 1)).flatMap((operation) => operation.messages);

describe("draining: the usual way", () => {
  test("idle nodes are drained, reported, and deleted", async () => {
    const { world, source } = await drainingWorld();
    expect(world.ports.scaleActions.waiting).toEqual([]);
    expect(told(source)).toEqual(["drain htc-1 htc-2"]);
    source.hear();
    await source.post();
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(staying(world)).toEqual([]);
  });

  test("a report asks for the plan that deletes", async () => {
    const { world, source } = await drainingWorld();
    await world.plan();
    source.hear();
    await source.post();
    world.advance(1);
    expect(await world.plan()).toBe(1);
    expect(world.ports.scaleActions.waiting).toMatchObject([
      { cause: "idle-timeout", nodes: [{ drain: { isTimedOut: false } }, { drain: { isTimedOut: false } }] },
    ]);
  });

  test("a source that cannot drain loses its nodes as before", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    await world.post([], { ttlSeconds: 10_000, nodes: [{ hostname: "host-htc-1" }] });
    await world.round();
    world.advance(301);
    await world.round();
    expect(staying(world)).toEqual([]);
  });

  test("the status shows what drains, and what a source can do", async () => {
    const { world } = await drainingWorld();
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({
      draining: [
        { name: "htc-1", phase: "draining", sinceSeconds: world.now() },
        { name: "htc-2", phase: "draining" },
      ],
      demand: [{ source: "celery", capabilities: ["drain"] }],
      nextDeadlineSeconds: world.now() + 30,
    });
  });

  test("the page of a node tells that it drains, or is being taken back", async () => {
    const { world, source } = await drainingWorld();
    const drainOf = async () => {
      const outlook = await lookAhead(world.ports, cluster);
      if (outlook === undefined) throw new Error("no outlook");
      const views = nodeViews(outlook);
      return views.present().map((subject) => views.viewOf(subject).draining?.reason);
    };
    expect(await drainOf()).toEqual([expect.stringMatching(/^idle/), expect.stringMatching(/^idle/)]);
    source.hear();
    await source.post([jobFor(1)]);
    await planScale(world.ports, request);
    expect(await drainOf()).toEqual([
      expect.stringMatching(/^was wanted again/),
      expect.stringMatching(/^idle/),
    ]);
  });

  test("a held plan drains nothing; once it is held no more, it does", async () => {
    const { world, source } = await idleWorld();
    world.configure({ cycle: { readOnly: true } });
    await planScale(world.ports, request);
    expect(told(source)).toEqual([]);
    expect((await clusterStatus(world.ports, cluster))?.draining).toEqual([]);
    world.configure({});
    await planScale(world.ports, request);
    expect(told(source)).toEqual(["drain htc-1 htc-2"]);
  });
});

describe("draining: by an operator's wish, or a scheduler's own making", () => {
  /** A node that jobs would fit on, and that an operator wants drained. */
  async function wishedWorld() {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    const source = new DrainingSource(world);
    await source.post();
    await world.round();
    const wish = { nodeId: nodeOf({ name: "htc-1" }).nodeId, name: "htc-1" };
    const drainedNodes = [{ ...wish, by: "alice", reason: "disk", atSeconds: world.now() }];
    const decide = async (nodes: typeof drainedNodes) => {
      const control = { ...undecided(cluster), drainedNodes: nodes };
      await world.ports.controls.save(control, (await world.ports.controls.load(cluster))?.etag);
    };
    await decide(drainedNodes);
    return { world, source, decide };
  }
  const newNodes = async ({ ports }: World) => (await ports.plans.loadHead(cluster))?.value.create;

  test("a node that an operator drained is not taken back for a job, and goes when it is idle", async () => {
    const { world, source } = await wishedWorld();
    const job = jobFor(1, { executingHostnames: ["host-htc-1"] });
    for (let minute = 0; minute < 20; minute += 1) {
      source.hear();
      // The other job starts as soon as its node is up.
      const others = world.cycleCloud.nodes.flatMap(({ name, status, hostname }) =>
        name !== "htc-1" && status === "Ready" && hostname !== null ? [hostname] : [],
      );
      const other = jobFor(1, { name: "other", executingHostnames: others });
      await source.post([job, other], ["host-htc-1", ...others]);
      world.advance(29);
      await world.round();
      world.cycleCloud.settle();
    }
    expect(told(source)).toEqual(["drain htc-1"]);
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    for (let minute = 0; minute < 8; minute += 1) await calmMinute(world, source);
    expect(staying(world)).toEqual([]);
    expect(told(source)).not.toContain("undrain htc-1");
  });

  test("it is taken back when the operator says so", async () => {
    const { world, source, decide } = await wishedWorld();
    world.advance(1);
    await planScale(world.ports, request);
    source.hear();
    await source.post();
    expect(source.takesJobs("host-htc-1")).toBe(false);
    await decide([]);
    world.advance(1);
    await planScale(world.ports, request);
    source.hear();
    await source.post();
    world.advance(1);
    await planScale(world.ports, request);
    expect(told(source)).toEqual(["drain htc-1", "undrain htc-1"]);
    expect(source.takesJobs("host-htc-1")).toBe(true);
    expect((await clusterStatus(world.ports, cluster))?.draining).toEqual([]);
  });

  test("a node that somebody drained in the scheduler goes when it is idle, and keeps their words till then", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    const stateSince = new Date((world.now() - 60) * 1000).toISOString();
    const words = { stateReason: "broken disk", stateBy: "root", stateSince };
    const post = () =>
      world.post([], {
        capabilities: ["drain"],
        nodes: [{ hostname: "host-htc-1", state: "drained", ...words }],
        ttlSeconds: 10_000,
      });
    const drainedAtSeconds = world.now() - 60;
    await post();
    await world.round();
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({
      draining: [
        {
          name: "htc-1",
          phase: "draining",
          by: "root",
          why: "broken disk",
          source: "celery",
          sinceSeconds: drainedAtSeconds,
          toldSeconds: null,
        },
      ],
    });
    world.advance(301);
    await world.round();
    expect(staying(world)).toEqual(["htc-1"]);
    await post();
    world.advance(1);
    await world.round();
    expect(staying(world)).toEqual(["htc-1"]);
    world.advance(30);
    await post();
    world.advance(1);
    await world.round();
    expect(staying(world)).toEqual([]);
    expect(world.ports.schedulerEvents.of("celery").filter(({ kind }) => kind === "drain")).toEqual([]);
  });

  test("a node that its scheduler holds for maintenance stays while that lasts, and says so", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    const post = (word: Readonly<Record<string, unknown>>) =>
      world.post([], {
        capabilities: ["drain"],
        nodes: [{ hostname: "host-htc-1", ...word }],
        ttlSeconds: 600,
      });
    const maintenance = { state: "draining", stateReason: "state MAINTENANCE" };
    const shown = async () => {
      const outlook = await lookAhead(world.ports, cluster);
      if (outlook === undefined) throw new Error("no outlook");
      const views = nodeViews(outlook);
      return views.present().map((subject) => {
        const { draining, deleteAtSeconds } = views.viewOf(subject);
        return [draining?.reason, deleteAtSeconds];
      });
    };
    for (let minute = 0; minute < 60; minute += 1) {
      await post(maintenance);
      await world.round();
      world.advance(60);
    }
    expect(staying(world)).toEqual(["htc-1"]);
    expect(await shown()).toEqual([
      ["drained by somebody in celery: state MAINTENANCE; it is not deleted while that lasts", null],
    ]);
    await post({ state: "up" });
    await world.round();
    expect(staying(world)).toEqual(["htc-1"]);
    expect(world.ports.schedulerEvents.of("celery").map(({ kind }) => kind)).toContain("drain");
    for (let minute = 0; minute < 7; minute += 1) {
      world.advance(60);
      await post({ state: "up" });
      await world.round();
    }
    expect(staying(world)).toEqual([]);
  });

  describe("and taken back by whoever drained it", () => {
    /** A node that is out by its scheduler's own making, and has been idle for as long as it may. */
    async function outAndIdle() {
      const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
      const post = (state: string) =>
        world.post([], {
          capabilities: ["drain"],
          nodes: [{ hostname: "host-htc-1", state }],
          ttlSeconds: 10_000,
        });
      await post("drained");
      await world.round();
      world.advance(301);
      await world.round();
      return { world, post };
    }

    test("before the plan that deletes it: it is asked to drain like any other", async () => {
      const { world, post } = await outAndIdle();
      await post("up");
      world.advance(1);
      await world.round();
      const events = world.ports.schedulerEvents.of("celery");
      expect(events.filter(({ kind }) => kind === "drain")).toHaveLength(1);
      expect(staying(world)).toEqual(["htc-1"]);
    });

    test("after that plan: the second look drops the deletion", async () => {
      const { world, post } = await outAndIdle();
      world.advance(31);
      await post("drained");
      world.advance(1);
      await world.plan();
      expect(world.ports.scaleActions.waiting).toHaveLength(1);
      await post("up");
      await world.execute();
      expect(staying(world)).toEqual(["htc-1"]);
      expect(await lastMessages(world)).toEqual(["htc-1 is not drained"]);
    });
  });

  test.each([
    ["that is out by its scheduler's own making gets no jobs", { state: "drained" }, 1],
    ["that is out by an event is taken back for a job", { state: "drained", eventAtSeconds: 5 }, 0],
    ["that is up gets the job", { state: "up" }, 0],
  ])("a node %s", async (_, word, expected) => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    const nodes = [{ hostname: "host-htc-1", ...word }];
    await world.post([jobFor(1)], { capabilities: ["drain"], nodes });
    await world.round();
    expect(await newNodes(world)).toBe(expected);
  });
});

describe("draining: a job comes meanwhile", () => {
  test("one that is to run there keeps its node, which is taken back", async () => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post([jobFor(1)]);
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(told(source)).toEqual(["drain htc-1 htc-2", "undrain htc-1"]);
    expect(staying(world)).toEqual(["htc-1"]);
    source.hear();
    expect(source.takesJobs("host-htc-1")).toBe(true);
  });

  test("one that started before the event came keeps its node", async () => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post([jobFor(1, { executingHostnames: ["host-htc-2"] })], ["host-htc-2"]);
    world.advance(1);
    await world.plan();
    await world.execute();
    expect(told(source).at(-1)).toBe("undrain htc-2");
    expect(staying(world)).toEqual(["htc-2"]);
  });

  test("a node that was taken back is drained anew when it is idle again, and what was said before does not count", async () => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post([jobFor(2)]);
    world.advance(1);
    await world.plan();
    source.hear();
    await source.post();
    const [stale] = source.events;
    for (const seconds of [1, 301, 1]) {
      world.advance(seconds);
      await world.snapshot();
      await planScale(world.ports, request);
    }
    expect(told(source)).toEqual(["drain htc-1 htc-2", "undrain htc-1 htc-2", "drain htc-1 htc-2"]);
    if (stale !== undefined) source.hearAgain(stale);
    expect(source.takesJobs("host-htc-1")).toBe(true);
    await source.post();
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toEqual([]);
  });

  test("a job that lands when the deletion is on its way: it is dropped as stale, and the node taken back", async () => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post();
    world.advance(1);
    await world.plan();
    // By hand, behind our back.
    await world.post([jobFor(2, { executingHostnames: ["host-htc-1", "host-htc-2"] })], {
      capabilities: ["drain"],
      nodes: [{ hostname: "host-htc-1" }, { hostname: "host-htc-2" }],
    });
    await world.execute();
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    expect(await lastMessages(world)).toEqual(["htc-1 runs a job now", "htc-2 runs a job now"]);
    world.advance(1);
    await planScale(world.ports, request);
    expect(told(source).at(-1)).toBe("undrain htc-1 htc-2");
  });

  test.each<[string, Record<string, unknown>]>([
    ["takes jobs again", { state: "up", eventAtSeconds: 3e9 }],
    ["is drained by hand only", { state: "drained" }],
    ["obeys an earlier event", { state: "drained", eventAtSeconds: 5 }],
  ])("a node that %s when its deletion is carried out is dropped as stale", async (_case, word) => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post();
    world.advance(1);
    await world.plan();
    const nodes = [{ hostname: "host-htc-1", ...word }, ...source.report().slice(1)];
    await world.post([], { capabilities: ["drain"], nodes });
    await world.execute();
    expect(staying(world)).toEqual(["htc-1"]);
    expect(await lastMessages(world)).toEqual(["htc-1 is not drained"]);
  });

  test("a node that a scheduler began to list after the plan is dropped as stale, and drained", async () => {
    const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
    const source = new DrainingSource(world);
    await world.round();
    world.advance(301);
    await world.snapshot();
    await planScale(world.ports, request);
    await source.post();
    await world.execute();
    expect(staying(world)).toEqual(["htc-1"]);
    world.advance(1);
    await world.plan();
    expect(told(source)).toEqual(["drain htc-1"]);
  });
});

describe("draining: no answer", () => {
  test("events are sent again every 30 s, with the same time, until the node goes after drain_timeout", async () => {
    const { world, source } = await drainingWorld();
    const [first] = source.events;
    for (let seconds = 0; seconds < 310; seconds += 10) {
      world.advance(10);
      await source.post();
      await world.round();
    }
    expect(source.events.every(({ atSeconds }) => atSeconds === first?.atSeconds)).toBe(true);
    expect(source.events.length).toBeGreaterThan(8);
    expect(source.events.length).toBeLessThan(12);
    expect(staying(world)).toEqual([]);
    expect(world.log.filter((line) => line.includes("drain-timed-out"))).toEqual([
      expect.stringMatching(/^warn drain-timed-out .*"nodes":2/),
    ]);
  });

  test("the clock alone is enough: the snapshots ask for the plans", async () => {
    const { world, source } = await drainingWorld();
    await world.plan();
    for (const seconds of [29, 270]) {
      world.advance(seconds);
      await world.snapshot();
      world.advance(1);
      expect(await world.plan()).toBe(1);
    }
    await world.execute();
    expect(told(source)).toHaveLength(2);
    expect(staying(world)).toEqual([]);
  });

  test("a lost undrain is sent again, so that the node is not out for ever", async () => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post([jobFor(2)]);
    world.advance(1);
    await world.plan();
    source.miss();
    expect(source.takesJobs("host-htc-1")).toBe(false);
    for (let round = 0; round < 4; round += 1) {
      await source.post([jobFor(2)]);
      await world.round();
      world.advance(10);
      source.hear();
    }
    expect(source.takesJobs("host-htc-1")).toBe(true);
    await source.post([jobFor(2)]);
    await world.round();
    expect((await clusterStatus(world.ports, cluster))?.draining).toEqual([]);
  });

  test("a source that falls silent while its nodes drain loses them after drain_timeout, not before", async () => {
    const { world, source } = await drainingWorld();
    await world.post([], { capabilities: ["drain"], nodes: source.report(), ttlSeconds: 1 });
    world.advance(200);
    await world.round();
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    world.advance(100);
    await world.round();
    expect(staying(world)).toEqual([]);
  });

  test("a node that is being taken back when its source falls silent is told the same everywhere, until it goes", async () => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post([jobFor(2)]);
    world.advance(1);
    await world.plan();
    await world.post([], { capabilities: ["drain"], nodes: source.report(), ttlSeconds: 1 });
    world.advance(10);
    await world.round();
    world.ports.configs.put(configOf({ engine: { idleTimeoutSeconds: { default: 10, byNodeArray: {} } } }));
    world.advance(200);
    await world.snapshot();
    const outlook = await lookAhead(world.ports, cluster);
    if (outlook === undefined) throw new Error("The cluster is configured");
    const views = nodeViews(outlook);
    const shown = views.present().map((subject) => views.viewOf(subject));
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.draining.map(({ phase }) => phase)).toEqual(["undraining", "undraining"]);
    expect(shown.map(({ draining }) => draining)).toEqual(
      status?.draining.map(({ phase, sinceSeconds, why }) => ({ phase, sinceSeconds, reason: why })),
    );
    expect(shown.map(({ deleteAtSeconds }) => deleteAtSeconds)).toEqual(
      status?.draining.map(({ sinceSeconds }) => (sinceSeconds ?? 0) + 300),
    );
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
  });

  test("a queue that refuses us does not stop the plan", async () => {
    const { world, source } = await idleWorld();
    const refusing = interposed(world.ports, { port: "schedulerEvents", method: "send" }, async () => {
      throw new UpstreamError("Cannot send: HTTP 403", { retryable: false, status: 403 });
    });
    await planScale(refusing, request);
    expect(world.log.filter((line) => line.startsWith("warn events-not-sent"))).toHaveLength(1);
    world.advance(30);
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(told(source)).toEqual(["drain htc-1 htc-2"]);
  });
});

test("draining: a node that never came up is not drained, and its schedulers learn that it is given up", async () => {
  const stuck = nodeOf({ name: "htc-1", status: "Preparing", hostname: null });
  const world = worldWith({ nodes: [stuck] });
  const source = new DrainingSource(world);
  await source.post();
  await world.round();
  world.advance(1_801);
  await world.round();
  world.cycleCloud.settle();
  expect(world.cycleCloud.nodes).toEqual([]);
  expect(source.events).toMatchObject([
    {
      kind: "boot-timeout",
      source: "celery",
      nodes: [{ nodeId: "id-htc-1", name: "htc-1", hostname: null }],
    },
  ]);
});

const sites: readonly Omit<CrashPoint, "when">[] = [
  { port: "plans", method: "saveHead" },
  { port: "plans", method: "archive" },
  { port: "operations", method: "save" },
  { port: "schedulerEvents", method: "send" },
  { port: "scaleActions", method: "send" },
  { port: "history", method: "save" },
];
const points = sites.flatMap((site) =>
  (["before", "after"] as const).map((when): CrashPoint => ({ ...site, when })),
);

describe("draining: a run that dies", () => {
  /** What the scheduler heard, whatever it was sent how often; nodes gone, nothing left over. */
  async function expectGone(world: World, source: DrainingSource): Promise<void> {
    for (let minute = 0; minute < 4; minute += 1) await calmMinute(world, source);
    expect(world.cycleCloud.nodes).toEqual([]);
    expect(world.cycleCloud.calls).toEqual(["shutdown"]);
    expect((await world.ports.operations.recent(cluster, 100)).filter(isOpen)).toEqual([]);
    expect((await clusterStatus(world.ports, cluster))?.draining).toEqual([]);
    expect(new Set(source.events.map(({ atSeconds, kind }) => `${kind} ${atSeconds}`)).size).toBe(2);
  }

  test.each(points)("$when $port.$method, when it drains: they go, once", async (point) => {
    const { world, source } = await idleWorld();
    await planScale(crashingAt(world.ports, point), request).catch(() => undefined);
    await expectGone(world, source);
  });

  test.each(points)("$when $port.$method, when it deletes: they go, once", async (point) => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post();
    await planScale(crashingAt(world.ports, point), request).catch(() => undefined);
    await expectGone(world, source);
  });

  test.each(points)("$when $port.$method, when it takes back: they stay, and take jobs", async (point) => {
    const { world, source } = await drainingWorld();
    source.hear();
    await source.post([jobFor(2)]);
    await planScale(crashingAt(world.ports, point), request).catch(() => undefined);
    for (let round = 0; round < 6; round += 1) {
      source.hear();
      await source.post([jobFor(2)]);
      await world.round();
      world.advance(9);
    }
    expect(staying(world)).toEqual(["htc-1", "htc-2"]);
    expect(["host-htc-1", "host-htc-2"].map((name) => source.takesJobs(name))).toEqual([true, true]);
    expect((await clusterStatus(world.ports, cluster))?.draining).toEqual([]);
    expect(world.cycleCloud.calls).toEqual([]);
  });

  test("before the boot-timeout is told: the next run tells it", async () => {
    const stuck = nodeOf({ name: "htc-1", status: "Preparing", hostname: null });
    const world = worldWith({ nodes: [stuck] });
    const source = new DrainingSource(world);
    await source.post();
    await world.round();
    world.advance(1_801);
    await world.snapshot();
    const crash = { port: "schedulerEvents", method: "send", when: "before" } as const;
    await expect(planScale(crashingAt(world.ports, crash), request)).rejects.toThrow(Crash);
    await planScale(world.ports, request);
    expect(source.events.map(({ kind }) => kind)).toEqual(["boot-timeout"]);
  });
});

test("draining: of two planners, only the one that wins tells anybody", async () => {
  const { world, source } = await idleWorld();
  const overtaken = interposed(world.ports, { port: "plans", method: "saveHead" }, async (call) => {
    await planScale(world.ports, request);
    return call();
  });
  await expect(planScale(overtaken, request)).rejects.toThrow(ConflictError);
  expect(told(source)).toEqual(["drain htc-1 htc-2"]);
});
