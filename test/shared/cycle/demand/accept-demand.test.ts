import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acceptDemand } from "../../../../shared/cycle/demand/accept-demand.ts";
import { type DemandMessage, parseDemand } from "../../../../shared/messages/job-demand.ts";
import { cases } from "../../../support/cases.ts";
import { Crash, crashingAt, interposed } from "../../../support/crash.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

interface Fields {
  readonly sentAt?: string;
  readonly kind?: "snapshot" | "delta";
  readonly sequence: number;
  readonly part?: { readonly index: number; readonly count: number };
  readonly jobs?: readonly string[];
  readonly ttlSeconds?: number;
  readonly cluster?: string;
}

function message({ jobs = [], ...fields }: Fields): DemandMessage {
  const envelope = { version: 1, kind: "snapshot", cluster, source: "pbs", sentAt: "2026-11-21T10:00:00Z" };
  const parsed = parseDemand({ ...envelope, ...fields, jobs: jobs.map((name) => ({ name })) });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.message;
}

/** A snapshot of three jobs, one a part. */
function parts(sequence: number, prefix = "job"): DemandMessage[] {
  return [0, 1, 2].map((index) =>
    message({ sequence, part: { index, count: 3 }, jobs: [`${prefix}-${index}`] }),
  );
}

async function jobsOf(world: World): Promise<readonly string[]> {
  return (await world.ports.demand.load(cluster, "pbs"))?.value.jobs.map((job) => job.name) ?? [];
}

async function acceptAll(world: World, messages: readonly DemandMessage[]): Promise<string[]> {
  const outcomes: string[] = [];
  for (const each of messages) outcomes.push((await acceptDemand(world.ports, each)).outcome);
  return outcomes;
}

