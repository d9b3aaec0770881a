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
    ["cores", { Name: "execute", TargetCoreCount: 128 }],
    [
      "cores, of a size with settings",
      {
        Name: "execute",
        TargetCoreCount: 128,
        MachineType: "Standard_F4s_v2",
        Configuration: { custom_setting: 123 },
      },
    ],
    ["nodes and cores, of which cores count", { Name: "execute", TargetCount: 2, TargetCoreCount: 128 }],
    [
      "a dynamic array",
      {
        Name: "dynamic_array",
        Extends: "execute",
        TargetCount: 3,
        Configuration: { application_version: "1.2.3" },
        Dynamic: true,
      },
    ],
    [
      "groups of cores",
      { Name: "execute", TargetGroupCount: 4, GroupCoreCount: 64, MachineType: ["A", "B"] },
    ],
    ["spare nodes", { Name: "execute", SpareCount: 2, SparePercent: 12.5 }],
    [
      "spare slots",
      { Name: "execute", SpareSlots: 64, SlotResources: { ncpus: 4, memgb: 16 }, SpareCostPerHour: 12.5 },
    ],
    ["groups of instances", { Name: "execute", TargetGroupCount: 4, GroupInstanceCount: 16 }],
    [
      "other attributes",
      { Name: "execute", ImageId: "cycle.image.ubuntu22", CoreCount: 2, "Azure.Tags": { a: 1 } },
    ],
    ["no wish", { Name: "execute" }],
    ["the cluster's own name", { Name: "execute", ClusterName: "hpc" }],
  ])("%s", (_what, array) => {
    expect(parseMessage({ ...envelope, arrays: [array] })).toMatchObject({
      ok: true,
      message: { arrays: [array] },
    });
  });

  test("groups of one array in several sizes are several wishes", () => {
    const groups = [16, 64].map((GroupCoreCount) => ({
      Name: "execute",
      TargetGroupCount: 1,
      GroupCoreCount,
    }));
    expect(problemsOf({ Name: "execute", TargetCount: 1 }, ...groups)).toEqual([]);
    expect(groups.map(accountOf)).toEqual(["execute:16", "execute:64"]);
  });

  test("what is no wish is an attribute of the nodes", () => {
    const wishes = { Name: "a", TargetCount: 1, MachineType: "m", Extends: "b", Dynamic: true };
    const attributes = { ImageId: "i", Configuration: { c: 1 }, CoreCount: 2 };
    expect(attributesOf({ ...wishes, ...attributes })).toEqual(attributes);
  });
});

