import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstDifference } from "../../../clients/cli/output/first-difference.ts";
import type { ArchivedPlan } from "../../../shared/ports.ts";
import { connectStorage, createAzureStores } from "../../../shared/stores/azure/index.ts";
import { type Azurite, startAzurite } from "../../support/azurite.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";
import { ccscale } from "./in-process.ts";

let folder: string;
let local: string;
let azurite: Azurite;
let archived: ArchivedPlan;

/** A plan of the whole cycle, clipped by a cap, in the archive of a storage account. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "replay-"));
  local = join(folder, "environment.json");
  azurite = await startAzurite();
  const { connectionString } = azurite;
  const addresses = { storageConnectionString: connectionString, serviceBusConnectionString: "unused" };
  await writeFile(local, JSON.stringify(addresses));
  const { blob, table } = connectStorage({ connectionString });
  const { plans } = createAzureStores({
    blob,
    table,
    parseConfig: () => Promise.reject(new Error("unused")),
  });
  const configs = blob.getContainerClient("config");
  await configs.create();
  await configs.getBlockBlobClient(`${cluster}.json`).upload("{}", 2);

  const world = createWorld();
  world.configure({
    cycle: { caps: { maxNodesPerPlan: 2, maxCores: null, monthlyBudgetUsd: null } },
  });
  await world.snapshot();
  await world.post([jobFor(5), { name: "huge", constraints: { ncpus: 64 } }]);
  world.advance(1);
  await world.planWith({ ...world.ports, plans });
  const found = await plans.load(cluster, "plan-0001");
  if (found === undefined) throw new Error("the cycle archived no plan");
  archived = found;
  const [set] = archived.plan.create;
  await plans.archive({
    ...archived,
    summary: { ...archived.summary, planId: "tampered" },
    plan: { ...archived.plan, create: [{ ...set, count: 7 } as never] },
  });
});

afterAll(async () => {
  await azurite?.stop();
  await rm(folder, { recursive: true, force: true });
});

const replay = (...argv: string[]) => ccscale(["replay", "--local", local, ...argv]);

describe("ccscale replay --plan", () => {
  test.each([[[]], [["--cluster", cluster]]])(
    "a plan is the same when it is made again (%j)",
    async (where) => {
      expect(archived.plan.clipped).toMatchObject({ asked: 5, granted: 2 });
      expect(await replay("--plan", "plan-0001", ...where)).toEqual({
        code: 0,
        stdout: expect.stringMatching(
          /^Same: plan "plan-0001" of cluster "hpc", made 2027-.*: 2 jobs, 2 nodes to create, 0 to start, 0 to retire\.\n$/,
        ),
        stderr: "",
      });
    },
  );

  test("one that is not the same ends with 1 and the first path that differs", async () => {
    expect(await replay("--plan", "tampered")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(
        /^error: Cannot make plan "tampered".*: create\[0\]\.count is 2 now, was 7 then\n/,
      ),
    });
  });

  test.each([
    [["--plan", "plan-9999"], /Cannot find plan "plan-9999": not in hpc/],
    [["--plan", "plan-0001", "--cluster", "hcp"], /Cannot find plan "plan-0001": not in hcp/],
  ])("%j is not found", async (argv, says) => {
    expect(await replay(...argv)).toMatchObject({ code: 1, stderr: expect.stringMatching(says) });
  });

  test.each([[[]], [["--plan", "p", "--json-lines"]]])("%j is wrong usage", async (argv) => {
    expect(await replay(...argv)).toMatchObject({ code: 2 });
  });
});

test.each([
  { now: { a: [1, { b: 2 }] }, before: { a: [1, { b: 2 }] }, difference: undefined },
  { now: { a: 1, b: 2 }, before: { b: 2, a: 1 }, difference: undefined },
  {
    now: { a: [1, { b: 3 }] },
    before: { a: [1, { b: 2 }] },
    difference: { path: "a[1].b", now: 3, before: 2 },
  },
  { now: { a: [1] }, before: { a: [1, 2] }, difference: { path: "a[1]", now: undefined, before: 2 } },
  { now: { c: 1 }, before: {}, difference: { path: "c", now: 1, before: undefined } },
  { now: [], before: {}, difference: { path: "", now: [], before: {} } },
])("firstDifference: $now and $before", ({ now, before, difference }) => {
  expect(firstDifference(now, before)).toEqual(difference);
});
