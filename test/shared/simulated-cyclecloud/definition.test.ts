import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { parseDefinition } from "../../../shared/simulated-cyclecloud/definition.ts";
import { familyQuota } from "../../../shared/simulated-cyclecloud/quota-limits.ts";
import { createManualClock } from "../../../shared/simulated-cyclecloud/simulated-clock.ts";
import { createSite } from "../../../shared/simulated-cyclecloud/site.ts";
import { labDefinition } from "../../infra/local/cyclecloud/rig.ts";

const folder = new URL("../../../infra/local/cyclecloud/clusters/", import.meta.url);

describe("the shipped definitions", () => {
  test.each(globSync("*.json", { cwd: folder }))(
    "%s holds, and every named family quota is one of its own",
    (file) => {
      const definition = parseDefinition(JSON.parse(readFileSync(new URL(file, folder), "utf8")));
      const buckets = definition.nodearrays.flatMap((array) => array.buckets);
      const used = new Set(buckets.map((bucket) => bucket.size.family));
      for (const quota of Object.values(definition.quotas)) {
        expect(Object.keys(quota.families).filter((family) => !used.has(family))).toEqual([]);
        for (const family of used) expect(familyQuota(quota, family)).toBeGreaterThan(0);
      }
    },
  );
});

describe("parseDefinition", () => {
  const array = { name: "a", machineTypes: ["Standard_F4s_v2"] };
  const quotas = { westeurope: { cores: 10 } };
  const cluster = { name: "c", region: "westeurope", quotas, nodearrays: [array] };
  test.each([
    ["no arrays", { ...cluster, nodearrays: [] }, "nodearrays"],
    ["an unknown key", { ...cluster, colour: "red" }, "colour"],
    [
      "an unknown size",
      { ...cluster, nodearrays: [{ ...array, machineTypes: ["Standard_X"] }] },
      '"Standard_X"',
    ],
    ["a region without quota", { ...cluster, nodearrays: [{ ...array, region: "eastus" }] }, '"eastus"'],
    ["a repeated array", { ...cluster, nodearrays: [array, array] }, '"a" in cluster "c": used twice'],
    [
      "a node named like an array",
      { ...cluster, nodes: [{ ...array, machineType: "Standard_F4s_v2" }] },
      "nodes",
    ],
    [
      "a median above the maximum",
      { ...cluster, times: { boot: { minSeconds: 1, medianSeconds: 3, maxSeconds: 2 } } },
      "times.boot",
    ],
  ])("parseDefinition: refuses %s", (_name, input, problem) =>
    expect(() => parseDefinition(input)).toThrow(problem),
  );

  test("parseDefinition: an array's own times replace the cluster's, one by one", () => {
    const boot = { minSeconds: 1, medianSeconds: 2, maxSeconds: 3 };
    const { nodearrays, times } = parseDefinition({
      ...cluster,
      nodearrays: [{ ...array, times: { boot } }],
    });
    expect(nodearrays[0]?.times).toEqual({ ...times, boot });
  });

  test("parseDefinition: a size that is not in the catalogue can be described", () => {
    const vmSizes = { Standard_New: { vcpus: 8, memoryGiB: 32 } };
    const { nodearrays } = parseDefinition({
      ...cluster,
      vmSizes,
      nodearrays: [{ ...array, machineTypes: ["Standard_New"] }],
    });
    expect(nodearrays[0]?.buckets[0]?.size).toMatchObject({ vcpus: 8, memoryGiB: 32 });
  });
});

describe("createSite", () => {
  const start = (...definitions: (typeof labDefinition)[]) =>
    createSite({ definitions: definitions.map(parseDefinition), seed: 1, clock: createManualClock() });

  test("createSite: refuses two clusters of one name, and two opinions about one quota", () => {
    expect(() => start(labDefinition, labDefinition)).toThrow('"lab": used twice');
    const one = { ...labDefinition, subscription: "s" };
    const other = { ...one, name: "other", quotas: { westeurope: { cores: 1 } } };
    expect(() => start(one, other)).toThrow("gives other figures");
  });
});