describe("an autoscale request that is refused", () => {
  test.each<[string, unknown, RegExp]>([
    [
      "nodes that nobody deletes",
      { Name: "a", KeepAlive: true },
      /^arrays\[0\]\.KeepAlive: true, .*an operator keeps them/,
    ],
    ["a size under another name", { Name: "a", "Azure.MachineType": "m" }, /expected MachineType/],
    ["no object", 5, /^arrays\[0\]: 5, .*expected object/],
    ["no name", { TargetCount: 1 }, /^arrays\[0\]\.Name: /],
    ["a name that no array can have", { Name: "a/b" }, /^arrays\[0\]\.Name: "a\/b", expected letters/],
    ["a negative count", { Name: "a", TargetCount: -1 }, /^arrays\[0\]\.TargetCount: -1, /],
    ["a count as text", { Name: "a", TargetCoreCount: "128" }, /^arrays\[0\]\.TargetCoreCount: "128", /],
    [
      "a misspelt wish",
      { Name: "a", TargetCores: 3 },
      /^arrays\[0\]\.TargetCores: 3, unknown, expected TargetCount, /,
    ],
    [
      "another spelling",
      { Name: "a", machineType: "m" },
      /^arrays\[0\]\.machineType: "m", unknown, expected MachineType$/,
    ],
    [
      "no attribute's name",
      { Name: "a", "x y": 1 },
      /^arrays\[0\]\.x y: 1, expected the name of a node's attribute/,
    ],
    [
      "CycleCloud's own attribute",
      { Name: "a", NodeId: "1" },
      /^arrays\[0\]\.NodeId: "1", expected no attribute/,
    ],
    [
      "the same in other letters",
      { Name: "a", NODEID: "1" },
      /^arrays\[0\]\.NODEID: "1", expected no attribute/,
    ],
    [
      "a part of one",
      { Name: "a", "Instance.Id": "1" },
      /^arrays\[0\]\.Instance\.Id: "1", expected no attribute/,
    ],
    ["nodes that nobody deletes, in other letters", { Name: "a", Keepalive: true }, /an operator keeps them/],
    ["a limit", { Name: "a", MaxCount: 3 }, /^arrays\[0\]\.MaxCount: 3, expected no limit/],
    [
      "a placement group",
      { Name: "a", PlacementGroupId: "p" },
      /PlacementGroupId: "p", expected TargetGroupCount/,
    ],
    ["no machine type", { Name: "a", MachineType: [] }, /^arrays\[0\]\.MachineType: \[\], /],
    ["groups without a size", { Name: "a", TargetGroupCount: 2 }, /expected exactly one of GroupCoreCount/],
    [
      "groups of two sizes",
      { Name: "a", TargetGroupCount: 2, GroupCoreCount: 4, GroupInstanceCount: 1 },
      /expected exactly one of GroupCoreCount/,
    ],
    ["a size without groups", { Name: "a", GroupCoreCount: 4 }, /^arrays\[0\]\.TargetGroupCount: missing/],
    [
      "groups and nodes",
      { Name: "a", TargetGroupCount: 2, GroupCoreCount: 4, TargetCount: 1 },
      /expected either groups or a TargetCount/,
    ],
    [
      "spare nodes and others",
      { Name: "a", SpareCount: 2, TargetCount: 1 },
      /^arrays\[0\]\.SpareCount: 2, expected either spare nodes or a TargetCount, in a definition each/,
    ],
    ["a share of less than nothing", { Name: "a", SparePercent: -1 }, /^arrays\[0\]\.SparePercent: -1, /],
    ["slots of no shape", { Name: "a", SpareSlots: 2 }, /^arrays\[0\]\.SlotResources: missing/],
    ["an empty shape", { Name: "a", SpareSlots: 2, SlotResources: {} }, /expected 1 to 20 resources/],
    ["a shape of no slots", { Name: "a", SlotResources: { ncpus: 1 } }, /SpareSlots with it/],
    ["slots that take nothing", { Name: "a", SpareSlots: 2, SlotResources: { ncpus: 0 } }, /ncpus: 0, /],
    [
      "nodes and slots",
      { Name: "a", SpareCount: 1, SpareSlots: 2, SlotResources: { ncpus: 1 } },
      /expected either whole spare nodes or spare slots/,
    ],
    ["a cost of nothing spare", { Name: "a", SpareCostPerHour: 2 }, /expected SpareCount/],
    ["a misspelt wish for spare nodes", { Name: "a", Spares: 2 }, /unknown, expected TargetCount/],
    ["a dynamic array of nothing", { Name: "a", Dynamic: true }, /^arrays\[0\]\.Extends: missing/],
    [
      "a dynamic array of nothing that says what to use in its place",
      { Name: "a", Dynamic: true, TargetCount: 1 },
      /or else its MachineType/,
    ],
    [
      "a dynamic array of itself",
      { Name: "a", Dynamic: true, Extends: "a" },
      /^arrays\[0\]\.Extends: "a", expected another/,
    ],
    [
      "an extension that is not dynamic",
      { Name: "a", Extends: "b" },
      /^arrays\[0\]\.Dynamic: expected true with Extends$/,
    ],
    [
      "attributes without end",
      { Name: "a", Configuration: { x: "y".repeat(9_000) } },
      /bytes of attributes, expected at most 8192$/,
    ],
  ])("%s", (_case, array, expected) => {
    const problems = problemsOf(array);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  test("two definitions of one name", () => {
    expect(problemsOf({ Name: "a" }, { Name: "b" }, { Name: "a" })).toEqual([
      'arrays[2].Name: "a", a second definition of that name, expected one',
    ]);
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
