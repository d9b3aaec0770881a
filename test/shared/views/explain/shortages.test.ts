import { expect, test } from "vitest";
import { cause } from "../../../../shared/views/explain/cause.ts";
import { inOrder } from "../../../../shared/views/explain/shortages.ts";

const full = (cores: number, array = "htc") =>
  cause("quota", {
    text: `No room for 1 slot: the core limit of node array ${array} leaves 0 new nodes: 64 of 64 cores are used, a node takes ${cores}.`,
    next: `Raise MaxCoreCount of the node array in CycleCloud by ${cores} cores or more.`,
    limit: "node-array",
  });

test("one limit that keeps out several sizes is one cause: that of the first in order of preference", () => {
  const causes = inOrder([full(16), full(32), full(16, "viz"), full(120)]);
  expect(causes.map(({ text, next }) => [/array (\w+)/.exec(text)?.[1], /by (\d+)/.exec(next)?.[1]])).toEqual(
    [
      ["htc", "16"],
      ["viz", "16"],
    ],
  );
});
