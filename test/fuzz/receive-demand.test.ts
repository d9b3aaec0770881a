import fc from "fast-check";
import { expect, test } from "vitest";
import { createWorld, jobFor, type World } from "../support/world.ts";
import { bodyOf, recipe } from "./demand-message.ts";
import { patienceMs, runs } from "./runs.ts";

const batch = 100;

/** A world that knows the blobs that messages claim. */
function freshWorld(): World {
  const world = createWorld();
  world.ports.uploads.put("upload.json", JSON.stringify({ jobs: [{ name: "claimed" }], nodes: [] }));
  world.ports.uploads.put("bad.json", `{"jobs":${"[".repeat(50_000)}`);
  return world;
}

async function expectGoodMessageToWork(world: World): Promise<void> {
  expect(await world.post([jobFor(1)], { source: "good" })).toMatchObject({ outcome: "accepted", jobs: 1 });
}

/** What is said of a message that was refused is there, and has its bounds however large the message was. */
async function expectRejection(world: World, id: string, problems: readonly string[]): Promise<void> {
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.length).toBeLessThanOrEqual(51);
  expect(Math.max(...problems.map((problem) => problem.length))).toBeLessThanOrEqual(1_000);
  expect(problems.filter((problem) => problem === "")).toEqual([]);
  const clusters = [undefined, ...(await world.ports.configs.clusters())];
  const found = await Promise.all(clusters.map((cluster) => world.ports.rejections.load(cluster, id)));
  const [kept, ...more] = found.filter((each) => each !== undefined);
  expect(more).toEqual([]);
  expect(kept?.rejection.problems).toEqual(problems);
  expect(kept?.rejection.excerpt.length).toBeLessThanOrEqual(500);
  expect(Buffer.byteLength(kept?.body ?? "")).toBeLessThanOrEqual(64 * 1024);
}

test(
  "1,500 mutated demand messages: each refused with reasons or taken, wholly or in part, and good ones still work",
  async () => {
    const seen: Record<string, number> = {};
    let world = freshWorld();
    let setAside = 0;
    let count = 0;
    const property = fc.asyncProperty(recipe, async (made) => {
      if (count % batch === 0) world = freshWorld();
      count += 1;
      const id = `fuzz-${count}`;
      const outcome = await world.receive(bodyOf(made), id);
      seen[outcome.outcome] = (seen[outcome.outcome] ?? 0) + 1;
      if (outcome.outcome === "accepted" && outcome.setAside !== undefined) setAside += 1;
      if (outcome.outcome === "rejected") await expectRejection(world, id, outcome.problems);
      if (count % batch > 0) return;
      await expectGoodMessageToWork(world);
      // What was taken is planned for as well: no demand stops the plans of its cluster.
      await world.round();
      expect(await world.ports.plans.list("hpc", 10)).toHaveLength(1);
    });
    await fc.assert(property, runs(750));
    expect(Object.keys(Object.prototype)).toEqual([]);
    // Else the messages are too wild to get past the first check, or too tame to be refused.
    expect(seen.accepted).toBeGreaterThan(count / 20);
    expect(seen.rejected).toBeGreaterThan(count / 10);
    expect(setAside).toBeGreaterThan(count / 20);
  },
  patienceMs,
);
