import { describe, expect, test } from "vitest";
import { loadWorld } from "../../../../shared/cycle/index.ts";
import {
  clusterStatus,
  explainJob,
  listJobs,
  listLimits,
  lookAhead,
  whatIf,
} from "../../../../shared/views/index.ts";
import { nodeOf } from "../../../support/cluster.ts";
import { cluster, type World, worldWith } from "../../../support/world.ts";

/** Ann has 4 cores running and wants 12 more; bob and two nameless jobs want 4 each. */
async function worldOf(): Promise<World> {
  const world = worldWith({ nodes: [nodeOf({ name: "htc-1" })] });
  world.configure({
    cycle: { ownerCaps: [{ by: "user", maxCores: 8, byName: { bob: null, unknown: 4 } }] },
  });
  const four = { constraints: { ncpus: 4 } };
  const jobs = [
    { name: "1", user: "ann", ...four, executingHostnames: ["host-htc-1"] },
    { name: "2", user: "ann", iterations: 3, ...four },
    { name: "3", user: "bob", iterations: 3, ...four },
    { name: "4", ...four },
    { name: "5", ...four },
  ];
  await world.snapshot();
  await world.post(jobs, { source: "pbs", nodes: [{ hostname: "host-htc-1" }] });
  await world.round();
  return world;
}

async function outlookOf(world: World) {
  const outlook = await lookAhead(world.ports, cluster);
  if (outlook === undefined) throw new Error("The cluster is configured");
  return outlook;
}

describe("max_cores_per_user", () => {
  test("gives each what is left to them; those who have no name share one cap", async () => {
    const outlook = await outlookOf(await worldOf());
    expect(outlook.plan.jobs.map(({ name, granted }) => [name, granted])).toEqual([
      ["1", 1],
      ["2", 1],
      ["3", 3],
      ["4", 1],
      ["5", 0],
    ]);
  });

  test("limits has a row for each owner", async () => {
    const listed = listLimits(await outlookOf(await worldOf()), {});
    const rows = listed.ok ? listed.answer.limits.filter(({ limit }) => limit === "max-cores-per-user") : [];
    expect(rows).toMatchObject([
      { scope: "ann", unit: "cores", max: 8, used: 4, left: 4, waitingJobs: 1, waitingCores: 8 },
      { scope: "unknown", unit: "cores", max: 4, used: 0, left: 4, waitingJobs: 1, waitingCores: 4 },
    ]);
  });

  test("jobs, explain and status tell the same", async () => {
    const world = await worldOf();
    const outlook = await outlookOf(world);
    const words = 'one more place would make it 12 for "ann", expected at most 8';
    const explained = explainJob(outlook, "2");
    expect(JSON.stringify(explained)).toContain(words.replaceAll('"', String.raw`\"`));
    expect(JSON.stringify(explained)).toContain(String.raw`It goes on when jobs of \"ann\" end`);
    const listed = listJobs(outlook, { limit: 100 });
    expect(JSON.stringify(listed)).toContain(words.replaceAll('"', String.raw`\"`));
    const status = await clusterStatus(world.ports, cluster);
    expect(status?.problems).toContainEqual(
      expect.objectContaining({
        kind: "demand-held-back",
        text: expect.stringContaining("Cap max_cores_per_user"),
      }),
    );
  });

  test("what-if raises the cap of one owner", async () => {
    const world = await worldOf();
    const known = await loadWorld(world.ports, cluster);
    if (known === undefined) throw new Error("The cluster is configured");
    const raised = (scope: string, unit: "cores" | "nodes" = "cores") =>
      whatIf(known, { limits: [{ limit: "max-cores-per-user", scope, unit, more: 4 }] }, world.now());
    expect(raised("ann")).toMatchObject({ ok: true, answer: { more: { create: 1 } } });
    expect(raised("unknown")).toMatchObject({ ok: true, answer: { more: { create: 1 } } });
    for (const refused of [raised("nobody"), raised("ann", "nodes")])
      expect(refused).toMatchObject({
        ok: false,
        problems: [expect.stringContaining('expected one of "max-cores-per-user ann" in cores')],
      });
  });
});
