import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

describe("operations", () => {
  test("operations: by id and by request id", async () => {
    const request = { requestId: "r", sets: [{ nodearray: "htc", count: 1 }] };
    const { operationId } = (await rig.post("/clusters/lab/nodes/create", request)).body;
    const expected = { action: "create", startTime: expect.any(String) };
    expect((await rig.get(`/operations/${operationId}`)).body).toEqual(expected);
    expect((await rig.get("/operations/?request_id=r")).body).toEqual([expected]);
    expect((await rig.get("/operations/?request_id=other")).body).toEqual([]);
    expect((await rig.get("/operations/?request_id=")).status).toBe(400);
    expect((await rig.get("/operations/none")).status).toBe(404);
  });
});

describe("usage", () => {
  test("usage: core-hours and cost of what has run, by node array", async () => {
    await rig.create("htc", 2);
    await rig.create("spot", 1);
    rig.clock.advance(1800);
    const { body } = await rig.get(
      "/clusters/lab/usage?timeframe=monthToDate&granularity=total&expand=details",
    );
    const [{ breakdown, total }] = body.usage;
    const [htc, , spot] = breakdown;
    expect(htc).toMatchObject({ category: "nodearray", node: "htc", hours: 4, cost: expect.any(Number) });
    expect(htc.details).toEqual([
      expect.objectContaining({ vm_size: "Standard_F4s_v2", core_count: 4, hours: 4, priority: "Regular" }),
    ]);
    expect(spot).toEqual({ category: "nodearray", node: "spot", hours: 4, details: expect.any(Array) });
    // The price of a spot node is not known, so the total has no cost instead of a wrong one.
    expect(total).toEqual({ category: "cluster", hours: 8 });
  });

  test("usage: hours and days cover a custom frame, and what has not happened counts nothing", async () => {
    await rig.create("htc", 1);
    const now = rig.control.nowSeconds();
    const [from, to] = [now - 1, now + 7200].map((seconds) => new Date(seconds * 1000).toISOString());
    const { body } = await rig.get(
      `/clusters/lab/usage?timeframe=custom&from=${from}&to=${to}&granularity=hourly`,
    );
    expect(body.usage.length).toBeGreaterThanOrEqual(3);
    expect(body.usage.map((each: { total: { hours: number } }) => each.total.hours)).toEqual(
      body.usage.map(() => 0),
    );
    expect(
      (await rig.get("/clusters/lab/usage?timeframe=lastMonth")).body.usage.length,
    ).toBeGreaterThanOrEqual(28);
    expect((await rig.get("/clusters/lab/usage?timeframe=weekToDate")).body.usage.length).toBeLessThanOrEqual(
      7,
    );
  });

  test.each(["timeframe=custom", "timeframe=never", "granularity=weekly"])(
    "usage: %s is not understood",
    async (query) => {
      expect((await rig.get(`/clusters/lab/usage?${query}`)).status).toBe(400);
    },
  );
});

describe("what is not there", () => {
  test.each([
    ["GET", "/clusters/none/status"],
    ["GET", "/clusters/none/nodes"],
    ["GET", "/clusters/none/usage"],
    ["POST", "/cloud/actions/retry/none"],
    ["GET", "/clusters/lab/nothing"],
  ])("%s %s is 404 with a JSON body", async (method, path) => {
    const answer = method === "GET" ? await rig.get(path) : await rig.post(path);
    expect([answer.status, answer.body.error]).toEqual([404, "Not Found"]);
  });
});
