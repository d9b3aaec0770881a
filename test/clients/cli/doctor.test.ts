import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { checkCluster } from "../../../clients/cli/doctor/cluster-checks.ts";
import { checkStorage } from "../../../clients/cli/doctor/storage-check.ts";
import { type ClusterStatus, statusProblemKinds } from "../../../shared/api/index.ts";
import { release } from "../../../shared/app/release.ts";
import type { World } from "../../support/world.ts";
import { type ApiServer, serveApi } from "./api-server.ts";
import { busyWorld, serviceOn } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";

let server: ApiServer | undefined;
let world: World;

beforeEach(async () => {
  for (const name of ["CCSCALE_URL", "AUTOSCALE_FUNCTIONS_URL", "CCSCALE_CLUSTER"]) vi.stubEnv(name, "");
  world = await busyWorld();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.stop();
  server = undefined;
});

const statusOf = (world: World) => serviceOn(world.ports as Parameters<typeof serviceOn>[0]).ask("status");

/** A service with this cluster, whose clock is so far ahead, and that lets its caller act or not. */
async function serve(
  status: ClusterStatus,
  { ahead = 0, mayAct = true, its = release }: { ahead?: number; mayAct?: boolean; its?: string } = {},
): Promise<string> {
  const json = (body: unknown, status = 200) => ({
    status,
    headers: { "content-type": "application/json", "api-version": "1" },
    body: JSON.stringify(body),
  });
  const { cluster, atSeconds } = status;
  const answer = { cluster, atSeconds, actions: [], skipped: [], problems: [], expiresInSeconds: null };
  server = await serveApi({
    clusters: async () =>
      json({
        atSeconds: Date.now() / 1000 + ahead,
        release: its,
        clusters: [{ cluster, paused: false, snapshotTakenAtSeconds: null, planAtSeconds: null }],
      }),
    status: async () => json(status),
    plans: async () => json({ cluster, atSeconds, plans: status.plans, total: null, next: null }),
    actions: async () =>
      mayAct ? json({ ...answer, outcome: "would", summary: "It is resumed." }) : json({ title: "no" }, 403),
  });
  return server.url;
}

type Checks = readonly {
  check: string;
  cluster: string | null;
  state: string;
  text: string;
  next: string | null;
}[];

async function examined(url: string): Promise<{ readonly code: number; readonly checks: Checks }> {
  const { code, stdout } = await ccscale(["doctor", "--url", url, "--format", "json"]);
  return { code, checks: (JSON.parse(stdout) as { checks: Checks }).checks };
}

const well = (status: ClusterStatus): ClusterStatus => ({ ...status, problems: [] });

