import { expect, test } from "vitest";
import { loadWorld } from "../../../shared/cycle/index.ts";
import { quoteJobs } from "../../../shared/views/index.ts";
import { bucketOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { cluster, jobFor, worldWith } from "../../support/world.ts";
import { historyRow } from "../engine/tiny.ts";

const small = bucketOf();
const { vm } = small;
const large = bucketOf({
  bucketId: "bucket-f16",
  vmSize: "Standard_F16s_v2",
  vm: { ...vm, vcpuCount: 16, vcpuQuotaCount: 16, memoryBytes: vm.memoryBytes * 4 },
});
const spot = { name: "cheap", spot: true, buckets: [bucketOf({ bucketId: "spot" })] };

interface Given {
  readonly arrays?: readonly Parameters<typeof nodeArrayOf>[0][];
  readonly nodes?: readonly ReturnType<typeof nodeOf>[];
  readonly prices?: Readonly<Record<string, number>>;
  readonly job?: Readonly<Record<string, unknown>>;
  /** Of the queue. */
  readonly others?: readonly Readonly<Record<string, unknown>>[];
  readonly rules?: readonly { readonly name: string; readonly reservedNodes: number }[];
  /** Of the jobs that run. */
  readonly startedSecondsAgo?: number;
  /** Of the nodes. */
  readonly createdSecondsAgo?: number;
  /** Seconds from now. */
  readonly by?: number;
  readonly bootSeconds?: number | null;
}

/** An hour of four cores, at 2 USD an hour; nodes boot in 600 s and idle for 300 s. */
async function quoted({
  arrays = [{}],
  nodes = [],
  prices,
  job,
  others = [],
  rules = [],
  startedSecondsAgo = 0,
  createdSecondsAgo = 5_000,
  by,
  bootSeconds = 600,
}: Given) {
  const nodeArrays = arrays.map((fields) => nodeArrayOf(fields));
  const world = worldWith({ nodeArrays, nodes: [...nodes] });
  const overrides = Object.fromEntries(
    Object.entries(prices ?? { [small.vmSize]: 2 }).map(([size, pricePerHourUsd]) => [
      size,
      { pricePerHourUsd },
    ]),
  );
  world.configure({ facts: { overrides }, priceRules: rules.map((rule) => ({ select: [], ...rule })) });
  const startedAtSeconds = world.now() - startedSecondsAgo;
  const isRunning = (each: Readonly<Record<string, unknown>>) => each.executingHostnames !== undefined;
  await world.post(others.map((each) => (isRunning(each) ? { ...each, startedAtSeconds } : each)));
  await world.snapshot();
  const known = await loadWorld(world.ports, cluster);
  if (known === undefined) throw new Error("unknown cluster");
  const now = world.now();
  const history =
    bootSeconds === null
      ? []
      : ["a", "b", "c"].map((name) =>
          historyRow(name, { createdSeconds: now - 5_000, readySeconds: now - 5_000 + bootSeconds }),
        );
  const ofNodes = nodes.map(({ name, status }) => {
    const createdSeconds = now - createdSecondsAgo;
    return historyRow(name, { createdSeconds, readySeconds: status === "Ready" ? createdSeconds : null });
  });
  const loaded = { ...known.loaded, history: [...history, ...ofNodes] };
  const asked = { constraints: { ncpus: 4 }, iterations: 1, runtimeSeconds: 3_600, ...job };
  const bySeconds = by === undefined ? undefined : now + by;
  const result = quoteJobs({ ...known, loaded }, { jobs: [asked], bySeconds }, now);
  if (!result.ok) throw new Error(result.problems.join());
  const { ways, reason } = result.answer;
  const after = (seconds: number | null) => (seconds === null ? null : seconds - now);
  return {
    reason,
    ways: ways.map(({ startsAtSeconds, doneAtSeconds, ...way }) => ({
      ...way,
      starts: after(startsAtSeconds),
      done: after(doneAtSeconds),
    })),
  };
}

test("one size: run time, boot and idle time of its node are charged, and nothing else can be had", async () => {
  const { ways, reason } = await quoted({});
  expect(ways).toMatchObject([
    { kind: "planned", spot: false, newNodes: 1, usd: 2.5, starts: 600, done: 4_200, why: null },
  ]);
  expect(reason).toBe("It is the only way.");
});

test("two ways that cost the same and are done at the same time: neither is called the first to be done", async () => {
  const { ways, reason } = await quoted({
    arrays: [{ buckets: [small, large] }],
    prices: { [small.vmSize]: 2, [large.vmSize]: 2 },
  });
  expect(ways.map(({ usd, done }) => [usd, done])).toEqual([
    [2.5, 4_200],
    [2.5, 4_200],
  ]);
  expect(reason).toBe("It costs 2.50 USD, and is done at the same time as the next.");
});

test("a larger size that is cheaper for the job comes first", async () => {
  const { ways, reason } = await quoted({
    arrays: [{ buckets: [small, large] }],
    prices: { [small.vmSize]: 2, [large.vmSize]: 4 },
    job: { iterations: 4 },
  });
  expect(ways.map(({ vmSizes, usd }) => [vmSizes, usd])).toEqual([
    [[large.vmSize], 5],
    [[small.vmSize], 10],
  ]);
  expect(reason).toBe("It is the cheapest: 5.00 USD, the next 10.00 USD.");
});

test.each([
  ["of a job that says nothing of it", undefined, [false, true]],
  ["not of one that may not be interrupted", false, [false]],
])("spot where a spot array fits, %s", async (_what, interruptible, spots) => {
  const { ways } = await quoted({ arrays: [{}, spot], job: { interruptible } });
  expect(ways.map((way) => way.spot)).toEqual(spots);
});

test("what others get stays theirs in every way", async () => {
  const others = [jobFor(3, { name: "before" })];
  const small4 = bucketOf({ availableCount: 4 });
  const { ways } = await quoted({
    others,
    arrays: [{ buckets: [small4] }, { name: "second" }],
    job: { iterations: 2 },
  });
  expect(ways.map(({ nodeArrays, newNodes }) => [nodeArrays, newNodes])).toEqual([
    [["htc", "second"], 2],
    [["second"], 2],
  ]);
});

test("spot is called spot where the planner itself chose it", async () => {
  const { ways } = await quoted({
    arrays: [spot, {}],
    job: { constraints: { ncpus: 4, "node.spot": true } },
  });
  expect(ways).toMatchObject([{ kind: "planned", spot: true }]);
});

test("a node that is there costs the run time alone, and is there now", async () => {
  const { ways } = await quoted({ nodes: [nodeOf({ name: "htc-1" })] });
  expect(ways[0]).toMatchObject({ kind: "planned", newNodes: 0, usd: 2, starts: 0, done: 3_600 });
});

test("a new node that it shares costs its share, also where the other job has the same name", async () => {
  const others = [jobFor(1, { name: "quote-1", constraints: [{ ncpus: 2 }] })];
  const { ways } = await quoted({ others, job: { constraints: { ncpus: 2 } } });
  expect(ways).toMatchObject([{ usd: 1.25, newNodes: 1 }]);
});

test("nodes that a reservation pays cost nothing more, those beyond it do", async () => {
  const rules = [{ name: "three years", reservedNodes: 1 }];
  expect((await quoted({ rules })).ways).toMatchObject([{ usd: 0 }]);
  expect((await quoted({ rules, job: { iterations: 2 } })).ways).toMatchObject([{ usd: 2.5 }]);
});

/** A node of four cores with a job of 1,200 s that began 200 s ago. */
const busy = {
  nodes: [nodeOf({ name: "htc-1" })],
  others: [jobFor(1, { name: "runs", executingHostnames: ["host-htc-1"], runtimeSeconds: 1_200 })],
  startedSecondsAgo: 200,
};

test("where no new node can be had it waits for the run that is under way, and costs its own run time", async () => {
  const { ways } = await quoted({ ...busy, arrays: [{ buckets: [bucketOf({ availableCount: 0 })] }] });
  expect(ways).toMatchObject([
    { kind: "wait", newNodes: 0, usd: 2, starts: 1_000, done: 4_600 },
    { kind: "planned", waiting: 1, usd: null, starts: null, why: expect.stringMatching(/waits for 1 slot/) },
  ]);
});

test("waiting is cheaper than a new node, and later", async () => {
  const { ways } = await quoted(busy);
  expect(ways).toMatchObject([
    { kind: "wait", usd: 2, starts: 1_000 },
    { kind: "planned", usd: 2.5, starts: 600 },
  ]);
  expect((await quoted({ ...busy, by: 4_300 })).ways).toMatchObject([{ kind: "planned" }]);
});

test("a run that nobody knows the end of is not waited for", async () => {
  const [run] = busy.others;
  const { ways } = await quoted({ ...busy, others: [{ ...run, runtimeSeconds: undefined }] });
  expect(ways).toMatchObject([{ kind: "planned" }]);
});

test("a node on its way is there when its boot, which began before, ends", async () => {
  const nodes = [nodeOf({ name: "htc-1", status: "Preparing", hostname: null })];
  const { ways } = await quoted({ nodes, createdSecondsAgo: 250 });
  expect(ways[0]).toMatchObject({ newNodes: 0, usd: 2, starts: 350 });
});

test.each<[what: string, given: Given, why: RegExp]>([
  [
    "no price",
    { arrays: [{ buckets: [bucketOf({ vmSize: "Standard_Unlisted" })] }] },
    /price of Standard_Unlisted/,
  ],
  ["no run time", { job: { runtimeSeconds: undefined } }, /No run time/],
  ["no boot is known", { bootSeconds: null }, /boot/],
  ["a limit is reached", { arrays: [{ maxCount: 0 }] }, /waits for 1 slot/],
  ["a part has a place", { arrays: [{ maxCount: 1 }], job: { iterations: 2 } }, /1 of 2 slots/],
])("%s: no figure, and it says why", async (_what, given, why) => {
  const { ways, reason } = await quoted(given);
  expect(ways).toMatchObject([{ usd: null, why: expect.stringMatching(why) }]);
  expect(reason).toMatch(why);
});

test("by a time: what is done then stays, and with nothing the reason says when the earliest is", async () => {
  expect(await quoted({ by: 4_200 })).toMatchObject({
    ways: [{ done: 4_200 }],
    reason: "It is the only way of those that are done by then.",
  });
  expect(await quoted({ by: 4_199 })).toEqual({
    ways: [],
    reason: "Nothing is done by then: the earliest is done in 1h10m.",
  });
  expect(await quoted({ by: 4_200, job: { runtimeSeconds: undefined } })).toEqual({
    ways: [],
    reason: "It is not known when it would be done. No run time is given or known for this job.",
  });
});
