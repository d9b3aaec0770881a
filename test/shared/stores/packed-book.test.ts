import { expect, test } from "vitest";
import { accountFor, jobKey, openBook, type Sight } from "../../../shared/accounting/index.ts";
import { packBook, unpackBook } from "../../../shared/stores/azure/packed-book.ts";

const noon = Date.UTC(2026, 10, 22, 11, 59) / 1_000;

function sightAt(takenAtSeconds: number, names: readonly string[]): Sight {
  const node = { nodeArray: "htc", vmSize: "F2s", spot: true } as const;
  const jobs = names.map((name, index) => {
    const user = index === 0 ? null : `user-${index % 2}`;
    const submittedAt = index === 0 ? undefined : "2026-11-22T11:00:00Z";
    return { key: jobKey("slurm", name), source: "slurm", name, user, account: null, queue: "", submittedAt };
  });
  const shares = jobs.map(({ key }) => ({ key, share: 1 / 3 }));
  return {
    takenAtSeconds,
    jobs,
    nodes: [
      {
        ...node,
        nodeId: "a",
        name: "htc-1",
        usdPerHour: 0.1,
        use: "jobs",
        jobs: [...shares, { key: "slurm:gone", share: 0.1 }],
      },
      { ...node, nodeId: "b", usdPerHour: null, use: "idle", jobs: [], spot: false },
    ],
  };
}

test("a book comes back as it was packed", () => {
  const first = openBook(sightAt(noon, ["1", "2:3", "é😀"]));
  const second = accountFor(first, sightAt(noon + 45.125, ["2:3", "é😀", "4"]));
  const third = accountFor(second, sightAt(noon + 100.5, ["4"]));
  for (const book of [first, second, third])
    expect(unpackBook(JSON.parse(JSON.stringify(packBook(book))))).toEqual(book);
  expect(third.closed.hours).toHaveLength(1);
  expect(third.closed.jobs.map(({ name }) => name)).toEqual(["2:3", "é😀"]);
});
