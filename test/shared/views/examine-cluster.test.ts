import { beforeAll, describe, expect, test } from "vitest";
import host from "../../../host.json" with { type: "json" };
import {
  type CheckName,
  type ClusterStatus,
  checkNames,
  statusProblemKinds,
} from "../../../shared/api/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import type { DemandSummary } from "../../../shared/ports/index.ts";
import { checkCluster, type Examined } from "../../../shared/views/cluster-checks.ts";
import { clusterStatus, examineCluster } from "../../../shared/views/index.ts";
import { checkStorage } from "../../../shared/views/storage-check.ts";
import { busyWorld } from "../../clients/cli/archived-world.ts";
import { cluster, createWorld, type World } from "../../support/world.ts";

const { batchSize } = host.extensions.queues;

let world: World;

beforeAll(async () => {
  world = await busyWorld();
});

/** A busy cluster without a problem, but for these changes. */
async function seen(
  changed: Partial<ClusterStatus> = {},
  other: Partial<Omit<Examined, "status">> = {},
): Promise<Examined> {
  const status = await clusterStatus(world.ports, cluster);
  if (status === undefined) throw new Error("no status");
  const demand = await world.ports.demand.summaries(cluster);
  return { status: { ...status, problems: [], ...changed }, demand, unread: 0, ...other };
}

const problem = (kind: string, gravity: "stopped" | "notice" = "stopped") => ({
  problems: [{ gravity, kind, text: "It is so.", next: "Do this." }],
});

async function post(aheadSeconds: number): Promise<readonly DemandSummary[]> {
  const [summary] = await world.ports.demand.summaries(cluster);
  if (summary === undefined) throw new Error("no demand");
  return [{ ...summary, sentAtSeconds: summary.receivedAtSeconds + aheadSeconds }];
}

const source = async () => (await seen()).status.demand[0] as ClusterStatus["demand"][number];
const rejection = { kind: "set-aside" } as ClusterStatus["rejections"][number];

const lines: readonly [string, CheckName, string, RegExp, () => Promise<Examined>][] = [
  ["no snapshot", "login", "notice", /no snapshot yet/, () => seen({ snapshot: null })],
  ["no snapshot", "nodes", "notice", /no snapshot yet/, () => seen({ snapshot: null })],
  ["an old snapshot", "login", "notice", /Not known since/, () => seen(problem("stale-snapshot"))],
  ["an old snapshot", "snapshot", "failed", /It is so/, () => seen(problem("stale-snapshot"))],
  ["a late snapshot", "nodes", "notice", /Not known since/, () => seen(problem("late-snapshot"))],
  ["a snapshot", "snapshot", "ok", /^The newest is .* old, with 10 nodes\.$/, () => seen()],
  [
    "a broken configuration",
    "snapshot",
    "notice",
    /How old it may be is not known/,
    () => seen(problem("configuration")),
  ],
  [
    "a broken configuration",
    "scaling",
    "notice",
    /read-only is not known/,
    () => seen(problem("configuration")),
  ],
  [
    "a broken configuration",
    "money",
    "notice",
    /Budgets are not known/,
    () => seen(problem("configuration")),
  ],
  ["a pause, which somebody wanted", "scaling", "notice", /It is so/, () => seen(problem("paused"))],
  ["a source that posts", "demand", "ok", /^Posted: pbs .* ago\.$/, () => seen()],
  ["no source", "demand", "notice", /No scheduler posts/, () => seen({ demand: [] })],
  [
    "a source that fell silent without jobs",
    "demand",
    "notice",
    /^Posted: pbs .* ago\. Silent since: lsf .* ago\.$/,
    async () => seen({ demand: [await source(), { ...(await source()), source: "lsf", expired: true }] }),
  ],
  ["clocks that agree", "clocks", "ok", /within 60 s/, () => seen()],
  [
    "a sender's clock that is ahead",
    "clocks",
    "failed",
    /"pbs" 5m after it came/,
    async () => seen({}, { demand: await post(300) }),
  ],
  [
    "a sender's clock that is behind, or a slow queue",
    "clocks",
    "notice",
    /or waited for long: .* 5m before/,
    async () => seen({}, { demand: await post(-300) }),
  ],
  ["nobody whose clock shows", "clocks", "notice", /No message/, () => seen({}, { demand: [] })],
  ["a short queue", "messages", "ok", /^At most 16 wait/, () => seen({}, { unread: batchSize })],
  [
    "a long queue",
    "messages",
    "notice",
    /^17 messages of all clusters wait/,
    () => seen({}, { unread: batchSize + 1 }),
  ],
  [
    "a queue that cannot be seen",
    "messages",
    "notice",
    /cannot be seen/,
    () => seen({}, { unread: undefined }),
  ],
  ["no dead letter", "rejects", "ok", /^No message/, () => seen()],
  ["a dead letter", "rejects", "notice", /It is so/, () => seen(problem("rejections", "notice"))],
  [
    "more than are looked at",
    "rejects",
    "notice",
    /older ones/,
    () => seen({ rejections: Array(10).fill(rejection) }),
  ],
  ["no plan", "plans", "notice", /No plan/, () => seen({ plans: [] })],
  ["nothing counted", "money", "notice", /Nothing was counted/, () => seen({ spending: null })],
  ["prices without a date", "money", "notice", /No price has a date/, async () => priced(null)],
  ["prices of two months ago", "money", "notice", /may have changed/, async () => priced(60 * 86_400)],
  ["prices of today", "money", "ok", /^Prices are of \d{4}-/, async () => priced(3_600)],
  [
    "a budget that is nearly spent",
    "money",
    "notice",
    /It is so/,
    () => seen(problem("budget-near", "notice")),
  ],
];

