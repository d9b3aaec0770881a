import { describe, expect, test } from "vitest";
import { type EngineSettings, type Job, plan } from "../../shared/engine/index.ts";
import {
  array,
  bucket,
  cluster,
  codes,
  constraints,
  createdNames,
  input,
  job,
} from "../shared/engine/tiny.ts";

const world = cluster({
  nodeArrays: [
    array({ name: "gpu", spot: true, buckets: [bucket({ vmSize: "Standard_NC6", vcpus: 6, gpus: 1 })] }),
    array({ name: "htc", resources: { custom: "red", number: 16 }, buckets: [bucket({ vcpus: 16 })] }),
    array({
      name: "west",
      location: "westus2",
      resources: { custom: "blue", number: 32 },
      buckets: [bucket({ vmSize: "Standard_E32", vcpus: 32 })],
    }),
  ],
});

function planned(jobs: readonly Job[], settings: Partial<EngineSettings> = {}) {
  return plan(input({ cluster: world, jobs, settings }));
}

/** The node arrays of the new nodes that jobs get. */
function arraysOf(json: unknown, fields: Partial<Job> = {}): readonly string[] {
  const names = createdNames(planned([job("j", json, fields)]));
  return names.map((name) => name.replace(/-\d+$/, ""));
}

describe("scalelib, constraints: resources", () => {
  test("a number asks for at least that much, and takes it", () => {
    expect(arraysOf({ ncpus: 17 })).toEqual(["west"]);
    expect(arraysOf({ ncpus: 8, "node.nodearray": "htc" }, { iterations: 3 })).toEqual(["htc", "htc"]);
  });

  test("so does an amount with a unit", () => {
    expect(arraysOf({ memgb: "memory::40g" })).toEqual(["west"]);
  });

  test("several in one object all hold", () => {
    expect(arraysOf({ ncpus: 4, memgb: "memory::4g", ngpus: 1 })).toEqual(["gpu"]);
  });

  test("a text asks for a resource with that value, and takes nothing", () => {
    expect(arraysOf({ custom: "blue" }, { iterations: 40 })).toEqual(["west"]);
  });

  test("a list asks for one of its values", () => {
    expect(arraysOf({ custom: ["green", "blue"] })).toEqual(["west"]);
  });

  test("a list of whole numbers is read-only: one of them, and nothing is taken", () => {
    expect(arraysOf({ number: [32, 64] }, { iterations: 40 })).toEqual(["west"]);
  });
});

describe("scalelib, constraints: node properties", () => {
  test("a property has the value, or one of a list", () => {
    expect(arraysOf({ "node.vm_size": ["Standard_E32", "Standard_X"] })).toEqual(["west"]);
    expect(arraysOf({ "node.location": "westus2" })).toEqual(["west"]);
  });

  test("a number means exactly that many, and takes none", () => {
    expect(arraysOf({ "node.pcpu_count": 16 }, { iterations: 40 })).toEqual(["htc"]);
    expect(arraysOf({ "node.pcpu_count": 10 })).toEqual([]);
  });
});

describe("scalelib, constraints: exclusive", () => {
  test("exclusive: one iteration of the job on a node, and nothing else", () => {
    expect(arraysOf({ ncpus: 1, exclusive: true, "node.nodearray": "htc" }, { iterations: 3 })).toHaveLength(
      3,
    );
  });

  test("exclusive-task: several iterations of the job on a node, and nothing else", () => {
    const alone = { ncpus: 1, "exclusive-task": true, "node.nodearray": "htc" };
    expect(arraysOf(alone, { iterations: 3 })).toHaveLength(1);
    const other = job("other", { ncpus: 1, "node.nodearray": "htc" });
    expect(createdNames(planned([job("j", alone, { iterations: 3 }), other]))).toHaveLength(2);
  });
});

