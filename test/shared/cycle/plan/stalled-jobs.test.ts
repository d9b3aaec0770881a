import { describe, expect, test } from "vitest";
import {
  avoidingStalls,
  noticeStalls,
  type StallNews,
  stallNews,
  stillStalled,
} from "../../../../shared/cycle/plan/stalled-jobs.ts";
import type { ClusterNode, Job } from "../../../../shared/engine/index.ts";
import { plan } from "../../../../shared/engine/index.ts";
import type { SetAside } from "../../../../shared/messages/set-aside.ts";
import type { PlanHead, SourceDemand } from "../../../../shared/ports/index.ts";
import { array, bucket, cluster, createdNames, input, job, node } from "../../engine/tiny.ts";

type Remembered = Pick<PlanHead, "stalled" | "watched">;

/** Nobody can tell where it runs. */
const unreadable: SetAside = {
  kind: "job",
  index: 0,
  name: null,
  problems: [],
  running: { hostnames: [], isWhole: false },
};

/** A scheduler that starts nothing, on a cluster that makes whatever a plan asks for within one reading. */
class Refusing {
  readonly nodes: ClusterNode[] = [];
  memory: Remembered = {};
  sequence = 0;
  atSeconds = 1_800_000_000;
  bought = 0;
  news: StallNews = { began: [], ended: [] };

  /** One reading, and the plan that it leads to. */
  pass(
    jobs: readonly Job[],
    { seconds = 60, isUp = true, isOut = false, arrays = [array()], isInDoubt = false } = {},
  ) {
    const before = { stalled: this.memory.stalled ?? [], atSeconds: this.atSeconds };
    this.sequence += 1;
    this.atSeconds += seconds;
    const demand: SourceDemand = {
      cluster: "c1",
      source: "slurm",
      sequence: this.sequence,
      receivedAtSeconds: this.atSeconds,
      expiresAtSeconds: this.atSeconds + 300,
      jobs: [],
      nodes: isUp
        ? this.nodes.map(({ hostname }) => ({
            hostname: hostname ?? "",
            resources: {},
            ...(isOut ? { state: "draining" as const } : {}),
          }))
        : [],
      ignoredMessages: 0,
      ...(isInDoubt ? { setAside: { items: [unreadable], more: 0 } } : {}),
    };
    const seen = { jobs, nodes: this.nodes, demand: [demand], nowSeconds: this.atSeconds };
    const once = (before: Remembered) => {
      const rows = stillStalled(before, seen);
      const made = plan(
        input({
          nowSeconds: this.atSeconds,
          cluster: cluster({ nodeArrays: arrays, nodes: this.nodes }),
          jobs: avoidingStalls(jobs, rows, this.atSeconds),
        }),
      );
      return { made, ...noticeStalls(made, before, rows, seen) };
    };
    const first = once(this.memory);
    const { made, stalled, watched } = first.isNew ? once(first) : first;
    this.memory = { stalled, watched };
    this.news = stallNews(before, stalled, seen);
    for (const { names, nodeArray, vmSize } of made.create) {
      this.bought += names.length;
      this.nodes.push(...names.map((name) => node(name, { nodeArray, vmSize })));
    }
    return made;
  }
}

const waits = (name: string, fields: Partial<Job> = {}) =>
  job(name, { ncpus: 4 }, { source: "slurm", ...fields });
const why = { waitingReason: "Resources", interruptible: true };

