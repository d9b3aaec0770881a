import { expect, test } from "vitest";
import { nearestVmSize } from "../../../../shared/views/explain/near-names.ts";

const sizes = ["Standard_F4s_v2", "Standard_F16s_v2", "Standard_HB120rs_v3", "Standard_D8as_v5"];

test.each([
  ["Standard_F4s_v3", "Standard_F4s_v2"],
  ["F4s_v2", "Standard_F4s_v2"],
  ["standard_f4_v2", "Standard_F4s_v2"],
  ["Standard_HB120-16rs_v3", "Standard_HB120rs_v3"],
  ["Standard_HC120rs_v3", "Standard_HB120rs_v3"],
  ["Standard_D2s_v5", null],
  ["Standard_F2s_v2", null],
  ["Standard_F8s_v2", null],
  ["Standard_E8as_v5", null],
  ["none", null],
  ["", null],
])("the VM size %j most likely means %j", (word, meant) => {
  expect(nearestVmSize(word, sizes)).toBe(meant);
});
