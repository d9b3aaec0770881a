import { expect, test } from "vitest";
import { nearestName } from "../../../shared/names/near-names.ts";

const names = ["htc-1", "htc-12", "hpc-3", "ip-0A00000B", "login"];

test.each([
  ["htcc-12", "htc-12"],
  ["htc12", "htc-12"],
  ["logn", "login"],
  ["iq-0a00000b", "ip-0A00000B"],
  ["htc-2", null],
  ["htc-13", null],
  ["htc", null],
  ["ip-0A00000C", null],
  ["ip-0A00001B", null],
  ["", null],
])("the name %j most likely means %j", (word, meant) => {
  expect(nearestName(word, names)).toBe(meant);
});
