import { expect, test } from "vitest";
import type { ArchivedPlan } from "../../../shared/ports/index.ts";
import { showPlanDifference } from "../../../shared/views/index.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";

/** Two plans: the second after another job came, under another time-out. */
async function twoPlans() {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.snapshot();
  world.advance(1);
  await world.plan();
  world.configure({ engine: { idleTimeoutSeconds: { default: 77, byNodeArray: {} } } });
  await world.post([jobFor(2), jobFor(40, { name: "job-2" })]);
  world.advance(5);
  await world.plan();
  return world;
}

test("what a plan decided otherwise, and what of its input was different", async () => {
  const { ports } = await twoPlans();
  const ids = { before: "plan-0001", after: "plan-0002" };
  const answer = await showPlanDifference(ports, cluster, ids, []);
  expect(answer).toMatchObject({
    before: { planId: "plan-0001" },
    after: { planId: "plan-0002" },
    reason: null,
    counts: { setting: 1, job: 1, waiting: 1, create: 1 },
  });
  expect(answer?.changes).toEqual(
    expect.arrayContaining([
      { about: "setting", name: "idleTimeoutSeconds.default", before: expect.any(String), after: "77" },
      { about: "job", name: "job-2", before: null, after: "asks for 40" },
      { about: "waiting", name: "job-2", before: null, after: expect.stringMatching(/^has \d+ of 40$/) },
    ]),
  );
});

test("a secret in what differs is not shown", async () => {
  const { ports } = await twoPlans();
  const ids = { before: "plan-0001", after: "plan-0002" };
  const answer = await showPlanDifference(ports, cluster, ids, ["asks for 40"]);
  expect(JSON.stringify(answer)).not.toContain("asks for 40");
});

test("plans that were not archived whole are not compared, and it says why", async () => {
  const { ports } = await twoPlans();
  const whole = await ports.plans.load(cluster, "plan-0001");
  if (whole?.archive !== "whole") throw new Error("not archived");
  const { summary, plan } = whole;
  const { create, start, retire, retry } = plan;
  const outline: ArchivedPlan = {
    archive: "summary",
    archiveReason: "too large",
    summary,
    create,
    start,
    retire,
    retry,
    waiting: [],
    waitingCount: 0,
    warnings: [],
    actionIds: [],
  };
  const plans = {
    ...ports.plans,
    load: async (of: string, id: string) => (id === "plan-0001" ? outline : ports.plans.load(of, id)),
  };
  const ids = { before: "plan-0001", after: "plan-0002" };
  expect(await showPlanDifference({ ...ports, plans }, cluster, ids, [])).toMatchObject({
    changes: [],
    reason: "plan-0001 was not archived whole: too large",
  });
});

test("a plan of which nothing is kept: undefined", async () => {
  const { ports } = await twoPlans();
  const ids = { before: "plan-0001", after: "plan-9999" };
  expect(await showPlanDifference(ports, cluster, ids, [])).toBeUndefined();
});
