import { expect, test } from "vitest";
import { boundedAnswer } from "../../../../clients/cli/mcp/bounded-answer.ts";

const job = (index: number) => ({
  job: `job-${index}`,
  reason: "The core limit of node array htc leaves 0 new nodes.",
});

test("the longest list is cut first, and what was cut is named with how much there was", () => {
  const answer = {
    total: 5_000,
    jobs: Array.from({ length: 5_000 }, (_, index) => job(index)),
    nested: { nodes: ["htc-1", "htc-2"] },
  };
  const bounded = boundedAnswer(answer, 10_000);
  expect(JSON.stringify(bounded.answer).length).toBeLessThanOrEqual(10_000);
  const { jobs, nested } = bounded.answer as typeof answer;
  expect(nested.nodes).toEqual(["htc-1", "htc-2"]);
  expect(jobs[0]).toEqual(job(0));
  expect(bounded.leftOut).toEqual([{ list: "jobs", shown: jobs.length, of: 5_000 }]);
  // At least half of what there is room for is used.
  expect(JSON.stringify(bounded.answer).length).toBeGreaterThan(4_000);
});

test("an answer that fits is whole", () => {
  expect(boundedAnswer({ jobs: [job(1)] })).toEqual({ answer: { jobs: [job(1)] }, leftOut: [] });
});

test("what no cut makes small enough says so in its place", () => {
  const texts = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key-${index}`, "x".repeat(400)]),
  );
  expect(boundedAnswer(texts, 1_000).answer).toMatch(/^\d+ characters: ask for less of it$/);
});

test("moments are dates, lengths of time stay figures, what is null is left out", () => {
  expect(
    boundedAnswer({ atSeconds: 1_764_000_000, idleSeconds: 300, untilSeconds: null, left: 0 }).answer,
  ).toEqual({
    at: "2025-11-24T16:00:00Z",
    idleSeconds: 300,
    left: 0,
  });
});

test("texts of more than 500 characters are cut, with how long they were", () => {
  const { reason } = boundedAnswer({ reason: "x".repeat(4_000) }).answer as { readonly reason: string };
  expect(reason).toBe(`${"x".repeat(500)}… (4000 characters)`);
});
