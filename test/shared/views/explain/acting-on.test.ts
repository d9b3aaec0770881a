import { expect, test } from "vitest";
import { actingOn } from "../../../../shared/views/explain/cause.ts";

test.each([
  [["htc-1"], "`ccscale undrain -N htc-1`"],
  [["a", "b", "c", "d", "e"], "`ccscale undrain -N a,b,c,d,e`"],
  [["a", "b", "c", "d", "e", "f", "g"], "`ccscale undrain -N a,b,c,d,e`, and the other 2 alike"],
])("a command that acts on %j names at most five, and says how many others need it", (names, words) => {
  expect(actingOn("undrain", names)).toBe(words);
});
