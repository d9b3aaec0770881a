import { expect, test } from "vitest";
import { keeperWords } from "../../../shared/text/keeper-words.ts";

const when = (seconds: number) => `${seconds}:00`;

test.each([
  ["keep-alive", "ann", 18, "kept alive by ann until 18:00"],
  ["keep-alive", "CycleCloud", null, "kept alive by CycleCloud"],
  ["target", "schedule office", 18, "kept by schedule office until 18:00"],
  ["spare", "spare nodes of htc", null, "kept by spare nodes of htc"],
  ["failed", "failed_nodes", 18, "failed, kept for a look until 18:00"],
  ["deallocated", "nodearrays.htc.deallocate", 18, "deallocated, replaced after 18:00"],
  ["deallocated", "nodearrays.htc.deallocate", null, "deallocated"],
] as const)("%s by %s until %j: %s", (kind, by, untilSeconds, words) => {
  expect(keeperWords({ kind, by, untilSeconds }, when)).toBe(words);
});
