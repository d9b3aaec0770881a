import { describe, expect, test } from "vitest";
import { statusAnswer } from "../../../shared/api/index.ts";
import { ConfigurationError } from "../../../shared/errors/errors.ts";
import { clusterStatus } from "../../../shared/views/cluster-status.ts";
import { showHistory } from "../../../shared/views/show-history.ts";
import { nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, configOf, createWorld, jobFor, type World, worldWith } from "../../support/world.ts";

async function problemsOf(world: World) {
  const status = await clusterStatus(world.ports, cluster);
  if (status === undefined) throw new Error("no status");
  expect(statusAnswer.strict().parse(JSON.parse(JSON.stringify(status)))).toBeDefined();
  return status.problems;
}

async function kindsOf(world: World): Promise<readonly string[]> {
  return (await problemsOf(world)).map(({ kind }) => kind);
}

describe("problems of a status", () => {
  test("a cluster that is well has none", async () => {
    const world = createWorld();
    await world.post([jobFor(2)]);
    await world.round();
    expect(await problemsOf(world)).toEqual([]);
  });

  test("nothing was ever seen of the cluster", async () => {
    expect(await kindsOf(createWorld())).toEqual(["no-snapshot"]);
  });

  test("a snapshot that is too old says how old, and how old it may be", async () => {
    const world = createWorld();
    await world.snapshot();
    world.advance(301);
    expect(await problemsOf(world)).toMatchObject([
      {
        gravity: "stopped",
        kind: "stale-snapshot",
        text: "The snapshot is 5m1s old, expected at most 5m.",
      },
    ]);
  });

  test("a snapshot that two intervals should have renewed is named before plans stop", async () => {
    const world = createWorld();
    await world.snapshot();
    world.advance(210);
    expect(await kindsOf(world)).not.toContain("late-snapshot");
    world.advance(1);
    expect(await problemsOf(world)).toMatchObject([
      {
        gravity: "degraded",
        kind: "late-snapshot",
        text: "The snapshot is 3m31s old, and should be at most 2m30s: CycleCloud answers slowly or not at all, or the snapshot timer does not run.",
      },
    ]);
    world.configure({ cycle: { snapshotIntervalSeconds: 0 } });
    expect(await kindsOf(world)).not.toContain("late-snapshot");
  });

  test("settings of node arrays that are not there are named, once the cluster's arrays are known", async () => {
    const world = createWorld();
    const namedArrays = [
      { path: "budgets.0.node_array", name: "htcc" },
      { path: "idle_timeout.htc", name: "htc" },
      { path: "idle_timeout.mpi", name: "mpi" },
    ];
    world.ports.configs.put({ ...configOf({}), namedArrays });
    expect(await kindsOf(world)).toEqual(["no-snapshot"]);
    await world.snapshot();
    expect(await problemsOf(world)).toEqual([
      {
        gravity: "notice",
        kind: "unknown-node-arrays",
        text: 'The configuration names a node array that is not there, so this has no effect. budgets.0.node_array: the cluster has no node array "htcc"; did you mean "htc"? And 1 setting more like it: `ccscale config show`.',
        next: expect.stringContaining("ccscale config push FILE"),
      },
    ]);
  });

  test("a default resource that cannot be calculated is named with its nodes", async () => {
    const world = createWorld();
    const entry = {
      name: "slots",
      select: [],
      value: { kind: "resource", name: "scratch", plain: false },
      modifier: null,
    } as const;
    world.configure({ engine: { defaultResources: [entry] } });
    await world.post([jobFor(2)]);
    await world.round();
    expect(await problemsOf(world)).toEqual([
      {
        gravity: "notice",
        kind: "default-resources-unset",
        text: 'Cannot set default resource "slots": node.resources.scratch has no value on this node (htc). It is left out there.',
        next: expect.stringContaining("default_resources"),
      },
    ]);
  });

  test("an array whose nodes cannot be deallocated, as only CycleCloud shows, is named with why", async () => {
    const nodeArrays = [{ ...nodeArrayOf({}), ephemeralOsDisk: true } as const];
    const world = worldWith({ nodeArrays });
    const htc = { most: 2, maxAgeSeconds: 60, diskUsdPerHour: null };
    world.configure({ engine: { deallocate: { default: null, byNodeArray: { htc } } } });
    await world.post([jobFor(1)]);
    await world.round();
    expect(await problemsOf(world)).toEqual([
      {
        gravity: "notice",
        kind: "never-deallocated",
        text: 'Nodes of "htc" are not deallocated: their OS disk is ephemeral and lost with the VM. Idle ones are deleted.',
        next: "Take it out for htc: `ccscale config unset nodearrays.NAME.deallocate`.",
      },
    ]);
  });

  test("a configuration that cannot be used is named with every problem, and the page is still there", async () => {
    const world = createWorld();
    await world.snapshot();
    const configs = {
      ...world.ports.configs,
      clusters: async () => [cluster],
      load: () => Promise.reject(new ConfigurationError("the file", ["url: missing", "username: missing"])),
    };
    const status = await clusterStatus({ ...world.ports, configs }, cluster);
    expect(status?.snapshot).not.toBeNull();
    expect(status?.problems).toMatchObject([
      { kind: "configuration", text: expect.stringContaining("url: missing; username: missing") },
    ]);
  });

  test("a configuration that cannot be used leaves the last one in force: it is named with every problem, and nothing stops", async () => {
    const world = createWorld();
    await world.post([jobFor(1)]);
    world.ports.configs.putBroken(cluster, ["idle_timeout: -1, expected 0 or more"]);
    await world.round();
    expect(world.cycleCloud.calls).toEqual(["create"]);
    expect((await clusterStatus(world.ports, cluster))?.problems).toEqual([
      {
        gravity: "degraded",
        kind: "configuration",
        text: 'Cannot use configuration of "hpc": idle_timeout: -1, expected 0 or more. The last configuration that could be used stays in force.',
        next: "Correct autoscale.json and store it again: `ccscale config push FILE`. `ccscale config history` lists the earlier ones.",
      },
    ]);
  });

  test("notifications that do not arrive are named with the reason, those on their way are not", async () => {
    const world = createWorld();
    await world.snapshot();
    const delivery = { to: "TEAMS_WEBHOOK", notBeforeSeconds: 0, failures: 0, why: null };
    const empty = { cluster, destinations: [], incidents: [], candidates: [], outbox: [] };
    const onTheWay = { ...empty, deliveries: [{ ...delivery, failingSinceSeconds: null }] };
    const etag = await world.ports.notifications.save(onTheWay, undefined);
    expect(await kindsOf(world)).not.toContain("notifications-failing");
    const failing = { ...delivery, failures: 2, failingSinceSeconds: world.now() - 90, why: "HTTP 404" };
    await world.ports.notifications.save({ ...empty, deliveries: [failing] }, etag);
    expect(await problemsOf(world)).toContainEqual({
      gravity: "notice",
      kind: "notifications-failing",
      text: "Notifications to TEAMS_WEBHOOK have not arrived for 1m30s: HTTP 404.",
      next: "Put the address of the webhook into app setting TEAMS_WEBHOOK; what waits is sent for a day.",
    });
  });

  test("a silent source with jobs is named; one without is not missed", async () => {
    const world = createWorld();
    await world.snapshot();
    await world.post([jobFor(1)], { source: "pbs", ttlSeconds: 60 });
    await world.post([], { source: "slurm", ttlSeconds: 60 });
    world.advance(61);
    expect(await problemsOf(world)).toMatchObject([
      { kind: "source-expired", text: expect.stringContaining('"pbs"') },
    ]);
  });

  test("two senders of one source that take turns are named; one that was started again is not", async () => {
    const world = createWorld();
    await world.snapshot();
    const post = async (...senders: readonly string[]) => {
      for (const sender of senders) {
        world.advance(10);
        await world.post([], { source: "pbs", sender });
      }
    };
    await post("head-1:11:a", "head-1:12:b", "head-1:12:b");
    expect(await problemsOf(world)).toEqual([]);
    await post("head-2:7:c", "head-1:12:b", "head-2:7:c");
    expect(await problemsOf(world)).toEqual([
      {
        gravity: "degraded",
        kind: "several-senders",
        text: 'Source "pbs" has several senders that take turns, 2 times in 10s: head-2:7:c and head-1:12:b. Each takes back what the other reports.',
        next: 'Stop all but one program that posts the demand of "pbs", or give each a source of its own.',
      },
    ]);
  });

  test("what an agent reports for people is told, in words that no terminal obeys, as long as the source is heard", async () => {
    const world = createWorld();
    await world.snapshot();
    const notices = [
      "the scheduler's files wait: slurmctld 22.05.8 does not know 3 of the nodes: restart it.",
    ];
    await world.post([], { source: "slurm", ttlSeconds: 60, notices: [...notices, "\u001b[2Jünder"] });
    expect(await problemsOf(world)).toMatchObject([
      { gravity: "notice", kind: "source-notice", text: `Source "slurm": ${notices[0]}` },
      { gravity: "notice", kind: "source-notice", text: 'Source "slurm": ?[2J?nder' },
    ]);
    world.advance(61);
    expect((await problemsOf(world)).map(({ kind }) => kind)).not.toContain("source-notice");
  });

  test("a source that was used once is missed until it is ended, as the problem says", async () => {
    const world = createWorld();
    await world.snapshot();
    await world.post([jobFor(1)], { source: "once", ttlSeconds: 60 });
    world.advance(61);
    const next = expect.stringContaining("`ccscale push --source once --end`");
    expect(await problemsOf(world)).toMatchObject([{ kind: "source-expired", next }]);
    await world.post([], { source: "once", ttlSeconds: 1 });
    world.advance(2);
    expect(await problemsOf(world)).toEqual([]);
  });

  test("failed nodes are named with CycleCloud's reason, those that fail alike together", async () => {
    const failed = (name: string, statusMessage?: string) =>
      nodeOf({ name, status: "Failed", ...(statusMessage === undefined ? {} : { statusMessage }) });
    const nodes = [
      failed("htc-1"),
      ...["2", "3", "4", "5", "6", "7"].map((n) => failed(`htc-${n}`, "no such image.")),
      nodeOf({ name: "htc-8" }),
    ];
    const world = worldWith({ nodes });
    await world.snapshot();
    expect((await problemsOf(world)).filter(({ kind }) => kind === "nodes-failed")).toMatchObject([
      {
        gravity: "degraded",
        text: "6 nodes of htc failed (htc-2, htc-3, htc-4, htc-5, htc-6 and 1 more): no such image.",
        next: expect.stringContaining("`ccscale nodes --state Failed`"),
      },
      { text: "1 node of htc failed (htc-1): CycleCloud gives no reason." },
    ]);
    await world.round();
    const history = await showHistory(world.ports, cluster, "htc-2", { limit: 10 });
    expect(history?.lives).toMatchObject([
      { failure: { message: "no such image.", atSeconds: world.now() } },
    ]);
    // A retry that boots the node does not make it forgotten; a new life does.
    const failedAtSeconds = world.now();
    world.cycleCloud.change("htc-2", { status: "Ready" });
    world.advance(60);
    await world.round();
    const later = await showHistory(world.ports, cluster, "htc-2", { limit: 10 });
    expect(later?.lives).toMatchObject([{ failure: { atSeconds: failedAtSeconds } }]);
  });

  test("idle nodes that wait for messages to be read are a notice, and degraded once that takes long", async () => {
    const node = nodeOf({ name: "htc-1", hostname: "h1" });
    const world = worldWith({ nodes: [node] });
    await world.post([]);
    await world.round();
    for (const text of ["one", "two"]) await world.ports.unreadDemand.post(text);
    const problemAfter = async (seconds: number) => {
      world.advance(seconds);
      await world.post([]);
      await world.snapshot();
      world.advance(1);
      await world.plan();
      return (await problemsOf(world)).find(({ kind }) => kind.startsWith("demand-"));
    };
    expect(await problemAfter(301)).toEqual({
      gravity: "notice",
      kind: "demand-unread",
      text: "1 idle node stays up, since 2 messages on the demand queue wait to be read: one may name a node on which a job runs.",
      next: "Wait: messages are read within seconds.",
    });
    expect(await problemAfter(239)).toMatchObject({
      gravity: "degraded",
      text: "1 idle node stays up, since 2 messages on the demand queue wait to be read, for 4m by now: one may name a node on which a job runs. It ends after 1h at the latest, unless a message that can be seen names this cluster.",
      next: expect.stringContaining("accept-demand"),
    });
    expect(await problemAfter(3_400)).toMatchObject({
      gravity: "degraded",
      kind: "demand-stuck",
      text: "Idle nodes go, though 2 messages on the demand queue wait to be read, for 1h by now: none that can be seen names this cluster.",
    });
  });

  test("a create that had no effect is a problem with its age, until it is asked for anew", async () => {
    const world = createWorld();
    await world.post([jobFor(1)], { ttlSeconds: 10_000 });
    world.cycleCloud.refusal = "no such node array";
    await world.round();
    world.advance(121);
    await world.snapshot();
    world.advance(30);
    const text = expect.stringMatching(
      /^create-nodes \S+ showed no effect in time 30s ago: no such node array;/,
    );
    expect(await problemsOf(world)).toMatchObject([{ kind: "operation-lost", text }]);
    await world.plan();
    await world.execute();
    expect(world.cycleCloud.nodes).toHaveLength(1);
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.problems).toEqual([]);
    expect(status?.operations.map(({ state, overtaken }) => [state, overtaken])).toEqual([
      ["accepted", false],
      ["lost", true],
    ]);
  });

  test("what degrades the cluster comes before what is worth a look, whoever found it", async () => {
    const world = createWorld();
    await world.post([jobFor(30)]);
    world.configure({ cycle: { caps: { maxNodesPerPlan: 1, maxCores: null, monthlyBudgetUsd: null } } });
    await world.round();
    await world.post([jobFor(1)], { source: "pbs", ttlSeconds: 60 });
    world.advance(61);
    const found = await problemsOf(world);
    expect(found.map(({ kind }) => kind)).toEqual(["source-expired", "clipped", "jobs-waiting"]);
    expect(found.map(({ gravity }) => gravity)).toEqual(["degraded", "notice", "notice"]);
  });

  test("the gravest comes first", async () => {
    const world = createWorld();
    await world.post([jobFor(1), { name: "huge", constraints: { ncpus: 64 } }]);
    world.cycleCloud.refusal = "no such node array";
    await world.round();
    world.advance(121);
    await world.snapshot();
    await world.receive("{", "bad");
    world.configure({ cycle: { readOnly: true } });
    expect(await kindsOf(world)).toEqual(["read-only", "operation-lost", "rejections", "jobs-waiting"]);
  });
});
