import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseMessage, parseTargets, wholly } from "../../../shared/messages/job-demand.ts";
import { accountOf, attributesOf } from "../../../shared/messages/node-array-target.ts";

const envelope = {
  version: 1,
  kind: "targets",
  cluster: "hpc",
  source: "cron",
  sequence: 7,
  sentAt: "2026-11-21T10:00:00Z",
};

function problemsOf(...arrays: readonly unknown[]): readonly string[] {
  const parsed = wholly(parseTargets({ ...envelope, arrays }));
  return parsed.ok ? [] : parsed.problems;
}

describe("an autoscale request that is understood", () => {
  test("belongs to the standard set and holds five minutes unless it says otherwise", () => {
    expect(parseTargets({ ...envelope, arrays: [] })).toMatchObject({
      ok: true,
      message: { requestSet: "standard", expirationInterval: 300 },
    });
  });

  test.each<[string, Record<string, unknown>]>([
    ["cores", { TargetCoreCount: 128 }],
    [
      "cores, of a size with settings",
      { TargetCoreCount: 128, MachineType: "Standard_F4s_v2", Configuration: { custom_setting: 123 } },
    ],
    ["nodes and cores, of which cores count", { TargetCount: 2, TargetCoreCount: 128 }],
    [
      "a dynamic array",
      { Extends: "base", TargetCount: 3, Configuration: { application_version: "1.2.3" }, Dynamic: true },
    ],
    ["GPUs", { TargetGpuCount: 16, MachineType: ["A", "B"] }],
    ["groups of cores", { TargetGroupCount: 4, GroupCoreCount: 64, MachineType: ["A", "B"] }],
    ["spare nodes", { SpareCount: 2, SparePercent: 12.5 }],
    ["spare slots", { SpareSlots: 64, SlotResources: { ncpus: 4, memgb: 16 }, SpareCostPerHour: 12.5 }],
    ["groups of instances", { TargetGroupCount: 4, GroupInstanceCount: 16 }],
    ["other attributes", { ImageId: "cycle.image.ubuntu22", CoreCount: 2, "Azure.Tags": { a: 1 } }],
    ["no wish", {}],
    ["the cluster's own name", { ClusterName: "hpc" }],
  ])("%s", (_what, fields) => {
    const array = { Name: "execute", ...fields };
    expect(parseMessage({ ...envelope, arrays: [array] })).toMatchObject({
      ok: true,
      message: { arrays: [array] },
    });
  });

  test("groups of one array in several sizes are several wishes", () => {
    const groups = [16, 64].map((size) => ({ Name: "execute", TargetGroupCount: 1, GroupCoreCount: size }));
    expect(problemsOf({ Name: "execute", TargetCount: 1 }, ...groups)).toEqual([]);
    expect(groups.map(accountOf)).toEqual(["execute:16", "execute:64"]);
  });

  test("what is no wish is an attribute of the nodes", () => {
    const wishes = {
      Name: "a",
      TargetCount: 1,
      TargetGpuCount: 1,
      MachineType: "m",
      Extends: "b",
      Dynamic: true,
    };
    const attributes = { ImageId: "i", Configuration: { c: 1 }, CoreCount: 2 };
    expect(attributesOf({ ...wishes, ...attributes })).toEqual(attributes);
  });
});

