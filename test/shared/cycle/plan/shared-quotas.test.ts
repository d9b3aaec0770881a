import { expect, test } from "vitest";
import {
  answerPlanRequest,
  executeAction,
  guaranteeProblems,
  receiveDemand,
  requestSnapshots,
  snapshotOnBeat,
} from "../../../../shared/cycle/index.ts";
import { asManyAsWanted } from "../../../../shared/cycle/plan/hand-back.ts";
import { standings } from "../../../../shared/cycle/plan/quota-shares.ts";
import { defaultSettings, type NodeArray } from "../../../../shared/engine/index.ts";
import type { Ports, QuotaShare } from "../../../../shared/ports/index.ts";
import { explainJob, listLimits, lookAhead } from "../../../../shared/views/index.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../../support/cluster.ts";
import { FakeCycleCloud } from "../../../support/fake-cyclecloud.ts";
import { configOf, createWorld, jobFor } from "../../../support/world.ts";

/** Nodes of four cores; forty cores of the family for everybody. */
const array = (fields: Partial<NodeArray> = {}) =>
  nodeArrayOf({
    account: "azure",
    ...fields,
    buckets: [
      {
        ...bucketOf(),
        limits: { ...bucketOf().limits, family: { maxCores: 40, usedCores: 0 } },
      },
    ],
  });

/** Clusters of one deployment, each with a CycleCloud of its own that never refuses: what it makes is what was ordered. */
function deployment(
  arrays: Readonly<Record<string, NodeArray | readonly NodeArray[]>>,
  shares: Readonly<Record<string, QuotaShare>> = {},
) {
  const { ports, advance, now } = createWorld();
  const clouds = new Map(
    Object.entries(arrays).map(([name, each]) => [
      name,
      new FakeCycleCloud(clusterOf({ name, nodeArrays: [each].flat() })),
    ]),
  );
  const calls: string[] = [];
  const claims = ports.quotaClaims;
  const all: Ports & typeof ports = {
    ...ports,
    configs: Object.assign(Object.create(ports.configs) as typeof ports.configs, {
      clusters: async () => [...clouds.keys()],
      load: async (cluster: string) => {
        const own = shares[cluster];
        return { ...configOf(own === undefined ? {} : { cycle: { shares: own } }), cluster };
      },
    }),
    quotaClaims: {
      load: (subscription) => {
        calls.push(`load ${subscription}`);
        return claims.load(subscription);
      },
      save: (value, ifMatch) => {
        calls.push(`save ${value.subscription}`);
        return claims.save(value, ifMatch);
      },
    } as typeof claims,
    cycleCloudFor: ({ cluster }) => cloudOf(cluster),
  };
  const cloudOf = (cluster: string) => {
    const cloud = clouds.get(cluster);
    if (cloud === undefined) throw new RangeError(`Cannot find cluster "${cluster}"`);
    return cloud;
  };
  let sequence = 0;
  const deployed = {
    ports: all,
    calls,
    advance,
    cloudOf,
    nodes: (cluster: string) => cloudOf(cluster).nodes.length,
    post: (cluster: string, nodes: number, name = "job-1", fields: Record<string, unknown> = {}) => {
      sequence += 1;
      const sentAt = new Date(now() * 1000).toISOString();
      const jobs = [{ ...jobFor(nodes), name, ...fields }];
      const envelope = { version: 1, kind: "snapshot", cluster, source: "celery", sequence, sentAt };
      const body = { ...envelope, ttlSeconds: 80_000, jobs };
      return receiveDemand(all, { body, messageId: `m-${sequence}`, queue: "job-demand" });
    },
    /** The timer, and the snapshots that it asks for. */
    beat: async () => {
      await requestSnapshots(all);
      advance(10);
      for (const { request } of all.planRequests.takeDue(now()))
        if (request.onBeat) await snapshotOnBeat(all, request, new Map());
        else await answerPlanRequest(all, request);
      advance(2);
    },
    plan: (cluster: string, ports: Ports = all) =>
      answerPlanRequest(ports, { version: 1, cluster, reason: "test", atSeconds: now() }),
    /** So many nodes of a cluster go, as if their time was up. */
    endNodes: async (cluster: string, count: number) => {
      const nodeIds = cloudOf(cluster)
        .nodes.slice(0, count)
        .map(({ nodeId }) => nodeId);
      await cloudOf(cluster).manageNodes("remove", { requestId: `end-${nodeIds[0]}`, nodeIds });
      cloudOf(cluster).settle();
    },
    execute: async () => {
      for (let action = all.scaleActions.take(now()); action; action = all.scaleActions.take(now()))
        await executeAction(all, action);
    },
  };
  return deployed;
}

