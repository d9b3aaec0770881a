import { describe, expect, test } from "vitest";
import { acceptTargets, type TargetsOrder } from "../../../../shared/cycle/demand/accept-targets.ts";
import { parseTargets, type TargetsMessage } from "../../../../shared/messages/job-demand.ts";
import { Crash, crashingAt, interposed } from "../../../support/crash.ts";
import { cluster, createWorld, type World } from "../../../support/world.ts";

interface Fields {
  readonly sequence?: number;
  readonly source?: string;
  /** Seconds from now. */
  readonly sent?: number;
  readonly requestSet?: string;
  readonly expirationInterval?: number;
  readonly cluster?: string;
  readonly cores?: number;
  readonly ClusterName?: string;
}

function message(world: World, { cores = 128, sent = 0, ClusterName, ...fields }: Fields): TargetsMessage {
  const parsed = parseTargets({
    version: 1,
    kind: "targets",
    cluster,
    source: "cron",
    sequence: 1,
    sentAt: new Date((world.now() + sent) * 1000).toISOString(),
    arrays: [
      { Name: "execute", TargetCoreCount: cores, ...(ClusterName === undefined ? {} : { ClusterName }) },
    ],
    ...fields,
  });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.message;
}

async function accept(world: World, fields: Fields, order?: TargetsOrder): Promise<string> {
  return (await acceptTargets(world.ports, message(world, fields), { ...(order && { order }) })).outcome;
}

async function coresOf(world: World, requestSet = "standard"): Promise<number | undefined> {
  return (await world.ports.targets.load(cluster, requestSet))?.value.arrays[0]?.TargetCoreCount;
}

