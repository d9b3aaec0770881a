import { describe, expect, test } from "vitest";
import {
  prepareReplay,
  type Replay,
  type ReplayPorts,
  replay,
} from "../../../../shared/cycle/demand/replay-rejection.ts";
import type { RejectedMessage } from "../../../../shared/ports/index.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

const demand = {
  version: 1,
  kind: "snapshot",
  cluster,
  source: "pbs",
  sequence: 5,
  sentAt: "2026-11-21T10:00:00Z",
  jobs: [jobFor(1)],
};

/** The queue ends where it would end: in `receiveDemand`. */
function portsOf(world: World): ReplayPorts {
  return { ...world.ports, demandQueue: { post: async (text) => void (await world.receive(text)) } };
}

/** A message that was refused before the cluster was configured, say, and that is right by now. */
function rejected(
  fields: Partial<RejectedMessage["rejection"]> = {},
  body: string | undefined = JSON.stringify(demand),
) {
  const rejection = {
    rejectionId: "m",
    kind: "invalid" as const,
    cluster,
    source: "pbs",
    queue: "job-demand",
    receivedAtSeconds: 1_800_000_000,
    attempts: 1,
    problems: ["bad"],
    excerpt: "",
    ...fields,
  };
  return { rejection, body };
}

function problemsOf(prepared: Replay): readonly string[] {
  return prepared.kind === "refused" ? prepared.problems : [];
}

describe("replay: a demand message", () => {
  test("is posted as it was, takes effect, and the rejection remembers it", async () => {
    const world = createWorld();
    const message = rejected();
    await world.ports.rejections.add(message);
    const prepared = await prepareReplay(portsOf(world), message);
    if (prepared.kind === "refused") throw new Error(prepared.problems.join());
    await replay(portsOf(world), message.rejection, prepared);
    expect(await world.ports.demand.list(cluster)).toMatchObject([{ source: "pbs", sequence: 5 }]);
    const kept = await world.ports.rejections.load(cluster, "m");
    expect(kept?.rejection.replayedAtSeconds).toBe(world.now());
  });

  test("changes nothing while it is only prepared", async () => {
    const world = createWorld();
    expect(await prepareReplay(portsOf(world), rejected())).toMatchObject({ kind: "post-demand" });
    expect(await world.ports.demand.list(cluster)).toEqual([]);
  });

  test("that is older than what its source has posted since is refused", async () => {
    const world = createWorld();
    await world.receive({ ...demand, sequence: 6, ttlSeconds: 60 });
    const prepared = await prepareReplay(portsOf(world), rejected());
    expect(problemsOf(prepared)).toEqual([
      'sequence: 5, expected above 6, which source "pbs" has posted since',
    ]);
    // However long ago that was: what it wanted then is not what it wants now.
    world.advance(60);
    expect(problemsOf(await prepareReplay(portsOf(world), rejected()))).toHaveLength(1);
  });

  test.each([
    ["of a source that has posted nothing", undefined, "sequence: 5 of a delta, expected a snapshot first"],
    ["that skips a number", 3, "sequence: 5 of a delta, expected 4"],
  ])("a delta %s is refused", async (_case, have, problem) => {
    const world = createWorld();
    if (have !== undefined) await world.receive({ ...demand, sequence: have });
    const delta = rejected({}, JSON.stringify({ ...demand, kind: "delta" }));
    expect(problemsOf(await prepareReplay(portsOf(world), delta))).toEqual([problem]);
  });

  test("the next delta is posted", async () => {
    const world = createWorld();
    await world.receive({ ...demand, sequence: 4 });
    const delta = rejected({}, JSON.stringify({ ...demand, kind: "delta" }));
    expect(await prepareReplay(portsOf(world), delta)).toMatchObject({ kind: "post-demand" });
  });

  test("everything that is in the way is named at once", async () => {
    const world = createWorld();
    const text = JSON.stringify({ ...demand, kind: "delta", cluster: "gone", padding: "x".repeat(65_536) });
    expect(problemsOf(await prepareReplay(portsOf(world), rejected({}, text)))).toEqual([
      expect.stringMatching(/^message: \d+ bytes, expected at most 65536$/),
      'cluster: "gone", expected one of hpc',
      "sequence: 5 of a delta, expected a snapshot first",
    ]);
  });

  test("that was too large to be kept takes a file in its place", async () => {
    const world = createWorld();
    const large = { ...rejected(), body: undefined };
    expect(problemsOf(await prepareReplay(portsOf(world), large))[0]).toContain("expected a file");
    const fixed = await prepareReplay(portsOf(world), large, JSON.stringify(demand));
    expect(fixed).toMatchObject({ kind: "post-demand" });
  });
});

describe("replay: other messages", () => {
  test("a plan request asks for a plan", async () => {
    const world = createWorld();
    const message = rejected({ queue: "plan-requests", kind: "dead-letter" });
    await world.ports.rejections.add(message);
    const prepared = await prepareReplay(portsOf(world), message);
    expect(prepared).toEqual({ kind: "request-plan", cluster });
    if (prepared.kind !== "refused") await replay(portsOf(world), message.rejection, prepared);
    expect(world.ports.planRequests.scheduled).toMatchObject([{ request: { cluster } }]);
  });

  test.each([
    ["a plan request of no cluster", { queue: "plan-requests", cluster: undefined }, "cluster: none"],
    [
      "a plan request of a cluster that is gone",
      { queue: "plan-requests", cluster: "gone" },
      '"gone", expected',
    ],
    ["an action", { queue: "scale-actions" }, "the next plan makes"],
    ["a message of a strange queue", { queue: "strange" }, "expected job-demand"],
  ])("%s is refused", async (_case, fields, words) => {
    const prepared = await prepareReplay(portsOf(createWorld()), rejected(fields));
    expect(problemsOf(prepared)).toEqual([expect.stringContaining(words)]);
  });

  test("only a demand message can be fixed", async () => {
    const action = rejected({ queue: "scale-actions" });
    const prepared = await prepareReplay(portsOf(createWorld()), action, JSON.stringify(demand));
    expect(problemsOf(prepared)[0]).toContain("expected a demand message to fix");
  });
});