/** The same store for a run that dies when it writes. */
function withoutSave<T extends object>(store: T): T {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "save") return () => Promise.reject(new Error("crash"));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("two clusters never order the same cores of a quota between their snapshots", async () => {
  const { post, beat, plan, execute, nodes, advance } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 7);
  await post("b", 7);
  await plan("a");
  advance(1);
  await plan("b");
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual([7, 3]);
});

test("so do plans of the same moment: who saves last plans again with what is left", async () => {
  const { post, beat, plan, execute, nodes, ports } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 7);
  await post("b", 7);
  const { load, save } = ports.quotaClaims;
  let reads = 0;
  const both = Promise.withResolvers<void>();
  // Neither goes on before both have read that nobody claims anything.
  const together: Ports = {
    ...ports,
    quotaClaims: {
      load: async (subscription) => {
        const stored = await load(subscription);
        reads += 1;
        if (reads === 2) both.resolve();
        await both.promise;
        return stored;
      },
      save,
    },
  };
  await Promise.all([plan("a", together), plan("b", together)]);
  await execute();
  expect([nodes("a"), nodes("b")].toSorted()).toEqual([3, 7]);
});

test("an order counts until its cluster shows the nodes and the other's snapshot is younger", async () => {
  const { post, beat, plan, execute, nodes, advance, cloudOf, ports } = deployment({
    a: array(),
    b: array(),
  });
  await beat();
  await post("a", 6);
  await plan("a");
  await execute();
  cloudOf("a").settle();
  const left = async () => {
    const outlook = await lookAhead(ports, "b");
    const limits = outlook && listLimits(outlook, {});
    return limits?.ok ? limits.answer.limits.find(({ limit }) => limit === "family") : undefined;
  };
  expect(await left()).toMatchObject({ max: 40, used: 0, left: 16, boundBy: "orders of cluster a" });
  // The snapshots of both show it, CycleCloud's figures of the quota still do not: the nodes of the other cluster count.
  advance(60);
  await beat();
  advance(2);
  await beat();
  expect(await left()).toMatchObject({ left: 16 });
  await post("b", 9);
  await plan("b");
  await execute();
  expect(nodes("b")).toBe(4);
});

test("a job that waits for it says which quota, and whose orders use it", async () => {
  const { post, beat, plan, ports } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 9);
  await plan("a");
  await post("b", 3);
  await plan("b");
  const outlook = await lookAhead(ports, "b");
  const explained = JSON.stringify(outlook && explainJob(outlook, "job-1"));
  expect(explained).toContain("the core quota of VM family westeurope/standardFSv2Family leaves 0 new nodes");
  expect(explained).toContain("The quota is used by orders of cluster a (36 cores)");
});

test.each([
  ["after it claimed, before it recorded its orders", "operations"],
  ["before it claimed", "quotaClaims"],
] as const)("a plan that dies %s orders nothing without a claim", async (_when, port) => {
  const { post, beat, plan, execute, nodes, advance, ports } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 7);
  await post("b", 7);
  const dying = { ...ports, [port]: withoutSave(ports[port]) };
  await expect(plan("a", dying)).rejects.toThrow("crash");
  await plan("b");
  await execute();
  expect(nodes("b")).toBe(port === "operations" ? 3 : 7);
  // It is delivered again, with the same demand.
  advance(5);
  await plan("a");
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual(port === "operations" ? [7, 3] : [3, 7]);
});