describe("acceptTargets", () => {
  test("a request takes effect until its interval is over, and asks for a plan", async () => {
    const world = createWorld();
    expect(await accept(world, { expirationInterval: 42 })).toBe("accepted");
    expect((await world.ports.targets.load(cluster, "standard"))?.value).toMatchObject({
      source: "cron",
      expiresAtSeconds: world.now() + 42,
      arrays: [{ Name: "execute", TargetCoreCount: 128 }],
    });
    expect(world.ports.planRequests.scheduled).toMatchObject([
      { request: { reason: "targets of standard" } },
    ]);
  });

  test("the event of a request says what it asks for; one that asks for nothing ends its set", async () => {
    const world = createWorld();
    const period = () => ({ fromSeconds: 0, untilSeconds: world.now(), limit: 10 });
    const reasonOf = async (arrays: readonly object[], sequence: number) => {
      world.advance(1);
      await acceptTargets(world.ports, { ...message(world, { sequence }), arrays } as TargetsMessage, {});
      return (await world.ports.events.list(cluster, period()))[0]?.reason;
    };
    const many = [
      { Name: "execute", TargetCoreCount: 128, TargetCount: 1 },
      { Name: "gpu", TargetCount: 1 },
      { Name: "mpi", TargetGroupCount: 3, GroupInstanceCount: 4, Dynamic: true },
    ];
    expect(await reasonOf(many, 1)).toBe(
      'request set "standard": execute 128 cores, gpu 1 node, mpi 3 groups',
    );
    expect(await reasonOf([], 2)).toBe('request set "standard": nothing more');
  });

  test("a later request replaces all that its set wanted, and nothing of another set", async () => {
    const world = createWorld();
    await accept(world, { cores: 1 });
    await accept(world, { cores: 2, requestSet: "mpi" });
    await accept(world, { cores: 3, sequence: 2 });
    expect([await coresOf(world), await coresOf(world, "mpi")]).toEqual([3, 2]);
  });

  test.each<[string, Fields, Fields, string]>([
    ["repeated", {}, {}, "ignored"],
    ["older, of the same source", { sequence: 5 }, { sequence: 4, sent: 1 }, "ignored"],
    ["newer, of the same source", { sequence: 5 }, { sequence: 6, sent: -9 }, "accepted"],
    ["sent later by another source", { sequence: 5, sent: -2 }, { source: "b", sent: -1 }, "accepted"],
    ["sent at the same moment by another source", {}, { source: "b", sequence: 9 }, "ignored"],
    ["sent earlier by another source", { sent: -1 }, { source: "b", sequence: 9, sent: -2 }, "ignored"],
    ["behind a clock that is an hour ahead", { sent: 3_600 }, { source: "b", sent: 1 }, "ignored"],
  ])("a request that is %s", async (_case, first, second, expected) => {
    const world = createWorld();
    await accept(world, { cores: 1, ...first });
    expect(await accept(world, { cores: 2, ...second })).toBe(expected);
    expect(await coresOf(world)).toBe(expected === "accepted" ? 2 : 1);
    const { ignoredMessages } = (await world.ports.targets.load(cluster, "standard"))?.value ?? {};
    expect(ignoredMessages).toBe(expected === "accepted" ? 0 : 1);
  });

  test("a clock that is ahead counts for no more than now", async () => {
    const world = createWorld();
    await accept(world, { cores: 1, sent: 3_600 });
    world.advance(1);
    expect(await accept(world, { cores: 2, source: "b" })).toBe("accepted");
  });

  test("once its set has expired, a source may count anew, but an old message stays old", async () => {
    const world = createWorld();
    const old = message(world, { sequence: 50 });
    await acceptTargets(world.ports, old);
    world.advance(299);
    expect(await accept(world, { sequence: 1 })).toBe("ignored");
    world.advance(1);
    expect((await acceptTargets(world.ports, old)).outcome).toBe("ignored");
    expect(await accept(world, { sequence: 1 })).toBe("accepted");
  });

  test("whoever asks directly means now, whatever came before", async () => {
    const world = createWorld();
    await accept(world, { source: "http", sequence: 900 });
    for (const cores of [2, 3])
      expect(await accept(world, { source: "http", cores }, "arrival")).toBe("accepted");
    expect(await coresOf(world)).toBe(3);
    const sequence = async () => (await world.ports.targets.load(cluster, "standard"))?.value.sequence;
    expect(await sequence()).toBe(902);
    await accept(world, { source: "cli" }, "arrival");
    expect(await sequence()).toBe(0);
  });

  test.each<[string, Fields, RegExp]>([
    ["an unknown cluster", { cluster: "elsewhere" }, /^cluster: "elsewhere", expected one of hpc$/],
  ])("%s is refused", async (_case, fields, expected) => {
    const world = createWorld();
    const outcome = await acceptTargets(world.ports, message(world, fields));
    expect(outcome.outcome === "rejected" ? outcome.problems[0] : "").toMatch(expected);
    expect(world.ports.planRequests.scheduled).toEqual([]);
  });

  test("another cluster's definition is set aside", async () => {
    const world = createWorld();
    expect(await acceptTargets(world.ports, message(world, { ClusterName: "x" }))).toMatchObject({
      requested: { arrays: [] },
      setAside: {
        items: 1,
        news: [{ name: "execute", problems: ['ClusterName: "x", expected "hpc" or nothing'] }],
      },
    });
  });

  test("fifty sets may hold at once; those that nobody asked for in a day are forgotten", async () => {
    const world = createWorld();
    for (let index = 0; index < 50; index += 1) await accept(world, { requestSet: `set-${index}` });
    expect(await accept(world, { requestSet: "one-more" })).toBe("rejected");
    expect(await accept(world, { requestSet: "set-7", sequence: 2 })).toBe("accepted");
    world.advance(300);
    expect(await accept(world, { requestSet: "one-more" })).toBe("accepted");
    world.advance(86_399);
    await accept(world, { requestSet: "one-more", sequence: 2 });
    expect(await world.ports.targets.list(cluster)).toHaveLength(51);
    world.advance(1);
    await accept(world, { requestSet: "one-more", sequence: 3 });
    expect(await world.ports.targets.list(cluster)).toHaveLength(1);
  });

  test("a run that died before it asked for the plan is made up for by the next try", async () => {
    const world = createWorld();
    const ports = crashingAt(world.ports, { port: "planRequests", method: "send", when: "before" });
    await expect(acceptTargets(ports, message(world, {}))).rejects.toThrow(Crash);
    expect(await accept(world, {})).toBe("ignored");
    expect(world.ports.planRequests.scheduled).toHaveLength(1);
  });

  test("of two requests at the same moment the newer one stays", async () => {
    const world = createWorld();
    let isFirst = true;
    const ports = interposed(world.ports, { port: "targets", method: "save" }, async (call) => {
      if (isFirst) {
        isFirst = false;
        await accept(world, { sequence: 2, cores: 2 });
      }
      return call();
    });
    expect((await acceptTargets(ports, message(world, { cores: 1 }))).outcome).toBe("ignored");
    expect(await coresOf(world)).toBe(2);
  });

  test("off the queue, a request is accepted, and one that is none is recorded with its problems", async () => {
    const world = createWorld();
    expect(await world.receive(message(world, {}))).toMatchObject({ outcome: "accepted" });
    const bad = { ...message(world, { sequence: 2 }), arrays: [{ Name: "execute", TargetCores: 1 }] };
    await world.receive(bad, "bad");
    const [kept] = await world.ports.rejections.list(cluster, 1);
    expect(kept?.kind).toBe("set-aside");
    expect(kept?.problems[0]).toMatch(/^target "execute": TargetCores: 1, unknown/);
    expect(await coresOf(world)).toBe(128);
  });
});