describe("a job that its scheduler does not start on nodes that are up", () => {
  test("is not noticed while a job that cannot be read may run there", () => {
    const world = new Refusing();
    const jobs = [waits("1")];
    for (let pass = 0; pass < 4; pass += 1) world.pass(jobs, { isInDoubt: true });
    expect(world.memory).toEqual({ stalled: [], watched: [] });
    for (let pass = 0; pass < 2; pass += 1) world.pass(jobs);
    expect(world.memory.stalled).toHaveLength(1);
  });

  test("is noticed with the second reading, and its nodes do not count for it", () => {
    const world = new Refusing();
    const jobs = [waits("1", { metadata: why })];
    world.pass(jobs);
    expect(world.pass(jobs).jobs[0]?.placements).toEqual([{ node: "htc-1", slots: 1 }]);
    expect(world.memory).toMatchObject({ watched: [{ source: "slurm", job: "1", sequence: 2 }] });
    const noticed = world.pass(jobs);
    expect(world.memory.stalled).toMatchObject([
      {
        source: "slurm",
        jobs: [{ name: "1", asked: 1 }],
        kinds: [{ nodeArray: "htc", vmSize: "Standard_F4" }],
        nodes: ["htc-1"],
        reason: "Resources",
      },
    ]);
    const [outcome] = noticed.jobs;
    expect(outcome?.granted).toBe(0);
    expect(outcome?.reasons).toMatchObject([{ code: "NotStarted", asked: "slurm: Resources" }]);
    // Nothing keeps its node any more: it goes by the idle time-out.
    expect(noticed.unmatched).toEqual(["htc-1"]);
  });

  test("was not refused when its scheduler finds the node out of service: nodes of that kind count again", () => {
    const world = new Refusing();
    const jobs = [waits("1", { metadata: why })];
    for (let pass = 0; pass < 3; pass += 1) world.pass(jobs);
    expect(world.memory.stalled).toMatchObject([{ nodes: ["htc-1"] }]);
    world.pass(jobs, { isOut: true });
    expect(world.memory.stalled).toEqual([]);
    expect(world.news.ended).toMatchObject([{ why: "tried-again" }]);
  });

  test("buys nothing again and again: with a refusing scheduler for a day, nodes come at ever longer times", () => {
    const world = new Refusing();
    const jobs = ["1", "2", "3"].map((name) => waits(name, { metadata: why }));
    const hours: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute++) {
      const before = world.bought;
      world.pass(jobs);
      if (world.bought > before) hours.push(Math.floor(minute / 60));
      // Idle nodes go.
      if (minute % 15 === 14) world.nodes.length = 0;
    }
    expect(world.bought).toBeLessThanOrEqual(3 * 6);
    expect(hours.length).toBeGreaterThan(1);
  });

  test("is tried on another kind of nodes, if it may", () => {
    const world = new Refusing();
    const arrays = [array(), array({ name: "big", buckets: [bucket({ vmSize: "Standard_F8", vcpus: 8 })] })];
    const jobs = [waits("1")];
    for (let pass = 0; pass < 3; pass++) world.pass(jobs, { arrays });
    expect(world.nodes.map(({ name }) => name)).toEqual(["htc-1", "big-1"]);
    for (let pass = 0; pass < 5; pass++) world.pass(jobs, { arrays });
    expect(world.bought).toBe(2);
    expect(world.memory.stalled?.[0]?.kinds).toHaveLength(2);
  });

  test("one job that starts ends it for all that ask for the same", () => {
    const world = new Refusing();
    const jobs = [waits("1"), waits("2")];
    for (let pass = 0; pass < 3; pass++) world.pass(jobs);
    expect(world.memory.stalled).toHaveLength(1);
    world.pass([waits("1", { executingHostnames: ["host-htc-1"] }), waits("2")]);
    expect(world.memory.stalled).toEqual([]);
  });

  test("jobs that share their constraints go on sharing them, so that planning many takes no longer", () => {
    const world = new Refusing();
    const one = waits("1");
    const jobs = [one, ...["2", "3"].map((name) => ({ ...one, name }))];
    for (let pass = 0; pass < 3; pass++) world.pass(jobs);
    const lists = avoidingStalls(jobs, world.memory.stalled ?? [], world.atSeconds).map(
      (each) => each.constraints,
    );
    expect(new Set(lists).size).toBe(1);
    expect(lists[0]).toHaveLength(one.constraints.length + 1);
  });

  test("one that starts on another kind does not: those after it are not tried on the first kind again", () => {
    const world = new Refusing();
    const arrays = [array(), array({ name: "big", buckets: [bucket({ vmSize: "Standard_F8", vcpus: 8 })] })];
    for (let pass = 0; pass < 3; pass++) world.pass([waits("1")], { arrays });
    const started = waits("1", { executingHostnames: ["host-big-1"] });
    world.pass([started], { arrays });
    world.nodes.shift();
    const others = ["2", "3", "4"].map((name) => waits(name));
    expect(createdNames(world.pass([started, ...others], { arrays }))).toEqual(["big-2"]);
    expect(createdNames(world.pass([...others, waits("5")], { arrays }))).toEqual([]);
    expect(world.memory.stalled).toMatchObject([{ jobs: [{ name: "2" }, { name: "3" }, { name: "4" }] }]);
    world.pass([]);
    expect(world.memory.stalled).toEqual([]);
  });
});

describe("what is told of it", () => {
  /** Names of what began, and of what ended and why. */
  const told = ({ news: { began, ended } }: Refusing) => [
    ...began.map(({ jobs: [first] }) => `began ${first?.name}`),
    ...ended.map(({ jobs: [first], why }) => `ended ${first?.name}: ${why}`),
  ];
  const toldIn = (world: Refusing, passes: number, jobs: readonly Job[]) =>
    Array.from({ length: passes }, () => {
      world.pass(jobs);
      return told(world);
    }).flat();

  test("once when it begins, however many plans follow and jobs like it join; once when one of them starts", () => {
    const world = new Refusing();
    expect(toldIn(world, 4, [waits("1")])).toEqual(["began 1"]);
    expect(toldIn(world, 4, [waits("1"), waits("2")])).toEqual([]);
    const started = waits("1", { executingHostnames: ["host-htc-1"] });
    expect(toldIn(world, 2, [started, waits("2")])).toEqual(["ended 1: started"]);
  });

  test("once when nobody wants it any more", () => {
    const world = new Refusing();
    toldIn(world, 4, [waits("1")]);
    expect(toldIn(world, 3, [])).toEqual(["ended 1: gone"]);
  });

  test("when its nodes count again after half an hour, and when it is not started again either", () => {
    const world = new Refusing();
    expect(toldIn(world, 40, [waits("1")])).toEqual(["began 1", "ended 1: tried-again", "began 1"]);
  });
});

