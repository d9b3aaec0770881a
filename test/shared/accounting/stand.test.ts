import fc from "fast-check";
import { expect, test } from "vitest";
import {
  accountFor,
  type Book,
  costRows,
  jobKey,
  openBook,
  type SeenNode,
  type Sight,
  type Subject,
  settled,
  standOf,
  totalOf,
} from "../../../shared/accounting/index.ts";
import { cases } from "../../support/cases.ts";

/** The last minutes of a day and a month: hours, days and the month turn on the way. */
const start = Date.UTC(2026, 10, 30, 22, 50) / 1_000;

const people = fc.constantFrom("ada", "ben", null);
const names = ["1", "2", "3"] as const;

const sightFields = fc.record({
  step: fc.integer({ min: 1, max: 4_000 }),
  owners: fc.array(fc.record({ user: people, account: people }), { minLength: 3, maxLength: 3 }),
  nodes: fc.uniqueArray(
    fc.record({
      nodeId: fc.constantFrom("a", "b", "c"),
      nodeArray: fc.constantFrom("htc", "gpu"),
      usdPerHour: fc.constantFrom(null, 0.19, 3.6, 27.197),
      jobs: fc.uniqueArray(
        fc.record({ name: fc.constantFrom(...names), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
        { selector: ({ name }) => name, maxLength: 3 },
      ),
    }),
    { selector: ({ nodeId }) => nodeId, maxLength: 3 },
  ),
});

const subjects: readonly Subject[] = [
  { dimension: "nodeArray", names: ["gpu"] },
  { dimension: "user", names: ["ada"] },
  { dimension: "account", names: [null, "unknown"] },
  { dimension: "account", names: ["nobody has it"] },
];

test("the open month is the sum of its days, and everybody's part of it what the costs say", () => {
  fc.assert(
    fc.property(fc.array(sightFields, { minLength: 2, maxLength: 10 }), (steps) => {
      let at = start;
      let book: Book | undefined;
      const days = new Map<number, Book["day"]>();
      for (const { step, owners, nodes } of steps) {
        at += step;
        const sight: Sight = {
          takenAtSeconds: at,
          jobs: names.map((name, index) => ({
            key: jobKey("slurm", name),
            source: "slurm",
            name,
            queue: null,
            ...(owners[index] ?? { user: null, account: null }),
          })),
          nodes: nodes.map(
            ({ jobs, ...node }): SeenNode => ({
              ...node,
              vmSize: "F2s",
              spot: false,
              use: jobs.length > 0 ? "jobs" : "idle",
              jobs: jobs.map(({ name, share }) => ({ key: jobKey("slurm", name), share })),
            }),
          ),
        };
        book = book === undefined ? openBook(sight) : accountFor(book, sight);
        for (const day of [...book.closed.days, settled(book).day]) days.set(day.fromSeconds, day);
      }
      if (book === undefined) return;
      const { month, day, hour } = settled(book);
      const ofMonth = [...days.values()].filter(({ fromSeconds }) => fromSeconds >= month.fromSeconds);
      const stand = standOf(book, subjects);
      const total = totalOf(ofMonth.flatMap(({ lines }) => lines));
      expect(stand.total.month).toEqual(total);
      expect(stand.total.day).toEqual(totalOf(day.lines));
      expect(stand.total.hour).toEqual(totalOf(hour.lines));
      const [gpu, ada, unknown, nobody] = stand.subjects;
      const usdOf = (key: "array" | "user" | "account", name: string | null) =>
        costRows(ofMonth, [key], () => 1)
          .filter(({ keys, isOverhead }) => !isOverhead && keys[key] === name)
          .reduce((sum, { amount }) => sum + amount.nanoUsd, 0);
      expect(gpu?.month.nanoUsd).toBe(usdOf("array", "gpu"));
      expect(gpu).toEqual(spentOnly(stand.nodeArrays.find(({ name }) => name === "gpu")) ?? gpu);
      // Split in fractions, where the accounts split in whole parts.
      expect(Math.abs((ada?.month.nanoUsd ?? 0) - usdOf("user", "ada"))).toBeLessThan(100);
      expect(Math.abs((unknown?.month.nanoUsd ?? 0) - usdOf("account", null))).toBeLessThan(100);
      expect(nobody?.month.nanoUsd).toBe(0);
    }),
    cases(500),
  );
});

function spentOnly(array: ReturnType<typeof standOf>["nodeArrays"][number] | undefined) {
  if (array === undefined) return undefined;
  const { name: _, ...spent } = array;
  return spent;
}

test("an hour of a shared node is everybody's in proportion", () => {
  const job = (name: string, user: string) => ({
    key: jobKey("slurm", name),
    source: "slurm",
    name,
    user,
    account: null,
    queue: null,
  });
  const shares = [
    { key: jobKey("slurm", "1"), share: 0.75 },
    { key: jobKey("slurm", "2"), share: 0.75 },
  ];
  const node = { nodeId: "a", nodeArray: "htc", vmSize: "F2s", spot: false, usdPerHour: 4 } as const;
  const unpriced = { ...node, nodeId: "b", usdPerHour: null };
  const book = openBook({
    takenAtSeconds: start,
    jobs: [job("1", "ada"), job("2", "ben")],
    nodes: [
      { ...node, use: "jobs", jobs: shares },
      { ...unpriced, use: "jobs", jobs: shares },
    ],
  });
  const [ada] = standOf(book, [{ dimension: "user", names: ["ada"] }]).subjects;
  expect(ada).toMatchObject({
    hourly: { nanoUsd: 2e9, nodeMs: 3_600_000, unpricedNodeMs: 1_800_000 },
    month: { nanoUsd: 0 },
  });
});
