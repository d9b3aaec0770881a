import { describe, expect, test } from "vitest";
import {
  and,
  cluster,
  defaultResources,
  demandTable,
  explain,
  job,
  memory,
  ncpus,
  nextHistory,
  node,
  nodeArray,
  plan,
  planInput,
  property,
  SharedConsumableResource,
  SharedNonConsumableResource,
  vmFacts,
} from "../../../clients/library/engine/index.ts";

const htc = nodeArray("htc", { vmSizes: ["Standard_F4s_v2"], maxCount: 2 });
const nowSeconds = 1_800_000_000;

test("ten jobs on a cluster of two nodes: eight are placed, and the others are told why not", () => {
  const jobs = Array.from({ length: 10 }, (_, index) => job(`job-${index}`, and(ncpus(1), memory("1g"))));
  const { create, jobs: outcomes } = plan(planInput({ cluster: cluster("hpc", [htc]), jobs, nowSeconds }));
  expect(create.map(({ count, vmSize }) => [count, vmSize])).toEqual([[2, "Standard_F4s_v2"]]);
  expect(outcomes.filter(({ allocated }) => allocated).length).toBe(8);
  const last = outcomes.at(-1);
  expect(last && explain(last)[1]).toMatch(/limit leaves 0 new nodes/);
});

test("a shared resource bounds all jobs together, and a shared value decides who may run", () => {
  const licences = new SharedConsumableResource({ name: "licences", initial: 3 });
  const version = new SharedNonConsumableResource({ name: "version", current: "4.1" });
  const jobs = [
    ...[1, 2, 3, 4].map((each) => job(`licensed-${each}`, licences.take(1))),
    job("now", version.is("4.1")),
    job("later", version.is("5.0")),
  ];
  const input = planInput({ cluster: cluster("hpc", [htc]), jobs, nowSeconds, sharedResources: [licences] });
  expect(input.settings.sharedPools).toEqual([{ name: "licences", source: null, initial: 3, current: 3 }]);
  const placed = plan(input).jobs.filter(({ allocated }) => allocated);
  expect(placed.map(({ name }) => name)).toEqual(["licensed-1", "licensed-2", "licensed-3", "now"]);
});

test("default resources give nodes what jobs ask for", () => {
  const jobs = [job("slots", { slots: 1 }, { iterations: 4 }), job("more", { slots: 1 })];
  const settings = {
    defaultResources: defaultResources([{ select: {}, name: "slots", value: "node.pcpu_count" }]),
  };
  const { nodes } = plan(planInput({ cluster: cluster("hpc", [htc]), jobs, settings, nowSeconds }));
  const perNode = vmFacts("Standard_F4s_v2")?.pcpuCount;
  expect(perNode).toBe(2);
  // Two slots a node: four are on two nodes, and none is left for another.
  expect(nodes.map(({ available }) => available.slots)).toEqual([0, 0]);
  expect(() => defaultResources([{ name: "slots", value: "node.pcpus_count" }])).toThrow(/node\.pcpu_count/);
});

test("with the history of each pass, a node that stays idle is retired", () => {
  const idle = cluster("hpc", [htc], {
    nodes: [node("htc-1", { nodeArray: "htc", vmSize: "Standard_F4s_v2" })],
  });
  let history: ReturnType<typeof nextHistory> = [];
  let lastPassSeconds: number | null = null;
  const retired: string[][] = [];
  for (const at of [0, 200, 400]) {
    const input = planInput({
      cluster: idle,
      jobs: [],
      nowSeconds: nowSeconds + at,
      history,
      lastPassSeconds,
    });
    const planned = plan(input);
    retired.push(planned.retire.map(({ name, cause }) => `${name} ${cause}`));
    history = nextHistory(input, planned);
    lastPassSeconds = input.nowSeconds;
  }
  expect(retired).toEqual([[], [], ["htc-1 idle-timeout"]]);
  const gone = planInput({ cluster: cluster("hpc", [htc]), jobs: [], history, nowSeconds: nowSeconds + 500 });
  const left = nextHistory(gone, plan(gone));
  expect(left.map(({ deletedSeconds }) => deletedSeconds)).toEqual([nowSeconds + 500]);
  const weekLater = planInput({
    cluster: cluster("hpc", [htc]),
    jobs: [],
    history: left,
    nowSeconds: nowSeconds + 700_000,
  });
  expect(nextHistory(weekLater, plan(weekLater))).toEqual([]);
});

describe("mistakes are named", () => {
  test.each([
    [
      "a constraint",
      () => job("j", { ncpus: -1 }),
      /job "j".*ncpus.*-1, expected a number that is not negative/,
    ],
    [
      "a time",
      () => planInput({ cluster: cluster("hpc", []), jobs: [job("j", {}, { submittedAt: "soon" })] }),
      /submittedAt is "soon"/,
    ],
    ["a VM size", () => nodeArray("a", { vmSizes: ["Standard_X1"] }), /VM size "Standard_X1".*vm\.vcpuCount/],
    [
      "a node array",
      () => cluster("hpc", [htc], { nodes: [node("n", { nodeArray: "htx", vmSize: "Standard_F4s_v2" })] }),
      /did you mean "htc"/,
    ],
    ["a column", () => demandTable("name,na me", { nodes: [] }), /column "na me"/],
  ])("%s", (_, make, message) => {
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });
});

describe("the demand table", () => {
  const jobs = [job("a", property("node.nodearray", "htc"), { iterations: 2 }), job("b\u001b[2J", ncpus(4))];
  const result = plan(planInput({ cluster: cluster("hpc", [htc]), jobs, nowSeconds }));

  test("has the columns that are asked for, in the language of -o, and no control characters", () => {
    expect(
      demandTable("name,jobs@job_ids[:6],/ncpus,*memgb,pg@placement_group:none", result),
    ).toMatchInlineSnapshot(`
      "NAME   JOBS         NCPUS  *MEMGB  PG
      htc-1  a,b\\u001b[2  0/4    8g      none
      "
    `);
  });

  test("has scalelib's columns by default, and as JSON whole values", () => {
    expect(demandTable(undefined, result).split("\n")[0]?.split(/ +/)).toEqual(
      "NAME HOSTNAME JOB_IDS EXISTS REQUIRED MANAGED VM_SIZE MEMORY VCPU_COUNT STATE PLACEMENT_GROUP".split(
        " ",
      ),
    );
    expect(JSON.parse(demandTable("name,job_ids,exists", result, { format: "json" }))[0]).toEqual({
      name: "htc-1",
      job_ids: ["a", "b\u001b[2J"],
      exists: false,
    });
    expect(demandTable("name", result, { format: "table-headerless" })).toBe("htc-1\n");
  });
});