async function priced(ageSeconds: number | null): Promise<Examined> {
  const { status } = await seen();
  if (status.spending === null) throw new Error("no spending");
  const pricesAsOfSeconds = ageSeconds === null ? null : status.atSeconds - ageSeconds;
  return seen({ spending: { ...status.spending, pricesAsOfSeconds } });
}

describe("the checks of a cluster", () => {
  test.each(lines)("%s: %s is %s", async (_, check, state, text, examined) => {
    const line = checkCluster(await examined()).find((each) => each.check === check);
    expect(line).toMatchObject({ state, text: expect.stringMatching(text) });
  });

  test("all have their line, in their order, and a queue that does not answer is no empty one", async () => {
    const unreadDemand = {
      ...world.ports.unreadDemand,
      count: () => Promise.reject(new UpstreamError("no answer", { retryable: true })),
    };
    const answer = await examineCluster({ ...world.ports, unreadDemand }, cluster);
    expect([...new Set(answer?.checks.map(({ check }) => check))]).toEqual(checkNames);
    expect(answer?.checks.find(({ check }) => check === "messages")?.state).toBe("notice");
  });

  test("nothing is well of a cluster that was only configured, but what can be known", async () => {
    const { ports } = createWorld();
    const { checks = [] } = (await examineCluster(ports, cluster)) ?? {};
    expect(checks.filter(({ state }) => state === "ok").map(({ check }) => check)).toEqual([
      "configuration",
      "scaling",
      "messages",
      "rejects",
      "notifications",
    ]);
  });

  test.each([
    [
      "notice",
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
    const [plan] = (await seen()).status.plans;
    if (plan === undefined) throw new Error("no plan");
    const listed = Array.from({ length: plans }, (_, index) => ({
      ...plan,
      atSeconds: 1_800_000_000 - (seconds * (index + 1)) / plans,
      archivedBytes: bytes,
    }));
    const { text, next, ...checked } = checkStorage(listed, 1_800_000_000);
    expect(checked).toEqual({ check: "storage", state });
    expect(`${text} ${next}`).toMatch(sentence);
  });

  test("every kind of problem fails one check, or is about jobs alone", async () => {
    const unseen = await Promise.all(
      statusProblemKinds.map(async (kind) => {
        const problems = [{ gravity: "degraded", kind, text: "x", next: "y" } as const];
        return checkCluster(await seen({ problems })).every(({ text }) => text !== "x") ? [kind] : [];
      }),
    );
    expect(unseen.flat()).toEqual(["clipped", "demand-held-back", "jobs-waiting", "target-unmet"]);
  });
});