test("what a plan claimed that died is free again after two more plans that want nothing", async () => {
  const { post, beat, plan, execute, nodes, advance, ports } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 7);
  const dying = { ...ports, operations: withoutSave(ports.operations) };
  await expect(plan("a", dying)).rejects.toThrow("crash");
  await post("a", 0);
  for (const _ of ["counts what the dead one may still record", "knows that it did not"]) {
    advance(5);
    await plan("a");
  }
  await post("b", 9);
  await plan("b");
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual([0, 9]);
});

test("a plan that is made again claims less of a subscription that it had claimed of already", async () => {
  const { post, beat, plan, execute, nodes, ports } = deployment({
    a: [array(), array({ name: "other", account: "other", location: "northeurope" })],
    b: array({ account: "other", location: "northeurope" }),
  });
  await beat();
  await post("a", 18, "lots", { gangSize: 9 });
  await post("b", 7);
  const { load, save } = ports.quotaClaims;
  let isFirst = true;
  const raced: Ports = {
    ...ports,
    quotaClaims: {
      load,
      save: async (claims, ifMatch) => {
        if (isFirst && claims.subscription.endsWith("other")) {
          isFirst = false;
          await plan("b");
        }
        return save(claims, ifMatch);
      },
    },
  };
  expect(await plan("a", raced)).toMatchObject({ outcome: "planned" });
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual([9, 7]);
});

const claimed = async (ports: Ports) =>
  (await ports.quotaClaims.load("https://cyclecloud.example azure"))?.value.claims.map(
    ({ cluster, uses }) => [cluster, uses["family westeurope/standardFSv2Family"]?.ordered],
  );

test("a deallocated node that is started is claimed like a new one", async () => {
  const { post, beat, plan, execute, cloudOf, advance, ports } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 1);
  await plan("a");
  await execute();
  cloudOf("a").settle();
  advance(60);
  await beat();
  await plan("a");
  const name = cloudOf("a").nodes[0]?.name ?? "";
  cloudOf("a").change(name, { status: "Deallocated", targetState: "Deallocated" });
  advance(60);
  await beat();
  await plan("a");
  expect((await ports.operations.recent("a", 1))[0]?.action.kind).toBe("start-nodes");
  expect(await claimed(ports)).toEqual([["a", 4]]);
});

test("a claim that nobody renews ends, and a cluster that keeps its nodes renews it", async () => {
  const { post, beat, plan, execute, cloudOf, advance, ports } = deployment({ a: array(), b: array() });
  await beat();
  await post("a", 7);
  await plan("a");
  expect(await claimed(ports)).toEqual([["a", 28]]);
  await execute();
  cloudOf("a").settle();
  for (let minute = 0; minute < 80; minute += 1) {
    await beat();
    advance(48);
  }
  const outlook = await lookAhead(ports, "b");
  const family = outlook?.input.cluster.nodeArrays[0]?.buckets[0]?.limits.family;
  expect(family).toMatchObject({ maxCores: 40, mostLeftCores: 12 });
  advance(3_600);
  const later = await lookAhead(ports, "b");
  expect(later?.input.cluster.nodeArrays[0]?.buckets[0]?.limits.family).toEqual({
    maxCores: 40,
    usedCores: 0,
  });
});

test("a cluster alone in its deployment asks no store for claims and makes none", async () => {
  const { post, beat, plan, execute, nodes, calls } = deployment({ a: array() });
  await beat();
  await post("a", 7);
  await plan("a");
  await execute();
  expect([nodes("a"), calls]).toEqual([7, []]);
});

test.each<readonly [string, Partial<NodeArray>]>([
  ["another account, which has another subscription", { account: "other" }],
  ["another region", { location: "eastus" }],
  ["an account that CycleCloud does not name", { account: undefined } as never],
])("nothing is shared with %s", async (_what, fields) => {
  const { post, beat, plan, execute, nodes } = deployment({ a: array(), b: array(fields) });
  await beat();
  await post("a", 7);
  await post("b", 7);
  await plan("a");
  await plan("b");
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual([7, 7]);
});

