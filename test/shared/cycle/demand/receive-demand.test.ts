import { describe, expect, test } from "vitest";
import { receiveDemand } from "../../../../shared/cycle/demand/receive-demand.ts";
import type { RawMessage } from "../../../../shared/cycle/demand/reject.ts";
import { smallestLimits } from "../../../../shared/json/json-limits.ts";
import { type Rejection, unknownSource } from "../../../../shared/ports/index.ts";
import { MemoryDemandUploads } from "../../../../shared/stores/in-memory/index.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

const envelope = {
  version: 1,
  kind: "snapshot",
  cluster,
  source: "pbs",
  sequence: 1,
  sentAt: "2026-11-21T10:00:00Z",
};
const good = { ...envelope, jobs: [{ name: "a" }] };

async function jobsOf(world: World): Promise<readonly string[]> {
  return (await world.ports.demand.load(cluster, "pbs"))?.value.jobs.map((job) => job.name) ?? [];
}

const rejectionsOf = (world: World, of: string | undefined): Promise<readonly Rejection[]> =>
  world.ports.rejections.list(of, 10);

describe("receiveDemand: a good message", () => {
  test.each([
    ["as JSON", good],
    ["as text", JSON.stringify(good)],
  ])("%s is accepted", async (_case, body) => {
    const world = createWorld();
    expect(await world.receive(body)).toEqual({ outcome: "accepted", jobs: 1, nodes: 0 });
    expect(await rejectionsOf(world, cluster)).toEqual([]);
  });

  test("that comes early is no rejection", async () => {
    const world = createWorld();
    const early = await world.receive({ ...good, kind: "delta", sequence: 2 });
    expect(early).toMatchObject({ outcome: "parked" });
    expect(await rejectionsOf(world, cluster)).toEqual([]);
  });
});

describe("receiveDemand: a claim check", () => {
  const claim = { ...envelope, blob: "pbs/1.json" };

  test("stands for the jobs and nodes of its blob", async () => {
    const world = createWorld();
    const jobs = [{ name: "a" }, { name: "b" }];
    world.ports.uploads.put("pbs/1.json", JSON.stringify({ jobs, nodes: [{ hostname: "h1" }] }));
    expect(await world.receive(claim)).toEqual({ outcome: "accepted", jobs: 2, nodes: 1 });
    expect(await jobsOf(world)).toEqual(["a", "b"]);
  });

  test("keeps its own word on who it is from", async () => {
    const world = createWorld();
    const content = { ...envelope, source: "somebody-else", sequence: 99, jobs: [{ name: "a" }] };
    world.ports.uploads.put("pbs/1.json", JSON.stringify(content));
    await world.receive(claim);
    expect(await world.ports.demand.list(cluster)).toMatchObject([{ source: "pbs", sequence: 1 }]);
  });

  test.each<readonly [string, string | undefined, string]>([
    ["a blob that is missing", undefined, 'blob: "pbs/1.json", expected the name of an uploaded blob'],
    ["a blob that is no JSON", "jobs", "message: "],
    ["a blob with no list of jobs", '{"jobs": {"name": ""}}', "jobs: "],
    ["a blob of too many values", `{"jobs": [${"{},".repeat(100)}{}]}`, "blob: Cannot read upload"],
    ["a blob that is too large", `{"jobs": [${" ".repeat(1_000)}]}`, "blob: "],
  ])("on %s is rejected and says so", async (_case, content, words) => {
    const world = createWorld();
    const uploads = new MemoryDemandUploads({ ...smallestLimits, bytes: 1_000, items: 100 });
    if (content !== undefined) uploads.put("pbs/1.json", content);
    const raw: RawMessage = { body: claim, messageId: "m-1", queue: "job-demand" };
    const outcome = await receiveDemand({ ...world.ports, uploads }, raw);
    expect(outcome).toMatchObject({ outcome: "rejected" });
    const [rejection] = await rejectionsOf(world, cluster);
    expect(rejection?.problems[0]).toContain(words);
    expect(rejection).toMatchObject({ source: "pbs", rejectionId: "m-1" });
    expect(await jobsOf(world)).toEqual([]);
  });
});

describe("receiveDemand: a message that is not taken", () => {
  const bad: readonly (readonly [string, unknown, string | undefined])[] = [
    ["no JSON", "{", undefined],
    ["empty", "", undefined],
    ["nothing", undefined, undefined],
    ["null", null, undefined],
    ["a list", [good], undefined],
    ["of an unknown version", { ...good, version: 2 }, cluster],
    ["of an unknown kind", { ...good, kind: "targets" }, cluster],
    ["with a bad source", { ...good, source: "PBS!" }, cluster],
    ["with no list of jobs", { ...good, jobs: { name: "a" } }, cluster],
    ["for an unknown cluster", { ...good, cluster: "hcp" }, undefined],
    ["for a cluster that is no text", { ...good, cluster: 7 }, undefined],
  ];

  test.each(bad)("%s: recorded where somebody looks, with every problem", async (_case, body, owner) => {
    const world = createWorld();
    const outcome = await world.receive(body, "m-1");
    if (outcome.outcome !== "rejected") throw new Error(outcome.outcome);
    expect(await rejectionsOf(world, owner)).toMatchObject([
      { rejectionId: "m-1", queue: "job-demand", problems: outcome.problems },
    ]);
    expect(outcome.problems.length).toBeGreaterThan(0);
    const demand = await world.ports.demand.list(cluster);
    expect(demand.filter(({ source }) => source !== unknownSource)).toEqual([]);
    expect(demand.map(({ refused }) => refused?.messages)).toEqual(owner === undefined ? [] : [1]);
  });

  test.each(bad)("%s: does not block the good one behind it", async (_case, body) => {
    const world = createWorld();
    await world.receive(body);
    expect(await world.receive(good)).toMatchObject({ outcome: "accepted" });
    expect(await jobsOf(world)).toEqual(["a"]);
  });

  test("is recorded once, however often it is delivered", async () => {
    const world = createWorld();
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await world.receive({ ...good, version: 2 }, "m-1");
      world.advance(30);
    }
    await world.receive({ ...good, version: 2 }, "m-2");
    const recorded = await rejectionsOf(world, cluster);
    expect(recorded.map((rejection) => rejection.rejectionId)).toEqual(["m-2", "m-1"]);
    expect(recorded.at(-1)?.receivedAtSeconds).toBe(world.now() - 90);
  });

  test("is kept whole up to 64 KiB, and shown by its start", async () => {
    const world = createWorld();
    for (const bytes of [65_536, 65_537]) await world.receive("x".repeat(bytes), `m-${bytes}`);
    const [rejection] = await rejectionsOf(world, undefined);
    expect(rejection?.excerpt).toBe("x".repeat(500));
    const keptBytes = async (id: string) => (await world.ports.rejections.load(undefined, id))?.body?.length;
    expect([await keptBytes("m-65536"), await keptBytes("m-65537")]).toEqual([65_536, undefined]);
  });

  test("names all of its problems at once", async () => {
    const world = createWorld();
    const body = { ...good, sequence: -1, sentAt: "yesterday", jobs: "none" };
    const outcome = await world.receive(body);
    expect(outcome).toMatchObject({ outcome: "rejected" });
    expect("problems" in outcome ? outcome.problems.map((problem) => problem.split(":")[0]) : []).toEqual(
      expect.arrayContaining(["sequence", "sentAt", "jobs"]),
    );
  });
});