describe("acceptDemand", () => {
  test("a snapshot takes effect and asks for a plan", async () => {
    const world = createWorld();
    const accepted = await acceptDemand(world.ports, message({ sequence: 1, jobs: ["a", "b"] }));
    expect(accepted).toEqual({ outcome: "accepted", jobs: 2, nodes: 0 });
    expect(world.ports.planRequests.scheduled).toMatchObject([{ request: { reason: "demand from pbs" } }]);
  });

  test.each([
    ["the cluster's time to live", undefined, 300],
    ["its own", 42, 42],
  ])("demand lives for %s", async (_case, ttlSeconds, expected) => {
    const world = createWorld();
    const fields = ttlSeconds === undefined ? {} : { ttlSeconds };
    await acceptDemand(world.ports, message({ sequence: 1, ...fields }));
    const stored = await world.ports.demand.load(cluster, "pbs");
    expect(stored?.value.expiresAtSeconds).toBe(world.now() + expected);
  });

  test("a repeated message is ignored, counted, and does not live longer", async () => {
    const world = createWorld();
    const repeated = message({ sequence: 1, jobs: ["a"] });
    await acceptDemand(world.ports, repeated);
    world.advance(60);
    expect(await acceptDemand(world.ports, repeated)).toEqual({ outcome: "ignored" });
    expect(await world.ports.demand.load(cluster, "pbs")).toMatchObject({
      value: { ignoredMessages: 1, expiresAtSeconds: world.now() + 240 },
    });
  });

  test("a repeat of the newest message asks for a plan: the run that saved it may have died before it did", async () => {
    const world = createWorld();
    const [older, newest] = [message({ sequence: 1 }), message({ sequence: 2 })];
    await acceptAll(world, [older, newest]);
    world.ports.planRequests.takeDue(world.now() + 60);
    world.advance(60);
    await acceptDemand(world.ports, older);
    expect(world.ports.planRequests.scheduled).toEqual([]);
    await acceptDemand(world.ports, newest);
    expect(world.ports.planRequests.scheduled).toHaveLength(1);
  });

  test("a source that was silent past its time to live may start to count anew", async () => {
    const world = createWorld();
    await acceptDemand(world.ports, message({ sequence: 900, jobs: ["old"] }));
    world.advance(301);
    const anew = message({ sequence: 1, jobs: ["new"], sentAt: "2026-11-21T10:05:01Z" });
    expect(await acceptDemand(world.ports, anew)).toMatchObject({ outcome: "accepted" });
    expect(await jobsOf(world)).toEqual(["new"]);
  });

  test("what a queue delivers once more after the time to live is no news", async () => {
    const world = createWorld();
    const older = message({ sequence: 5, jobs: ["old"], sentAt: "2026-11-21T10:00:00Z" });
    await acceptDemand(world.ports, older);
    const newer = message({ sequence: 6, sentAt: "2026-11-21T10:00:15Z" });
    await acceptDemand(world.ports, newer);
    world.advance(311);
    for (const again of [older, newer])
      expect(await acceptDemand(world.ports, again)).toMatchObject({ outcome: "ignored" });
    expect(await jobsOf(world)).toEqual([]);
  });

  test("a configuration that cannot be used costs no demand", async () => {
    const world = createWorld();
    world.ports.configs.delete(cluster);
    world.ports.configs.putBroken(cluster, ["url: missing"]);
    expect(await acceptDemand(world.ports, message({ sequence: 1, jobs: ["a"] }))).toMatchObject({
      outcome: "accepted",
    });
  });

  test("a burst of deltas in any order ends as if they had come in order", async () => {
    const world = createWorld();
    await acceptDemand(world.ports, message({ sequence: 1, jobs: ["job-1"] }));
    const deltas = [5, 3, 9, 2, 8, 4, 7, 6].map((sequence) =>
      message({ kind: "delta", sequence, jobs: [`job-${sequence}`] }),
    );
    await Promise.all(deltas.map((delta) => acceptDemand(world.ports, delta)));
    expect(await jobsOf(world)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((sequence) => `job-${sequence}`));
    expect(await world.ports.demand.load(cluster, "pbs")).toMatchObject({ value: { sequence: 9 } });
  });

  test.each([
    [
      "without any snapshot",
      [],
      'delta 3 of source "pbs" waits: have no snapshot of this source, expected 2',
    ],
    ["whose predecessor is missing", [1], 'delta 3 of source "pbs" waits: have sequence 1, expected 2'],
  ])("a delta %s is parked, and takes effect when its predecessor comes", async (_case, before, reason) => {
    const world = createWorld();
    await acceptAll(
      world,
      before.map((sequence) => message({ sequence, jobs: ["a"] })),
    );
    const delta = message({ kind: "delta", sequence: 3, jobs: ["c"] });
    expect(await acceptDemand(world.ports, delta)).toEqual({ outcome: "parked", reason });
    await acceptDemand(world.ports, message({ sequence: 2, jobs: ["b"] }));
    expect(await jobsOf(world)).toEqual(["b", "c"]);
  });

  test("an unknown cluster is rejected, with the known ones", async () => {
    const world = createWorld();
    const stranger = message({ sequence: 1, cluster: "hcp" });
    expect(await acceptDemand(world.ports, stranger)).toEqual({
      outcome: "rejected",
      problems: ['cluster: "hcp", expected one of hpc'],
    });
    world.ports.configs.delete(cluster);
    expect(await acceptDemand(world.ports, stranger)).toMatchObject({
      problems: ['cluster: "hcp", but no cluster is configured'],
    });
  });

  test("of messages of one source at once, the slower one looks again, and none is lost", async () => {
    const world = createWorld();
    await acceptDemand(world.ports, message({ sequence: 1, jobs: ["a"] }));
    const [second, third] = [2, 3].map((sequence) =>
      message({ kind: "delta", sequence, jobs: [`job-${sequence}`] }),
    );
    if (second === undefined || third === undefined) throw new Error("no messages");
    let isFirst = true;
    const slow = interposed(world.ports, { port: "demand", method: "save" }, async (call) => {
      if (isFirst) {
        isFirst = false;
        await acceptAll(world, [second, third]);
      }
      return call();
    });
    expect(await acceptDemand(slow, second)).toEqual({ outcome: "ignored" });
    expect(await jobsOf(world)).toEqual(["a", "job-2", "job-3"]);
  });
});

