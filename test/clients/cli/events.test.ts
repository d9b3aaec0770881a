import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { eventSummary, eventSummaryByJob } from "../../../clients/cli/output/event-summary.ts";
import { examples } from "../../../clients/cli/reference/examples.ts";
import {
  endOption,
  lengthOption,
  momentSeconds,
  timeOption,
  toSeconds,
} from "../../../clients/cli/time-values.ts";
import { endDecisions } from "../../../shared/cycle/index.ts";
import { pauseCluster, resumeCluster } from "../../../shared/operate/index.ts";
import { served } from "../../fuzz/served-world.ts";
import { handlerOf } from "../../support/http-handlers.ts";
import { cluster, createWorld, jobFor } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { ccscale } from "./in-process.ts";
import { expectPrinted } from "./printed-page.ts";

let server: ApiServer;

beforeAll(async () => {
  const world = createWorld();
  served.world = world;
  await world.post([jobFor(2)]);
  await world.round();
  await world.settle();
  const { ports } = world;
  const node = { nodeId: "id-htc-1", name: "htc-1", hostname: "host-1" };
  const at = { by: "alice", source: null, atSeconds: world.now() + 60 };
  await ports.events.note(cluster, [
    { ...at, eventId: "drain:id-htc-1", kind: "drain", node, reason: "disk errors" },
  ]);
  world.advance(120);
  await pauseCluster(ports, { cluster, by: "ann", reason: "upgrade of the image" });
  world.advance(600);
  await resumeCluster(ports, { cluster, by: "ann", reason: "done" });
  world.advance(60);
  await pauseCluster(ports, {
    cluster,
    by: "bob",
    reason: "quota talks",
    untilSeconds: world.now() + 600,
  });
  world.advance(620);
  await endDecisions(ports, cluster);
  vi.useFakeTimers({ now: world.now() * 1000, toFake: ["Date"] });
  server = await serveApi({ events: handlerOf("events") });
});

afterAll(async () => {
  vi.useRealTimers();
  await server?.stop();
});

const at = () => ["--url", server.url, "--cluster", cluster];

test("lost nodes are counted by week, reason and kind of node", () => {
  const monday = Date.UTC(2026, 10, 23) / 1_000;
  const base = { id: "e", text: "", by: null, nodes: [], planId: null, actionId: null } as const;
  const lost = (atSeconds: number, reason: string, nodeCount: number, nodeArray = "htc-spot") => ({
    ...base,
    atSeconds,
    kind: "node-lost" as const,
    nodeCount,
    loss: { reason, nodeArray, vmSize: "Standard_F4s_v2" },
  });
  const events = [
    lost(monday, "SpotEvicted", 3),
    lost(monday + 3_600, "SpotEvicted", 2),
    lost(monday + 7_200, "AllocationFailed", 0),
    { ...base, atSeconds: monday + 60, kind: "pause" as const, nodeCount: 0 },
    lost(monday - 1, "SpotEvicted", 1),
    lost(monday - 2, "SpotEvicted", 1, "hpc-spot"),
  ];
  expect(
    eventSummary(events).map(({ week, kind, reason, nodearray, events, nodes }) =>
      [week, kind, reason, nodearray, events, nodes].join(" "),
    ),
  ).toEqual([
    "2026-11-23 node-lost SpotEvicted htc-spot 2 5",
    "2026-11-23 node-lost AllocationFailed htc-spot 1 1",
    "2026-11-23 pause   1 0",
    "2026-11-16 node-lost SpotEvicted htc-spot 1 1",
    "2026-11-16 node-lost SpotEvicted hpc-spot 1 1",
  ]);
});

test("lost nodes are counted by week and job, also when the job is over", () => {
  const monday = Date.UTC(2026, 10, 23) / 1_000;
  const base = {
    id: "e",
    text: "",
    by: null,
    nodes: [],
    nodeCount: 1,
    planId: null,
    actionId: null,
  } as const;
  const lost = (atSeconds: number, jobs?: readonly string[]) => ({
    ...base,
    atSeconds,
    kind: "node-lost" as const,
    loss: {
      reason: "SpotEvicted",
      nodeArray: "htc",
      vmSize: "F4",
      ...(jobs !== undefined && { jobs: [...jobs] }),
    },
  });
  const events = [
    lost(monday, ["1", "2"]),
    lost(monday + 60, ["2"]),
    lost(monday + 90),
    lost(monday - 1, ["2"]),
  ];
  expect(eventSummaryByJob(events)).toEqual([
    { week: "2026-11-23", job: "2", reason: "SpotEvicted", events: 2 },
    { week: "2026-11-23", job: "1", reason: "SpotEvicted", events: 1 },
    { week: "2026-11-16", job: "2", reason: "SpotEvicted", events: 1 },
  ]);
});

test("--summary counts all events, whatever --limit says", async () => {
  const { code, stdout } = await ccscale(["events", "--since", "1d", "--limit", "1", "--summary", ...at()]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^WEEK +KIND +REASON/);
  expect(stdout).toMatch(/ pause [ -]*2 +0/);
});

test("the examples of the command page", async () => {
  const lines = (examples.events ?? []).map(({ line }) => line);
  await expectPrinted("events", lines, { at: at() });
});

