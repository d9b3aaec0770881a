import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../shared/errors/errors.ts";
import { claimNotices, settleNotices } from "../../../shared/operate/deliver-notices.ts";
import { notify } from "../../../shared/operate/index.ts";
import { emptyRecord, keepIncidents, type Seen } from "../../../shared/operate/keep-incidents.ts";
import type { NotificationKind, NotificationRecord, Ports } from "../../../shared/ports/index.ts";
import { cases } from "../../support/cases.ts";
import { Crash, crashingAt, interposed } from "../../support/crash.ts";
import { createReceiver, notifyingWorld, shortOf, teams } from "../../support/notified.ts";
import { cluster, configOf, jobFor, type World } from "../../support/world.ts";

/** A cluster that was seen, and a receiver. */
async function bench(destinations = [teams]) {
  const world = notifyingWorld(destinations);
  await world.snapshot();
  await world.plan();
  const receiver = createReceiver();
  const beat = (ports: Ports = world.ports) => notify(ports, receiver, cluster);
  return { world, receiver, beat };
}

/** The snapshot is too old from now on. */
const ageSnapshot = (world: World) => world.advance(301);

const outboxOf = async (world: World) => (await world.ports.notifications.load(cluster))?.value.outbox ?? [];

describe("an incident", () => {
  test("is told once when it begins and once when it is over, with what helps", async () => {
    const { world, receiver, beat } = await bench();
    await beat();
    expect(receiver.arrived).toEqual([]);
    ageSnapshot(world);
    for (let n = 0; n < 5; n += 1) await beat();
    expect(receiver.arrived).toMatchObject([
      {
        phase: "begun",
        problem: "stale-snapshot",
        text: "The snapshot is 5m1s old, expected at most 5m.",
        command: "ccscale status --cluster hpc",
      },
    ]);
    await world.round();
    await beat();
    world.advance(149);
    await world.round();
    world.advance(149);
    await beat();
    expect(receiver.arrived).toHaveLength(1);
    world.advance(1);
    for (let n = 0; n < 5; n += 1) await beat();
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot", "over stale-snapshot"]);
    const notified = `info notified ${JSON.stringify({ cluster, to: teams.urlSetting, messages: 1 })}`;
    expect(world.log.filter((line) => line === notified)).toHaveLength(2);
    const [begun, over] = receiver.arrived;
    expect(over).toMatchObject({ incident: begun?.incident, sinceSeconds: begun?.sinceSeconds });
    expect(over?.id).not.toBe(begun?.id);
  });

  test("that comes back within minutes is the same", async () => {
    const { world, receiver, beat } = await bench();
    for (let n = 0; n < 10; n += 1) {
      ageSnapshot(world);
      await beat();
      await world.snapshot();
      await beat();
    }
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot"]);
  });

  test("is told to those whose kinds it is", async () => {
    const budgetOnly = { urlSetting: "BUDGET_WEBHOOK", format: "json", kinds: ["budget"] } as const;
    const stuckOnly = { urlSetting: "OPS_WEBHOOK", format: "slack", kinds: ["stuck"] } as const;
    const { world, receiver, beat } = await bench([budgetOnly, stuckOnly]);
    ageSnapshot(world);
    await beat();
    expect(receiver.arrived.map(({ to }) => to)).toEqual(["OPS_WEBHOOK"]);
  });

  test("of a configuration that cannot be used is told by the one before, and hides no other", async () => {
    const { world, receiver, beat } = await bench();
    ageSnapshot(world);
    await beat();
    const load = () => Promise.reject(new ConfigurationError("the file", ["url: missing"]));
    const broken = { ...world.ports, configs: { ...world.ports.configs, load } };
    await beat(broken);
    world.advance(4_000);
    await beat(broken);
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot", "begun configuration"]);
  });

  test("of a configuration beside which the last one stays in force is told, and nothing else is hidden", async () => {
    const { world, receiver, beat } = await bench();
    world.ports.configs.putBroken(cluster, ["url: missing"]);
    ageSnapshot(world);
    await beat();
    expect(shortOf(receiver.arrived)).toEqual(["begun configuration", "begun stale-snapshot"]);
  });

  test("a cluster that notifies nobody has no record and is not looked at", async () => {
    const world = notifyingWorld([]);
    const ports = interposed(world.ports, { port: "demand", method: "summaries" }, async () => {
      throw new Error("looked");
    });
    await notify(ports, createReceiver(), cluster);
    expect(await world.ports.notifications.load(cluster)).toBeUndefined();
  });

  test("nobody is told who was taken out of the configuration", async () => {
    const { world, receiver, beat } = await bench();
    receiver.answer = { ok: false, why: "HTTP 500, expected 2xx" };
    ageSnapshot(world);
    await beat();
    expect(await outboxOf(world)).toHaveLength(1);
    world.ports.configs.put(configOf({}));
    await beat();
    expect((await world.ports.notifications.load(cluster))?.value).toMatchObject({
      destinations: [],
      outbox: [],
      deliveries: [],
    });
  });
});