describe("ccscale doctor", () => {
  test("where all is well each check says what it saw", async () => {
    const { code, checks } = await examined(await serve(well(await statusOf(world))));
    expect(code).toBe(0);
    expect(checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      "service ok",
      "clock ok",
      "rights ok",
      "configuration ok",
      "login ok",
      "snapshot ok",
      "scaling ok",
      "demand ok",
      "messages ok",
      "plans ok",
      "nodes ok",
      "money ok",
      "notifications ok",
      "storage ok",
    ]);
    expect(checks.find(({ check }) => check === "snapshot")?.text).toMatch(
      /^The newest is .* old, with 10 nodes\.$/,
    );
    expect(checks.find(({ check }) => check === "demand")?.text).toMatch(/^Posted: pbs .* ago\.$/);
  });

  test("a problem of the status fails its check, with what to do, on a page and by the exit code", async () => {
    const { code, stdout, stderr } = await ccscale(["doctor", "--url", await serve(await statusOf(world))]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed +hpc +nodes +1 node of htc failed \(htc-4\)/m);
    expect(stdout).toMatch(/^ok +hpc +login/m);
    expect(stderr).toMatch(/2 of 14 checks failed/);
  });

  test("a cluster that was only configured is worth a look, and no failure", async () => {
    const status: ClusterStatus = {
      ...well(await statusOf(world)),
      snapshot: null,
      demand: [],
      plans: [],
      spending: null,
    };
    const { code, checks } = await examined(await serve(status));
    expect(code).toBe(0);
    expect(checks.filter(({ state }) => state === "notice").map(({ check }) => check)).toEqual([
      "login",
      "snapshot",
      "demand",
      "plans",
      "money",
      "storage",
    ]);
  });

  test("a cluster that somebody paused is worth a look, and no failure", async () => {
    const paused = {
      gravity: "stopped",
      kind: "paused",
      text: "Paused by ann.",
      next: "Resume it.",
    } as const;
    const status: ClusterStatus = { ...(await statusOf(world)), problems: [paused] };
    const { code, checks } = await examined(await serve(status));
    expect(code).toBe(0);
    expect(checks.find(({ check }) => check === "scaling")).toMatchObject({
      state: "notice",
      next: "Resume it.",
    });
  });

  test.each([
    ["a clock that is late", { ahead: 300 }, "clock", "failed", /clock is (5m|4m59s) behind the service's/],
    ["a clock that is early", { ahead: -300 }, "clock", "failed", /ahead of the service's/],
    ["another release", { its: "0.0.9" }, "service", "failed", /different releases/],
    ["a login that may only read", { mayAct: false }, "rights", "notice", /may read, and not act/],
  ])("%s", async (_, how, check, state, text) => {
    const { checks } = await examined(await serve(well(await statusOf(world)), how));
    expect(checks.find((each) => each.check === check)).toMatchObject({
      state,
      text: expect.stringMatching(text),
    });
  });

  test("a service that cannot be reached is one failed check, and nothing is said of clusters", async () => {
    const url = await serve(await statusOf(world));
    await server?.stop();
    server = undefined;
    const { code, checks } = await examined(url);
    expect(code).toBe(1);
    expect(checks).toMatchObject([
      { check: "service", state: "failed", text: expect.stringMatching(/[^.]\.$/), next: expect.any(String) },
    ]);
  });

  test.each([
    [
      "ok",
      "shows after an hour",
      { plans: 30, seconds: 1_800, bytes: 14_000 },
      /^30 plans of 14 KB each in 30m\. An hour/,
    ],
    [
      "ok",
      "is bounded by how long plans are kept",
      { plans: 1_000, seconds: 60_000, bytes: 660_000 },
      /^Grows by 950 MB a day \(1000 plans of 660 KB each in 16h40m\), up to 29 GB: /,
    ],
    [
      "notice",
      "is fast with a large plan every few seconds",
      { plans: 1_000, seconds: 10_000, bytes: 1_200_000 },
      /^Grows by 10 GB a day .* up to 310 GB: .*`interval_seconds`.*`snapshot_interval`/,
    ],
    [
      "notice",
      "is not known before the first plan",
      { plans: 0, seconds: 0, bytes: 0 },
      /^No plan was archived yet\./,
    ],
  ])("%s: the growth of storage %s", async (state, _, { plans, seconds, bytes }, sentence) => {
    const [plan] = (await statusOf(world)).plans;
    if (plan === undefined) throw new Error("no plan");
    const listed = Array.from({ length: plans }, (_, index) => ({
      ...plan,
      atSeconds: 1_800_000_000 - (seconds * (index + 1)) / plans,
      archivedBytes: bytes,
    }));
    const { text, next, ...checked } = checkStorage("hpc", listed, 1_800_000_000);
    expect(checked).toEqual({ check: "storage", cluster: "hpc", state });
    expect(`${text} ${next}`).toMatch(sentence);
  });

  test("every kind of problem fails one check, or is about jobs alone", async () => {
    const status = await statusOf(world);
    const unseen = statusProblemKinds.filter((kind) => {
      const problems = [{ gravity: "degraded", kind, text: "x", next: "y" } as const];
      return checkCluster({ ...status, problems }).every(({ text }) => text !== "x");
    });
    expect(unseen).toEqual(["clipped", "demand-held-back", "jobs-waiting", "target-unmet"]);
  });
});
