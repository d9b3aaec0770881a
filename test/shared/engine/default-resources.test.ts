import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DefaultResource,
  parseDefaultResources,
  plan,
  type Scalar,
} from "../../../shared/engine/index.ts";
import { cases } from "../../support/cases.ts";
import {
  array,
  bucket,
  cluster,
  deallocated,
  historyRow,
  input,
  job,
  node,
  onOrder,
  plannedNode,
} from "./tiny.ts";

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
    const resources = resourcesOf([]);
    expect(resources).toMatchObject({ ncpus: 4, pcpus: 4, ngpus: 0, memgb: gib(8), nodearray: "htc" });
    for (const unit of ["memb", "memkb", "memmb", "memtb"])
      expect(resources[unit]).toMatchObject({ bytes: 8 * 1024 ** 3 });
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

const bytesPerUnit = {
  b: 1,
  k: 1024,
  m: 1024 ** 2,
  g: 1024 ** 3,
  t: 1024 ** 4,
  p: 1024 ** 5,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
};
type Unit = keyof typeof bytesPerUnit;

const anyUnit = fc.constantFrom(...(Object.keys(bytesPerUnit) as Unit[]));
const anyAmount = fc.record({ count: fc.integer({ min: 1, max: 40 }), unit: anyUnit });

function bytesOf(value: Scalar | undefined): number {
  return typeof value === "object" && value !== null ? value.bytes : Number.NaN;
}

describe("arithmetic with amounts of memory", () => {
  test.each([
    [16, "memory::3g", 5],
    [28, "memory::3g", 9],
    [32, "size::3g", 10],
    [32, "3g", 10],
    [32, "memory::3000m", 10],
    [32, "memory::3G", 11],
    [16, "memory::0.1g", 160],
    [2, "memory::3g", 0],
  ])("%i GiB hold whole parts of %s", (memoryGiB, divide_floor, expected) => {
    const world = cluster({ nodeArrays: [array({ buckets: [bucket({ memoryGiB })] })] });
    expect(
      resourcesOf([{ select: {}, name: "slots", value: "node.memory", divide_floor }], world).slots,
    ).toBe(expected);
  });

  test("a job gets its slot of memory on a node of 16 GiB", () => {
    const world = cluster({ nodeArrays: [array({ buckets: [bucket({ memoryGiB: 16 })] })] });
    const defaultResources = defaults([
      { select: {}, name: "slots", value: "node.memory", divide_floor: "memory::3g" },
    ]);
    const jobs = [job("j", { slots: 1 }, { iterations: 5 })];
    const result = plan(input({ cluster: world, jobs, settings: { defaultResources } }));
    expect(result.jobs[0]).toMatchObject({ allocated: true, granted: 5 });
    expect(result.nodes).toHaveLength(1);
  });

  test("a size divided by a plain number and rounded down stays a size, in whole units of its own", () => {
    expect(resourcesOf([{ select: {}, name: "x", value: "memory::20g", divide_floor: 3 }]).x).toEqual(gib(6));
  });

  test("holds in every unit", () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, fc.integer({ min: 1, max: 20 }), (a, b, factor) => {
        const value = `memory::${a.count}${a.unit}`;
        const operand = `memory::${b.count}${b.unit}`;
        const [left, right] = [a.count * bytesPerUnit[a.unit], b.count * bytesPerUnit[b.unit]];
        const found = resourcesOf([
          { select: {}, name: "sum", value, add: operand },
          { select: {}, name: "rest", value, subtract: operand },
          { select: {}, name: "ratio", value, divide: operand },
          { select: {}, name: "whole", value, divide_floor: operand },
          { select: {}, name: "share", value, divide: factor },
          { select: {}, name: "wholeShare", value, divide_floor: factor },
          { select: {}, name: "times", value, multiply: factor },
        ]);
        expect(bytesOf(found.sum)).toBe(left + right);
        // Less than nothing is no amount.
        if (left < right) expect(found.rest).toBeUndefined();
        else expect(bytesOf(found.rest)).toBe(left - right);
        expect(found.ratio).toBeCloseTo(left / right, 9);
        const whole = Number(found.whole);
        expect(Number.isInteger(whole)).toBe(true);
        expect(whole * right).toBeLessThanOrEqual(left * (1 + 1e-9));
        expect((whole + 1) * right).toBeGreaterThan(left * (1 - 1e-9));
        expect(bytesOf(found.share)).toBe(left / factor);
        expect(bytesOf(found.wholeShare)).toBe(Math.floor(a.count / factor) * bytesPerUnit[a.unit]);
        expect(bytesOf(found.times)).toBe(left * factor);
      }),
      cases(200),
    );
  });
});