describe("scalelib, constraints: in-a-placement-group", () => {
  const inGroups = cluster({
    nodeArrays: [
      array({ buckets: [bucket({ fields: { placementGroups: [{ name: "pg0", activeCount: 0 }] } })] }),
    ],
  });
  const groupsOf = (wanted: boolean) =>
    plan(
      input({ cluster: inGroups, jobs: [job("j", { ncpus: 1, "in-a-placement-group": wanted })] }),
    ).create.map(({ placementGroup }) => placementGroup);

  test("true: in any placement group", () => {
    expect(groupsOf(true)).toEqual(["pg0"]);
  });

  test("false: in none", () => {
    expect(groupsOf(false)).toEqual([null]);
  });
});

describe("scalelib, constraints: and, or, xor, not", () => {
  test("and: all children hold, as several keys of one object do", () => {
    const all = { and: [{ ncpus: 4 }, { custom: "blue" }] };
    expect(arraysOf(all)).toEqual(["west"]);
    expect(arraysOf({ ncpus: 4, custom: "blue" })).toEqual(arraysOf(all));
  });

  test("or: the first child that holds is the one that takes something", () => {
    const choice = { or: [{ ncpus: 8, custom: "red" }, { ncpus: 1 }] };
    expect(arraysOf(choice, { iterations: 3 })).toEqual(["htc", "htc"]);
  });

  test("or: a spot size if there is one, else a regular one", () => {
    const sizes = (first: string) => ({
      or: [
        { "node.vm_size": first, "node.spot": true },
        { "node.vm_size": "Standard_F16", "node.spot": false },
      ],
    });
    expect(arraysOf(sizes("Standard_NC6"))).toEqual(["gpu"]);
    expect(arraysOf(sizes("Standard_NC24"))).toEqual(["htc"]);
  });

  test("xor: exactly one child holds", () => {
    const regions = { xor: [{ "node.location": "westus2" }, { custom: "red" }] };
    expect(arraysOf({ ...regions, ncpus: 20 })).toEqual(["west"]);
    expect(arraysOf({ xor: [{ "node.location": "westus2" }, { custom: "blue" }] })).toEqual([]);
  });

  test("not: the child does not hold", () => {
    expect(arraysOf({ not: { "node.gpu_count": 0 } })).toEqual(["gpu"]);
    expect(arraysOf({ not: { ngpus: 1 } })).not.toContain("gpu");
  });

  test("never: refuses every node, with its reason", () => {
    const choice = { or: [{ custom: "green" }, { custom: "red", never: "User is not let in" }] };
    expect(arraysOf(choice)).toEqual([]);
    const only = planned([job("j", { never: "User is not let in" })]);
    expect(new Set(codes(only, "j"))).toEqual(new Set(["Never"]));
    expect(only.jobs[0]?.reasons.map((reason) => JSON.stringify(reason)).join()).toContain(
      "User is not let in",
    );
  });
});

describe("scalelib, constraints: shared resources", () => {
  const licences = (requested: number) => ({
    "shared-consumable-constraint": {
      "resource-name": "licences",
      source: "/etc/licences",
      requested,
      "initial-value": 1_000,
      "current-value": 10,
    },
  });

  test("shared consumable: all jobs draw on one amount, and wait when it is used up", () => {
    const result = planned([job("a", licences(6)), job("b", licences(6)), job("c", licences(4))]);
    expect(result.jobs.map(({ granted }) => granted)).toEqual([1, 0, 1]);
    expect(codes(result, "b")).toContain("SharedLimitReached");
  });

  test("shared value: it equals what is asked for, and nothing is taken", () => {
    const version = (requested: string) => ({
      "shared-non-consumable-constraint": {
        "resource-name": "prodversion",
        source: "/etc/version",
        "current-value": "1.2.3",
        requested,
      },
    });
    const result = planned([
      job("a", version("1.2.3")),
      job("b", version("1.2.4")),
      job("c", version("1.2.3")),
    ]);
    expect(result.jobs.map(({ granted }) => granted)).toEqual([1, 0, 1]);
    expect(codes(result, "b")).toContain("InvalidSharedValue");
  });
});

test("every example can be read", () => {
  expect(
    constraints({ custom_string1: "a", custom_string2: ["a", "b"], custom_integer: [16, 32] }),
  ).toHaveLength(3);
});
