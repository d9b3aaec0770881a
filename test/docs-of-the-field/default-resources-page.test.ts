import { describe, expect, test } from "vitest";
import { parseDefaultResources, plan } from "../../shared/engine/index.ts";
import { array, bucket, cluster, input, job, node, plannedNode } from "../shared/engine/tiny.ts";

const gib = (count: number) => ({ bytes: count * 1024 ** 3, magnitude: "g" });
const gpuArray = array({
  name: "gpu",
  softwareConfiguration: { site: { rack: "r7" } },
  buckets: [bucket({ vmSize: "Standard_NC6", vcpus: 6, gpus: 1 })],
});
const world = cluster({ nodeArrays: [array(), gpuArray], nodes: [node("htc-7")] });

function parsed(entries: unknown) {
  const defaults = parseDefaultResources(entries);
  if (!defaults.ok) throw new Error(defaults.problems.map(({ message }) => message).join("; "));
  return defaults.defaultResources;
}

/** What a new node of each array has, and one that exists. */
function resourcesOf(entries: unknown, disableDefaultResources = false) {
  const jobs = [
    job("all", { "node.nodearray": "htc", exclusive: true }, { iterations: 2 }),
    job("gpu", { "node.nodearray": "gpu" }),
  ];
  const settings = { defaultResources: parsed(entries), disableDefaultResources };
  const result = plan(input({ cluster: world, jobs, settings }));
  const [htc, gpu, known] = ["htc-1", "gpu-1", "htc-7"].map((name) => plannedNode(result, name).resources);
  return { htc, gpu, known };
}

describe("scalelib, default resources", () => {
  test("every node has its CPUs, GPUs and memory in five units, its node array and its id without any setting", () => {
    const { htc, known } = resourcesOf([]);
    expect(htc).toMatchObject({ ncpus: 4, pcpus: 4, ngpus: 0, memgb: gib(8), nodearray: "htc" });
    for (const unit of ["memb", "memkb", "memmb", "memgb", "memtb"])
      expect(htc?.[unit]).toMatchObject({ bytes: 8 * 1024 ** 3 });
    expect(known).toMatchObject({ ccnodeid: "id-htc-7" });
  });

  test("an empty select takes all nodes, new ones and those that exist", () => {
    const { htc, gpu, known } = resourcesOf([{ select: {}, name: "slots", value: 1 }]);
    expect([htc?.slots, gpu?.slots, known?.slots]).toEqual([1, 1, 1]);
  });

  test("select is a constraint: only nodes that satisfy it have the resource", () => {
    const { htc, gpu } = resourcesOf([{ select: { "node.gpu_count": 1 }, name: "slots", value: 1 }]);
    expect([htc?.slots, gpu?.slots]).toEqual([undefined, 1]);
  });

  test("entries are tried in order, and the first one that matches counts", () => {
    const { htc, gpu } = resourcesOf([
      { select: { "node.nodearray": "gpu" }, name: "slots", value: "node.gpu_count" },
      { select: {}, name: "slots", value: "node.vcpu_count" },
    ]);
    expect([htc?.slots, gpu?.slots]).toEqual([4, 1]);
  });

  test("GPU precedence: an entry for nodes with GPUs before the one for all nodes counts there, behind it nowhere", () => {
    const ofGpus = { select: { "node.gpu_count": 1 }, name: "slots", value: "node.gpu_count" };
    const ofAll = { select: {}, name: "slots", value: "node.pcpu_count" };
    const slotsOf = (entries: unknown) => {
      const { htc, gpu } = resourcesOf(entries);
      return [htc?.slots, gpu?.slots];
    };
    expect(slotsOf([ofGpus, ofAll])).toEqual([4, 1]);
    expect(slotsOf([ofAll, ofGpus])).toEqual([4, 6]);
  });

  test("proxied locations: a value may come from node, node.resources and node.software_configuration, wherever it is there", () => {
    const { htc, gpu } = resourcesOf([
      { select: {}, name: "rack", value: "node.software_configuration.site.rack" },
      { select: {}, name: "region", value: "node.location" },
      { select: {}, name: "cpus", value: "node.resources.ncpus" },
    ]);
    expect([gpu?.rack, gpu?.region, gpu?.cpus]).toEqual(["r7", "westeurope", 6]);
    expect([htc?.rack, htc?.region, htc?.cpus]).toEqual([undefined, "westeurope", 4]);
  });

  test.each([
    ["a number", 7, 7],
    ["a text", "red", "red"],
    ["a size", "size::20g", gib(20)],
    ["memory", "memory::4g", gib(4)],
    ["a property of the node", "node.pcpu_count", 4],
    ["another resource", "node.resources.ncpus", 4],
  ])("a value is %s", (_, value, expected) => {
    expect(resourcesOf([{ select: {}, name: "x", value }]).htc?.x).toEqual(expected);
  });

  test.each([
    [
      "subtract",
      "memory less what the system needs",
      { value: "node.memory", subtract: "memory::1g" },
      gib(7),
    ],
    ["add", "one more", { value: "node.vcpu_count", add: 1 }, 5],
    ["multiply", "a share", { value: "node.memory", multiply: 0.5 }, gib(4)],
    ["divide", "a part of each", { value: "node.vcpu_count", divide: 8 }, 0.5],
    ["divide_floor", "whole parts", { value: "node.vcpu_count", divide_floor: 3 }, 1],
  ])("%s: %s", (_, __, entry, expected) => {
    expect(resourcesOf([{ select: {}, name: "x", ...entry }]).htc?.x).toEqual(expected);
  });

  test("a second modifier is refused", () => {
    const entry = { select: {}, name: "x", value: 1, add: 1, subtract: 1 };
    expect(parseDefaultResources([entry]).ok).toBe(false);
  });

  test("what the cluster's template gives a node is not overridden", () => {
    const own = cluster({ nodeArrays: [array({ resources: { slots: 2 } })] });
    const settings = { defaultResources: parsed([{ select: {}, name: "slots", value: 9 }]) };
    const result = plan(input({ cluster: own, jobs: [job("j", { slots: 1 })], settings }));
    expect(plannedNode(result, "htc-1").resources.slots).toBe(2);
  });

  test("disable_default_resources leaves only what is configured", () => {
    const { htc } = resourcesOf([{ select: {}, name: "slots", value: 3 }], true);
    expect(Object.keys(htc ?? {})).toEqual(["slots"]);
  });
});
