import fc from "fast-check";
import { expect, test } from "vitest";
import { patternsOf } from "../../../../clients/agent/drivers/slurm/name-patterns.ts";
import { matchesWildcard } from "../../../../shared/engine/values/wildcard.ts";
import { cases } from "../../../support/cases.ts";
import { readSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

const named = (from: number, to: number, prefix = "htc-") =>
  Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);

test.each([
  ["few names stay as they are", ["htc-1", "htc-2"], ["htc-1", "htc-2"]],
  ["a row", named(1, 500), ["htc-[1-9]", "htc-[1-9][0-9]", "htc-[1-4][0-9][0-9]", "htc-500"]],
  [
    "two arrays, and one name of another kind",
    [...named(10, 29), ...named(10, 29, "hpc-2-"), "login"],
    ["htc-[1-2][0-9]", "hpc-2-[1-2][0-9]", "login"],
  ],
  [
    "every other",
    named(1, 400).filter((_, index) => index % 2 === 0),
    ["htc-[13579]", "htc-[1-9][13579]", "htc-[1-3][0-9][13579]"],
  ],
  ["leading zeros", named(10, 29, "n0"), ["n0[1-2][0-9]"]],
])("%s", (_, names, patterns) => {
  expect(patternsOf(names)).toEqual(patterns);
});

test("names that follow no rule stay as they are", () => {
  const names = named(1, 3_000).filter((_, index) => (index * index) % 17 === 4);
  expect(patternsOf(names)).toEqual(names);
});

test("property: patterns match these names and no others", () => {
  const range = fc
    .tuple(fc.constantFrom("htc-", "hpc-1-", "n0"), fc.nat(1_200), fc.nat(300))
    .map(([prefix, from, more]) => named(from, from + more, prefix));
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 3 }), fc.nat(1_600), (ranges, other) => {
      const names = [...new Set(ranges.flat())];
      const patterns = patternsOf(names);
      const isMatched = (name: string) => patterns.some((pattern) => matchesWildcard(pattern, name));
      expect(names.filter((name) => !isMatched(name))).toEqual([]);
      for (const prefix of ["htc-", "hpc-1-", "n0", "n"])
        expect(isMatched(`${prefix}${other}`)).toBe(names.includes(`${prefix}${other}`));
    }),
    cases(200),
  );
});

test("a reservation of half a large cluster does not make its queue larger than a message may be", () => {
  const nodes = named(1, 2_000).map((_, index) => slurmNode(index + 1));
  const jobs = Array.from({ length: 2_000 }, (_, index) => waitingJob({ job_id: index + 10 }));
  const reservations =
    "ReservationName=m StartTime=1795400300 EndTime=1795403900 Nodes=htc-[1-1000] NodeCnt=1000 State=INACTIVE\n";
  const reading = readSlurm({ jobs, nodes, reservations });
  if (!reading.known) throw new Error(reading.reason);
  expect(reading.jobs).toHaveLength(2_000);
  expect(reading.jobs[0]?.constraints).toMatchObject({
    not: { "node.name": ["htc-[1-9]", "htc-[1-9][0-9]", "htc-[1-9][0-9][0-9]", "htc-1000"] },
  });
  expect(JSON.stringify(reading.jobs).length).toBeLessThan(2_000_000);
});
