import { beforeEach, expect, test } from "vitest";
import { measurePlan } from "../../../shared/cycle/measure.ts";
import type { NodeHistory, Plan } from "../../../shared/engine/index.ts";
import { MemoryTelemetry } from "../../support/memory-telemetry.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";

let world: World;
let telemetry: MemoryTelemetry;

beforeEach(() => {
  telemetry = new MemoryTelemetry();
  const created = createWorld();
  world = Object.assign(created, { ports: Object.assign(created.ports, { telemetry }) });
});

const trace = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

test("the trace of a demand message reaches the create call", async () => {
  await world.round();
  telemetry.traceparent = trace;
  await world.post([{ name: "1", constraints: { ncpus: 1 } }]);
  const [request] = world.ports.planRequests.scheduled.slice(-1);
  expect(request?.request.traceparent).toBe(trace);
  world.advance(2);
  await world.plan();
  expect(world.ports.scaleActions.waiting.map((action) => action.traceparent)).toEqual([trace]);
  await world.execute();
  expect(telemetry.parts).toEqual(["cyclecloud create-nodes"]);
});

test("without telemetry messages carry no trace", async () => {
  await world.snapshot();
  await world.post([{ name: "1", constraints: { ncpus: 1 } }]);
  expect(world.ports.planRequests.scheduled.map(({ request }) => "traceparent" in request)).not.toContain(
    true,
  );
});

test("a plan tells how many jobs got what they asked for, how many wait, and why", async () => {
  await world.snapshot();
  await world.post([
    { name: "1", constraints: { ncpus: 1 } },
    { name: "2", constraints: { ncpus: 100_000 } },
  ]);
  world.advance(2);
  await world.plan();
  const last = telemetry.of("autoscale.jobs").slice(-2);
  expect(last).toEqual([
    { value: 1, attributes: { cluster, state: "placed" } },
    { value: 1, attributes: { cluster, state: "waiting" } },
  ]);
  expect(telemetry.of("autoscale.reasons")).toContainEqual({
    value: 1,
    attributes: { cluster, code: "InsufficientResource" },
  });
});

test("a boot lasts from the creation of the node to the first sight of it as ready", () => {
  const row = (nodeId: string, readySeconds: number | null) =>
    ({ nodeId, createdSeconds: 1_000, readySeconds }) as NodeHistory;
  const plan = { jobs: [], history: [row("booted", 1_240), row("seen-ready", 1_300), row("boots", null)] };
  const before = [row("booted", null), row("boots", null), row("seen-ready", 1_300)];
  const made = { cluster, startedAtSeconds: world.now(), plan: plan as unknown as Plan, before };
  measurePlan(world.ports, made);
  expect(telemetry.of("autoscale.boot.duration")).toEqual([{ value: 240, attributes: { cluster } }]);
});

test("the reaction is counted from the request of the plan", async () => {
  await world.snapshot();
  await world.post([{ name: "1", constraints: { ncpus: 1 } }]);
  world.advance(2);
  await world.plan();
  world.advance(3);
  await world.execute();
  expect(telemetry.of("autoscale.reaction.duration")).toEqual([{ value: 5, attributes: { cluster } }]);
  expect(telemetry.of("autoscale.actions")).toEqual([
    { value: 1, attributes: { cluster, kind: "create-nodes", outcome: "accepted" } },
  ]);
});

test("a snapshot tells the states of nodes, those without nodes as zero", async () => {
  await world.snapshot();
  const states = telemetry.of("autoscale.nodes");
  expect(states.map(({ attributes }) => attributes.state)).toEqual(
    expect.arrayContaining(["Ready", "Acquiring", "Failed"]),
  );
  expect(states.every(({ value }) => value === 0)).toBe(true);
});