test.each([
  [99, 100],
  [100, 100],
])("beside %i stalls of a source that is silent %i are remembered", (others, remembered) => {
  const world = new Refusing();
  for (let pass = 0; pass < 2; pass += 1) world.pass([waits("1")]);
  const silent = { source: "pbs", jobs: [], kinds: [], nodes: [], asked: 1, granted: 1, reason: null };
  const times = { sinceSeconds: 0, untilSeconds: 2_000_000_000, forSeconds: 60 };
  const stalled = Array.from({ length: others }, (_, index) => ({ ...silent, ...times, shape: `${index}` }));
  world.memory = { ...world.memory, stalled };
  for (let pass = 0; pass < 2; pass += 1) world.pass([waits("1")]);
  expect(world.memory.stalled).toHaveLength(remembered);
});

describe("a part of a job", () => {
  /** An array of tasks of which two have room. */
  const small = [array({ maxCount: 2 })];
  const tasks = (iterations: number) => [waits("7_*", { iterations, metadata: why })];

  test("that has room and is not started is noticed, and costs the job no nodes: some start only as a whole", () => {
    const world = new Refusing();
    for (let pass = 0; pass < 5; pass++) world.pass(tasks(5), { arrays: small });
    expect(world.memory.stalled).toMatchObject([
      { asked: 5, granted: 2, kinds: [], nodes: ["htc-1", "htc-2"] },
    ]);
    const { jobs, unmatched } = world.pass(tasks(5), { arrays: small });
    expect(jobs).toMatchObject([{ granted: 2 }]);
    expect(unmatched).toEqual([]);
  });

  test("is no alarm while tasks start one after the other under the array's name", () => {
    const world = new Refusing();
    for (let left = 12; left > 0; left--) world.pass(tasks(left), { arrays: small });
    expect(world.memory.stalled).toEqual([]);
  });

  test("a task of an array that starts ends it for the others", () => {
    const world = new Refusing();
    for (let pass = 0; pass < 4; pass++) world.pass(tasks(2));
    expect(world.memory.stalled).toMatchObject([{ kinds: [{ nodeArray: "htc" }] }]);
    const { jobs } = world.pass([waits("7_1", { executingHostnames: ["host-htc-1"] }), ...tasks(1)]);
    expect(world.memory.stalled).toEqual([]);
    expect(jobs).toMatchObject([{}, { granted: 1 }]);
  });
});

describe("no alarm", () => {
  const quiet = (jobs: readonly Job[], options: Parameters<Refusing["pass"]>[1] = {}) => {
    const world = new Refusing();
    for (let pass = 0; pass < 6; pass++) world.pass(jobs, options);
    return world.memory.stalled ?? [];
  };

  test.each([
    ["for a job that others come before", [waits("1", { metadata: { behindOthers: true } })], {}],
    ["where its nodes have not joined", [waits("1")], { isUp: false }],
    ["for readings that follow each other at once", [waits("1")], { seconds: 2 }],
    ["for a job that runs", [waits("1", { executingHostnames: ["host-htc-1"] })], {}],
    ["for a job of no scheduler", [waits("1", { source: null })], {}],
  ] as const)("%s", (_, jobs, options) => {
    expect(quiet(jobs, options)).toEqual([]);
  });

  test.each([
    ["for a scheduler that starts jobs which ask for the same one at a time, and slowly", true],
    ["while jobs which ask for the same are taken back one at a time", false],
  ])("%s", (_, starts) => {
    const world = new Refusing();
    const names = Array.from({ length: 20 }, (_, index) => String(index));
    for (let started = 0; started < names.length; started++) {
      const before = starts ? names.slice(0, started) : [];
      const runs = (index: number) => ({ executingHostnames: [`host-htc-${index + 1}`] });
      const jobs = [
        ...before.map((name, index) => waits(name, runs(index))),
        ...names.slice(started).map((name) => waits(name)),
      ];
      world.pass(jobs);
      expect(world.memory.stalled).toEqual([]);
    }
  });

  test("while nodes for a job before it are on their way: its scheduler may keep room for that one", () => {
    const world = new Refusing();
    const second = waits("2");
    world.pass([second]);
    for (let pass = 0; pass < 6; pass++) {
      // A job of two nodes that goes first, of whose nodes one is always booting.
      const first = waits("1", { nodeCount: 2, packingStrategy: "scatter", priority: 9 });
      world.nodes.splice(1);
      world.nodes.push(node("htc-2", { status: "Preparing" }), node("htc-8"));
      world.pass([first, second]);
    }
    expect(world.memory.stalled).toEqual([]);
  });
});
