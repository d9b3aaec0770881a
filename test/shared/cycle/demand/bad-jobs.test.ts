import { describe, expect, test } from "vitest";
import { doubtsOf } from "../../../../shared/cycle/doubts.ts";
import { requestStop } from "../../../../shared/operate/index.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

type Job = Readonly<Record<string, unknown>>;

const idleTimeoutSeconds = { default: 300, byNodeArray: {} };
const runs = (name: string, hostname: unknown, fields: Job = {}): Job => ({
  name,
  constraints: { ncpus: 4 },
  executingHostnames: [hostname],
  ...fields,
});
/** Does not check out, and says where it runs. */
const runsBadly = (name: string, hostname: unknown) => runs(name, hostname, { priority: "high" });

/** A world in which `count` nodes are up, and their host names. */
async function withNodesUp(
  count: number,
  fields: Job = {},
): Promise<{ readonly world: World; readonly hosts: readonly string[] }> {
  const world = createWorld();
  world.configure({ engine: { idleTimeoutSeconds } });
  const jobs = Array.from({ length: count }, (_, index) => ({
    name: `job-${index}`,
    constraints: { ncpus: 4 },
  }));
  await world.post(jobs, fields);
  await world.settle();
  const hosts = upIn(world);
  expect(hosts).toHaveLength(count);
  return { world, hosts };
}

/** Host names of nodes that nobody asked to go. */
function upIn({ cycleCloud }: World): readonly string[] {
  const up = cycleCloud.nodes.filter(({ targetState }) => targetState === "Started");
  return up.flatMap(({ hostname }) => hostname ?? []).sort();
}

/** Posts and passes, four a minute. */
async function pass(world: World, post: (seconds: number) => unknown, forSeconds = 900): Promise<void> {
  for (let seconds = 0; seconds < forSeconds; seconds += 15) {
    await post(seconds);
    world.advance(14);
    await world.round();
  }
}

/** What a source posts next that can drain, and lists the hosts as it is told. */
const drains = (nodes: readonly Job[]) => ({ capabilities: ["drain"], nodes });

describe("one bad job", () => {
  test.each([0, 600])(
    "busy nodes stay when a user queues a job that does not check out (drain time-out %i s)",
    async (drainTimeoutSeconds) => {
      const { world, hosts } = await withNodesUp(5);
      world.configure({ engine: { idleTimeoutSeconds }, cycle: { drainTimeoutSeconds } });
      const all = hosts.map((host, index) => runs(`run-${index}`, host));
      await pass(world, (seconds) =>
        world.post(
          seconds < 75 ? all.slice(0, 3) : [...all, { name: "a|b", constraints: { ncpus: "4 | 8" } }],
        ),
      );
      expect(upIn(world)).toEqual(hosts);
    },
  );

  test("its own hosts keep their nodes, and nothing is bought for it", async () => {
    const { world, hosts } = await withNodesUp(2);
    await pass(world, () =>
      world.post([runsBadly("a", hosts[0]), { ...runs("b", hosts[1]), nodeCount: "x" }]),
    );
    expect(upIn(world)).toEqual(hosts);
    expect(world.cycleCloud.nodes).toHaveLength(2);
  });

  test("that can be read in part: a host that is none costs the others nothing", async () => {
    const { world, hosts } = await withNodesUp(2);
    await pass(world, () => world.post([{ ...runs("a", ""), executingHostnames: [...hosts, 5, ""] }]));
    expect(upIn(world)).toEqual(hosts);
  });

  test("runs on for a day on its hosts after its source fell silent, and no longer", async () => {
    const { world, hosts } = await withNodesUp(2);
    await world.post([runsBadly("a", hosts[0])]);
    await pass(world, () => undefined);
    expect(upIn(world)).toEqual([hosts[0]]);
    world.advance(86_400);
    await pass(world, () => undefined);
    expect(upIn(world)).toEqual([]);
  });

  test("of which nobody can tell where it runs keeps all nodes, while its source posts it", async () => {
    const { world, hosts } = await withNodesUp(2);
    await pass(world, () => world.post([runs("a", {}, { executingHostnames: [{}] })]));
    expect(upIn(world)).toEqual(hosts);
    await pass(world, () => world.post([]));
    expect(upIn(world)).toEqual([]);
  });

  test("that was not known to run when its node was told to go: the node stays", async () => {
    const { world, hosts } = await withNodesUp(1);
    await world.post([]);
    await world.round();
    world.advance(400);
    await world.snapshot();
    await world.post([]);
    world.advance(5);
    await world.plan();
    expect(world.ports.scaleActions.waiting).toMatchObject([
      { kind: "shutdown-nodes", cause: "idle-timeout" },
    ]);
    await world.post([runsBadly("a", hosts[0])]);
    await world.execute();
    expect(upIn(world)).toEqual(hosts);
  });

  test("keeps its node from stopping itself", async () => {
    const { world, hosts } = await withNodesUp(1);
    await world.post([runsBadly("a", hosts[0])]);
    world.advance(1_000);
    await world.snapshot();
    await world.post([runsBadly("a", hosts[0])]);
    expect(await stop(world)).toMatchObject({ outcome: "refused", reason: "busy" });
  });
});

async function stop(world: World) {
  const instance = world.cycleCloud.nodes[0]?.nodeId ?? "";
  const requestedBy = { who: "node", why: "autostop" };
  return requestStop(world.ports, { cluster, instance, requestedBy, afterIdleTime: false });
}

