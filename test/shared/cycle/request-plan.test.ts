import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerPlanRequest } from "../../../shared/cycle/index.ts";
import { requestPlan, schedulePlan } from "../../../shared/cycle/request-plan.ts";
import { cases } from "../../support/cases.ts";
import { createMemoryQueues } from "../../support/memory-queues.ts";
import { createWorld, jobFor, type World } from "../../support/world.ts";

test("requestPlan: the requests of one window are one message at its end", async () => {
  const { planRequests } = createMemoryQueues();
  let nowSeconds = 100.105;
  const ports = { planRequests, clock: { nowSeconds: () => nowSeconds } };
  for (let request = 0; request < 9; request += 1) {
    await requestPlan(ports, { cluster: "hpc", reason: `message ${request}` });
    nowSeconds += 0.01;
  }
  expect(planRequests.scheduled.map(({ deliverAtSeconds }) => deliverAtSeconds)).toEqual([100.2]);
});

test("requestPlan: clusters do not share windows", async () => {
  const { planRequests } = createMemoryQueues();
  const ports = { planRequests, clock: { nowSeconds: () => 100.1 } };
  await requestPlan(ports, { cluster: "a", reason: "r" });
  await requestPlan(ports, { cluster: "b", reason: "r" });
  expect(planRequests.scheduled).toHaveLength(2);
});

test("schedulePlan: whatever is asked, and when, a plan that is dropped as a repeat has one that runs later", () => {
  const time = fc.double({ min: 1.7e9, max: 1.9e9, noNaN: true });
  fc.assert(
    fc.property(time, fc.double({ min: 0, max: 5, noNaN: true }), (first, gap) => {
      const one = schedulePlan({ cluster: "hpc", reason: "r", atSeconds: first });
      const other = schedulePlan({ cluster: "hpc", reason: "r", atSeconds: first + gap });
      expect(other.deliverAtSeconds).toBeGreaterThan(first + gap);
      if (one.messageId === other.messageId) expect(one.deliverAtSeconds).toBeGreaterThan(first + gap);
      else expect(other.deliverAtSeconds).toBeGreaterThan(one.deliverAtSeconds);
    }),
  );
});

describe("how often a cluster is planned", () => {
  test("a quiet one within a tenth of a second, the next change a second after the start of that plan", async () => {
    const world = await quietWorld();
    const began = world.now();
    await world.post([jobFor(1)]);
    expect(await plansAt(world, [0.125])).toEqual([began + 0.125]);
    await world.post([jobFor(2)]);
    expect(await plansAt(world, [0.125, 0.75, 0.125])).toEqual([began + 1.125]);
  });

  test("one in a storm once a second, and what came last is planned", async () => {
    const world = await quietWorld();
    const starts: number[] = [];
    for (let message = 0; message < 200; message += 1) {
      await world.post([jobFor(1 + (message % 7))]);
      starts.push(...(await plansAt(world, [0.05])));
    }
    starts.push(...(await plansAt(world, [1, 1])));
    expect(starts.length).toBeGreaterThanOrEqual(10);
    expect(starts.length).toBeLessThanOrEqual(12);
    expect(await isAllPlanned(world)).toBe(true);
  });

  test("no demand is left unplanned, whenever it comes and whatever the planners' clocks say", async () => {
    const step = fc.record({
      posts: fc.boolean(),
      seconds: fc.double({ min: 0.01, max: 1.2, noNaN: true }),
      clockAheadSeconds: fc.constantFrom(0, 0, 0.05, -0.05, 2, -2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const world = await quietWorld();
        for (const { posts, seconds, clockAheadSeconds } of steps) {
          if (posts) await world.post([jobFor(1)]);
          world.advance(seconds);
          const clock = { nowSeconds: () => world.now() + clockAheadSeconds };
          await world.planWith({ ...world.ports, clock });
        }
        await plansAt(world, [3, 3, 3]);
        expect(await isAllPlanned(world)).toBe(true);
      }),
      cases(60),
    );
  });

  test("a request that was put off is planned for those that were dropped for it, old as it is itself", async () => {
    const world = await quietWorld();
    await world.post([jobFor(1)]);
    await plansAt(world, [0.125]);
    const head = await newest(world);
    const old = { version: 1, cluster: "hpc", reason: "r", atSeconds: world.now() - 60 } as const;
    expect(await answerPlanRequest(world.ports, { ...old, afterPlan: head?.planId ?? "" })).toMatchObject({
      outcome: "planned",
    });
  });

  test("a run that dies once it has put a request off leaves it to one plan", async () => {
    const world = await quietWorld();
    await world.post([jobFor(1)]);
    await plansAt(world, [0.125]);
    await world.post([jobFor(2)]);
    world.advance(0.125);
    const [due] = world.ports.planRequests.takeDue(world.now());
    if (due === undefined) throw new Error("nobody asked for a plan");
    for (const _ of ["dies before it is done", "again"])
      expect(await answerPlanRequest(world.ports, due.request)).toEqual({ outcome: "put-off" });
    expect(await plansAt(world, [1])).toHaveLength(1);
    expect(await isAllPlanned(world)).toBe(true);
  });
});

async function quietWorld(): Promise<World> {
  const world = createWorld();
  await world.snapshot();
  await plansAt(world, [10, 10]);
  return world;
}

/** Moves the clock on by each of these, and returns when plans began meanwhile. */
async function plansAt(world: World, steps: readonly number[]): Promise<readonly number[]> {
  const starts: number[] = [];
  for (const seconds of steps) {
    world.advance(seconds);
    const before = await newest(world);
    await world.plan();
    const after = await newest(world);
    if (after !== undefined && after.planId !== before?.planId) starts.push(after.demandReadAtSeconds);
  }
  return starts;
}

async function newest(world: World) {
  return (await world.ports.plans.loadHead("hpc"))?.value;
}

async function isAllPlanned(world: World): Promise<boolean> {
  const planned = (await newest(world))?.demandSequences;
  const stored = await world.ports.demand.summaries("hpc");
  return stored.every(({ source, sequence }) => planned?.[source] === sequence);
}
