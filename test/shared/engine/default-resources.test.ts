import { describe, expect, test } from "vitest";
import { type DefaultResource, parseDefaultResources, plan } from "../../../shared/engine/index.ts";
import { array, bucket, cluster, input, job, node, plannedNode } from "./tiny.ts";

function defaults(json: unknown): readonly DefaultResource[] {
  const parsed = parseDefaultResources(json);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("; "));
  return parsed.defaultResources;
}

/** The resources of the first new node under these defaults. */
function resourcesOf(json: unknown, world = cluster()) {
  const result = plan(
    input({ cluster: world, jobs: [job("j", { ncpus: 1 })], settings: { defaultResources: defaults(json) } }),
  );
  return plannedNode(result, "htc-1").resources;
}

const gib = (n: number) => ({ bytes: n * 1024 ** 3, magnitude: "g" });

describe("default resources", () => {
  test("system defaults come from the VM size", () => {
    expect(resourcesOf([])).toMatchObject({ ncpus: 4, pcpus: 4, ngpus: 0, memgb: gib(8), nodearray: "htc" });
  });

  test.each([
    ["a number", { value: 7 }, 7],
    ["a text", { value: "red" }, "red"],
    ["a size", { value: "size::20g" }, gib(20)],
    ["a property", { value: "node.vm_size" }, "Standard_F4"],
    ["another resource", { value: "node.resources.ncpus" }, 4],
    ["the plain number of a size", { value: "node.resources.memgb.value" }, 8],
    ["a sum", { value: "node.vcpu_count", add: 1 }, 5],
    ["a difference", { value: "node.vcpu_count", subtract: 1 }, 3],
    ["a product", { value: "node.vcpu_count", multiply: 2 }, 8],
    ["a quotient", { value: "node.vcpu_count", divide: 8 }, 0.5],
    ["a whole quotient", { value: "node.vcpu_count", divide_floor: 3 }, 1],
    ["a modifier by reference", { value: "node.vcpu_count", divide: "node.pcpu_count" }, 1],
    ["a size less a size", { value: "node.memory", subtract: "size::1g" }, gib(7)],
    ["a size less a plain number, in its unit", { value: "node.memory", subtract: 1 }, gib(7)],
    ["a share of a size", { value: "node.memory", multiply: 0.5 }, gib(4)],
  ])("the value can be %s", (_, entry, expected) => {
    expect(resourcesOf([{ select: {}, name: "x", ...entry }]).x).toEqual(expected);
  });

  test("the first entry that matches wins", () => {
    const entries = [
      { select: { "node.vm_size": "other" }, name: "x", value: 1 },
      { select: { "node.vm_size": "Standard_F*" }, name: "x", value: 2 },
      { select: {}, name: "x", value: 3 },
    ];
    expect(resourcesOf(entries).x).toBe(2);
  });

  test("what CycleCloud reports is never overridden", () => {
    const world = cluster({ nodeArrays: [array({ resources: { x: 9 } })] });
    expect(resourcesOf([{ select: {}, name: "x", value: 1 }], world).x).toBe(9);
  });

  test("an entry named like a system default replaces it for the nodes that it selects, and others see the result", () => {
    const entries = [
      { select: { "node.nodearray": "htc" }, name: "ncpus", value: "node.vcpu_count", divide_floor: 2 },
      { select: {}, name: "slots", value: "node.resources.ncpus" },
    ];
    expect(resourcesOf(entries)).toMatchObject({ ncpus: 2, slots: 2 });
  });

  test("disabling the system defaults leaves only what is configured", () => {
    const settings = {
      disableDefaultResources: true,
      defaultResources: defaults([{ select: {}, name: "slots", value: 2 }]),
    };
    const result = plan(input({ jobs: [job("j", { slots: 1 })], settings }));
    expect(plannedNode(result, "htc-1").resources).toEqual({ slots: 2 });
  });

  test("entries that depend on the single node are worked out for each", () => {
    const entries = defaults([{ select: {}, name: "host", value: "node.hostname" }]);
    const world = cluster({ nodes: [node("htc-1"), node("htc-2")] });
    const result = plan(input({ cluster: world, settings: { defaultResources: entries } }));
    expect(result.nodes.map(({ resources }) => resources.host)).toEqual(["host-htc-1", "host-htc-2"]);
  });

  test("a reference to nothing leaves the resource out, with a warning", () => {
    const entries = defaults([{ select: {}, name: "x", value: "node.resources.nothing" }]);
    const result = plan(input({ jobs: [job("j", { ncpus: 1 })], settings: { defaultResources: entries } }));
    expect(plannedNode(result, "htc-1").resources).not.toHaveProperty("x");
    expect(result.warnings).toMatchObject([
      { code: "default-resource", message: expect.stringContaining('"x"') },
    ]);
  });

  test("software configuration can be referred to", () => {
    const softwareConfiguration = { slurm: { partition: "big" } };
    const world = cluster({ nodeArrays: [array({ softwareConfiguration })] });
    expect(
      resourcesOf([{ select: {}, name: "p", value: "node.software_configuration.slurm.partition" }], world).p,
    ).toBe("big");
  });

  test("a bare amount in arithmetic is a size, as in the file that azge writes", () => {
    const resources = resourcesOf([
      { select: {}, name: "m_mem_free", value: "node.resources.memgb", subtract: "1g" },
      { select: {}, name: "half", value: "512m", divide: 2 },
    ]);
    expect(resources.m_mem_free).toEqual(gib(7));
    expect(resources.half).toEqual({ bytes: 256 * 1024 ** 2, magnitude: "m" });
  });

  test("without arithmetic the same text stays a text: it may be a name", () => {
    expect(resourcesOf([{ select: {}, name: "slice", value: "1g" }]).slice).toBe("1g");
  });

  test.each([
    ["two modifiers", { value: 1, add: 1, multiply: 2 }, /at most one/],
    ["a modifier on a text", { value: "red", add: 1 }, /expected a number or a size/],
    ["a modifier that is a text", { value: 1, add: "red" }, /expected a number or a size/],
    ["division by zero", { value: 1, divide: 0 }, /can be divided by/],
    ["an unknown property", { value: "node.vcpus" }, /expected one of name, nodearray/],
    ["no value", {}, /expected a number/],
  ])("refuses %s", (_, entry, message) => {
    const parsed = parseDefaultResources([{ select: {}, name: "x", ...entry }]);
    expect(parsed.ok ? "" : parsed.problems[0]?.message).toMatch(message);
  });

  test("amounts of fractions add up", () => {
    const world = cluster({ nodeArrays: [array({ buckets: [bucket({ available: 1, vcpus: 1 })] })] });
    const jobs = Array.from({ length: 10 }, (_, i) => job(`j${i}`, { ncpus: 0.1 }));
    expect(plan(input({ cluster: world, jobs })).jobs.every(({ allocated }) => allocated)).toBe(true);
  });
});
