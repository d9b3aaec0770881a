import { describe, expect, test } from "vitest";
import {
  azureLimits,
  blobNameProblem,
  entityProblem,
  metadataProblem,
} from "../../../shared/ports/azure-limits.ts";

const keys = { partitionKey: "p", rowKey: "r" };
const { table, blob } = azureLimits;

/** So many properties of so many characters each. */
function properties(count: number, characters: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `p${String(index).padStart(3, "0")}`,
      "x".repeat(characters),
    ]),
  );
}

describe("entityProblem: what an entity of a table may be", () => {
  const full = properties(15, table.stringCharacters);
  // 4 bytes, 2 keys of one character, 15 times a property of 32 Ki characters, and one more property.
  const left =
    table.entityBytes - (4 + 4 + 15 * (8 + 2 * 4 + 4 + 2 * table.stringCharacters)) - (8 + 2 * 4 + 4);
  const last = (bytes: number) => ({ ...keys, ...full, last: "x".repeat(Math.floor(bytes / 2)) });

  test.each<readonly [string, Parameters<typeof entityProblem>[0], RegExp | undefined]>([
    ["a key of 512 characters", { ...keys, rowKey: "x".repeat(512) }, undefined],
    [
      "a key of 513",
      { ...keys, rowKey: "x".repeat(513) },
      /^rowKey of 513 characters, expected at most 512$/,
    ],
    ["a slash in a key", { ...keys, partitionKey: "a/b" }, /^partitionKey "a\/b", expected no/],
    ["a control character in a key", { ...keys, rowKey: "a\u0085" }, /^rowKey/],
    ["a text of 32 Ki characters", { ...keys, text: "é".repeat(table.stringCharacters) }, undefined],
    [
      "a text of one more",
      { ...keys, text: "é".repeat(table.stringCharacters + 1) },
      /^property "text" of 32769 characters, expected at most 32768$/,
    ],
    ["half a surrogate pair", { ...keys, text: "\ud83d" }, /half a surrogate pair/],
    ["252 properties", { ...keys, ...properties(252, 1) }, undefined],
    ["253 properties", { ...keys, ...properties(253, 1) }, /^253 properties, expected at most 252$/],
    ["1 MiB", last(left), undefined],
    ["two bytes more", last(left + 2), /^1048578 bytes, expected at most 1048576$/],
    ["a name of 256 characters", { ...keys, ["n".repeat(256)]: 1 }, /^a property name of 256 characters$/],
  ])("%s", (_case, entity, expected) => {
    if (expected === undefined) expect(entityProblem(entity)).toBeUndefined();
    else expect(entityProblem(entity)).toMatch(expected);
  });
});

test.each<readonly [string, string, string | undefined]>([
  ["1,024 characters", "x".repeat(blob.nameCharacters), undefined],
  ["one more", "x".repeat(blob.nameCharacters + 1), "1025 characters, expected 1 to 1024"],
  ["none", "", "0 characters, expected 1 to 1024"],
  ["254 segments", Array(254).fill("a").join("/"), undefined],
  ["255 segments", Array(255).fill("a").join("/"), "255 path segments, expected at most 254"],
  ["half a surrogate pair", "a\ud83d", "half a surrogate pair"],
])("blobNameProblem: %s", (_case, name, expected) => {
  expect(blobNameProblem(name)).toBe(expected);
});

test.each<readonly [string, Record<string, string>, string | undefined]>([
  ["8 KiB, names included", { ab: "x".repeat(blob.metadataBytes - 2) }, undefined],
  [
    "one byte more",
    { ab: "x".repeat(blob.metadataBytes - 1) },
    "8193 bytes of metadata, expected at most 8192",
  ],
  ["a letter that no header holds", { a: "é" }, 'metadata "a" with a character that no header holds'],
  ["a line break", { a: "x\r\ny: z" }, 'metadata "a" with a character that no header holds'],
  ["a dash in a name", { "a-b": "x" }, 'metadata name "a-b"'],
])("metadataProblem: %s", (_case, metadata, expected) => {
  expect(metadataProblem(metadata)).toBe(expected);
});