describe("a delta", () => {
  test("with a bad job of a known name keeps the hosts of both, and buys nothing", async () => {
    const { world, hosts } = await withNodesUp(3);
    const [first = "", second = "", third = ""] = hosts;
    await world.post([runs("a", first, { iterations: 5 }), runs("b", third)]);
    await world.post([runsBadly("a", second)], { kind: "delta" });
    await pass(world, () => world.post([], { kind: "delta" }));
    expect(upIn(world)).toEqual(hosts);
    expect(world.cycleCloud.nodes).toHaveLength(3);
    await pass(world, () => world.post([], { kind: "delta", remove: ["a"] }));
    expect(upIn(world)).toEqual([third]);
  });

  test("that puts it right ends what was set aside", async () => {
    const { world, hosts } = await withNodesUp(2);
    await world.post([runsBadly("a", hosts[0])]);
    await world.post([runsBadly("a", hosts[1])], { kind: "delta" });
    const running = async () =>
      (await world.ports.demand.list(cluster))[0]?.setAside?.items.map((item) => item.running?.hostnames);
    expect(await running()).toEqual([hosts]);
    await world.post([runs("a", hosts[1])], { kind: "delta" });
    expect(await running()).toBeUndefined();
  });
});

describe("a node that does not check out", () => {
  const draining = async (world: World) =>
    (await world.ports.plans.loadHead(cluster))?.value.draining?.length;

  test.each<readonly [string, (host: string) => Job]>([
    ["with its name", (hostname) => ({ hostname, state: "drained!" })],
    ["without a name that can be read", () => ({ hostname: "", state: "drained" })],
  ])("%s is neither drained nor gone", async (_case, bad) => {
    const { world, hosts } = await withNodesUp(1);
    const [host = ""] = hosts;
    world.configure({ engine: { idleTimeoutSeconds }, cycle: { drainTimeoutSeconds: 3_600 } });
    await pass(world, () => world.post([], drains([{ hostname: host }])), 400);
    expect(await draining(world)).toBe(1);
    await pass(world, () => world.post([], drains([bad(host)])));
    expect(upIn(world)).toEqual(hosts);
    expect(await stop(world)).toMatchObject({ outcome: "refused", reason: "not-drained" });
    await pass(world, () => world.post([], drains([])));
    expect(upIn(world)).toEqual([]);
  });
});

describe("a message that is refused whole", () => {
  const bad = { version: 2 };

  test("keeps all idle nodes for as long as its source goes on with such messages, and drains none", async () => {
    const { world, hosts } = await withNodesUp(3);
    const nodes = hosts.map((hostname) => ({ hostname }));
    world.configure({ engine: { idleTimeoutSeconds }, cycle: { drainTimeoutSeconds: 600 } });
    await world.post([runs("a", hosts[0])], drains(nodes));
    await pass(world, () => world.post([], { ...drains(nodes), ...bad }), 3_600);
    expect(upIn(world)).toEqual(hosts);
    const told = world.ports.schedulerEvents.of("celery").map(({ kind }) => kind);
    expect(told).not.toContain("drain");
    expect(world.ports.schedulerEvents.refusalsOf("celery")).toHaveLength(1);
    expect(await stop(world)).toMatchObject({ outcome: "refused" });
    await world.post([runs("a", hosts[0])]);
    await pass(world, () => world.post([runs("a", hosts[0])]));
    expect(upIn(world)).toEqual([hosts[0]]);
  });

  test("counts no longer than a good one would: then its source is silent", async () => {
    const { world, hosts } = await withNodesUp(2);
    await world.post([runs("a", hosts[0])]);
    await world.post([], bad);
    await pass(world, () => undefined, 290);
    expect(upIn(world)).toEqual(hosts);
    await pass(world, () => undefined, 600);
    expect(upIn(world)).toEqual([hosts[0]]);
  });

  test.each<readonly [string, Job, boolean]>([
    ["a later good one ends it", { sequence: 9 }, false],
    ["a good one with the same number ends it", { sequence: 8 }, false],
    ["one that was sent before it does not", { sequence: 7 }, true],
    ["a delta ends it as well", { sequence: 7, kind: "delta" }, true],
  ])("%s", async (_case, next, inDoubt) => {
    const world = createWorld();
    await world.post([], { sequence: 6 });
    await world.post([], { sequence: 8, ...bad });
    await world.post([], next);
    const demand = await world.ports.demand.list(cluster);
    expect(doubtsOf(demand, world.now()).length > 0).toBe(inDoubt);
    expect(world.ports.schedulerEvents.refusalsOf("celery")).toMatchObject([{ sequence: 8, whole: true }]);
  });

  test.each<readonly [string, Job]>([
    ["that has the number of a good one", { sequence: 6, ...bad }],
    ["that is of no known cluster", { cluster: "hcp" }],
  ])("%s says nothing", async (_case, fields) => {
    const world = createWorld();
    await world.post([], { sequence: 6 });
    await world.post([], fields);
    expect(doubtsOf(await world.ports.demand.list(cluster), world.now())).toEqual([]);
  });

  test.each<readonly [string, Job]>([
    ["without a source", { source: 5 }],
    ["of a source that never had demand", { source: "stranger", ...bad }],
    ["that asks for targets", { kind: "targets", arrays: 5 }],
  ])("%s keeps all idle nodes, for one time to live and no longer", async (_case, fields) => {
    const { world, hosts } = await withNodesUp(1);
    await pass(world, () => world.post([]), 280);
    await world.post([], fields);
    await pass(world, () => world.post([]), 270);
    expect(upIn(world)).toEqual(hosts);
    await pass(world, () => world.post([]), 60);
    expect(upIn(world)).toEqual([]);
  });
});
