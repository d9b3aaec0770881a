import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { snapshotCluster } from "../../../shared/cycle/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { bucketOf, clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { configOf, createWorld } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";

vi.mock("../../../functions/support/service.ts", () => import("../../fuzz/served-world.ts"));
const { handlerOf } = await import("../../support/http-handlers.ts");

let server: ApiServer;

/** A cluster with so many nodes of 4 cores under a quota of 200 cores that are all used. */
function withNodes(count: number) {
  const base = bucketOf();
  const region = { maxCores: 1_000, usedCores: 230 };
  const limits = { ...base.limits, region, family: { maxCores: 200, usedCores: 200 } };
  const names = Array.from({ length: count }, (_, index) => `htc-${index + 1}`);
  return clusterOf({
    nodeArrays: [
      nodeArrayOf({ account: "azure", buckets: [{ ...base, limits }] }),
      nodeArrayOf({ name: "bare", buckets: [] }),
    ],
    nodes: names.map((name) => nodeOf({ name })),
  });
}

beforeAll(async () => {
  const world = createWorld(new FakeCycleCloud(withNodes(20)));
  served.world = world;
  await snapshotCluster(world.ports, "hpc", { amongOthers: true });
  await world.post([{ name: "1", constraints: { ncpus: 4 }, iterations: 30 }]);
  world.advance(10);
  await world.plan();
  world.ports.configs.put({ ...configOf({}), cluster: "viz" });
  const own = await world.ports.snapshots.load("hpc");
  if (own === undefined) throw new Error("no snapshot was taken");
  await world.ports.snapshots.save("viz", { ...own.value, cluster: withNodes(3) });
  const subscription = "https://cyclecloud.example azure";
  const claimed = await world.ports.quotaClaims.load(subscription);
  const [claim] = claimed?.value.claims ?? [];
  if (claim === undefined) throw new Error("the plan claimed nothing");
  const viz = { held: 12, ordered: 8, grown: [] };
  const uses = { "family westeurope/standardFSv2Family": viz, "region westeurope": viz };
  const claims = [claim, { ...claim, cluster: "viz", uses }];
  await world.ports.quotaClaims.save({ subscription, claims }, claimed?.etag);
  server = await serveApi({ clusters: handlerOf("clusters"), limits: handlerOf("limits") });
});
afterAll(() => server?.stop());

test("limits says where to look when jobs wait for a quota of the subscription, and leaves tables for programs alone", async () => {
  const limits = (...argv: string[]) => ccscale(["limits", ...argv, "--url", server.url, "--cluster", "hpc"]);
  const { stdout } = await limits();
  expect(stdout).toMatch(/^family +westeurope\/standardFSv2Family +cores +200 +200 +0 +1 /m);
  expect(stdout).toContain('"ccscale limits --shared" shows what clusters of this service have.');
  expect((await limits("--format", "csv")).stdout).not.toContain("--shared");
});

test("limits --shared says who has what of the quotas that clusters share, and for which array nothing tells", async () => {
  const shared = (...argv: string[]) =>
    ccscale(["limits", "--shared", ...argv, "--url", server.url, "--cluster", "hpc"]);
  const { code, stdout } = await shared();
  expect(code).toBe(0);
  await expect(`$ ccscale limits --shared\n${stdout}`).toMatchFileSnapshot(
    "../../../clients/cli/reference/printed/limits-shared.txt",
  );
  expect((await shared("--format", "csv")).stdout).toContain("region,westeurope,1000,viz,12,8");
});
