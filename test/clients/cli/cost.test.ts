import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { examples } from "../../../clients/cli/reference/examples.ts";
import { served } from "../../fuzz/served-world.ts";
import { clusterOf, nodeArrayOf, nodeOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { cluster, createWorld } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";

vi.mock("../../../functions/support/service.ts", () => import("../../fuzz/served-world.ts"));
const { handlerOf } = await import("../../support/http-handlers.ts");

let server: ApiServer;

/** Two hours of one node: ada's jobs have half of it, a job of nobody a quarter. */
beforeAll(async () => {
  const nodes = [nodeOf({ name: "htc-1", hostname: "host-1" })];
  const world = createWorld(new FakeCycleCloud(clusterOf({ nodeArrays: [nodeArrayOf()], nodes })));
  served.world = world;
  world.configure({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 2 } } } });
  const jobs = [
    { name: "1200", constraints: { ncpus: 2 }, user: "ada", account: "geo", queue: "long" },
    { name: '=cmd|" /C calc"', constraints: { ncpus: 1 } },
  ];
  await world.post(
    jobs.map((job) => ({ ...job, executingHostnames: ["host-1"] })),
    { ttlSeconds: 86_400 },
  );
  await world.snapshot();
  world.advance(7_200);
  await world.snapshot();
  server = await serveApi({ cost: handlerOf("cost") });
});

afterAll(() => server?.stop());

const cost = (...argv: string[]) =>
  ccscale(["cost", "--from", "2026-11-01", ...argv, "--url", server.url, "--cluster", cluster]);

test("the examples of the command page", async () => {
  const transcripts: string[] = [];
  for (const { line } of examples.cost ?? []) {
    const { code, stdout, stderr } = await ccscale([
      ...wordsOf(line),
      "--url",
      server.url,
      "--cluster",
      cluster,
    ]);
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
    transcripts.push(`$ ccscale ${line}\n${stdout}`);
  }
  await expect(transcripts.join("\n")).toMatchFileSnapshot("../../../clients/cli/reference/printed/cost.txt");
});

test("as CSV without a total, and as JSON as the service has it", async () => {
  const { stdout: csv } = await cost("--by", "user,queue", "--format", "csv");
  expect(csv.split("\n").filter((line) => line.includes("TOTAL"))).toEqual([]);
  expect(csv.trim().split("\n")).toHaveLength(4);
  const { stdout: json } = await cost("--format", "json");
  expect(JSON.parse(json)).toMatchObject({ by: ["array"], total: { usd: 4, nodeHours: 2 } });
});

test("in the columns of FOCUS, formulas escaped", async () => {
  const { stdout } = await cost("--focus");
  const [head = "", ...lines] = stdout.trim().split("\n");
  const columns = head.split(",");
  for (const name of ["BilledCost", "ChargePeriodStart", "ServiceCategory", "Tags"])
    expect(columns).toContain(name);
  expect(lines.some((line) => line.includes('""CycleCloudNodeArray"":""htc""'))).toBe(true);
  const billed = lines.map((line) => Number(line.split(",")[columns.indexOf("BilledCost")]));
  expect(billed.reduce((sum, each) => sum + each, 0)).toBeCloseTo(4);
});

test.each([
  [["--by", "colour"], "by"],
  [["--from", "yesterday"], '"yesterday", expected a date or time such as 2026-11-01'],
  [["--from", "2026-11-31"], "expected a date or time"],
])("%o is refused", async (argv, why) => {
  const { code, stderr } = await cost(...argv);
  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
});
