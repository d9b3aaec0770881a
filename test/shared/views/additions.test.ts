import { expect, test } from "vitest";
import { loadWorld } from "../../../shared/cycle/index.ts";
import { drawUpDemand, lookAhead, whatIf } from "../../../shared/views/index.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";

test("what the extra jobs add is told apart from what waits anyway", async () => {
  const world = createWorld();
  await world.post([jobFor(2)]);
  await world.snapshot();
  const outlook = await lookAhead(world.ports, cluster);
  const demand = outlook && drawUpDemand(outlook);
  const known = await loadWorld(world.ports, cluster);
  if (demand?.ok !== true || known === undefined) throw new Error("no plan");
  const [now] = demand.answer.additions;
  expect(demand.answer.additions).toEqual([
    {
      ...{ nodeArray: "htc", vmSize: "Standard_F4s_v2", count: expect.any(Number) },
      ...{ usdPerHour: now?.usdPerHour, readyInSeconds: null },
    },
  ]);
  const extra = whatIf(known, { jobs: [{ iterations: 3, constraints: { ncpus: 4 } }] }, world.now());
  if (!extra.ok) throw new Error("refused");
  expect(extra.answer.more).toMatchObject({ create: 3, additions: [{ count: 3 }], waitingCount: 0 });
  expect(extra.answer.additions).toMatchObject([{ count: (now?.count ?? 0) + 3 }]);
  const tooBig = whatIf(known, { jobs: [{ constraints: { ncpus: 4_000 } }] }, world.now());
  expect(tooBig).toMatchObject({ ok: true, answer: { more: { additions: [], waitingCount: 1 } } });
});