describe("a default resource that differs from node to node", () => {
  const host = node("htc-1", {
    hostname: "ip-0A000001",
    privateIp: "10.0.0.1",
    instanceId: "vm-1",
    fqdn: "ip-0A000001.hpc.example",
  });
  const beside = node("htc-2", { hostname: "ip-0A000002", privateIp: "10.0.0.2", instanceId: "vm-2" });
  const world = cluster({ nodes: [beside, host] });

  /** The names of the nodes that the job gets, and its first reason. */
  function placed(value: unknown, wanted: unknown, inCluster = world, more: object = {}) {
    const defaultResources = defaults([{ select: {}, name: "own", value, ...more }]);
    const jobs = [job("j", { ncpus: 1, own: wanted })];
    const history = [historyRow("htc-1", { createdSeconds: 1_709_251_199.9 })];
    const result = plan(input({ cluster: inCluster, history, jobs, settings: { defaultResources } }));
    const nodes = result.nodes.filter((one) => one.jobs.length > 0).map(({ name }) => name);
    return { nodes, reason: result.jobs[0]?.reasons[0], created: result.create };
  }

  test.each([
    ["node.hostname", "ip-0A000001"],
    ["node.name", "htc-1"],
    ["node.private_ip", "10.0.0.1"],
    ["node.instance_id", "vm-1"],
    ["node.fqdn", "ip-0A000001.hpc.example"],
    ["node.hostname_or_uuid", "ip-0A000001"],
    ["node.resources.ccnodeid", "id-htc-1"],
    ["node.create_time", "2024-02-29T23:59:59Z"],
  ])("%s is the idle node's own", (value, wanted) => {
    expect(placed(value, wanted).nodes).toEqual(["htc-1"]);
    expect(placed(value, ["nowhere", wanted]).nodes).toEqual(["htc-1"]);
  });

  test("so are whether it exists, and its state", () => {
    const off = cluster({ nodes: [node("htc-1", deallocated), node("htc-2")] });
    expect(placed("node.exists", true, off).nodes).toEqual(["htc-2"]);
    expect(placed("node.state", "Ready", off).nodes).toEqual(["htc-2"]);
    expect(placed("node.state", "Deallocated", off).nodes).toEqual(["htc-1"]);
  });

  test("a new node is made where new nodes have the value", () => {
    expect(placed("node.exists", false).nodes).toEqual(["htc-3"]);
    expect(placed("node.state", "Off").nodes).toEqual(["htc-3"]);
  });

  test("nobody has an unknown host name, and no node is made for it", () => {
    const { nodes, reason } = placed("node.hostname", "ip-0A0000FF");
    expect(nodes).toEqual([]);
    expect(reason).toMatchObject({ code: "InvalidOption", asked: "ip-0A0000FF", left: null });
  });

  test("the example's name is nobody's: no job gets it, and no reason shows it", () => {
    const { nodes, reason } = placed("node.name", "htc-0");
    expect(nodes).toEqual([]);
    expect(JSON.stringify(reason?.left)).toBe("null");
  });

  test("a resource made from another one that differs differs too", () => {
    const defaultResources = defaults([
      { select: {}, name: "host", value: "node.hostname" },
      { select: {}, name: "vnode", value: "node.resources.host" },
      { select: { host: "ip-0A000001" }, name: "role", value: "first" },
    ]);
    for (const constraints of [{ vnode: "ip-0A000001" }, { role: "first" }]) {
      const result = plan(
        input({ cluster: world, jobs: [job("j", constraints)], settings: { defaultResources } }),
      );
      expect(plannedNode(result, "htc-1").jobs).toMatchObject([{ job: "j" }]);
      expect(result.create).toEqual([]);
    }
  });

  test("a node on order has its name", () => {
    const pending = [onOrder(1, { names: ["htc-7"] })];
    const defaultResources = defaults([{ select: {}, name: "vnode", value: "node.name" }]);
    const jobs = [job("j", { vnode: "htc-7" })];
    const result = plan(input({ pending, jobs, settings: { defaultResources } }));
    expect(plannedNode(result, "htc-7").jobs).toMatchObject([{ job: "j" }]);
  });

  test("a host that CycleCloud does not have has its own host name", () => {
    const schedulerNodes = ["desk-1", "desk-2"].map((hostname) => ({ hostname, resources: { ncpus: 4 } }));
    const defaultResources = defaults([{ select: {}, name: "host", value: "node.hostname" }]);
    const jobs = [job("j", { host: "desk-2" })];
    const result = plan(input({ schedulerNodes, jobs, settings: { defaultResources } }));
    expect(plannedNode(result, "desk-2").jobs).toMatchObject([{ job: "j" }]);
  });

  test("an array that reports the resource for all its nodes gets new nodes", () => {
    const reporting = cluster({ nodeArrays: [array({ resources: { host: "any" } })] });
    const defaultResources = defaults([{ select: {}, name: "host", value: "node.hostname" }]);
    const result = plan(
      input({ cluster: reporting, jobs: [job("j", { host: "any" })], settings: { defaultResources } }),
    );
    expect(result.jobs[0]).toMatchObject({ allocated: true });
  });
});
