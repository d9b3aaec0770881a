import { afterAll, beforeAll, expect, test } from "vitest";
import { served } from "../../fuzz/served-world.ts";
import { handlerOf } from "../../support/http-handlers.ts";
import { twoClusters } from "../../support/two-clusters.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";

let server: ApiServer;

beforeAll(async () => {
  served.world = await twoClusters();
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