const share = (fields: Partial<QuotaShare>): QuotaShare => ({ guaranteed: 0, most: 1, weight: 1, ...fields });

test("a cluster takes no more of a quota than its most, and others may have the rest", async () => {
  const { post, beat, plan, execute, nodes } = deployment(
    { a: array(), b: array() },
    { a: share({ most: 0.5 }) },
  );
  await beat();
  await post("a", 9);
  await post("b", 9);
  await plan("a");
  await plan("b");
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual([5, 5]);
});

test("a guarantee that is not wanted is lent, and comes back as nodes end", async () => {
  const { post, beat, plan, execute, endNodes, nodes, advance, cloudOf, ports } = deployment(
    { a: array(), b: array(), c: array() },
    { a: share({ guaranteed: 0.6 }) },
  );
  await beat();
  await beat();
  // Lent: nobody else wants it.
  await post("b", 10);
  await plan("b");
  await execute();
  expect(nodes("b")).toBe(10);
  cloudOf("b").settle();
  advance(60);
  await beat();
  await plan("b");
  await post("a", 6);
  await plan("a");
  await execute();
  expect(nodes("a")).toBe(0);
  const limits = async (cluster: string) => {
    const outlook = await lookAhead(ports, cluster);
    const listed = outlook && listLimits(outlook, {});
    return listed?.ok ? listed.answer : undefined;
  };
  const family = (await limits("b"))?.shared?.find(({ limit }) => limit === "family")?.clusters;
  expect(family).toMatchObject([
    { cluster: "b", heldCores: 40, waitsFor: [] },
    { cluster: "a", heldCores: 0, waitingCores: 24, guaranteedCores: 24, lendsCores: 0, waitsFor: ["b"] },
  ]);
  // Four nodes of b end: c may not have them, though it comes first.
  await endNodes("b", 4);
  await post("b", 6);
  advance(60);
  await beat();
  await plan("b");
  await post("c", 4);
  await plan("c");
  await execute();
  expect(nodes("c")).toBe(0);
  const outlook = await lookAhead(ports, "c");
  const explained = JSON.stringify(outlook && explainJob(outlook, "job-1"));
  expect(explained).toContain("It is kept for cluster a (24 cores), which waits and has less for its share.");
  await plan("a");
  await execute();
  expect([nodes("a"), nodes("b"), nodes("c")]).toEqual([4, 6, 0]);
});

test("idle nodes on what is lent go at once when its owner waits for it, and after their time-out when nobody does", async () => {
  const { post, beat, plan, execute, nodes, advance, cloudOf, ports } = deployment(
    { a: array(), b: array() },
    { a: share({ guaranteed: 0.6 }) },
  );
  await beat();
  await beat();
  await post("b", 9);
  await plan("b");
  await execute();
  cloudOf("b").settle();
  advance(60);
  await beat();
  await plan("b");
  // Three jobs end, and nobody waits: another gets what it orders.
  await post("b", 6);
  advance(60);
  await beat();
  await post("a", 1);
  await plan("a");
  await plan("b");
  await execute();
  cloudOf("b").settle();
  expect([nodes("a"), nodes("b")]).toEqual([1, 9]);
  await post("a", 3);
  await plan("a");
  advance(10);
  await plan("b");
  await execute();
  cloudOf("b").settle();
  // As many as it waits for: the third one stays for its time-out.
  expect(nodes("b")).toBe(7);
  const [newest] = await ports.operations.recent("b", 1);
  expect(newest?.action.reason).toBe(
    "2 idle nodes given back before the idle time-out: other clusters wait for the quota that was lent",
  );
});