test("times: by the local clock in CSV, in UTC in a table and JSON, and as --times says", async () => {
  const newest = async (...options: string[]) => {
    const { stdout } = await ccscale(["events", "--limit", "1", "-o", "time", ...options, ...at()]);
    return stdout.trim().split("\n").at(-1) ?? "";
  };
  // The pause ended 20 s before anybody looked.
  const endSeconds = served.world.now() - 20;
  const local = await newest("--format", "csv");
  expect(local).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  expect(Date.parse(local) / 1000).toBe(endSeconds);
  const utc = new Date(Date.parse(local)).toISOString().replace(".000", "");
  expect(await newest()).toBe(utc);
  expect(await newest("--format", "jsonl")).toBe(`{"time":"${utc}"}`);
  expect(await newest("--format", "csv", "--times", "utc")).toBe(utc);
  expect(await newest("--format", "csv", "--times", "relative")).toBe("20s ago");
  expect(await newest("--times", "local")).toBe(local);
});

test("as JSON as the service has it, no more than asked, and an unknown kind is refused with those there are", async () => {
  const { stdout, stderr } = await ccscale(["events", "--limit", "1", "--format", "json", ...at()]);
  expect(JSON.parse(stdout)).toMatchObject([{ kind: "resume", by: "the autoscaler" }]);
  expect(stderr).toContain("--limit shows more");
  const refused = await ccscale(["events", "--kind", "drian", ...at()]);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean "drain"? Expected of'),
  });
  const { stderr: lost } = await ccscale(["events", "--kind", "pause,lost", ...at()]);
  expect(lost).toContain('"lost" is no kind. Did you mean "node-lost"? Expected of plan,');
  const { stderr: several } = await ccscale(["events", "--kind", "node", ...at()]);
  expect(several).toContain("Expected of plan, action,");
});

test.each([
  ["90s", 1_000 - 90],
  ["1.5h", 1_000 - 5_400],
  ["2d", 1_000 - 172_800],
  ["2026-11-22T14:00Z", 1_795_356_000],
])("a time: %s", (text, expected) => {
  expect(toSeconds(timeOption(text), 1_000)).toBe(expected);
});

test.each(["14:02", "00:00"])("a time of day is the last time that the clock showed it: %s", (text) => {
  const now = Date.now() / 1000;
  const then = toSeconds(timeOption(text), now);
  expect(then).toBeLessThanOrEqual(now);
  // A day has 25 hours where the clock is put back.
  expect(then).toBeGreaterThan(now - 25 * 3_600);
  const shown = new Date(then * 1000);
  expect([shown.getHours(), shown.getMinutes()]).toEqual(text.split(":").map(Number));
});

test.each(["14:02", "00:00"])(
  "an end by a time of day is the next time that the clock shows it: %s",
  (text) => {
    const now = Date.now() / 1000;
    const end = endOption(text);
    const atSeconds = "atSeconds" in end ? end.atSeconds : Number.NaN;
    expect(atSeconds).toBeGreaterThan(now);
    expect(atSeconds).toBeLessThanOrEqual(now + 25 * 3_600);
    const shown = new Date(atSeconds * 1000);
    expect([shown.getHours(), shown.getMinutes()]).toEqual(text.split(":").map(Number));
  },
);

test.each([
  ["2026-11-22", "2026-11-22T00:00"],
  ["2026-11-22 14:00", "2026-11-22T14:00"],
  ["2026-11-22T14:00:30", "2026-11-22T14:00:30"],
  ["2026-11-22T14:00+02:00", "2026-11-22T12:00Z"],
])("a moment without a zone is by the local clock: %s", (text, same) => {
  expect(timeOption(text)).toEqual({ atSeconds: Date.parse(same) / 1000 });
});

test.each([
  ["2026-11-01", "2026-11-01T00:00Z"],
  ["2026-11-01T08:00", "2026-11-01T08:00Z"],
  ["2026-11-01T08:00Z", "2026-11-01T08:00Z"],
  ["2026-11-01T08:00:30.250-05:00", "2026-11-01T13:00:30.250Z"],
])("a moment in UTC: %s", (text, same) => {
  expect(momentSeconds(text, "utc")).toBe(Date.parse(same) / 1000);
});

test.each([
  "2026-11-31",
  "2026-02-29T10:00",
  "2026-11-22 10:00 PST",
  "24:00",
  "14:60",
  "14:2",
  "",
  "1",
  "h",
  "1y",
  "-1h",
  "last week",
  "2026-13-01",
  "22.11.2026",
])("no time: %s", (text) => {
  expect(() => timeOption(text)).toThrow("expected a length of time");
  expect(() => lengthOption(text)).toThrow("expected a length of time");
});

test.each([
  ["tomorrow 18:00", 1, 18],
  ["tomorrow", 1, 0],
  ["today 09:00", 0, 9],
  ["yesterday 14:00", -1, 14],
])("%s is that time of this machine's day", (text, days, hours) => {
  const now = new Date();
  const same = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours);
  expect(endOption(text)).toEqual({ atSeconds: same.getTime() / 1000 });
});
