import { describe, expect, test } from "vitest";
import { drawTop } from "../../../../clients/cli/top/draw-top.ts";
import { press } from "../../../../clients/cli/top/top-keys.ts";
import { openedOn, type TopNode, type TopState } from "../../../../clients/cli/top/top-state.ts";
import { cellWidth } from "../../../../clients/columns/table.ts";
import { now, topData, topJob, topNode } from "./sample-top.ts";

const usual = { width: 80, height: 24 };
const textsOf = (state: TopState, size = usual) => drawTop(state, size).map(({ text }) => text);
const pageOf = (state: TopState, size = usual) => textsOf(state, size).join("\n");

test("a cluster on 80 columns and 24 rows", () => {
  const lines = textsOf(openedOn(topData()));
  expect(lines).toHaveLength(24);
  expect(lines.slice(0, 7)).toEqual([
    "hpc  08:00:00 UTC  snapshot 7s ago",
    "DEGRADED: htc does not boot",
    "Cost: 1.50 USD/h, 2027-01: 12.34 USD, forecast 56.78",
    "jobs ███████████████ 2 nodes",
    "boot ████████ 1",
    "idle ████████ 1",
    "* JOB   HAS         WAITS  REASON  (2, by queue)",
  ]);
  expect(lines[7]).toBe("> 1202  0/4 slots   10m    needs 160 cores on one node, the largest has 120");
  const page = lines.join("\n");
  expect(page).toMatch(/htc-10 +htc +F4s_v2 +Ready +- +0\.20 +1200/);
  expect(page).toMatch(/20s ago +\+2 -1 +7 jobs +demand of slurm/);
  expect(lines.at(-1)).toMatch(/^q quit/);
});

describe("what is not known is not shown as nothing", () => {
  test("costs that are not counted yet", () =>
    expect(pageOf(openedOn(topData({}, { spending: null })))).toContain("Cost: not counted yet"));
  test("nodes without a snapshot", () =>
    expect(pageOf(openedOn(topData({}, { snapshot: null })))).toContain("Nodes: not known, no snapshot yet"));
  test("uses without a sample: states instead", () =>
    expect(pageOf(openedOn(topData({ sample: undefined })))).toMatch(/Ready +█+ 3 nodes by state/));
  test("uses of long ago: states instead", () => {
    const { sample } = topData();
    const old = sample && { ...sample, atSeconds: now - 900 };
    expect(pageOf(openedOn(topData({ sample: old })))).toContain("by state, use last known 15m ago");
  });
  test("a price that is not known", () => {
    const data = topData({ nodes: [topNode("htc-1", { usdPerHour: null })] });
    expect(pageOf(openedOn(data))).toMatch(/htc-1 .* \? /);
  });
});

const hostile = [
  "\u001b[2J\u001b]0;owned\u0007",
  "a\r\nb\tc",
  "\u202egnp",
  "漢字".repeat(60),
  "👩‍👩‍👧 ".repeat(30),
];
const sizes = [
  { width: 80, height: 24 },
  { width: 20, height: 10 },
  { width: 1, height: 1 },
  { width: 9, height: 3 },
  { width: 300, height: 90 },
];

test.each(sizes.flatMap((size) => hostile.map((name) => [size, name] as const)))(
  "%j holds every line, whatever is in a name: %j",
  (size, name) => {
    const plain = openedOn(
      topData(
        {
          jobs: [topJob(name, { reason: name, source: name })],
          nodes: [topNode(name, { state: name, vmSize: name, location: name })],
        },
        {
          cluster: name,
          problems: [{ gravity: "stopped", kind: "x", text: name, next: name }],
          nodes: { [name]: 1 },
        },
      ),
    );
    const states: readonly TopState[] = [
      plain,
      { ...plain, pane: "nodes", note: name },
      { ...plain, trouble: name, filter: name },
      { ...plain, overlay: { title: name, lines: [name, name], from: 0 } },
      { ...plain, question: { name, nodeId: "1", lines: [name] } },
      { ...plain, map: { grouping: 1, from: 0 } },
      { ...plain, data: { ...plain.data, sample: undefined } },
    ];
    for (const state of states) {
      const lines = textsOf(state, size);
      expect(lines).toHaveLength(size.height);
      for (const line of lines) {
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        expect(cellWidth(line)).toBeLessThanOrEqual(size.width);
      }
    }
  },
);

test("the chosen row of a long list is on the screen, and marked without colour", () => {
  const nodes = Array.from({ length: 1_000 }, (_, index) => topNode(`htc-${index + 1}`));
  const state: TopState = {
    ...openedOn(topData({ nodes, isCut: true })),
    pane: "nodes",
    chosen: { nodes: "id-htc-700" },
  };
  const chosen = drawTop(state, usual).filter(({ style }) => style === "chosen");
  expect(chosen.map(({ text }) => text.slice(0, 9))).toEqual(["> htc-700"]);
  expect(pageOf(state)).toContain("JOBS  (1000+, by name)");
});

