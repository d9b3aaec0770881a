import { describe, expect, test } from "vitest";
import { eventsQuery } from "../../../../shared/api/index.ts";
import { decideOnUnhealthy, type UnhealthyFacts } from "../../../../shared/cycle/plan/unhealthy-nodes.ts";
import { type ClusterNode, defaultSettings } from "../../../../shared/engine/index.ts";
import type { SourceDemand, UnhealthySettings } from "../../../../shared/ports/index.ts";
import { clusterStatus, listEvents } from "../../../../shared/views/index.ts";
import { clusterOf, emptyPlan, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { cluster, configOf, type World, worldWith } from "../../../support/world.ts";

const nhc = "NHC: check_fs_mount: /scratch not mounted";
const usual: UnhealthySettings = configOf({}).cycle.unhealthyNodes;
const replacing: UnhealthySettings = { ...usual, policy: { default: "replace", byNodeArray: {} } };

type Listed = SourceDemand["nodes"][number];

/** A host out of service, as an agent lists it. */
const out = (name: string, fields: Partial<Listed> = {}): Listed => ({
  hostname: `host-${name}`,
  resources: {},
  state: "drained",
  stateReason: nhc,
  ...fields,
});

const now = 1_000_000;

function decided(
  nodes: readonly Listed[],
  {
    unhealthyNodes = replacing,
    there = ["htc-1", "htc-2", "htc-3", "htc-4"].map((name) => nodeOf({ name })),
    ...given
  }: Partial<UnhealthyFacts> & {
    readonly unhealthyNodes?: UnhealthySettings;
    readonly there?: readonly ClusterNode[];
    readonly isSilent?: boolean;
  } = {},
) {
  const source: SourceDemand = {
    cluster,
    source: "slurm",
    sequence: 1,
    receivedAtSeconds: now,
    expiresAtSeconds: given.isSilent === true ? now - 1 : now + 300,
    ignoredMessages: 0,
    jobs: [],
    capabilities: ["drain"],
    nodes: [...nodes],
  };
  const idle = there.map(({ nodeId, name, nodeArray, hostname }) => {
    return { nodeId, name, nodeArray, hostname, cause: "idle-timeout", sinceSeconds: 0 } as const;
  });
  const made = decideOnUnhealthy(
    { ...emptyPlan, retire: idle },
    {
      config: { engine: defaultSettings, cycle: configOf({ cycle: { unhealthyNodes } }).cycle },
      before: undefined,
      snapshot: { cluster: clusterOf({ nodes: there, nodeArrays: [nodeArrayOf()] }) },
      demand: [source],
      history: [],
      leavingNodeIds: [],
      isSent: true,
      nowSeconds: now,
      ...given,
    },
  );
  const goes = (cause: string) =>
    made.plan.retire.flatMap((each) => (each.cause === cause ? [each.name] : []));
  const waits = made.unhealthy.map(({ name, waitsFor = "nothing" }) => `${name} ${waitsFor}`);
  return { ...made, unhealthyGo: goes("unhealthy"), idleGo: goes("idle-timeout"), waits };
}

describe("which nodes are unhealthy", () => {
  test.each<[string, Partial<Listed>, boolean]>([
    ["a reason of NHC", {}, true],
    ["in other letters", { stateReason: "nhc: check_hw_mem" }, true],
    ["a reason of healthagent", { stateReason: "Healthcheck failures. Run 'health -s'" }, true],
    ["a person's reason", { stateReason: "bad switch port (ann)" }, false],
    ["no reason", { stateReason: undefined }, false],
    ["a node that is up, with a reason that was left behind", { state: "up" }, false],
    ["our own drain", { eventAtSeconds: now - 100 }, false],
  ])("%s", (_, fields, isUnhealthy) => {
    expect(decided([out("htc-1", fields)]).waits).toEqual(isUnhealthy ? ["htc-1 nothing"] : []);
  });

  test("a long reason is cut", () => {
    const [node] = decided([out("htc-1", { stateReason: nhc.padEnd(300, "!") })]).unhealthy;
    expect(node?.why).toBe(nhc.padEnd(200, "!"));
  });

  test("not one whose reason is of the machine that had the name before", () => {
    const row = {
      nodeId: "id-htc-1",
      name: "htc-1",
      hostname: "host-htc-1",
      instanceId: null,
      nodeArray: "htc",
      vmSize: "Standard_F4s_v2",
      createdSeconds: now - 60,
      readySeconds: now,
      lastMatchSeconds: null,
      deletedSeconds: null,
    };
    const said = (atSeconds: number) =>
      decided([out("htc-1", { stateSince: new Date(atSeconds * 1_000).toISOString() })], { history: [row] });
    expect(said(now - 90).unhealthy).toEqual([]);
    expect(said(now - 60).unhealthyGo).toEqual(["htc-1"]);
  });
});

describe("what becomes of them", () => {
  test.each<
    [UnhealthySettings["policy"]["default"], { unhealthy: string[]; idle: string[]; events: string[] }]
  >([
    ["report", { unhealthy: [], idle: ["htc-1", "htc-2"], events: ["node-unhealthy"] }],
    ["keep", { unhealthy: [], idle: ["htc-2"], events: [] }],
    ["replace", { unhealthy: ["htc-1"], idle: ["htc-2"], events: ["node-unhealthy", "node-replaced"] }],
  ])("%s", (policy, wanted) => {
    const unhealthyNodes = { ...usual, policy: { default: policy, byNodeArray: {} } };
    const there = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
    const { unhealthyGo, idleGo, events } = decided([out("htc-1")], { unhealthyNodes, there });
    expect({ unhealthy: unhealthyGo, idle: idleGo, events: events.map(({ kind }) => kind) }).toEqual(wanted);
  });

  test("the policy is that of the node array", () => {
    const unhealthyNodes = {
      ...usual,
      policy: { default: "keep", byNodeArray: { htc: "replace" } },
    } as const;
    expect(decided([out("htc-1")], { unhealthyNodes }).unhealthyGo).toEqual(["htc-1"]);
  });

  test("at most so many at a time: the others wait, and stay however long they are idle", () => {
    const { waits, unhealthyGo, idleGo, replaced } = decided(
      ["htc-1", "htc-2", "htc-3"].map((name) => out(name)),
    );
    expect(waits).toEqual(["htc-1 nothing", "htc-2 nothing", "htc-3 at-once"]);
    expect([unhealthyGo, idleGo]).toEqual([["htc-1", "htc-2"], ["htc-4"]]);
    expect(replaced.map(({ name, why }) => [name, why])).toEqual([
      ["htc-1", nhc],
      ["htc-2", nhc],
    ]);
  });

  test("at most so many in a day, and the limit ends a day after the first of them", () => {
    const gone = Array.from({ length: 9 }, (_, index) => {
      return {
        nodeId: `gone-${index}`,
        name: `gone-${index}`,
        nodeArray: "htc",
        why: nhc,
        atSeconds: now - 3_600 + index,
      };
    });
    const before = { replaced: gone };
    const both = [out("htc-1"), out("htc-2")];
    const { waits, lookSeconds, unhealthyGo } = decided(both, { before });
    expect([waits, unhealthyGo]).toEqual([["htc-1 nothing", "htc-2 per-day"], ["htc-1"]]);
    expect(lookSeconds).toBe(now - 3_600 + 86_400);
    const later = decided(both, {
      before: { replaced: gone.map((each) => ({ ...each, atSeconds: now - 86_400 })) },
    });
    expect(later.unhealthyGo).toEqual(["htc-1", "htc-2"]);
  });

  test.each<[string, Partial<Listed>, Partial<ClusterNode>, string]>([
    ["jobs are there", { state: "draining" }, {}, "htc-1 jobs"],
    ["it is kept alive", {}, { keepAlive: true }, "htc-1 keep-alive"],
  ])("not while %s", (_, listed, node, wanted) => {
    const { waits, unhealthyGo, replaced } = decided([out("htc-1", listed)], {
      there: [nodeOf({ name: "htc-1", ...node })],
    });
    expect([waits, unhealthyGo, replaced]).toEqual([[wanted], [], []]);
  });

  test("one that CycleCloud is deleting counts until it is gone, and for a day", () => {
    const { replaced } = decided([out("htc-1")]);
    const limits = { ...replacing, mostAtOnce: 1, mostPerDay: 1 };
    const going = nodeOf({ name: "htc-1", targetState: "Terminated", status: "Terminating" });
    const there = [going, nodeOf({ name: "htc-2" })];
    const later = decided([out("htc-2")], { unhealthyNodes: limits, there, before: { replaced } });
    expect([later.waits, later.replaced]).toEqual([["htc-2 at-once"], replaced]);
    const gone = decided([out("htc-2")], {
      unhealthyNodes: limits,
      there: there.slice(1),
      before: { replaced },
    });
    expect(gone.waits).toEqual(["htc-2 per-day"]);
  });

  test("one that is healthy again stays, and no longer counts", () => {
    const { replaced } = decided([out("htc-1")]);
    const again = decided([out("htc-1", { state: "up" })], { before: { replaced } });
    expect([again.unhealthyGo, again.replaced]).toEqual([[], []]);
  });

  test("while its scheduler is silent nothing is known of it, and nothing is done", () => {
    const { replaced, unhealthy } = decided([out("htc-1")]);
    const silent = decided([out("htc-1")], { before: { replaced, unhealthy }, isSilent: true });
    expect([silent.waits, silent.unhealthyGo, silent.replaced]).toEqual([["htc-1 source"], [], replaced]);
    expect(silent.events).toEqual([]);
  });

  test("one that its scheduler lists no more, such as one that stopped answering, is replaced all the same", () => {
    const { unhealthy } = decided([out("htc-1")], { isSent: false });
    const { waits, unhealthyGo } = decided([], { before: { unhealthy } });
    expect([waits, unhealthyGo]).toEqual([["htc-1 nothing"], ["htc-1"]]);
  });

  test("one of a source that is silent for good is replaced", () => {
    const { unhealthy } = decided([out("htc-1")], { isSent: false });
    const demand = [] as const;
    const { waits, unhealthyGo } = decided([], { before: { unhealthy }, demand });
    expect([waits, unhealthyGo]).toEqual([["htc-1 nothing"], ["htc-1"]]);
  });

  test("a plan that is not sent replaces nothing that would have to be remembered", () => {
    expect(decided([out("htc-1")], { isSent: false }).replaced).toEqual([]);
  });
});

describe("the cycle", () => {
  const nodes = (state: "up" | "draining" | "drained") => ({
    capabilities: ["drain"],
    ttlSeconds: 10_000,
    nodes: [
      { hostname: "host-htc-1", state, ...(state === "up" ? {} : { stateReason: nhc, stateBy: "root" }) },
      { hostname: "host-htc-2", state: "up" },
    ],
  });
  const runs = {
    name: "runs",
    iterations: 1,
    constraints: [{ ncpus: 4 }],
    executingHostnames: ["host-htc-1"],
  };
  const waits = { name: "waits", iterations: 2, constraints: [{ ncpus: 4 }] };

  async function says(
    world: World,
    jobs: readonly Record<string, unknown>[],
    state: "up" | "draining" | "drained",
  ) {
    world.advance(45);
    await world.post(jobs, nodes(state));
    await world.round();
  }
  const names = (world: World) =>
    world.cycleCloud.nodes.map(({ name, targetState }) => `${name} ${targetState}`).sort();

  function worldOf(): World {
    const there = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
    const world = worldWith({ nodes: there });
    world.configure({ cycle: { unhealthyNodes: replacing } });
    return world;
  }

  test("a node is replaced once its job has ended, demand buys what it needs, and what was is found", async () => {
    const world = worldOf();
    await says(world, [runs], "up");
    await says(world, [runs, waits], "draining");
    await says(world, [runs, waits], "draining");
    expect(names(world)).toContain("htc-1 Started");
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.problems.find(({ kind }) => kind === "nodes-unhealthy")).toEqual({
      gravity: "degraded",
      kind: "nodes-unhealthy",
      text: `1 node is out of service by health checks (htc-1): ${nhc}. Of them: 1 still in use.`,
      next: "All of them: `ccscale nodes --held`; one: `ccscale events --node htc-1`.",
    });
    // Two jobs wait, and only htc-2 takes one: the other's node does not wait until htc-1 is gone.
    expect(names(world)).toEqual(["htc-1 Started", "htc-2 Started", "htc-3 Started"]);
    await says(world, [waits], "drained");
    await says(world, [waits], "drained");
    expect(names(world)).toContain("htc-1 Terminated");
    const query = eventsQuery.parse({ node: "htc-1" });
    const { events } = await listEvents(world.ports, cluster, query);
    const found = events.flatMap(({ kind, text, by }) =>
      kind.startsWith("node-") ? [`${kind} ${by}: ${text}`] : [],
    );
    expect(found).toContain(
      `node-unhealthy slurm: Out of service by a health check: ${nhc}.`.replace("slurm", "celery"),
    );
    expect(found).toContain(`node-replaced the autoscaler: Unhealthy, and replaced: ${nhc}.`);
  });

  test("a job that starts there between the plan and its execution keeps the node", async () => {
    const world = worldOf();
    await says(world, [], "drained");
    world.advance(45);
    await world.post([], nodes("drained"));
    await world.snapshot();
    world.advance(1);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toMatchObject([{ kind: "shutdown-nodes", cause: "unhealthy" }]);
    await world.post([runs], nodes("up"));
    await world.execute();
    expect(names(world)).toContain("htc-1 Started");
  });

  test("one that its health check resumes before it goes stays", async () => {
    const world = worldOf();
    await says(world, [], "drained");
    await says(world, [], "up");
    await says(world, [runs], "up");
    await says(world, [runs], "up");
    expect(names(world)).toContain("htc-1 Started");
  });

  test("with report it is shown, and goes when it is idle like any other", async () => {
    const world = worldOf();
    world.configure({});
    await says(world, [], "drained");
    await says(world, [], "drained");
    expect(names(world)).toContain("htc-1 Started");
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.problems.map(({ text }) => text)).toContain(
      `1 node is out of service by health checks (htc-1): ${nhc}. Of them: 1 left until idle.`,
    );
  });
});