describe("acceptDemand: what waits", () => {
  test("is not listed for a message that follows directly", async () => {
    const world = createWorld();
    await acceptAll(world, [message({ sequence: 1 })]);
    const noList = interposed(world.ports, { port: "demand", method: "dropParts" }, () => {
      throw new Error("parts were listed");
    });
    for (const sequence of [2, 3])
      expect(await acceptDemand(noList, message({ sequence }))).toMatchObject({ outcome: "accepted" });
  });

  test("is forgotten when its predecessor came after the run that parked it had died", async () => {
    const world = createWorld();
    await acceptAll(world, [message({ sequence: 1 })]);
    const early: DemandMessage = { ...message({ sequence: 3, jobs: ["c"] }), kind: "delta", remove: [] };
    await world.ports.demand.savePart(early, { index: 0, jobs: early.jobs, nodes: [], remove: [] });
    // Its predecessor is handled by a program that does not look for it.
    const stored = await world.ports.demand.load(cluster, early.source);
    if (stored === undefined) throw new Error("no demand");
    await world.ports.demand.save({ ...stored.value, sequence: 2 }, stored.etag);
    expect(await acceptAll(world, [early])).toEqual(["accepted"]);
    expect(await world.ports.demand.waitingParts(early)).toEqual([]);
  });

  test("is forgotten when messages are skipped, and when a message comes again", async () => {
    const world = createWorld();
    const [first] = parts(2, "old");
    if (first === undefined) throw new Error("no part");
    await acceptAll(world, [message({ sequence: 1 }), first, message({ sequence: 3 })]);
    expect(await world.ports.demand.waitingParts(first)).toEqual([]);
    await world.ports.demand.savePart(first, { index: 1, jobs: [], nodes: [] });
    expect(await acceptAll(world, [message({ sequence: 3 })])).toEqual(["ignored"]);
    expect(await world.ports.demand.waitingParts(first)).toEqual([]);
  });
});

