import { describe, expect, test } from "vitest";
import { createVmCatalogue } from "../../../shared/facts/vm-sizes.ts";

const catalogue = createVmCatalogue();

describe("find", () => {
  const rows = [
    // name, quota cores, usable cores, physical cores, memory, GPUs, RDMA, family
    ["Standard_F4s_v2", 4, 4, 2, 8, 0, false, "standardFSv2Family"],
    ["Standard_E8-2s_v3", 8, 2, 1, 64, 0, false, "standardESv3Family"],
    ["Standard_HB120-16rs_v3", 120, 16, 16, 456, 0, true, "standardHBv3Family"],
    ["Standard_HB176rs_v4", 176, 176, 176, 768, 0, true, "standardHBv4Family"],
    ["Standard_HC44rs", 44, 44, 44, 352, 0, true, "standardHCSFamily"],
    ["Standard_NC24ads_A100_v4", 24, 24, 24, 220, 1, false, "StandardNCADSA100v4Family"],
    ["Standard_ND96asr_v4", 96, 96, 96, 900, 8, true, "Standard NDASv4_A100 Family"],
    ["Basic_A0", 1, 1, 1, 0.75, 0, false, "basicAFamily"],
    ["Standard_DC1s_v3", 1, 1, 1, 8, 0, false, "standardDCSv3Family"],
  ] as const;
  test.each(rows)("find: %s", (name, vcpus, vcpusAvailable, pcpus, memoryGiB, gpus, rdma, family) => {
    const expected = { name, family, vcpus, vcpusAvailable, pcpus, memoryGiB, gpus, rdma, arch: "amd64" };
    expect(catalogue.find(name)).toMatchObject(expected);
  });

  test("find: the letter case of the question does not matter, the answer has Azure's spelling", () => {
    expect(catalogue.find("STANDARD_f4S_V2")?.name).toBe("Standard_F4s_v2");
  });

  test("find: an unknown size is undefined", () => {
    expect(catalogue.find("Standard_Nothing_v9")).toBeUndefined();
    expect(catalogue.find("")).toBeUndefined();
  });

  test("find: an Arm size says so", () => {
    expect(catalogue.find("Standard_D4ps_v5")).toMatchObject({ arch: "arm64", pcpus: 4 });
  });

  test("find: where threads per core are not published every usable core counts as physical", () => {
    expect(catalogue.find("Standard_NC64as_T4_v3")).toMatchObject({
      vcpusPerCore: undefined,
      pcpus: 64,
      gpus: 4,
    });
  });
});

describe("overrides", () => {
  test("overrides: one fact changes, the others stay", () => {
    const changed = createVmCatalogue({ overrides: { standard_f4s_v2: { memoryGiB: 7.5 } } });
    expect(changed.find("Standard_F4s_v2")).toEqual({ ...catalogue.find("Standard_F4s_v2"), memoryGiB: 7.5 });
  });

  test("overrides: physical cores follow the threads per core", () => {
    const changed = createVmCatalogue({ overrides: { Standard_NC64as_T4_v3: { vcpusPerCore: 2 } } });
    expect(changed.find("Standard_NC64as_T4_v3")?.pcpus).toBe(32);
  });

  test("overrides: a new size is a family of its own unless it names one", () => {
    const added = createVmCatalogue({
      overrides: { Standard_New_v1: { vcpus: 8, memoryGiB: 32, vcpusPerCore: 2 } },
    });
    expect(added.find("standard_new_v1")).toMatchObject({
      family: "Standard_New_v1",
      vcpusAvailable: 8,
      pcpus: 4,
    });
  });

  test("overrides: a new size without memory is refused", () => {
    const overrides = { Standard_New_v1: { vcpus: 8 } };
    expect(() => createVmCatalogue({ overrides })).toThrow(
      'Cannot add VM size "Standard_New_v1": no memoryGiB, expected vcpus and memoryGiB',
    );
  });
});

describe("locationOf", () => {
  test.each([
    ["usgovvirginia", "southcentralus"],
    ["USGovVirginia", "southcentralus"],
    ["westeurope", "westeurope"],
    ["moonbase1", "moonbase1"],
  ])("locationOf: %s is looked up as %s", (location, expected) => {
    expect(catalogue.locationOf(location)).toBe(expected);
  });

  test("locationOf: a mapping of the user's is added, and wins", () => {
    const own = createVmCatalogue({ proxiedLocations: { moonbase1: "eastus", usgovvirginia: "eastus2" } });
    const locations = ["moonbase1", "usgovvirginia", "usgovtexas"];
    expect(locations.map((location) => own.locationOf(location))).toEqual([
      "eastus",
      "eastus2",
      "southcentralus",
    ]);
  });
});
