import { describe, expect, test } from "vitest";
import { type PlanInput, plan } from "../../../shared/engine/index.ts";
import { jobSentences } from "../../../shared/views/index.ts";
import { array, bucket, cluster, deallocated, input, job, node } from "./tiny.ts";

const noneLeft = array({ buckets: [bucket({ available: 0 })] });
const world = (...names: readonly string[]) =>
  cluster({ nodeArrays: [noneLeft], nodes: names.map((name) => node(name)) });
const running = (name: string, host: string) => job(name, { ncpus: 4 }, { executingHostnames: [host] });

function outcomeOf(fields: Partial<PlanInput>) {
  const outcome = plan(input(fields)).jobs.at(-1);
  if (outcome === undefined) throw new Error("no job");
  return { ...outcome, reasons: outcome.reasons, text: jobSentences(outcome).slice(1).join(" ") };
}

describe("reasons of full buckets: nodes that take no jobs", () => {
  const closedNodeIds = ["id-htc-1"];
  test("are told where they are what is missing, with the limit that keeps new ones from being made", () => {
    const { reasons, text } = outcomeOf({
      cluster: world("htc-1", "htc-2"),
      closedNodeIds,
      jobs: [running("a", "host-htc-2"), job("b", { ncpus: 4 })],
    });
    expect(reasons).toMatchObject([{ code: "NodesTakeNoJobs", asked: 1, left: 1, limit: "bucket" }]);
    expect(text).toBe(
      "htc/Standard_F4: nodes with room that take no jobs, because they are drained: 1; what CycleCloud still offers of the VM size leaves no new ones. It fits when they are taken back.",
    );
  });

  test.each([
    ["too full for the job", [running("a", "host-htc-1"), job("b", { ncpus: 4 })], 1],
    ["fewer than a job of several nodes lacks", [job("b", { ncpus: 4 }, { nodeCount: 3 })], 2],
  ])("are not told of when they are %s", (_, jobs, count) => {
    const names = ["htc-1", "htc-2"].slice(0, count);
    const { reasons } = outcomeOf({ cluster: world(...names), closedNodeIds, jobs });
    expect(reasons).toMatchObject([{ code: "NoCapacity", limit: "bucket" }]);
  });

  test("are told to a job of several nodes that would have enough with them", () => {
    const { reasons } = outcomeOf({
      cluster: world("htc-1", "htc-2"),
      closedNodeIds,
      jobs: [job("b", { ncpus: 4 }, { nodeCount: 2 })],
    });
    expect(reasons).toMatchObject([{ code: "NodesTakeNoJobs", left: 1 }]);
  });

  test("are not told of where they have no VM: under a limit that is reached none could be started", () => {
    const { reasons } = outcomeOf({
      cluster: { ...world(), nodes: [node("htc-1", deallocated)] },
      closedNodeIds,
      jobs: [job("b", { ncpus: 4 })],
    });
    expect(reasons).toMatchObject([{ code: "NoCapacity", limit: "bucket" }]);
  });

  test("are told of on-premise hosts", () => {
    const schedulerNodes = [{ hostname: "old-1", resources: { ncpus: 8 }, takesNoJobs: true } as const];
    const { reasons } = outcomeOf({ cluster: world(), schedulerNodes, jobs: [job("b", { ncpus: 4 })] });
    expect(reasons.find(({ bucket }) => bucket?.nodeArray === "on-premise")).toMatchObject({
      code: "NodesTakeNoJobs",
      left: 1,
    });
  });
});

describe("reasons of full buckets: a job that names its nodes", () => {
  test.each([
    [
      "there is no such host",
      { "node.hostname": "host-9" },
      "InvalidOption",
      null,
      /no node has node.hostname = host-9/,
    ],
    [
      "there is no such name",
      { "node.name": "htc-9" },
      "InvalidOption",
      null,
      /no node has node.name = htc-9/,
    ],
    [
      "it is full",
      { "node.hostname": "host-htc-2" },
      "OutOfCapacity",
      0,
      /nodes that the job names \(node.hostname = host-htc-2\) are full/,
    ],
    [
      "it takes no jobs",
      { "node.hostname": "host-htc-1" },
      "NodesTakeNoJobs",
      1,
      /take no jobs, because they are drained: 1;/,
    ],
    ["it is too small", { "node.hostname": "host-htc-2", ncpus: 5 }, "InsufficientResource", 4, /too small/],
  ])("%s: no limit is blamed, for it gets no new nodes", (_, constraints, code, left, text) => {
    const outcome = outcomeOf({
      cluster: cluster({ nodes: [node("htc-1"), node("htc-2")] }),
      closedNodeIds: ["id-htc-1"],
      jobs: [running("a", "host-htc-2"), job("b", { ncpus: 4, ...constraints })],
    });
    expect(outcome.reasons).toMatchObject([{ code, left, limit: null }]);
    expect(outcome.text).toMatch(text);
  });
});

describe("reasons of full buckets: on-premise hosts", () => {
  const hosts = [
    { hostname: "old-1", resources: { ncpus: 8 } },
    { hostname: "old-2", resources: { ncpus: 16 } },
  ];
  const reasonOf = (constraints: unknown, jobs: readonly ReturnType<typeof job>[] = []) =>
    outcomeOf({
      cluster: cluster({ nodeArrays: [] }),
      schedulerNodes: hosts,
      jobs: [...jobs, job("b", constraints)],
    }).reasons;

  test("are full when one would do while it is empty", () => {
    expect(reasonOf({ ncpus: 16 }, [job("a", { ncpus: 16 })])).toMatchObject([{ code: "OutOfCapacity" }]);
  });

  test("are too small when none would do, and the largest is told", () => {
    expect(reasonOf({ ncpus: 32 })).toMatchObject([{ code: "InsufficientResource", asked: 32, left: 16 }]);
  });

  test("lack a resource that no host has", () => {
    expect(reasonOf({ ngpus: 1 })).toMatchObject([{ code: expect.stringMatching(/Resource$/) }]);
  });
});