test.each([
  [4, ["htc-2"]],
  [8, ["htc-1 given back", "htc-2"]],
])("when others wait for %i cores, those go first that are idle for longest", (cores, gone) => {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const retire = nodes.map(({ nodeId, name, nodeArray, hostname }, index) => {
    const sinceSeconds = index === 0 ? 1_000 : 999;
    return { nodeId, name, nodeArray, hostname, cause: "idle-timeout", sinceSeconds } as const;
  });
  const kept = [{ cluster: "b", cores }];
  const goes = asManyAsWanted(retire, {
    settings: defaultSettings,
    cluster: clusterOf({ nodes, nodeArrays: [array()] }),
    quotas: [{ limit: "family", scope: "westeurope/standardFSv2Family", orders: [], kept }],
    leavingNodeIds: [],
    // The time-out of the second is over.
    nowSeconds: 1_000 + defaultSettings.idleTimeoutSeconds.default,
  });
  expect(goes.map(({ name, givenBack }) => (givenBack ? `${name} given back` : name))).toEqual(gone);
});

test("clusters stand by their guarantees and weights, and a wait ends", () => {
  const times = { orderedBy: null, seenAtSeconds: 0, untilSeconds: 200 };
  const uses = { key: { held: 8, ordered: 2, grown: [], waiting: 6 } };
  const standing = (...guarantees: readonly number[]) =>
    standings(
      [
        { cluster: "usual", ...times, uses, waitsUntilSeconds: 101 },
        { cluster: "idle", ...times, uses: {} },
        ...guarantees.map((guaranteed) => {
          return {
            cluster: "own",
            ...times,
            uses,
            waitsUntilSeconds: 100,
            share: share({ guaranteed, most: 0.6, weight: 3 }),
          };
        }),
      ],
      "key",
      { maxCores: 40, nowSeconds: 100 },
    );
  const usualShare = { guaranteed: 0, most: 1, weight: 1 };
  expect(standing(0.5)).toMatchObject([
    { share: usualShare, cores: 10, waitingCores: 6, guaranteedCores: 0, dueCores: 10 },
    { share: usualShare, cores: 0, waitingCores: 0, guaranteedCores: 0, dueCores: 10 },
    { cores: 10, waitingCores: 0, guaranteedCores: 20, dueCores: 24 },
  ]);
  expect(standing(0.8, 0.8).slice(2)).toMatchObject([{ guaranteedCores: 20 }, { guaranteedCores: 20 }]);
});

test("of clusters that wait, the one with least for its weight comes first", async () => {
  const { post, beat, plan, execute, endNodes, nodes, advance, cloudOf } = deployment(
    { a: array(), b: array(), c: array() },
    { a: share({ weight: 1 }), b: share({ weight: 4 }) },
  );
  await beat();
  await post("a", 1);
  await post("b", 2);
  await post("c", 7);
  for (const name of ["a", "b", "c"]) await plan(name);
  await execute();
  for (const name of ["a", "b", "c"]) cloudOf(name).settle();
  advance(60);
  await beat();
  await post("a", 3);
  await post("b", 4);
  await plan("a");
  await plan("b");
  await endNodes("c", 2);
  await post("c", 5);
  advance(60);
  await beat();
  await plan("c");
  await plan("a");
  await plan("b");
  await execute();
  expect([nodes("a"), nodes("b")]).toEqual([1, 4]);
});

test("guarantees that add up to more than the quota are refused in words", async () => {
  const { beat, ports, plan } = deployment({ a: array(), b: array() }, { a: share({ guaranteed: 0.7 }) });
  await beat();
  await plan("a");
  const config = (guaranteed: number) => ({
    ...configOf({ cycle: { shares: share({ guaranteed }) } }),
    cluster: "b",
  });
  expect(await guaranteeProblems(ports, config(0.3))).toEqual([]);
  expect(await guaranteeProblems(ports, config(0.4))).toEqual([
    'shares.guaranteed: 0.4, expected at most 0.3: the rest of the quotas of "https://cyclecloud.example azure" is guaranteed to a (0.7)',
  ]);
});
