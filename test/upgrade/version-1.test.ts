import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { executeAction, planScale } from "../../shared/cycle/index.ts";
import { parseDemand } from "../../shared/messages/job-demand.ts";
import { planRequestSchema } from "../../shared/messages/plan-request.ts";
import { scaleActionSchema } from "../../shared/messages/scale-action.ts";
import { schedulerEventSchema } from "../../shared/messages/scheduler-event.ts";
import type { ArchivedPlan, Operation, PlanHead, Snapshot, SourceDemand } from "../../shared/ports/index.ts";
import { fromEntity, toEntity } from "../../shared/stores/azure/entity.ts";
import { checkVersion } from "../../shared/stores/azure/record-version.ts";
import { clusterStatus } from "../../shared/views/index.ts";
import { cluster, createWorld } from "../support/world.ts";

/**
 * What the first version of the program had in its queues and stores at one moment: nodes that idle and are about to go,
 * an action on its way that nobody has carried out, demand that is not planned yet, a refused message. Written by that
 * version, and never to be changed: another version gets another file.
 */
const old: {
  readonly atSeconds: number;
  readonly messages: {
    readonly demand: readonly unknown[];
    readonly planRequests: readonly unknown[];
    readonly scaleActions: readonly unknown[];
    readonly schedulerEvents: readonly unknown[];
  };
  readonly records: {
    readonly snapshot: Snapshot;
    readonly demand: readonly SourceDemand[];
    readonly history: Parameters<ReturnType<typeof createWorld>["ports"]["history"]["save"]>[1];
    readonly operations: readonly Operation[];
    readonly head: PlanHead;
    readonly plans: readonly ArchivedPlan[];
    readonly rejections: readonly Parameters<
      ReturnType<typeof createWorld>["ports"]["rejections"]["add"]
    >[0][];
  };
} = JSON.parse(readFileSync(join(import.meta.dirname, "fixtures/version-1.json"), "utf8"));

/** A world with the old stores, at the moment at which they were left. */
async function upgraded() {
  const world = createWorld();
  const { ports, cycleCloud } = world;
  const { records } = old;
  world.advance(old.atSeconds - world.now());
  const names = records.snapshot.cluster.nodes.map(({ name }) => name);
  const set = { nodeArray: "htc", vmSize: "Standard_F4s_v2", placementGroup: null };
  await cycleCloud.createNodes({
    requestId: "of-before",
    sets: [{ ...set, count: names.length, names }],
  });
  await ports.snapshots.save(cluster, records.snapshot);
  for (const demand of records.demand) await ports.demand.save(demand, undefined);
  await ports.history.save(cluster, records.history);
  for (const operation of records.operations) await ports.operations.save(operation, undefined);
  await ports.plans.saveHead(records.head, undefined);
  for (const plan of records.plans) await ports.plans.archive(plan);
  for (const rejection of records.rejections) await ports.rejections.add(rejection);
  return world;
}

describe("messages of version 1", () => {
  test("there are some of every queue", () => {
    const counts = Object.values(old.messages).map((messages) => messages.length);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  test.each(old.messages.demand.map((message, index) => ({ index, message })))(
    "demand message $index is understood",
    ({ message }) => {
      expect(parseDemand(JSON.stringify(message))).toMatchObject({ ok: true });
    },
  );

  test.each([
    { queue: "plan-requests", messages: old.messages.planRequests, schema: planRequestSchema },
    { queue: "scale-actions", messages: old.messages.scaleActions, schema: scaleActionSchema },
    { queue: "events-celery", messages: old.messages.schedulerEvents, schema: schedulerEventSchema },
  ])("all of $queue are understood, and nothing in them is lost", ({ messages, schema }) => {
    expect(messages.map((message) => schema.parse(message))).toEqual(messages);
  });
});

describe("stores of version 1", () => {
  test("the next plan goes on where they ended: what was on its way is not bought again", async () => {
    const world = await upgraded();
    const [waiting] = old.messages.planRequests;
    const { outcome } = await planScale(world.ports, planRequestSchema.parse(waiting));
    expect(outcome).toBe("planned");
    const created = world.ports.scaleActions.waiting.filter(({ kind }) => kind === "create-nodes");
    expect(created).toEqual([]);
  });

  test("actions that were on their way are carried out", async () => {
    const world = await upgraded();
    const [create] = old.messages.scaleActions.map((action) => scaleActionSchema.parse(action));
    if (create === undefined) throw new Error("The fixture has an action");
    expect(await executeAction(world.ports, create)).toMatchObject({ outcome: "accepted" });
    expect(await executeAction(world.ports, create)).toEqual({ outcome: "already-done" });
  });

  test("the next snapshot, and everything that follows from it, works", async () => {
    const world = await upgraded();
    world.advance(60);
    await world.round();
    await world.round();
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.plans.length).toBeGreaterThan(0);
    expect(status?.rejections).toHaveLength(1);
  });

  test("what operators decided before nodes could be kept alive holds, and nothing is kept", async () => {
    const world = await upgraded();
    const paused = { by: "ann", reason: "quota talks", atSeconds: old.atSeconds };
    await world.ports.controls.save({ cluster, paused, refusedLogin: null }, undefined);
    await world.round();
    expect(await clusterStatus(world.ports, cluster)).toMatchObject({ paused, keptNodes: [] });
  });
});

describe("the version of a record", () => {
  test("a row without one is of the first", () => {
    expect(fromEntity({ payload00: '{"a":1}' })).toEqual({ a: 1 });
  });

  test("a row has one, and is read with it", () => {
    const row = toEntity({ partition: "p", row: "r" }, { a: 1 }, {});
    expect(row.recordVersion).toBe(1);
    expect(fromEntity(row)).toEqual({ a: 1 });
  });

  test.each([2, "2", "0", "x"])("a record of version %j is refused with what to do", (version) => {
    expect(() => checkVersion(version, 'row "r"')).toThrow(/Cannot read row "r".*deploy the newer program/);
  });
});