describe("an autoscale request that is refused", () => {
  test.each<[string, object, RegExp]>([
    ["nodes that nobody deletes", { KeepAlive: true }, /^KeepAlive: true, .*an operator keeps them/],
    ["a size under another name", { "Azure.MachineType": "m" }, /expected MachineType/],
    ["no name", { Name: undefined, TargetCount: 1 }, /^Name: /],
    ["a name that no array can have", { Name: "a/b" }, /^Name: "a\/b", expected letters/],
    ["a negative count", { TargetCount: -1 }, /^TargetCount: -1, /],
    ["a count as text", { TargetCoreCount: "128" }, /^TargetCoreCount: "128", /],
    ["a misspelt wish", { TargetCores: 3 }, /^TargetCores: 3, unknown, expected TargetCount, /],
    ["another spelling", { machineType: "m" }, /^machineType: "m", unknown, expected MachineType$/],
    ["no attribute's name", { "x y": 1 }, /^x y: 1, expected the name of a node's attribute/],
    ["CycleCloud's own attribute", { NodeId: "1" }, /^NodeId: "1", expected no attribute/],
    ["the same in other letters", { NODEID: "1" }, /^NODEID: "1", expected no attribute/],
    ["a part of one", { "Instance.Id": "1" }, /^Instance\.Id: "1", expected no attribute/],
    ["nodes that nobody deletes, in other letters", { Keepalive: true }, /an operator keeps them/],
    ["a limit", { MaxCount: 3 }, /^MaxCount: 3, expected no limit/],
    ["a placement group", { PlacementGroupId: "p" }, /PlacementGroupId: "p", expected TargetGroupCount/],
    ["no machine type", { MachineType: [] }, /^MachineType: \[\], /],
    ["groups without a size", { TargetGroupCount: 2 }, /expected exactly one of GroupCoreCount/],
    [
      "groups of two sizes",
      { TargetGroupCount: 2, GroupCoreCount: 4, GroupInstanceCount: 1 },
      /expected exactly one of GroupCoreCount/,
    ],
    ["a size without groups", { GroupCoreCount: 4 }, /^TargetGroupCount: missing/],
    [
      "groups and nodes",
      { TargetGroupCount: 2, GroupCoreCount: 4, TargetCount: 1 },
      /expected either groups or a TargetCount/,
    ],
    [
      "spare nodes and others",
      { SpareCount: 2, TargetCount: 1 },
      /^SpareCount: 2, expected either spare nodes or a TargetCount, in a definition each/,
    ],
    [
      "GPUs and cores",
      { TargetGpuCount: 2, TargetCoreCount: 8 },
      /^TargetGpuCount: 2, expected either GPUs or a TargetCoreCount/,
    ],
    ["a share of less than nothing", { SparePercent: -1 }, /^SparePercent: -1, /],
    ["slots of no shape", { SpareSlots: 2 }, /^SlotResources: missing/],
    ["an empty shape", { SpareSlots: 2, SlotResources: {} }, /expected 1 to 20 resources/],
    ["a shape of no slots", { SlotResources: { ncpus: 1 } }, /SpareSlots with it/],
    ["slots that take nothing", { SpareSlots: 2, SlotResources: { ncpus: 0 } }, /ncpus: 0, /],
    [
      "nodes and slots",
      { SpareCount: 1, SpareSlots: 2, SlotResources: { ncpus: 1 } },
      /expected either whole spare nodes or spare slots/,
    ],
    ["a cost of nothing spare", { SpareCostPerHour: 2 }, /expected SpareCount/],
    ["a misspelt wish for spare nodes", { Spares: 2 }, /unknown, expected TargetCount/],
    ["a dynamic array of nothing", { Dynamic: true }, /^Extends: missing/],
    [
      "a dynamic array of nothing that says what to use in its place",
      { Dynamic: true, TargetCount: 1 },
      /or else its MachineType/,
    ],
    ["a dynamic array of itself", { Dynamic: true, Extends: "a" }, /^Extends: "a", expected another/],
    ["an extension that is not dynamic", { Extends: "b" }, /^Dynamic: expected true with Extends$/],
    [
      "attributes without end",
      { Configuration: { x: "y".repeat(9_000) } },
      /bytes of attributes, expected at most 8192$/,
    ],
  ])("%s", (_case, array, expected) => {
    const [problem = "", ...others] = problemsOf({ Name: "a", ...array });
    expect(others).toEqual([]);
    expect(problem).toMatch(/^arrays\[0\][.:] ?/);
    expect(problem.replace(/^arrays\[0\]\./, "")).toMatch(expected);
  });

  test("two definitions of one name", () => {
    expect(problemsOf({ Name: "a" }, { Name: "b" }, { Name: "a" })).toEqual([
      'arrays[2].Name: "a", a second definition of that name, expected one',
    ]);
  });

  test("what is no object", () => {
    expect(problemsOf(5)).toEqual([expect.stringMatching(/^arrays\[0\]: 5, .*expected object/)]);
  });

  test("every problem at once, those between keys too", () => {
    const problems = problemsOf(
      { Name: "a", TargetCount: -1, GroupCoreCount: 4, targetCount: 1 },
      { Name: 1 },
    );
    expect(problems.map((problem) => problem.split(/[:,]/)[0])).toEqual([
      "arrays[0].TargetCount",
      "arrays[0].targetCount",
      "arrays[0].TargetGroupCount",
      "arrays[1].Name",
    ]);
  });

  test.each([
    ["requestSet", "", /^requestSet: /],
    ["requestSet", "a/b", /^requestSet: "a\/b", expected letters/],
    ["expirationInterval", 0, /^expirationInterval: 0/],
    ["expirationInterval", 86_401, /^expirationInterval: 86401/],
    ["arrays", {}, /^arrays: /],
  ])("%s: %j", (key, value, expected) => {
    const parsed = parseTargets({ ...envelope, arrays: [], [key]: value });
    expect(parsed.ok ? "" : parsed.problems[0]).toMatch(expected);
  });

  test("whatever comes in, it never throws and always says something", () => {
    const array = fc.dictionary(
      fc.oneof(
        fc.constantFrom("Name", "TargetCount", "MachineType", "Configuration", "__proto__"),
        fc.string(),
      ),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(array, fc.jsonValue())), (arrays) => {
        const parsed = parseTargets({ ...envelope, arrays });
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
    );
  });
});
