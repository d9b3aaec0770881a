import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { listReader } from "../../../shared/messages/list-reader.ts";
import { excessOf } from "../../../shared/messages/sizes.ts";
import { cases } from "../../support/cases.ts";

const schema = z.object({
  name: z.string().min(1),
  constraints: z
    .unknown()
    .refine((value) => JSON.stringify(value) !== "{}")
    .default([]),
  iterations: z.int().min(0).default(1),
  hosts: z.array(z.string()).default([]),
  user: z.string().min(1).max(5).optional(),
  isShared: z.boolean().optional(),
});
const isOdd = (name: string, value: unknown) => name === "constraints" && value === "odd";
/** Like those of the product: a text that is too long to be read in detail is none. */
const isPlainName = (value: unknown) => typeof value === "string" && value !== "" && value.length <= 256;
const judges = { isOdd, isPlain: { name: isPlainName } };
const members = Object.keys(schema.shape);

/** As it was sent: the value of a JSON text. */
const value = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("1", 1, "[1]", [1], '{"a":1}', { a: 1 }, {}, "", "odd", true, "true"),
  },
  fc.constantFrom(null, "null", [null], [Number.POSITIVE_INFINITY], "Infinity", -1, 1.5, ["h1"]),
  fc.jsonValue(),
  fc.constantFrom([{ a: [1] }], [{ a: [1, null] }], { a: [{ b: 1 }], c: 2 }, { a: [{ b: 1, c: 2 }] }),
  fc.constantFrom(60, 200).map((length) => Array.from({ length }, (_, index) => index)),
  fc.constant("x".repeat(70_000)),
  fc
    .constantFrom(17, 18, 19, 20, 21, 5_000)
    .map((depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth))),
);
const good = {
  name: fc.constantFrom("a", "b", "1"),
  iterations: fc.nat(3),
  hosts: fc.array(fc.constantFrom("h1", "h2"), { maxLength: 2 }),
  user: fc.constantFrom("ada", "1"),
  isShared: fc.boolean(),
};
const item = fc.oneof(
  fc.record({ ...good, constraints: value }, { requiredKeys: ["name"] }),
  fc.record(Object.fromEntries(members.map((name) => [name, value])), { requiredKeys: [] }),
  fc.record({ name: good.name, other: value }),
  value,
);

test("what a reader reads is what the whole schema reads, whatever came before", () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 30 }), (items) => {
      const readItem = listReader(schema, judges)();
      for (const each of items) {
        const whole = excessOf(each) === undefined ? schema.safeParse(each) : undefined;
        const isPlain =
          whole?.success === true &&
          Object.keys(each as object).every((name) => members.includes(name)) &&
          !isOdd("constraints", whole.data.constraints);
        const read = readItem(each);
        expect(read).toEqual(isPlain ? whole.data : undefined);
        if (read !== undefined) expect(Object.keys(read)).toEqual(Object.keys(whole?.data ?? {}));
      }
    }),
    cases(300),
  );
});

test("a plain item is read, and one with another member or a bad value is left to the schema", () => {
  const readItem = listReader(schema, judges)();
  expect(readItem({ name: "a" })).toEqual({ name: "a", constraints: [], iterations: 1, hosts: [] });
  const left = [
    {},
    { name: "" },
    { name: "a", Name: "a" },
    { name: "a", user: null },
    { name: "a", constraints: "odd" },
    5,
    null,
    ["a"],
  ];
  expect(left.map(readItem)).toEqual(left.map(() => undefined));
});

test("equal constraints become one object, also after a thousand items of which each has its own", () => {
  const readItem = listReader(schema, judges)();
  const own = (index: number) => ({
    name: `${index}`,
    user: `${index % 10}`,
    constraints: { ncpus: index % 3 },
  });
  const read = Array.from({ length: 3_000 }, (_, index) => readItem(own(index)));
  expect(new Set(read.map((each) => each?.constraints)).size).toBe(3);
  expect(read.map((each) => each?.name)).toEqual(Array.from({ length: 3_000 }, (_, index) => `${index}`));
});

test("values of which each item has another are not remembered for ever, and still read", () => {
  const readItem = listReader(schema, judges)();
  const read = Array.from({ length: 3_000 }, (_, index) =>
    readItem({ name: `${index}`, constraints: { ncpus: index } }),
  );
  expect(read.map((each) => each?.constraints)).toEqual(
    Array.from({ length: 3_000 }, (_, index) => ({ ncpus: index })),
  );
});