describe("acceptDemand: a snapshot in parts", () => {
  test("waits for its last part", async () => {
    const world = createWorld();
    const [first, second, third] = parts(1);
    if (first === undefined || second === undefined || third === undefined) throw new Error("no parts");
    expect(await acceptDemand(world.ports, first)).toEqual({
      outcome: "waiting-for-parts",
      have: 1,
      want: 3,
    });
    expect(await acceptDemand(world.ports, second)).toEqual({
      outcome: "waiting-for-parts",
      have: 2,
      want: 3,
    });
    expect(await jobsOf(world)).toEqual([]);
    expect(world.ports.planRequests.scheduled).toEqual([]);
    expect(await acceptDemand(world.ports, third)).toEqual({ outcome: "accepted", jobs: 3, nodes: 0 });
    expect(await world.ports.demand.loadParts(first)).toEqual([]);
  });

  test("of one part is just a snapshot", async () => {
    const world = createWorld();
    const single = message({ sequence: 1, part: { index: 0, count: 1 }, jobs: ["a"] });
    expect(await acceptAll(world, [single])).toEqual(["accepted"]);
  });

  test("takes effect once, in the order of its parts, however they arrive and repeat", async () => {
    const indexes = fc
      .array(fc.nat({ max: 2 }), { maxLength: 8 })
      .chain((some) => fc.shuffledSubarray([...some, 0, 1, 2], { minLength: some.length + 3 }));
    await fc.assert(
      fc.asyncProperty(indexes, async (order) => {
        const world = createWorld();
        const all = parts(1);
        const outcomes = await acceptAll(
          world,
          order.flatMap((index) => all[index] ?? []),
        );
        expect(await jobsOf(world)).toEqual(["job-0", "job-1", "job-2"]);
        expect(outcomes.filter((outcome) => outcome === "accepted")).toHaveLength(1);
      }),
      cases(50),
    );
  });

  test("that is older than what has taken effect is ignored, part by part", async () => {
    const world = createWorld();
    const [first, ...rest] = parts(1, "old");
    if (first === undefined) throw new Error("no part");
    await acceptAll(world, [first, message({ sequence: 2, jobs: ["new"] })]);
    expect(await acceptAll(world, rest)).toEqual(["ignored", "ignored"]);
    expect(await jobsOf(world)).toEqual(["new"]);
  });

  test("is read once, when all of it is there", async () => {
    const world = createWorld();
    let reads = 0;
    const ports = interposed(world.ports, { port: "demand", method: "loadParts" }, (call) => {
      reads += 1;
      return call();
    });
    const count = 40;
    for (let index = 0; index < count; index += 1)
      await acceptDemand(ports, message({ sequence: 1, part: { index, count }, jobs: [`${index}`] }));
    expect(await jobsOf(world)).toHaveLength(count);
    expect(reads).toBe(1);
  });

  test.each([
    [50_000, "accepted", undefined],
    [50_001, "rejected", ["nodes: 100002 in all parts, expected at most 100000"]],
  ])(
    "of two parts with %i nodes each is %s: it holds no more than a message may",
    async (nodes, outcome, problems) => {
      const world = createWorld();
      const half = Array.from({ length: nodes }, (_, index) => ({
        hostname: `host-${index}`,
        resources: {},
      }));
      const outcomes: unknown[] = [];
      for (const index of [0, 1])
        outcomes.push(
          await acceptDemand(world.ports, {
            ...message({ sequence: 1, part: { index, count: 2 } }),
            nodes: half,
          }),
        );
      expect(outcomes.at(-1)).toMatchObject({ outcome, ...(problems === undefined ? {} : { problems }) });
    },
  );

  test("does not mix with parts of another one", async () => {
    const world = createWorld();
    const [old, ...rest] = parts(1, "old");
    if (old === undefined) throw new Error("no part");
    expect(await acceptAll(world, [...rest, ...parts(2, "new"), old])).toEqual([
      "waiting-for-parts",
      "waiting-for-parts",
      "waiting-for-parts",
      "waiting-for-parts",
      "accepted",
      "ignored",
    ]);
    expect(await jobsOf(world)).toEqual(["new-0", "new-1", "new-2"]);
    expect(await world.ports.demand.loadParts(old)).toEqual([]);
  });

  test("is not taken for complete because of parts of an earlier attempt that was cut differently", async () => {
    const world = createWorld();
    await acceptDemand(world.ports, message({ sequence: 1, part: { index: 2, count: 3 }, jobs: ["old-2"] }));
    const [first, second] = [0, 1].map((index) =>
      message({ sequence: 1, part: { index, count: 2 }, jobs: [`new-${index}`] }),
    );
    if (first === undefined || second === undefined) throw new Error("no parts");
    expect(await acceptAll(world, [first, second])).toEqual(["waiting-for-parts", "accepted"]);
    expect(await jobsOf(world)).toEqual(["new-0", "new-1"]);
  });

  test.each([
    { port: "demand", method: "savePart", when: "after" },
    { port: "demand", method: "save", when: "before" },
    { port: "demand", method: "save", when: "after" },
    { port: "demand", method: "dropParts", when: "before" },
    { port: "planRequests", method: "send", when: "before" },
  ] as const)("survives a run that dies $when $port.$method", async (point) => {
    const world = createWorld();
    await world.round();
    world.advance(10);
    const [first, second, third] = parts(1);
    if (first === undefined || second === undefined || third === undefined) throw new Error("no parts");
    await acceptAll(world, [first, second]);
    await expect(acceptDemand(crashingAt(world.ports, point), third)).rejects.toThrow(Crash);
    await acceptDemand(world.ports, third);
    expect(await jobsOf(world)).toEqual(["job-0", "job-1", "job-2"]);
    world.advance(10);
    await world.snapshot();
    world.advance(1);
    expect(await world.plan()).toBeGreaterThan(0);
    expect(await world.ports.plans.list(cluster, 1)).toMatchObject([{ jobs: 3 }]);
  });
});
