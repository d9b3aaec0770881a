import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listed, onWholeNodes, type RunFigures, type TraceJob } from "../../../../shared/backtest/index.ts";
import type { SimulatedNode } from "../../../../shared/simulated-cyclecloud/index.ts";
import { job, runSmall, sum, twoSizes } from "./small-world.ts";

const hour = 3_600;

/** Workloads of a few hours: bursts, wide jobs, jobs of one second. */
const jobs: fc.Arbitrary<readonly TraceJob[]> = fc
  .array(
    fc.record({
      submitSeconds: fc.integer({ min: 0, max: 4 * hour }),
      runSeconds: fc.integer({ min: 1, max: 2 * hour }),
      processors: fc.integer({ min: 1, max: 24 }),
      requestedSeconds: fc.option(fc.integer({ min: 60, max: 3 * hour })),
      user: fc.constantFrom("ann", "bob"),
      exclusive: fc.boolean(),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((list) => list.map((fields, index) => job(`j${index}`, fields)))
  .map((list) => list.toSorted((a, b) => a.submitSeconds - b.submitSeconds));

const harsh = {
  ...twoSizes,
  quotas: { westeurope: { cores: 64, spotCores: 40 } },
  nodearrays: [
    { name: "htc", machineTypes: ["Standard_F4s_v2", "Standard_F16s_v2"], bootFailureRate: 0.2, maxCount: 4 },
    { name: "spot", machineTypes: ["Standard_D16s_v5"], interruptible: true, evictionsPerHour: 1 },
  ],
};

/** Every sum of the figures, done in another way. */
function expectIdentities(figures: RunFigures): void {
  const { cost, series, jobs: counts, perJob } = figures;
  const purposes = Object.entries(cost.byPurpose);
  expect(sum(purposes.map(([, each]) => each.nodeMs))).toBe(cost.total.nodeMs);
  expect(sum(purposes.map(([, each]) => each.nanoUsd))).toBe(cost.total.nanoUsd);
  expect(sum(cost.lines.map(({ nodeMs }) => nodeMs))).toBe(cost.total.nodeMs);
  expect(sum(Object.values(series.nodeMs).flat())).toBe(cost.total.nodeMs);
  expect(sum(Object.values(series.nanoUsd).flat())).toBe(cost.total.nanoUsd);
  expect(sum(series.nodeProcessorMs)).toBe(cost.processorMs);
  expect(sum([...figures.hourNanoUsd]) / 1e9).toBeCloseTo(cost.total.nanoUsd / 1e9, 4);
  // What all jobs paid is what was a job's.
  expect(sum(listed(perJob.nanoUsd).map((each) => each ?? 0))).toBe(cost.byPurpose.job?.nanoUsd ?? 0);
  expect(sum(series.runningProcessorMs)).toBe(counts.processorMs + counts.lostProcessorMs);
  expect(counts.ended + sum(counts.neverRan.map(({ count }) => count))).toBe(counts.submitted);
  expect(listed(perJob.waitSeconds).filter((wait) => wait !== null)).toHaveLength(counts.ended);
}

describe("a run", () => {
  test("money and time add up, and every job has an end", async () => {
    await fc.assert(
      fc.asyncProperty(jobs, fc.constantFrom("fcfs", "easy", "fill"), async (list, scheduler) => {
        expectIdentities(await runSmall({ jobs: list, scheduler, keys: { idle_timeout: 120 } }));
      }),
      { numRuns: 8 },
    );
  });

  // Wednesday, 09:30 in Berlin, in summer.
  const recorded = Date.parse("1997-07-16T07:30Z") / 1_000;
  test.each([
    ["of Unix time", recorded, undefined, 4],
    ["that begins when the trace did", 0, recorded, 4],
    ["that does not tell the time", 0, undefined, 1],
  ] as const)(
    "windows open at the hours of the workload's clock: %s",
    async (_, first, clockStartSeconds, bought) => {
      const office = { start: "0 9 * * wed", end: "0 10 * * *", time_zone: "Europe/Berlin" };
      const { nodes, period } = await runSmall({
        jobs: [job("a", { submitSeconds: first })],
        keys: { schedules: { office: { ...office, targets: [{ Name: "htc", TargetCount: 4 }] } } },
        ...(clockStartSeconds === undefined ? {} : { clockStartSeconds }),
      });
      expect(nodes.bought).toBe(bought);
      expect(period.startSeconds).toBe(first);
    },
  );

  test("a last job that comes a month after the others runs like any other", async () => {
    const list = [
      job("first", { runSeconds: hour }),
      job("late", { submitSeconds: 30 * 24 * hour, runSeconds: hour }),
    ];
    const { jobs: counts, perJob } = await runSmall({ jobs: list, keys: { idle_timeout: 120 } });
    expect(counts).toMatchObject({ submitted: 2, ended: 2, neverRan: [] });
    for (const wait of listed(perJob.waitSeconds)) expect(wait).toBeLessThan(hour);
  });

  test("with nodes that fail, spot nodes that are taken back, and too few cores", async () => {
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({ min: 0, max: 1_000 }), async (list, seed) => {
        const keys = { failed_nodes: "delete", boot_timeout: 900 };
        expectIdentities(await runSmall({ jobs: list, seed, definition: harsh, keys }));
      }),
      { numRuns: 6 },
    );
  });

  test("the same input gives the same figures, and another seed other boot times", async () => {
    const list = Array.from({ length: 30 }, (_, index) =>
      job(`j${index}`, { submitSeconds: index * 400, processors: 1 + (index % 7) }),
    );
    const [once, again, other] = [
      await runSmall({ jobs: list }),
      await runSmall({ jobs: list }),
      await runSmall({ jobs: list, seed: 2 }),
    ];
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
    expect(other.nodes.bootSeconds).not.toEqual(once.nodes.bootSeconds);
  });

  test("leaving out beats that change nothing changes nothing", async () => {
    const list = Array.from({ length: 40 }, (_, index) =>
      job(`j${index}`, {
        submitSeconds: (index % 20) * 300,
        runSeconds: 200 + index * 37,
        processors: 1 + (index % 9),
      }),
    );
    const [lean, whole] = [await runSmall({ jobs: list }), await runSmall({ jobs: list, everyBeat: true })];
    expect(whole.nodes.snapshots).toBeGreaterThan(1.5 * lean.nodes.snapshots);
    expect(lean.perJob.waitSeconds).toEqual(whole.perJob.waitSeconds);
    expect(lean.nodes.bought).toBe(whole.nodes.bought);
    expect(lean.cost.total.nodeMs / whole.cost.total.nodeMs).toBeCloseTo(1, 2);
  });
});

describe("odd workloads and clusters", () => {
  test("no jobs: nothing is bought, and nothing is known of waits", async () => {
    const figures = await runSmall({ jobs: [] });
    expect(figures).toMatchObject({
      waitSeconds: null,
      boundedSlowdown: null,
      jobs: { submitted: 0, ended: 0 },
      cost: { total: { nodeMs: 0, nanoUsd: 0 }, utilisation: null },
      nodes: { bought: 0 },
    });
  });

  test("one job: it waits for its node to boot, and the node goes when it was idle for long enough", async () => {
    const figures = await runSmall({ jobs: [job("only")], keys: { idle_timeout: 300 } });
    const [wait = 0] = figures.perJob.waitSeconds;
    expect(figures.nodes.bought).toBe(1);
    expect(wait).toBeGreaterThan(figures.nodes.bootSeconds?.mean ?? 0);
    expect(wait).toBeLessThan((figures.nodes.bootSeconds?.mean ?? 0) + 30);
    const idleSeconds = (figures.cost.byPurpose.idle?.nodeMs ?? 0) / 1_000;
    expect(idleSeconds).toBeGreaterThanOrEqual(300);
    expect(idleSeconds).toBeLessThan(300 + 2 * 60);
    expectIdentities(figures);
  });

  test("on whole nodes nobody shares, so nothing is left unused and more nodes are bought", async () => {
    const small = Array.from({ length: 12 }, (_, index) => job(`${index}`, { processors: 2 }));
    const shared = await runSmall({ jobs: small });
    const whole = await runSmall(onWholeNodes({ jobs: small, leftOut: [] }));
    expect(whole.cost.byPurpose.unused).toBeUndefined();
    expect(whole.nodes.bought).toBe(12);
    expect(shared.nodes.bought).toBe(6);
    expect(whole.jobs.ended).toBe(12);
    // A job that needs several nodes shares them with itself.
    const wide = await runSmall(onWholeNodes({ jobs: [job("wide", { processors: 40 })], leftOut: [] }));
    expect(wide.nodes.bought).toBeLessThan(11);
    for (const figures of [whole, wide]) expectIdentities(figures);
  });

  test("jobs that can never run are named with a reason, and block nobody", async () => {
    const figures = await runSmall({
      scheduler: "fcfs",
      jobs: [job("huge", { nodes: 1, processors: 999 }), job("small", { submitSeconds: 1 })],
    });
    expect(figures.jobs.neverRan).toMatchObject([
      {
        code: "no-node",
        count: 1,
        first: ["huge"],
        why: "No node of the cluster can hold it, even if nothing else runs.",
        reasons: [{ code: "InsufficientResource" }],
      },
    ]);
    expect(figures.jobs.neverRan[0]?.reasons[0]?.sentence).toMatch(
      /too small, the job asks for .* and the largest size there, big\/Standard_D32s_v5, has 32/,
    );
    expect(figures.jobs.ended).toBe(1);
  });

  test("more nodes at once than the cluster may have: the limit is named", async () => {
    const { jobs } = await runSmall({ jobs: [job("many", { nodes: 500, processors: 500 })] });
    expect(jobs.neverRan).toMatchObject([
      { code: "too-few-slots", count: 1, reasons: [{ code: "NoCapacity" }, { code: "NoCapacity" }] },
    ]);
  });

  test("jobs that wait for nodes which never come are given up", async () => {
    const definition = {
      ...twoSizes,
      nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], bootFailureRate: 1 }],
    };
    const figures = await runSmall({ jobs: [job("j")], definition, keys: { failed_nodes: "delete" } });
    expect(figures.jobs).toMatchObject({ ended: 0, neverRan: [{ count: 1, first: ["j"] }] });
    expect(figures.nodes.failed).toBeGreaterThan(0);
    expectIdentities(figures);
  });

  test("boots as recorded: one of their times each, and the share of them that failed", async () => {
    const array = { name: "htc", machineTypes: ["Standard_F4s_v2"] };
    const recorded = (failureRate: number) => ({
      ...twoSizes,
      nodearrays: [{ ...array, recordedBoots: { Standard_F4s_v2: { seconds: [410, 500], failureRate } } }],
    });
    const jobs = Array.from({ length: 8 }, (_, index) => job(`${index}`, { nodes: 1, processors: 4 }));
    const { nodes } = await runSmall({ jobs, definition: recorded(0) });
    expect(nodes).toMatchObject({ bought: 8, failed: 0, bootSeconds: { median: 410, max: 500 } });
    const half = await runSmall({ jobs, definition: recorded(0.5), keys: { failed_nodes: "delete" } });
    expect(half.jobs.ended).toBe(8);
    expect(half.nodes.failed).toBeGreaterThan(0);
    expect(half.nodes.failed).toBeLessThan(half.nodes.bought);
  });

  test("without prices: time is counted, money is not known", async () => {
    const definition = {
      ...twoSizes,
      nodearrays: [{ name: "own", machineTypes: ["Custom_4"] }],
      vmSizes: { Custom_4: { family: "own", vcpus: 4, pcpus: 4, memoryGiB: 16 } },
    };
    const figures = await runSmall({ jobs: [job("j")], definition });
    const { nodeMs, nanoUsd, unpricedNodeMs } = figures.cost.total;
    expect({ nanoUsd, unpricedNodeMs }).toEqual({ nanoUsd: 0, unpricedNodeMs: nodeMs });
    expect(nodeMs).toBeGreaterThan(600_000);
    expect(listed(figures.perJob.nanoUsd)).toEqual([null]);
  });

  test("one array with one size, and a limit of one node: jobs run one after the other", async () => {
    const definition = {
      ...twoSizes,
      nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: 1 }],
    };
    const list = ["a", "b", "c"].map((name) => job(name, { processors: 4 }));
    const figures = await runSmall({ jobs: list, definition });
    expect(figures.nodes).toMatchObject({ bought: 1, most: 1 });
    expect(figures.perJob.waitSeconds[2]).toBeGreaterThan(1_200);
  });

  test("spot nodes that a trace takes back: their jobs start over", async () => {
    const definition = {
      ...twoSizes,
      quotas: { westeurope: { cores: 0, spotCores: 100 } },
      nodearrays: [
        {
          name: "spot",
          machineTypes: ["Standard_F4s_v2"],
          interruptible: true,
          availability: { metadata: { gap_seconds: 900 }, data: [5, 0, 5, 5, 5, 5] },
        },
      ],
    };
    const figures = await runSmall({ jobs: [job("j", { runSeconds: 1_200, processors: 4 })], definition });
    expect(figures.nodes.evicted).toBeGreaterThan(0);
    expect(figures.jobs).toMatchObject({ ended: 1, reruns: 1 });
    expect(figures.jobs.lostProcessorMs).toBeGreaterThan(0);
    expectIdentities(figures);
  });

  test("nodes that a reservation pays cost nothing, and what nobody runs of it is named to the millisecond", async () => {
    const select = { "node.nodearray": "htc", "node.vm_size": "Standard_F4s_v2" };
    const keys = { price_rules: [{ name: "paid", select, reserved_nodes: 20 }] };
    await fc.assert(
      fc.asyncProperty(jobs, async (list) => {
        const { cost, period } = await runSmall({ jobs: list, keys });
        const reserved = cost.lines.filter(({ vmSize }) => vmSize === select["node.vm_size"]);
        expect(sum(reserved.map(({ nanoUsd }) => nanoUsd))).toBe(0);
        const [unused, ...others] = cost.aside;
        expect({ unused, others }).toMatchObject({ unused: { kind: "reserved", name: "paid" }, others: [] });
        const wholeMs = Math.round((period.endSeconds - period.startSeconds) * 1_000);
        const ofEach = ((unused?.nodeMs ?? 0) + sum(reserved.map(({ nodeMs }) => nodeMs))) / 20;
        expect(Math.abs(ofEach - wholeMs)).toBeLessThanOrEqual(1);
        expect((unused?.nanoUsd ?? 0) / (unused?.nodeMs ?? 1)).toBeCloseTo((0.194 * 1e9) / 3_600_000, 3);
      }),
      { numRuns: 5 },
    );
  });

  test("disks of deallocated nodes are paid from the end of one VM to the start of the next", async () => {
    const deallocate = { most: 20, max_age: "2d", disk_usd_per_hour: 0.02 };
    const keys = { idle_timeout: 120, nodearrays: { htc: { deallocate }, big: { deallocate } } };
    await fc.assert(
      fc.asyncProperty(jobs, async (list) => {
        let livedMs = 0;
        const watch = {
          gone: ({ createdAt, life }: SimulatedNode) => {
            livedMs += Math.round((life.at(-1)?.at ?? 0) * 1_000) - Math.round(createdAt * 1_000);
          },
          planned: () => undefined,
        };
        const figures = await runSmall({ jobs: list, keys, watch });
        expectIdentities(figures);
        const { total, aside } = figures.cost;
        expect(aside.every(({ kind }) => kind === "deallocated")).toBe(true);
        const asleepMs = sum(aside.map(({ nodeMs }) => nodeMs));
        expect(total.nodeMs + asleepMs).toBe(livedMs);
        expect(sum(aside.map(({ nanoUsd }) => nanoUsd)) / 1e9).toBeCloseTo((asleepMs / 3_600_000) * 0.02, 6);
        expect(asleepMs).toBeGreaterThan(0);
      }),
      { numRuns: 5 },
    );
  });

  test("a budget that is spent stops new nodes until the next month", async () => {
    const jobs = [job("first", { runSeconds: 6 * hour }), job("second", { submitSeconds: 5 * 86_400 })];
    const figures = await runSmall({ jobs, keys: { monthly_budget_usd: 0.5, idle_timeout: 60 } });
    expect(figures.perJob.waitSeconds[1]).toBeGreaterThan(20 * 86_400);
  });

  test("somebody who wants it to end", async () => {
    const list = Array.from({ length: 3_000 }, (_, index) => job(`j${index}`, { submitSeconds: index * 60 }));
    await expect(runSmall({ jobs: list, signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });
});