describe("a message that does not arrive", () => {
  test("is tried again, less and less often, then the rest follows in order", async () => {
    const { world, receiver, beat } = await bench();
    receiver.answer = { ok: false, why: "HTTP 503, expected 2xx" };
    const tries: number[] = [];
    ageSnapshot(world);
    for (let minute = 0; minute < 185; minute += 1) {
      const counting = {
        ...receiver,
        send: (...args: Parameters<typeof receiver.send>) => {
          tries.push(minute);
          return receiver.send(...args);
        },
      };
      await notify(world.ports, counting, cluster);
      world.advance(60);
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    await world.round();
    receiver.answer = { ok: true };
    for (let times = 0; times < 8; times += 1) {
      await beat();
      world.advance(600);
      await world.round();
    }
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot", "over stale-snapshot"]);
    expect((await world.ports.notifications.load(cluster))?.value.deliveries).toEqual([]);
    expect(world.log.filter((line) => line.startsWith("warn not-notified"))).toHaveLength(tries.length);
  });

  test("is given up after a day, with a line in the log, and its end is not told", async () => {
    const { world, receiver, beat } = await bench();
    receiver.answer = { ok: false, why: "no answer in time" };
    ageSnapshot(world);
    await beat();
    world.advance(86_400);
    await beat();
    expect(await outboxOf(world)).toEqual([]);
    expect(world.log.filter((line) => line.startsWith("error notification-given-up"))).toHaveLength(1);
    receiver.answer = { ok: true };
    await world.snapshot();
    world.advance(4_000);
    await world.snapshot();
    for (let minute = 0; minute < 10; minute += 1) {
      await beat();
      world.advance(60);
    }
    expect(shortOf(receiver.arrived)).not.toContain("over stale-snapshot");
  });

  test("that waited while the app was stopped is tried all the same", async () => {
    const { world, receiver, beat } = await bench();
    ageSnapshot(world);
    const dying = crashingAt(world.ports, { port: "notifications", method: "save", when: "after" });
    await expect(beat(dying)).rejects.toThrow(Crash);
    world.advance(3 * 86_400);
    await beat();
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot"]);
  });
});

describe("the record", () => {
  const finding = (kind: NotificationKind, more: Partial<Seen["findings"][number]> = {}) => ({
    key: kind,
    kind,
    problem: kind,
    subject: null,
    text: "",
    next: "",
    command: "",
    opens: true,
    waitSeconds: 0,
    state: "",
    ...more,
  });
  const recordAt = (record: NotificationRecord, nowSeconds: number, ...findings: Seen["findings"]) =>
    keepIncidents(record, { findings, destinations: [teams], nowSeconds, digest: (text) => text });
  const first = emptyRecord(cluster);
  const to = teams.urlSetting;

  test.each([
    ["stuck", 300],
    ["boots-failing", 3_600],
  ] as const)("an incident of kind %s is over when it was not seen for %d seconds", (kind, quiet) => {
    const unseen = recordAt(recordAt(first, 0, finding(kind)), 100);
    expect(recordAt(unseen, 100 + quiet - 1).incidents).toMatchObject([{ kind, unseenSinceSeconds: 100 }]);
    const over = recordAt(unseen, 100 + quiet);
    expect(over.incidents).toEqual([]);
    expect(over.outbox.map(({ phase, atSeconds }) => [phase, atSeconds])).toEqual([
      ["begun", 0],
      ["over", 100],
    ]);
  });

  test("what has to last begins when it has, in one state; a clock that was ahead holds it up for a minute", () => {
    const waits = (state = "a") => finding("long-wait", { waitSeconds: 50, state });
    const seen = recordAt(first, 1_000, waits());
    expect(recordAt(seen, 1_049, waits()).incidents).toEqual([]);
    expect(recordAt(seen, 1_049, waits("b")).candidates).toMatchObject([{ sinceSeconds: 1_049 }]);
    expect(recordAt(seen, 1_050, waits())).toMatchObject({
      incidents: [{ sinceSeconds: 1_050 }],
      candidates: [],
    });
    expect(recordAt(seen, 940, waits()).candidates).toMatchObject([{ sinceSeconds: 1_000 }]);
    expect(recordAt(seen, 939, waits()).candidates).toMatchObject([{ sinceSeconds: 939 }]);
  });

  test("of a hundred messages that wait, five are sent at once, no sooner than a claim ends; no more are kept", () => {
    const keys = Array.from({ length: 100 }, (_, index) => finding("stuck", { key: `${index}` }));
    const full = recordAt(recordAt(first, 0, ...keys), 0, ...keys, finding("budget"));
    expect(full.outbox).toHaveLength(100);
    expect(full.incidents.at(-1)).toMatchObject({ kind: "budget", tellTo: [] });
    const { record, claimed } = claimNotices(full, 0);
    expect(claimed.get(to)).toHaveLength(5);
    expect(claimNotices(record, 89).claimed.size).toBe(0);
    expect(claimNotices(record, 90).claimed.size).toBe(1);
    // A claim that is further away is of a clock that was ahead.
    expect(claimNotices(record, 90 - 3_600).claimed.size).toBe(0);
    expect(claimNotices(record, 89 - 3_600).claimed.size).toBe(1);
  });

  test("a message is given up when it fails a day after it was written", () => {
    const { record } = claimNotices(recordAt(first, 0, finding("stuck")), 0);
    const failing = [{ to, arrived: [], failed: { ok: false, why: "down" } }] as const;
    expect(settleNotices(record, failing, 86_399)).toMatchObject({ givenUp: [], record: { outbox: [{}] } });
    expect(settleNotices(record, failing, 86_400)).toMatchObject({ givenUp: [{}], record: { outbox: [] } });
  });
});

describe("two runs and runs that die", () => {
  test("of two runs at the same moment one tells", async () => {
    const { world, receiver, beat } = await bench();
    ageSnapshot(world);
    await Promise.all([beat(), beat(), beat()]);
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot"]);
  });

  test("a run that comes while another one sends leaves its messages alone", async () => {
    const { world, receiver, beat } = await bench();
    ageSnapshot(world);
    const slow = {
      ...receiver,
      send: async (...args: Parameters<typeof receiver.send>) => {
        await beat();
        return receiver.send(...args);
      },
    };
    await notify(world.ports, slow, cluster);
    expect(shortOf(receiver.arrived)).toEqual(["begun stale-snapshot"]);
  });

  test.each([
    { nth: 1, when: "before", arrives: 1 },
    { nth: 1, when: "after", arrives: 1 },
    // It arrived, and nobody knows: it is told again, with the same id.
    { nth: 2, when: "before", arrives: 2 },
    { nth: 2, when: "after", arrives: 1 },
  ] as const)("a run that dies $when write $nth: the message arrives $arrives times", async (point) => {
    const { world, receiver, beat } = await bench();
    await beat();
    ageSnapshot(world);
    const dying = crashingAt(world.ports, { ...point, port: "notifications", method: "save" });
    await expect(beat(dying)).rejects.toThrow(Crash);
    for (let minute = 0; minute < 5; minute += 1) {
      await beat();
      world.advance(60);
    }
    expect(shortOf(receiver.arrived)).toEqual(Array(point.arrives).fill("begun stale-snapshot"));
    expect(new Set(receiver.arrived.map(({ id }) => id)).size).toBe(1);
  });
});

describe("whatever happens", () => {
  /** Steps of a cluster's life: a snapshot, time, a receiver that refuses, a run that dies at a write. */
  const step = fc.oneof(
    fc.constant({ kind: "snapshot" } as const),
    fc.record({ kind: fc.constant("advance" as const), seconds: fc.integer({ min: 1, max: 900 }) }),
    fc.record({ kind: fc.constant("receiver" as const), isUp: fc.boolean() }),
    fc.record({
      kind: fc.constant("crash" as const),
      nth: fc.integer({ min: 1, max: 2 }),
      when: fc.constantFrom("before" as const, "after" as const),
    }),
  );

  test("each incident is told, once if no run dies, and its end only after its beginning", async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { world, receiver, beat } = await bench();
        await world.post([jobFor(1)]);
        await world.round();
        const begun = new Set<string>();
        const noting = async () => {
          const record = (await world.ports.notifications.load(cluster))?.value;
          for (const { id } of record?.incidents ?? []) begun.add(id);
        };
        let crashes = 0;
        for (const each of steps) {
          if (each.kind === "snapshot") await world.snapshot();
          else if (each.kind === "advance") world.advance(each.seconds);
          else if (each.kind === "receiver")
            receiver.answer = each.isUp ? { ok: true } : { ok: false, why: "down" };
          else {
            const dying = crashingAt(world.ports, { ...each, port: "notifications", method: "save" });
            await beat(dying).catch((error: unknown) => {
              if (!(error instanceof Crash)) throw error;
              crashes += 1;
            });
          }
          await beat();
          await noting();
        }
        receiver.answer = { ok: true };
        for (let n = 0; n < 12; n += 1) {
          world.advance(600);
          await world.snapshot();
          await beat();
          await noting();
        }
        expect(await outboxOf(world)).toEqual([]);
        const ids = receiver.arrived.map(({ id }) => id);
        expect(new Set(receiver.arrived.map(({ incident }) => incident))).toEqual(begun);
        if (crashes === 0) expect(new Set(ids).size).toBe(ids.length);
        for (const { incident, phase, id } of receiver.arrived)
          if (phase === "over") expect(ids.indexOf(`${incident}-begun`)).toBeLessThan(ids.indexOf(id));
        for (const id of ids) if (id.endsWith("-over")) expect(ids).toContain(id.replace(/-over$/, "-begun"));
        told += ids.length;
      }),
      cases(60),
    );
    expect(told).toBeGreaterThan(cases(60).numRuns);
  });
});
