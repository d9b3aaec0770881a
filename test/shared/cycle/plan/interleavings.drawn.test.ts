import fc from "fast-check";
import { expect, test } from "vitest";
import { isOpen } from "../../../../shared/ports/index.ts";
import { ChaosWorld, crashSites } from "../../../support/chaos.ts";
import { cluster } from "../../../support/world.ts";

/** Long enough for a lost action, in rounds of two minutes: its time to live, the time-out of its operation, the idle one. */
const calmRounds = 20;

type Step = readonly [name: string, run: (chaos: ChaosWorld) => Promise<unknown>];

function step(name: string, run: (chaos: ChaosWorld) => unknown): fc.Arbitrary<Step> {
  return fc.constant([name, async (chaos) => run(chaos)]);
}

/** What else may happen while a plan is made, and when. */
const overlaps: fc.Arbitrary<Step> = fc
  .record({
    before: fc.constantFrom(
      { port: "operations", method: "open" } as const,
      { port: "snapshots", method: "load" } as const,
      { port: "demand", method: "list" } as const,
      { port: "scaleActions", method: "send" } as const,
    ),
    isCarriedOut: fc.boolean(),
    isSeen: fc.boolean(),
  })
  .map(
    ({ before, isCarriedOut, isSeen }): Step => [
      `plan, and before ${before.port}.${before.method} ${isCarriedOut} ${isSeen}`,
      (chaos) =>
        chaos.plan({
          before,
          happens: async () => {
            if (isCarriedOut) await chaos.execute();
            chaos.world.advance(1);
            if (isSeen) await chaos.snapshot();
          },
        }),
    ],
  );

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: step("snapshot", (chaos) => chaos.snapshot()) },
  { weight: 2, arbitrary: step("slow snapshot", (chaos) => chaos.slowSnapshot()) },
  { weight: 5, arbitrary: step("plan", (chaos) => chaos.plan()) },
  { weight: 2, arbitrary: overlaps },
  { weight: 4, arbitrary: step("execute", (chaos) => chaos.execute()) },
  { weight: 1, arbitrary: step("a calm round", (chaos) => chaos.calmRound(undefined)) },
  { weight: 1, arbitrary: step("idle", (chaos) => chaos.idle()) },
  { weight: 1, arbitrary: step("lose an action", (chaos) => chaos.execute({ isLost: true })) },
  { weight: 2, arbitrary: step("settle", (chaos) => chaos.world.cycleCloud.settle()) },
  {
    weight: 4,
    arbitrary: fc
      .record({ count: fc.nat({ max: 8 }), running: fc.nat({ max: 8 }) })
      .map(
        ({ count, running }): Step => [
          `post ${count}, ${running} running`,
          (chaos) => chaos.post(count, running),
        ],
      ),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom(1, 1, 5, 30, 120, 301, 700)
      .map((seconds): Step => [`advance ${seconds}`, async (chaos) => chaos.world.advance(seconds)]),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ site: fc.constantFrom(...crashSites), when: fc.constantFrom("before", "after") })
      .map(
        ({ site, when }): Step => [
          `die ${when} ${site.port}.${site.method}`,
          async (chaos) => chaos.arm({ ...site, when }),
        ],
      ),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map(
      (afterEffect): Step => [
        afterEffect ? "lose an answer" : "lose a request",
        async (chaos) => {
          chaos.world.cycleCloud.fault = { afterEffect };
        },
      ],
    ),
  },
);

/** What a scheduler that can drain may do besides, and what may become of the events that it is sent. */
const drainSteps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: step("a job starts, untold", (chaos) => chaos.start()) },
  { weight: 4, arbitrary: step("hear all", (chaos) => chaos.source.hear()) },
  { weight: 2, arbitrary: step("hear one", (chaos) => chaos.source.hear(1)) },
  { weight: 1, arbitrary: step("miss all", (chaos) => chaos.source.miss()) },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (place): Step => [
        `hear ${place} again`,
        async ({ source }) => {
          const event = source.events[place % Math.max(1, source.events.length)];
          if (event !== undefined) source.hearAgain(event);
        },
      ],
    ),
  },
);

/** What holds at any moment. */
async function expectSound(chaos: ChaosWorld): Promise<void> {
  const { nodes } = chaos.world.cycleCloud;
  expect(chaos.wronged).toEqual([]);
  expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
  const operations = await chaos.world.ports.operations.recent(cluster, 1_000);
  const askedToLeave = new Set(
    operations.flatMap(({ action }) =>
      action.kind === "shutdown-nodes" ? action.nodes.map((node) => node.nodeId) : [],
    ),
  );
  const here = nodes.filter((node) => node.targetState === "Started" && !askedToLeave.has(node.nodeId));
  expect(here.length).toBeLessThanOrEqual(chaos.mostNeeded);
}

async function openOperations(chaos: ChaosWorld): Promise<readonly string[]> {
  const operations = await chaos.world.ports.operations.recent(cluster, 1_000);
  return operations.filter(isOpen).map((operation) => `${operation.state} ${operation.action.reason}`);
}

test.each([
  { name: "the cycle", canDrain: false, drainTimeoutSeconds: 300, between: steps },
  {
    name: "with a scheduler that can drain, also of jobs nobody has told of",
    canDrain: true,
    // No drain takes too long here: a node that goes undrained may take a job with it.
    drainTimeoutSeconds: 1e9,
    between: fc.oneof({ weight: 3, arbitrary: steps }, { weight: 2, arbitrary: drainSteps }),
  },
])(
  "$name: whatever comes in between, no node too many, none with a job goes, and it converges",
  async ({ canDrain, drainTimeoutSeconds, between }) => {
    const runs = fc.record({
      first: fc.nat({ max: 8 }),
      script: fc.array(between, { minLength: 5, maxLength: 50 }),
      needed: fc.nat({ max: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(runs, async ({ first, script, needed }) => {
        const chaos = new ChaosWorld({ canDrain, drainTimeoutSeconds });
        await chaos.calmRound(first);
        for (const [, run] of script) {
          await run(chaos);
          await expectSound(chaos);
        }
        for (let round = 0; round < calmRounds; round += 1) {
          // The last jobs end. What waits then is no longer wanted once its source has been silent for long.
          await chaos.calmRound(needed, round === calmRounds - 1 ? 0 : needed);
          await expectSound(chaos);
        }
        const ready = () => chaos.world.cycleCloud.nodes.filter((node) => node.status === "Ready").length;
        expect(ready()).toBe(needed);
        expect(await openOperations(chaos)).toEqual([]);

        for (let round = 0; round < 8; round += 1) await chaos.calmRound(undefined);
        expect(chaos.world.cycleCloud.nodes).toEqual([]);
        expect(await openOperations(chaos)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  },
);
