import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, type Rig, startRig } from "./rig.ts";

let rig: Rig;
beforeEach(async () => {
  rig = await startRig();
});
afterEach(() => rig.stop());

const statusPath = "/clusters/lab/status";

describe("login", () => {
  test("login: five wrong passwords lock the account for five minutes", async () => {
    const wrong = () => ask(`${rig.url}${statusPath}`, {}, "operator:guess");
    for (let n = 0; n < 5; n += 1) {
      const answer = await wrong();
      expect([answer.status, answer.body.error]).toEqual([401, "Unauthorized"]);
    }
    expect((await rig.get(statusPath)).status).toBe(401);
    rig.clock.advance(300);
    expect((await rig.get(statusPath)).status).toBe(200);
  });

  test("login: a request without a login is refused and says how to log in", async () => {
    const response = await fetch(`${rig.url}${statusPath}`);
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([
      401,
      'Basic realm="CycleCloud"',
    ]);
    await response.body?.cancel();
  });
});

describe("faults", () => {
  const create = { requestId: "once", sets: [{ nodearray: "htc", count: 1 }] };
  const post = () => rig.post("/clusters/lab/nodes/create", create);

  test("fault status: hits the next matching requests, before they act", async () => {
    rig.control.fault({ kind: "status", status: 429, retryAfterSeconds: 7, method: "POST", times: 2 });
    expect((await rig.get(statusPath)).status).toBe(200);
    const answers = [await post(), await post(), await post()];
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 202]);
    expect(answers[0]?.headers.get("retry-after")).toBe("7");
  });

  test("fault status: can lie about a request that took effect", async () => {
    rig.control.fault({ kind: "status", status: 503, path: "/nodes/create", acts: true });
    expect([(await post()).status, (await post()).status]).toEqual([503, 409]);
    expect(rig.control.ledger("lab").created).toBe(1);
  });

  test("fault truncated: half of the JSON arrives", async () => {
    rig.control.fault({ kind: "truncated", path: "/status" });
    await expect(rig.get(statusPath)).rejects.toThrow(SyntaxError);
    expect((await rig.get(statusPath)).status).toBe(200);
  });

  test("fault no-answer: the connection is cut after the request took effect", async () => {
    rig.control.fault({ kind: "no-answer", path: "/nodes/create" });
    await expect(post()).rejects.toThrow("fetch failed");
    expect((await post()).status).toBe(409);
    expect(rig.control.calls.recent().map(({ status, fault }) => [status, fault])).toEqual([
      [null, "no-answer"],
      [409, null],
    ]);
  });

  test("fault no-answer: can hold a client until it gives up", async () => {
    rig.control.fault({ kind: "no-answer", holdMilliseconds: 10_000, acts: false });
    const signal = AbortSignal.timeout(50);
    await expect(fetch(`${rig.url}${statusPath}`, { signal })).rejects.toThrow("timeout");
  });

  test("clearFaults: takes them all back", async () => {
    rig.control.fault({ kind: "status", status: 500, times: 100 });
    rig.control.clearFaults({});
    expect((await rig.get(statusPath)).status).toBe(200);
  });

  test("latency: every answer takes its time", async () => {
    rig.control.latency({ minMilliseconds: 60, maxMilliseconds: 60 });
    const start = performance.now();
    await rig.get(statusPath);
    expect(performance.now() - start).toBeGreaterThan(55);
  });
});
