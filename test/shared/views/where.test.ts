import { describe, expect, test } from "vitest";
import type { WhereKey } from "../../../shared/names/where-keys.ts";
import { type Readers, readWhere } from "../../../shared/views/where.ts";

const keys = {
  name: { is: "text", about: "" },
  user: { is: "text", about: "" },
  tags: { is: "text", about: "" },
  cost: { is: "number", about: "" },
  idle: { is: "duration", about: "" },
} as const satisfies Readonly<Record<string, WhereKey>>;

interface Item {
  readonly name: string;
  readonly user: string | null;
  readonly tags: readonly (string | null)[];
  readonly cost: number | null;
  readonly idle: number | null;
}

const readers: Readers<typeof keys, Item> = {
  name: ({ name }) => name,
  user: ({ user }) => user,
  tags: ({ tags }) => tags,
  cost: ({ cost }) => cost,
  idle: ({ idle }) => idle,
};

const items: readonly Item[] = [
  { name: "a-1", user: "Ann", tags: ["new", "red hat"], cost: 5, idle: 60 },
  { name: "a-2", user: "bob", tags: [], cost: 20, idle: null },
  { name: "b-1", user: null, tags: ["new", null], cost: null, idle: 4_000 },
];

describe("a line chooses", () => {
  const chosen = (line: string) => {
    const where = readWhere(line, keys, readers);
    if (!where.ok) throw new Error(where.problems.join("; "));
    return items.filter(where.matches).map(({ name }) => name);
  };

  test.each<[string, string[]]>([
    ["", ["a-1", "a-2", "b-1"]],
    ["   ", ["a-1", "a-2", "b-1"]],
    ["a-1", ["a-1"]],
    ["a-*", ["a-1", "a-2"]],
    ["user:ann", ["a-1"]],
    ["USER:ANN,Bob", ["a-1", "a-2"]],
    ["user=ann", ["a-1"]],
    // Nobody knows whose b-1 is.
    ["-user:ann", ["a-2"]],
    ["-tags:new", ["a-2"]],
    ['tags:"red hat"', ["a-1"]],
    ['tags:"red hat",x', ["a-1"]],
    ['tags:x,"red hat"', ["a-1"]],
    ['user:"ann","bob"', ["a-1", "a-2"]],
    // What the third tag of b-1 is nobody knows.
    ["-tags:old", ["a-1", "a-2"]],
    ["cost>5", ["a-2"]],
    ["cost>=5", ["a-1", "a-2"]],
    ["cost<20", ["a-1"]],
    ["cost<=20", ["a-1", "a-2"]],
    ["cost:20", ["a-2"]],
    ["-cost>5", ["a-1"]],
    ['"a-1"', ["a-1"]],
    ["idle>1m", ["b-1"]],
    ["idle>=60", ["a-1", "b-1"]],
    ["idle>1h name:b*", ["b-1"]],
    ["user:* cost<10 tags:new", ["a-1"]],
  ])("%s", (line, expected) => expect(chosen(line)).toEqual(expected));

  test("every problem is said, with what was wanted", () => {
    expect(readWhere('usr:ann cost>much idle>soon user>3 " cost>', keys, readers)).toEqual({
      ok: false,
      problems: [
        'where: no key "usr", did you mean "user"? Expected name, user, tags, cost, idle',
        "where: cost>much: expected a number",
        "where: idle>soon: expected a time such as 10m",
        'where: user>3: it is no number, expected ":"',
        'where: cannot read "\\"", expected key:value, key>number, or a name (in quotes where it has such a sign)',
        'where: cannot read "cost>", expected key:value, key>number, or a name (in quotes where it has such a sign)',
      ],
    });
  });
});
