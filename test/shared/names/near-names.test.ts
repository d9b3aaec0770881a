import { expect, test } from "vitest";
import { namesLike, nearestName } from "../../../shared/names/near-names.ts";

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

test.each<[string, readonly string[], readonly string[]]>([
  ["1022", ["1021", "1202", "1022_1", "1022_7", "990", "sweep"], ["1022_1", "1022_7", "1202"]],
  ["1022", ["990", "1030", "1021", "5000"], ["1021", "1030", "990"]],
  ["1022_4", ["1022", "1023_4", "1022_5"], ["1022", "1022_5", "1023_4"]],
  ["sweep-13", ["sweep-12", "12", "sweep", "other-13"], ["sweep-12"]],
  ["sweep", ["sweep-1", "sweep-2"], ["sweep-1", "sweep-2"]],
  ["1022", ["1022", "sweep"], []],
  ["nobody", ["sweep"], []],
])("like %j are those of %j: %j", (word, jobs, like) => {
  expect(namesLike(word, jobs)).toEqual(like);
});
