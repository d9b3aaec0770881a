import { beforeEach, describe, expect, test } from "vitest";
import { operatorsOf, served } from "../../fuzz/served-world.ts";
import { cluster } from "../../support/world.ts";
import { handlers } from "./handlers.ts";
import { apiOf, type RouteId } from "./routes.ts";

const api = apiOf(handlers, cluster);

beforeEach(() => served.renew());

const files = () => operatorsOf(served.world).configFiles;
const etag = async () => (await files().read(cluster))?.etag ?? "";

const usable = { url: "https://cyclecloud.example", username: "autoscale" };

describe("GET config", () => {
  test("has the ETag that PUT takes, and no secret", async () => {
    files().put(cluster, JSON.stringify({ ...usable, password: "geheim" }));
    const response = await api.call("config");
    expect(new Headers(response.headers as Record<string, string>).get("etag")).toBe(await etag());
    expect(response.jsonBody).toMatchObject({ etag: await etag(), config: { ...usable, password: "***" } });
  });

  test("of a file that is no JSON tells nothing but that", async () => {
    files().put(cluster, "password=geheim");
    const { jsonBody } = await api.call("config");
    expect(jsonBody).toMatchObject({ config: null, problems: ["it is no JSON object"] });
  });
});

describe("POST demand", () => {
  const message = { kind: "snapshot", source: "pbs", sequence: 3, sentAt: "2026-11-21T10:00:00Z" };

  test.each([
    ["of another cluster", { ...message, cluster: "other" }, "cluster: "],
    ["of targets", { ...message, kind: "targets", arrays: [] }, "kind: "],
    ["that claims an upload", { ...message, blob: "x.json" }, "blob: expected none"],
    ["that is a part", { ...message, part: { index: 0, count: 2 } }, "part: expected none"],
    ["without a list of jobs", { ...message, jobs: { name: "a" } }, "jobs: "],
  ])("a message %s is refused, and not on the queue", async (_, body, words) => {
    const { status, jsonBody } = await api.call("post-demand", { body });
    expect(status).toBe(400);
    expect(JSON.stringify(jsonBody)).toContain(words);
    expect(operatorsOf(served.world).demandQueue.texts).toEqual([]);
  });

  test("one with a bad job is, and the answer says what was set aside", async () => {
    const jobs = [{ name: "a", iterations: -1, executingHostnames: ["h1"] }, { name: "b/c" }];
    const { status, jsonBody } = await api.call("post-demand", { body: { ...message, jobs } });
    expect(status).toBe(202);
    const problems = [expect.stringContaining("iterations: -1")];
    expect(jsonBody).toMatchObject({
      jobs: 1,
      setAside: { count: 1, items: [{ kind: "job", index: 0, name: "a", problems }] },
    });
    const [text = ""] = operatorsOf(served.world).demandQueue.texts;
    expect(await served.world.receive(text)).toMatchObject({ outcome: "accepted", jobs: 1 });
    const stored = await served.world.ports.demand.load(cluster, "pbs");
    expect(stored?.value.setAside?.items).toMatchObject([{ name: "a", running: { hostnames: ["h1"] } }]);
  });

  test("one that is refused makes its source's demand unknown; a dry run does not", async () => {
    await served.world.post([], { source: "pbs" });
    const refused = async () =>
      (await served.world.ports.demand.load(cluster, "pbs"))?.value.refused?.messages;
    const body = { ...message, sequence: 99, sentAt: "soon" };
    await api.call("post-demand", { body, query: { dry_run: "true" } });
    expect(await refused()).toBeUndefined();
    expect((await api.call("post-demand", { body })).status).toBe(400);
    expect(await refused()).toBe(1);
  });

  test("a right one is", async () => {
    const { status } = await api.call("post-demand", { body: { ...message, jobs: [{ name: "a" }] } });
    expect(status).toBe(202);
    expect(operatorsOf(served.world).demandQueue.texts).toHaveLength(1);
  });
});

describe("calls whose record has no place for a name", () => {
  const message = { kind: "snapshot", source: "pbs", sequence: 3, sentAt: "2026-11-21T10:00:00Z" };

  test.each<[RouteId, object]>([
    ["post-demand", { query: { by: " ann " }, body: message }],
    ["replay-reject", { params: { rejectionId: "r-1" }, body: { by: "ann" } }],
  ])("%s has in the log who the caller says to be", async (call, fields) => {
    await api.call(call, fields);
    const line = `info operator-call ${JSON.stringify({ call, cluster, by: "ann" })}`;
    expect(served.world.log).toContain(line);
  });

  test.each<[RouteId, object]>([
    ["post-demand", { query: { by: "" }, body: message }],
    ["replay-reject", { params: { rejectionId: "r-1" }, body: { by: 1 } }],
  ])("%s refuses what is no name", async (call, fields) => {
    expect((await api.call(call, fields)).status).toBe(400);
  });
});
