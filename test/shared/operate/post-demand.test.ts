import { describe, expect, test } from "vitest";
import { demandPosted } from "../../../shared/api/index.ts";
import { postDemand } from "../../../shared/operate/index.ts";
import { MemoryDemandQueue } from "../../support/memory-queues.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";

/** Posts, and delivers what is on the queue afterwards: the answer, and what became of the message. */
async function post(world: World, message: Readonly<Record<string, unknown>>) {
  const demandQueue = new MemoryDemandQueue();
  const envelope = { version: 1, kind: "snapshot", source: "celery", sequence: 1 };
  const sentAt = new Date(world.now() * 1000).toISOString();
  const jobs = [{ name: "a", constraints: { ncpus: 1 } }];
  const wish = { cluster, message: { ...envelope, sentAt, jobs, ...message } };
  const dry = await postDemand({ ...world.ports, demandQueue }, { ...wish, dryRun: true });
  expect(demandQueue.texts).toEqual([]);
  const posted = await postDemand({ ...world.ports, demandQueue }, { ...wish, dryRun: false });
  if (posted.outcome === "refused" || dry.outcome === "refused") throw new Error("refused");
  expect(demandPosted.strict().parse(posted.answer)).toBeDefined();
  expect(dry.answer.effect).toBe(posted.answer.effect);
  const [text] = demandQueue.texts;
  const { outcome } = await world.receive(text);
  return { ...posted.answer, became: outcome };
}

describe("postDemand says what the queue will do", () => {
  test("a message that is newer than the source's newest is merged", async () => {
    const world = createWorld();
    expect(await post(world, { sequence: 7 })).toMatchObject({ effect: "merged", became: "accepted" });
    expect(await post(world, { sequence: 8 })).toMatchObject({
      effect: "merged",
      became: "accepted",
      summary: 'Posted 1 job of source "celery" for cluster "hpc".',
    });
  });

  test.each([7, 3])("a stale sequence is ignored, and the answer says so: %d after 7", async (sequence) => {
    const world = createWorld();
    await world.post([], { sequence: 7 });
    const answer = await post(world, { sequence });
    expect(answer).toMatchObject({ effect: "ignored", became: "ignored" });
    expect(answer.summary).toContain(`It will be ignored: sequence ${sequence} is not above 7`);
  });

  test("a source that was silent may count anew", async () => {
    const world = createWorld();
    await world.post([], { sequence: 7, ttlSeconds: 60 });
    world.advance(61);
    expect(await post(world, { sequence: 1 })).toMatchObject({ effect: "merged", became: "accepted" });
  });

  test("a delta without its predecessor waits, and the answer says what it waits for", async () => {
    const world = createWorld();
    const first = await post(world, { kind: "delta", sequence: 5 });
    expect(first).toMatchObject({ effect: "early", became: "parked" });
    expect(first.summary).toContain("no snapshot of this source has come");
    await world.post([], { sequence: 7 });
    const next = await post(world, { kind: "delta", sequence: 9 });
    expect(next).toMatchObject({ effect: "early", became: "parked" });
    expect(next.summary).toContain("has 7. Send 8, or a snapshot.");
  });
});

test("postDemand names keys that have no effect, with their place and what was meant", async () => {
  const jobs = [
    { name: "a", constraint: { ncpus: 4 } },
    { name: "b", colacated: true },
  ];
  expect(await post(createWorld(), { jobs, sequences: 2 })).toMatchObject({
    warnings: [
      'sequences is not known; did you mean "sequence"?',
      'jobs[0].constraint is not known; did you mean "constraints"?',
      'jobs[1].colacated is not known; did you mean "colocated"?',
    ],
  });
});