describe("a list of jobs", () => {
  test("sources are shown where there are several, and can be filtered by", () => {
    const data = topData({ jobs: [topJob("1"), topJob("2", { source: "pbs" })] });
    const page = pageOf(openedOn(data));
    expect(page).toMatch(/\* JOB +SOURCE +HAS/);
    expect(page).toMatch(/> 1 +slurm /);
    const filtered = pageOf({ ...openedOn(data), filter: "pbs" });
    expect(filtered).toMatch(/> 2 +pbs /);
    expect(filtered).toContain("(1 of 2, by queue)");
  });

  test("jobs side by side that wait for the same are one row, until each is asked for", () => {
    const jobs = [...["1", "2", "3", "4"].map((name) => topJob(name)), topJob("5", { asked: 9 })];
    const state = openedOn(topData({ jobs, waitingJobs: 5 }));
    const rows = (page: string) =>
      page
        .split("\n")
        .filter((line) => /^[> ] \d/.test(line))
        .map((line) => line.slice(2).split(/ {2,}/)[0])
        .filter((cell) => cell?.endsWith("ago") === false);
    expect(rows(pageOf(state))).toEqual(["1 and 3 more", "5"]);
    expect(pageOf(state)).toContain("(5, by queue)");
    const each = press(state, { name: "a" }, 5).state;
    expect(rows(pageOf(each))).toEqual(["1", "2", "3", "4", "5"]);
    expect(rows(pageOf({ ...state, filter: "3" }))).toContain("3");
  });

  test("a reason begins with what is short: how much the job lacks is beside it", () => {
    const reason = "No room for 4 nodes: the node limit of node array hpc leaves 0 new nodes.";
    const page = pageOf(openedOn(topData({ jobs: [topJob("1", { reason })] })));
    expect(page).toContain("  the node limit of node array hpc");
    expect(page).not.toContain("No room for");
  });
});

test("a node that takes no new jobs, and one that is left alone, are marked", () => {
  const draining = { phase: "draining", sinceSeconds: now, reason: "disk errors" } as const;
  const nodes = [topNode("htc-1", { draining }), topNode("htc-2", { ignored: true })];
  const page = pageOf(openedOn(topData({ nodes })));
  expect(page).toMatch(/htc-1 .* Ready draining /);
  expect(page).toMatch(/htc-2 .* Ready ignored /);
});

describe("the map of nodes", () => {
  const uses = [
    ...Array.from({ length: 5 }, (_, index) =>
      topNode(`htc-${index}`, { jobs: [{ job: "1200", slots: 4 }], location: "eastus" }),
    ),
    topNode("htc-9"),
    topNode("mpi-1", { nodeArray: "mpi", placementGroup: "Standard_F4s_v2_pg0", state: "Failed" }),
  ];
  const mapped = (nodes: readonly TopNode[]) => press(openedOn(topData({ nodes })), { name: "m" }, 5).state;

  test("has a block for each node, by array, size and placement group, and says what blocks mean", () => {
    const page = textsOf(mapped(uses));
    expect(page.slice(6, 11)).toEqual([
      "By array:  █ jobs 5  ░ idle 1  × failed 1",
      "htc  F4s_v2  6 nodes",
      "  █████░",
      "mpi  F4s_v2 · pg0  1 node",
      "  ×",
    ]);
    expect(page.at(-1)).toMatch(/^m lists/);
    const regions = textsOf(press(mapped(uses), { name: "s" }, 5).state);
    expect(regions.slice(6, 8)).toEqual([
      "By region:  █ jobs 5  ░ idle 1  × failed 1",
      "eastus  htc · F4s_v2  5 nodes",
    ]);
    expect(textsOf(press(mapped(uses), { name: "m" }, 5).state)[6]).toMatch(/^\* JOB/);
  });

  test("of more nodes than the screen holds, a block stands for several, and one node has a block", () => {
    const many = Array.from({ length: 2_299 }, (_, index) => topNode(`htc-${index}`));
    const page = textsOf(mapped([...many, topNode("htc-x", { state: "Failed" })]));
    expect(page[6]).toBe("By array, a block for 2 nodes:  ░ idle 2299  × failed 1");
    expect(page.slice(8, 23).join("")).toMatch(/×$/);
    expect(page).toHaveLength(24);
  });

  test("of more groups than lines, those that are scrolled to are shown", () => {
    const arrays = Array.from({ length: 40 }, (_, index) =>
      topNode(`n-${index}`, { nodeArray: `array-${index}` }),
    );
    const end = press(mapped(arrays), { name: "end" }, 8).state;
    expect(pageOf(end)).toContain("array-39");
    expect(pageOf(end)).not.toContain("array-0 ");
    expect(pageOf(press(end, { name: "home" }, 8).state)).toContain("array-0 ");
  });
});
