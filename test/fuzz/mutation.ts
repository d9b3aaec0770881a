import fc from "fast-check";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What is done to a value at some place. Small enough to print, however large what it makes. */
export type Mutation =
  | { readonly kind: "drop" | "duplicate" | "respell"; readonly at: number }
  | { readonly kind: "replace"; readonly at: number; readonly value: Json }
  | { readonly kind: "add"; readonly at: number; readonly key: string; readonly value: Json }
  | { readonly kind: "wrap"; readonly at: number; readonly key: string | null; readonly levels: number }
  | { readonly kind: "lengthen"; readonly at: number; readonly text: string; readonly times: number }
  | { readonly kind: "widen"; readonly at: number; readonly value: Json; readonly times: number }
  | { readonly kind: "spread"; readonly at: number; readonly value: Json; readonly members: number };

const keys: readonly string[] = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "then", "toJSON"],
  ...["", " ", "\u0000", "\ud800", "🚀", "a.b", "[0]", "node.vcpu_count", "node.__proto__", "node-count"],
  ...[
    "and",
    "or",
    "xor",
    "not",
    "never",
    "exclusive",
    "blob",
    "part",
    "jobs",
    "name",
    "hostname",
    "resources",
  ],
];

const values: readonly Json[] = [
  ...[null, true, false, "", [], {}, [[]], [{}], [null], { "": {} }, { and: [] }, { or: [{}] }, { not: {} }],
  ...[0, -0, -1, 0.1, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63), 1e21],
  ...[
    "0",
    "-1",
    "1e9",
    "NaN",
    "Infinity",
    "true",
    "null",
    "memory::4g",
    "size::1e999",
    "::",
    "node.vcpu_count",
  ],
  ...[
    "../../config/hpc.json",
    "..%2f..%2fconfig",
    "' or PartitionKey ne '",
    "\u0000",
    "\ud800",
    "\u202e",
    "\r\n",
  ],
  ...["2026-13-41T99:99:99Z", "2026-11-21T10:00:00+99:99", "hpc", "HPC", "%PASSWORD%", "<script>", "%s%s%n"],
  ...[...keys],
];

/** Objects that break code which turns them into text or numbers, or takes them for a list or a promise. */
const traps: readonly Json[] = [
  { toString: 1, valueOf: 1 },
  { length: { toString: 1, valueOf: 1 } },
  { length: -1 },
  { length: 1e9 },
  // biome-ignore lint/suspicious/noThenProperty: a message may hold any name
  { then: 1 },
  { toJSON: 1 },
];

const at = fc.nat({ max: 999 });
const key = fc.oneof(fc.constantFrom(...keys), fc.string({ unit: "binary", maxLength: 8 }));
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...values) },
  { weight: 4, arbitrary: fc.constantFrom(...traps) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3, noUnicodeString: false }) as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);

/** Large ones are rare, because each costs as much as a hundred others. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 15, arbitrary: fc.record({ kind: fc.constantFrom("drop", "duplicate", "respell"), at }) },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant("replace"), at, value }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("add"), at, key, value }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("wrap"),
      at,
      key: fc.option(fc.constantFrom("and", "not", "or", "__proto__", "x")),
      levels: fc.constantFrom(1, 2, 19, 20, 31, 33, 1_000, 12_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("lengthen"),
      at,
      text: fc.constantFrom("a", "-a", "\u0000", "🚀", "9", '"\\', "ncpus"),
      times: fc.constantFrom(50, 255, 256, 257, 1_025, 40_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("widen"),
      at,
      value,
      times: fc.constantFrom(100, 1_000, 12_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("spread"),
      at,
      value,
      members: fc.constantFrom(100, 1_000, 10_001),
    }),
  },
);

/** The value at this path with all mutations made in it, and nowhere else. */
export function mutatedWithin(start: Json, path: readonly string[], mutations: readonly Mutation[]): Json {
  const [name, ...rest] = path;
  if (name === undefined) return mutated(start, mutations);
  if (typeof start !== "object" || start === null) return start;
  const members = Object.entries(start).map(([key, inner]) => [
    key,
    key === name ? mutatedWithin(inner, rest, mutations) : inner,
  ]);
  return Array.isArray(start) ? members.map(([, inner]) => inner as Json) : Object.fromEntries(members);
}

/** The value with all mutations made, one after the other. */
export function mutated(start: Json, mutations: readonly Mutation[]): Json {
  return mutations.reduce<Json>(
    (json, each) => mutate(json, { mutation: each, place: { left: each.at } }),
    start,
  );
}

type Members = Readonly<Record<string, Json>>;

interface Doing {
  readonly mutation: Mutation;
  /** How many places are passed by before it is done. */
  readonly place: { left: number };
}

/** Walks to a place, the places numbered from the top and over again, and no deeper than messages are. */
function mutate(start: Json, { mutation, place }: Doing): Json {
  const places = count(start, 12);
  place.left = mutation.at % places;
  return walk(start, { mutation, place }) ?? null;
}

function count(json: Json, levels: number): number {
  if (typeof json !== "object" || json === null || levels === 0) return 1;
  return Object.values(json)
    .slice(0, 50)
    .reduce<number>((sum, inner) => sum + count(inner, levels - 1), 1);
}

/** Undefined: the value is to be left out by whatever holds it. */
function walk(json: Json, doing: Doing, levels = 12): Json | undefined {
  if (doing.place.left === 0) {
    doing.place.left = -1;
    return applied(json, doing.mutation);
  }
  doing.place.left -= 1;
  if (typeof json !== "object" || json === null || levels === 0) return json;
  const isDone = () => doing.place.left < 0;
  const each = (inner: Json, index: number) =>
    isDone() || index >= 50 ? inner : walk(inner, doing, levels - 1);
  if (Array.isArray(json)) return json.map(each).flatMap((inner) => (inner === undefined ? [] : [inner]));
  const members = Object.entries(json as Members).map(([name, inner], index) => [name, each(inner, index)]);
  return Object.fromEntries(members.filter(([, inner]) => inner !== undefined));
}

function applied(json: Json, change: Mutation): Json | undefined {
  switch (change.kind) {
    case "drop":
      return undefined;
    case "duplicate":
      return Array.isArray(json) ? [...json, ...json] : [json, json];
    case "respell":
      return isMembers(json) ? respelled(json) : "respelled";
    case "replace":
      return change.value;
    case "add":
      return isMembers(json)
        ? Object.fromEntries([...Object.entries(json), [change.key, change.value]])
        : [json, change.value];
    case "wrap":
      return wrapped(json, change);
    case "lengthen":
      return change.text.repeat(change.times);
    case "widen":
      return Array.from({ length: change.times }, () => change.value);
    case "spread":
      return Object.fromEntries(
        Array.from({ length: change.members }, (_, index) => [`member-${index}`, change.value]),
      );
  }
}

function respelled(json: Members): Json {
  const spell = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(json).map(([name, inner]) => [spell(name), inner]));
}

function wrapped(json: Json, { key, levels }: Extract<Mutation, { kind: "wrap" }>): Json {
  let outer = json;
  for (let level = 0; level < levels; level += 1)
    outer = key === null ? [outer] : Object.fromEntries([[key, outer]]);
  return outer;
}

function isMembers(json: Json): json is Members {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
