import { expect, test } from "vitest";
import { costRowsByJob } from "../../../shared/accounting/index.ts";
import { type JobTotal, rank } from "../../../shared/accounting/job-totals.ts";

/** A run of a user's job, worth so many dollars. */
function runOf(user: string | null, index: number, usd: number): JobTotal {
  return {
    key: `slurm:${user}-${index}`,
    source: "slurm",
    name: `${user}-${index}`,
    user,
    account: "geo",
    queue: null,
    nodeArray: "htc",
    vmSize: "Standard_F4s_v2",
    spot: false,
    nodeMs: usd * 1_000,
    nanoUsd: usd * 1e9,
    unpricedNodeMs: 0,
    runs: 1,
    firstSeconds: 0,
    lastSeconds: 60,
  };
}

const many = (user: string, count: number, usd: number) =>
  Array.from({ length: count }, (_, index) => runOf(user, index, usd));

test("a user with cheap jobs has the dearest of them by name, and the others as a sum of his own", () => {
  const { dearest, others, othersByOwner } = rank([...many("bob", 1_500, 10), ...many("ann", 30, 1)]);
  const named = Map.groupBy(dearest, ({ user }) => user);
  expect([named.get("bob")?.length, named.get("ann")?.length]).toEqual([1_000, 20]);
  expect(othersByOwner).toMatchObject([
    { user: "bob", account: "geo", queue: null, jobs: 500, nanoUsd: 5_000e9 },
    { user: "ann", account: "geo", queue: null, jobs: 10, nanoUsd: 10e9 },
  ]);
  expect(others).toMatchObject({ jobs: 510, nanoUsd: 5_010e9, runs: 510 });
});

test("in whatever parts the jobs of a day end, the same are named and the sums are the same", () => {
  const all = Array.from({ length: 2_600 }, (_, index) =>
    runOf(`user-${index % 40}`, index, (index * 7) % 311),
  );
  const atOnce = rank(all);
  const inParts = Array.from({ length: 13 }, (_, part) => all.slice(part * 200, part * 200 + 200)).reduce(
    (before, some) => rank(some, before),
    rank([]),
  );
  expect(inParts.dearest).toEqual(atOnce.dearest);
  expect(inParts.others).toEqual(atOnce.others);
});

test("however many users there are, a day names a bounded number of jobs and owners", () => {
  const all = Array.from({ length: 9_000 }, (_, index) => runOf(`user-${index % 4_500}`, index, 1));
  const { dearest, others, othersByOwner } = rank(all);
  expect(dearest).toHaveLength(2_000);
  expect(othersByOwner).toHaveLength(1_000);
  expect(dearest.reduce((sum, { nanoUsd }) => sum + nanoUsd, others.nanoUsd)).toBe(9_000e9);
});

test.each([
  [{ user: "ann" }, ["ann-0"]],
  [{ account: "geo" }, ["ann-0", "bob-0"]],
  [{ account: "geo", queue: "long" }, ["bob-0"]],
  [{ user: "bob", queue: "short" }, []],
  [{}, ["ann-0", "bob-0", "eve-0"]],
])("the bill of %j has the jobs that are all of that", (owner, jobs) => {
  const runs = [
    runOf("ann", 0, 3),
    { ...runOf("bob", 0, 2), queue: "long" },
    { ...runOf("eve", 0, 1), account: "bio" },
  ];
  const rows = costRowsByJob(runs, [], () => 1, { by: ["job"], owner });
  expect(rows.map(({ keys }) => keys.job)).toEqual(jobs);
});
