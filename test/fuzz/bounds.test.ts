import { describe, expect, test } from "vitest";
import { parseDemand, wholly } from "../../shared/messages/job-demand.ts";
import { cluster, createWorld } from "../support/world.ts";

const good = {
  version: 1,
  kind: "snapshot",
  cluster,
  source: "pbs",
  sequence: 1,
  sentAt: "2026-11-21T10:00:00Z",
};

const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const spread = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, index) => [`m${index}`, index]));
const inJob = (constraints: unknown) => ({ ...good, jobs: [{ name: "a", constraints }] });
const inNode = (fields: object) => ({ ...good, nodes: [{ hostname: "a", ...fields }] });

/** Each of these once cost a crash, seconds, or a gigabyte. */
const costly: readonly (readonly [string, () => unknown, RegExp])[] = [
  ["lists nested 24,000 deep", () => deep(24_000), /nested too deeply to be shown/],
  ["constraints nested 20,000 deep", () => inJob(deep(20_000)), /nested too deeply, expected at most 20/],
  ["metadata nested 20,000 deep", () => inNode({ metadata: { a: deep(20_000) } }), /nested too deeply/],
  ["an object of 20,000 members", () => inNode({ resources: spread(20_000) }), /20000 members/],
  ["a name of 1,000,000 characters", () => inJob({ ["n".repeat(1_000_000)]: [] }), /1000000 characters/],
  [
    "an object that is no text",
    () => inJob({ exclusive: { toString: 1 } }),
    /an object with a member toString/,
  ],
  [
    "200,000 jobs with five mistakes each",
    () => ({
      ...good,
      jobs: Array.from({ length: 200_000 }, () => ({
        name: "",
        iterations: -1,
        nodeCount: "x",
        priority: "y",
        constraints: [{ a: -1 }],
      })),
    }),
    /^message: more than 10000 items of a list do not check out/,
  ],
  ["4,000,000 jobs", () => ({ ...good, jobs: Array.from({ length: 4_000_000 }, () => 0) }), /^jobs: /],
  [
    "a text of 10,000,000 characters",
    () => ({ ...good, source: "a-".repeat(5_000_000) }),
    /10000000 characters/,
  ],
];

describe("a demand message", () => {
  test.each(costly)("%s: is refused in at most 51 short sentences", (_case, make, words) => {
    const parsed = wholly(parseDemand(make()));
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(parsed.problems.length).toBeLessThanOrEqual(51);
    expect(Math.max(...parsed.problems.map((problem) => problem.length))).toBeLessThanOrEqual(1_000);
    expect(parsed.problems[0]).toMatch(words);
  });

  test("that JSON.stringify cannot climb is recorded all the same", async () => {
    const world = createWorld();
    await world.receive({ ...good, part: deep(20_000) }, "deep");
    const kept = await world.ports.rejections.load(cluster, "deep");
    expect(kept?.body).toBeUndefined();
    expect(kept?.rejection).toMatchObject({
      source: "pbs",
      excerpt: "(nested too deeply to be shown)",
      problems: [expect.stringContaining("nested too deeply")],
    });
  });

  test("names that mean something to JavaScript are names like any other, or refused", async () => {
    const world = createWorld();
    const text = JSON.stringify(inNode({ resources: { a: 1 } })).replace(
      '"a":1',
      '"__proto__":{"polluted":1}',
    );
    await world.receive(text);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect("polluted" in {}).toBe(false);
  });

  test("the count of mistakes that are not told is at least right", () => {
    const nodes = [{ hostname: "a", resources: spread(90) }].map(({ hostname, resources }) => ({
      hostname,
      resources: Object.fromEntries(Object.keys(resources).map((name) => [name, []])),
    }));
    const parsed = wholly(parseDemand({ ...good, nodes }));
    expect(parsed.ok ? [] : parsed.problems.slice(-1)).toEqual(["nodes[0]: and at least 85 more problems"]);
  });
});
