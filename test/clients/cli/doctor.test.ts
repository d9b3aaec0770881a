import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DoctorAnswer } from "../../../shared/api/index.ts";
import { release } from "../../../shared/app/release.ts";
import { withoutPauses } from "../../support/without-pauses.ts";
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

const answerOf = (world: World) => serviceOn(world.ports as Parameters<typeof serviceOn>[0]).ask("doctor");

/** A service with this cluster, whose clock is so far ahead, and that lets its caller act or not. */
async function serve(
  answer: DoctorAnswer,
  { ahead = 0, mayAct = true, its = release }: { ahead?: number; mayAct?: boolean; its?: string } = {},
): Promise<string> {
  const json = (body: unknown, status = 200) => ({
    status,
    headers: { "content-type": "application/json", "api-version": "1" },
    body: JSON.stringify(body),
  });
  const { cluster, atSeconds } = answer;
  const resumed = { cluster, atSeconds, actions: [], skipped: [], problems: [], expiresInSeconds: null };
  server = await serveApi({
    clusters: async () =>
      json({
        atSeconds: Date.now() / 1000 + ahead,
        release: its,
        clusters: [{ cluster, paused: false, snapshotTakenAtSeconds: null, planAtSeconds: null }],
      }),
    doctor: async () => json(answer),
    actions: async () =>
      mayAct ? json({ ...resumed, outcome: "would", summary: "It is resumed." }) : json({ title: "no" }, 403),
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

describe("ccscale doctor", () => {
  test("what is seen from this machine comes first, then what the service says of each cluster", async () => {
    const answer = await answerOf(world);
    const { checks } = await examined(await serve(answer));
    const ofService = ["service", "clock", "rights"].map((check) =>
      expect.objectContaining({ check, state: "ok" }),
    );
    expect(checks).toEqual([
      ...ofService,
      ...answer.checks.map((each) => ({ ...each, cluster: answer.cluster })),
    ]);
  });

  test("a failed check says what to do, on a page and by the exit code", async () => {
    const { code, stdout, stderr } = await ccscale(["doctor", "--url", await serve(await answerOf(world))]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^failed +hpc +nodes +1 node of htc failed \(htc-4\)/m);
    expect(stdout).toMatch(/^ok +hpc +login/m);
    expect(stderr).toMatch(/2 of 16 checks failed/);
  });

  test.each([
    ["a clock that is late", { ahead: 300 }, "clock", "failed", /clock is (5m|4m59s) behind the service's/],
    ["a clock that is early", { ahead: -300 }, "clock", "failed", /ahead of the service's/],
    ["another release", { its: "0.0.9" }, "service", "failed", /different releases/],
    ["a login that may only read", { mayAct: false }, "rights", "notice", /may read, and not act/],
  ])("%s", async (_, how, check, state, text) => {
    const { checks } = await examined(await serve(await answerOf(world), how));
    expect(checks.find((each) => each.check === check)).toMatchObject({
      state,
      text: expect.stringMatching(text),
    });
  });

  test("a service that cannot be reached is one failed check, and nothing is said of clusters", async () => {
    const url = await serve(await answerOf(world));
    await server?.stop();
    server = undefined;
    withoutPauses();
    const { code, checks } = await examined(url);
    expect(code).toBe(1);
    expect(checks).toMatchObject([
      {
        check: "service",
        state: "failed",
        text: expect.stringMatching(/ECONNREFUSED [\d.:]+[^.]\.$/),
        next: expect.any(String),
      },
    ]);
  });
});
