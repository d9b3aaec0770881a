import { describe, expect, test } from "vitest";
import { planScale } from "../../../../shared/cycle/plan/plan-scale.ts";
import { UpstreamError } from "../../../../shared/errors/errors.ts";
import type { ArchivedPlan, Ports } from "../../../../shared/ports/index.ts";
import { MemoryPlanStore } from "../../../../shared/stores/in-memory/memory-plans.ts";
import { clusterStatus, listPlans, showPlan, showPlanArchive } from "../../../../shared/views/index.ts";
import { Crash, crashingAt } from "../../../support/crash.ts";
import { cluster, createWorld, jobFor, type World } from "../../../support/world.ts";

type Archive = Ports["plans"]["archive"];

/** The same ports with another way to archive; `before` is the real one. */
function archivingBy(
  ports: World["ports"],
  archive: (plan: ArchivedPlan, before: Archive) => ReturnType<Archive>,
) {
  const plans: Ports["plans"] = Object.create(ports.plans, {
    archive: { value: (plan: ArchivedPlan) => archive(plan, (each) => ports.plans.archive(each)) },
    ...Object.fromEntries(
      (["loadHead", "saveHead", "recordFailed", "list", "load"] as const).map((name) => [
        name,
        { value: ports.plans[name].bind(ports.plans) },
      ]),
    ),
  });
  return { ...ports, plans };
}

const failures: readonly { readonly why: string; readonly error: () => Error; readonly kept: string }[] = [
  {
    why: "the store does not answer",
    error: () => new UpstreamError("no answer", { retryable: true }),
    kept: "failed",
  },
  { why: "its text is too long", error: () => new RangeError("Invalid string length"), kept: "summary" },
];

async function planWith(world: World, ports: Ports, jobs: number) {
  await world.post([jobFor(jobs)]);
  return planScale(ports, { version: 1, cluster, reason: "test", atSeconds: world.now() });
}

describe("a plan that cannot be archived whole", () => {
  test.each(failures)("$why: its actions are sent all the same, in every run", async ({ error, kept }) => {
    const world = createWorld();
    const ports = archivingBy(world.ports, async (plan, archive) => {
      if (plan.archive === "whole") throw error();
      return archive(plan);
    });
    for (const jobs of [2, 4, 6]) {
      await world.snapshot();
      await planWith(world, ports, jobs);
      await world.execute();
      world.advance(60);
    }
    expect(world.cycleCloud.nodes).toHaveLength(6);
    const { plans } = await listPlans(world.ports, cluster, { limit: 10 });
    expect(plans.map(({ archive, archiveReason }) => [archive, archiveReason])).toEqual(
      Array.from({ length: 3 }, () => [kept, error().message]),
    );
    expect((await clusterStatus(world.ports, cluster))?.problems).toContainEqual(
      expect.objectContaining({
        kind: "plans-not-archived",
        text: expect.stringContaining(
          `3 of the newest 3 plans were not archived whole and cannot be replayed; the last: ${error().message}.`,
        ),
      }),
    );
  });

  test("of one in summary, what it decided and why jobs wait is shown, and why it cannot be replayed", async () => {
    const world = createWorld();
    const store = new MemoryPlanStore({ limitCharacters: 5_000 });
    const ports = { ...world.ports, plans: store };
    await world.snapshot();
    await world.post([jobFor(3), { name: "huge", constraints: { ncpus: 640 } }]);
    await planScale(ports, { version: 1, cluster, reason: "test", atSeconds: world.now() });
    const shown = await showPlan(ports, cluster, "plan-0001");
    expect(shown).toMatchObject({
      summary: { archive: "summary", archiveReason: expect.stringContaining("more than 5000 characters") },
      create: [{ nodeArray: "htc", count: 3 }],
      waiting: [{ job: "huge", why: [expect.any(String), expect.any(String)] }],
      waitingCount: 1,
      operations: [{ kind: "create-nodes" }],
    });
    expect(await showPlanArchive(ports, cluster, "plan-0001", [])).toMatchObject({
      archive: null,
      archiveReason: shown?.summary.archiveReason,
    });
  });

  test("of one that is not archived at all, its line is shown with the reason", async () => {
    const world = createWorld();
    world.configure({
      engine: { demandCaps: { minPriority: 0 } },
      cycle: { caps: { maxNodesPerPlan: 1, maxCores: null, monthlyBudgetUsd: null }, readOnly: true },
    });
    await world.post([{ name: "low", priority: -1 }], { source: "pbs" });
    await world.snapshot();
    const ports = archivingBy(world.ports, () =>
      Promise.reject(new UpstreamError("no answer".padEnd(400, "!"), { retryable: true })),
    );
    await planWith(world, ports, 2);
    expect(await showPlan(world.ports, cluster, "plan-0001")).toMatchObject({
      summary: {
        archive: "failed",
        archiveReason: "no answer".padEnd(300, "!"),
        create: 1,
        held: "the cluster is read-only",
        clipped: { asked: 2, granted: 1 },
        heldBack: [{ jobs: 1 }],
      },
      create: [],
    });
    expect(await showPlanArchive(world.ports, cluster, "plan-0001", [])).toMatchObject({ archive: null });
    expect(await showPlan(world.ports, cluster, "plan-0002")).toBeUndefined();
  });

  test("a run that dies before it archives: the next one notes it", async () => {
    const world = createWorld();
    await world.snapshot();
    const dying = crashingAt(world.ports, { port: "plans", method: "saveHead", when: "after" });
    await expect(planWith(world, dying, 2)).rejects.toThrow(Crash);
    await planWith(world, world.ports, 3);
    const { plans } = await listPlans(world.ports, cluster, { limit: 10 });
    expect(plans).toMatchObject([
      { planId: "plan-0002", archive: "whole" },
      { planId: "plan-0001", archive: "failed", archiveReason: "its run ended before it was archived" },
    ]);
  });
});
