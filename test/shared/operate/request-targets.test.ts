import { HttpRequest, InvocationContext } from "@azure/functions";
import { beforeEach, describe, expect, test } from "vitest";
import { autoscaleAnswer, problemSchema } from "../../../shared/api/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { handlerOf } from "../../support/http-handlers.ts";
import { cluster } from "../../support/world.ts";

const httpAutoscale = handlerOf("autoscale");

beforeEach(() => served.renew());

function post(body: unknown, query: Record<string, string> = {}, name = cluster) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const url = `http://127.0.0.1/api/clusters/${name}/autoscale?${new URLSearchParams(query)}`;
  const request = new HttpRequest({
    method: "POST",
    url,
    query,
    params: { cluster: name },
    headers: { "content-type": "application/json" },
    body: { string: text },
  });
  return httpAutoscale(request, new InvocationContext({ invocationId: "i", logHandler: () => {} }));
}

async function problemsOf(answer: ReturnType<typeof post>): Promise<readonly string[]> {
  const { status, jsonBody } = await answer;
  expect(status).toBe(400);
  return problemSchema.parse(jsonBody).problems ?? [];
}

describe("POST autoscale", () => {
  test("202 with what was understood; the targets hold for the interval", async () => {
    const definitions = [
      { Name: "htc", TargetCoreCount: 128 },
      { Name: "special", Extends: "htc", Dynamic: true, TargetCount: 3, MachineType: "Standard_F4s_v2" },
      { Name: "htc", TargetGroupCount: 4, GroupCoreCount: 64 },
    ];
    const { status, jsonBody } = await post(definitions, { request_set: "mpi", expiration_interval: "600" });
    expect(status).toBe(202);
    const answer = autoscaleAnswer.parse(jsonBody);
    expect(answer).toMatchObject({
      cluster,
      requestSet: "mpi",
      expiresAtSeconds: answer.atSeconds + 600,
      warnings: [],
    });
    expect(answer.targets).toMatchObject([
      { name: "htc", unit: "cores", asked: 128, dynamicArray: null, groupSize: null, vmSizes: [] },
      { name: "special", nodeArray: "htc", dynamicArray: "special", unit: "nodes", asked: 3 },
      { name: "htc:64", unit: "groups", asked: 4, groupSize: { kind: "cores", count: 64 } },
    ]);
    const stored = await served.world.ports.targets.load(cluster, "mpi");
    expect(stored?.value).toMatchObject({ source: "http", expiresAtSeconds: answer.expiresAtSeconds });
    expect(served.world.ports.planRequests.scheduled).toHaveLength(1);
  });

  test("a bad definition is set aside, and what its array was asked for before still holds", async () => {
    await post(
      [
        { Name: "htc", TargetCount: 2 },
        { Name: "gone", TargetCount: 1 },
      ],
      { request_set: "mpi" },
    );
    const halfBad = [
      { Name: "htc", TargetCount: -1 },
      { Name: "other", TargetCount: 3 },
    ];
    const { status, jsonBody } = await post(halfBad, { request_set: "mpi" });
    expect(status).toBe(202);
    expect(await post(halfBad, { request_set: "new" })).toMatchObject({ status: 202 });
    const answer = autoscaleAnswer.parse(jsonBody);
    expect(answer.setAside).toMatchObject({ count: 1, items: [{ kind: "target", index: 0, name: "htc" }] });
    const stored = await served.world.ports.targets.load(cluster, "mpi");
    expect(stored?.value.arrays).toMatchObject([{ Name: "other" }, { Name: "htc", TargetCount: 2 }]);
  });

  test("a dry run says what was understood and what the plan would do, and changes nothing", async () => {
    await served.world.round();
    await post([{ Name: "htc", TargetCount: 1 }]);
    const before = await served.world.ports.targets.list(cluster);
    const { scheduled } = served.world.ports.planRequests;
    const wish = [{ Name: "htc", TargetCount: 3 }];
    const { status, jsonBody } = await post(wish, { dry_run: "true" });
    expect(status ?? 200).toBe(200);
    const { targets, forecast } = autoscaleAnswer.parse(jsonBody);
    expect(targets).toMatchObject([{ name: "htc", asked: 3 }]);
    expect(forecast).toMatchObject({ held: null, more: { create: 2, start: 0 }, met: [{ granted: 3 }] });
    expect(forecast?.create.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    const other = await post(wish, { dry_run: "true", request_set: "nightly" });
    expect(autoscaleAnswer.parse(other.jsonBody).forecast?.met).toHaveLength(2);
    expect(await served.world.ports.targets.list(cluster)).toEqual(before);
    expect(served.world.ports.planRequests.scheduled).toEqual(scheduled);
    const bad = await post([{ Name: "htc", TargetCount: -1 }], { dry_run: "true" });
    expect(bad.status).toBe(400);
  });

  test("asked again, the newest counts, also within the same second", async () => {
    for (const TargetCount of [1, 2, 3]) await post([{ Name: "htc", TargetCount }]);
    const stored = await served.world.ports.targets.load(cluster, "standard");
    expect(stored?.value.arrays).toEqual([{ Name: "htc", TargetCount: 3 }]);
  });

  test("400 with every problem", async () => {
    const problems = await problemsOf(post([{ Name: "htc", TargetCores: 1 }, { TargetCount: -1 }]));
    expect(problems.map((problem) => problem.split(/[:,]/)[0])).toEqual([
      "arrays[0].TargetCores",
      "arrays[1].Name",
      "arrays[1].TargetCount",
    ]);
  });

  test.each<[string, unknown, Record<string, string>, RegExp]>([
    ["no list", { Name: "htc" }, {}, /^arrays: /],
    ["no JSON", "[", {}, /^body: 1 bytes, expected JSON/],
    ["no interval", [], { expiration_interval: "soon" }, /^expiration_interval: /],
    ["an endless interval", [], { expiration_interval: "1e9" }, /^expiration_interval: 1000000000/],
    ["no name of a set", [], { request_set: "a/b" }, /^request_set: "a\/b"/],
    ["an unknown parameter", [], { set: "a" }, /set/],
    [
      "another cluster's array",
      [{ Name: "htc", ClusterName: "x" }],
      {},
      /^arrays\[0\]\.ClusterName: "x", expected "hpc"/,
    ],
    ["nesting without end", `${"[".repeat(20_000)}${"]".repeat(20_000)}`, {}, /nested too deeply/],
  ])("400 for %s", async (_case, body, query, expected) => {
    expect((await problemsOf(post(body, query)))[0]).toMatch(expected);
    expect(await served.world.ports.targets.list(cluster)).toEqual([]);
  });

  test("has in the log who the caller says to be", async () => {
    expect((await post([], { by: " ann " })).status).toBe(202);
    const line = `info operator-call ${JSON.stringify({ call: "autoscale", cluster, by: "ann" })}`;
    expect(served.world.log).toContain(line);
    expect((await post([], { by: "" })).status).toBe(400);
  });

  test("404 for a cluster that is not configured, 413 for a body without end", async () => {
    expect((await post([], {}, "elsewhere")).status).toBe(404);
    expect((await post(" ".repeat(70_000))).status).toBe(413);
  });

  test("what the cluster does not know is accepted with a warning", async () => {
    await served.world.snapshot();
    const { jsonBody } = await post([
      { Name: "hcp", TargetCount: 1 },
      { Name: "htc", TargetCount: 1, MachineType: ["Standard_X", "Standard_F4s_v2"] },
    ]);
    expect(autoscaleAnswer.parse(jsonBody).warnings).toEqual([
      'hcp: the cluster has no node array "hcp", expected one of htc',
      'htc: node array "htc" has no VM size "Standard_X", expected one of Standard_F4s_v2',
    ]);
  });
});
