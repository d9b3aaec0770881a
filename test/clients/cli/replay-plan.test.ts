import { describe, expect, test } from "vitest";
import { firstDifference } from "../../../clients/cli/commands/replay.ts";
import { ccscale } from "./in-process.ts";

describe("ccscale replay --plan", () => {
  test.each([[[]], [["--plan", "p", "--json-lines"]]])("%j is wrong usage", async (argv) => {
    expect(await ccscale(["replay", ...argv])).toMatchObject({ code: 2 });
  });
});

test.each([
  { now: { a: [1, { b: 2 }] }, before: { a: [1, { b: 2 }] }, difference: undefined },
  { now: { a: 1, b: 2 }, before: { b: 2, a: 1 }, difference: undefined },
  {
    now: { a: [1, { b: 3 }] },
    before: { a: [1, { b: 2 }] },
    difference: { path: "a[1].b", now: 3, before: 2 },
  },
  { now: { a: [1] }, before: { a: [1, 2] }, difference: { path: "a[1]", now: undefined, before: 2 } },
  { now: { c: 1 }, before: {}, difference: { path: "c", now: 1, before: undefined } },
  { now: [], before: {}, difference: { path: "", now: [], before: {} } },
])("firstDifference: $now and $before", ({ now, before, difference }) => {
  expect(firstDifference(now, before)).toEqual(difference);
});
