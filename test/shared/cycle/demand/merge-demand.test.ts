import { describe, expect, test } from "vitest";
import { mergeDemand } from "../../../../shared/cycle/demand/merge-demand.ts";
import { asideAfter, keptAside } from "../../../../shared/cycle/demand/merge-set-aside.ts";
import { type DemandMessage, parseDemand } from "../../../../shared/messages/job-demand.ts";
import type { SourceDemand } from "../../../../shared/ports/index.ts";

const times = { nowSeconds: 1_000, ttlSeconds: 300 };

function message(fields: Record<string, unknown>): DemandMessage {
  const envelope = {
    version: 1,
    kind: "snapshot",
    cluster: "hpc",
    source: "pbs",
    sentAt: "2026-11-21T10:00:00Z",
  };
  const parsed = parseDemand({ ...envelope, ...fields });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.message;
}

function demandAfter(...messages: readonly DemandMessage[]): SourceDemand {
  let demand: SourceDemand | undefined;
  for (const each of messages) {
    const merged = mergeDemand(demand, each, times);
    if (merged.outcome === "early") throw new Error("early");
    demand = merged.demand;
  }
  if (demand === undefined) throw new Error("no messages");
  return demand;
}

const names = (demand: SourceDemand) => demand.jobs.map((job) => job.name);
const jobs = (...list: readonly string[]) => list.map((name) => ({ name }));

describe("mergeDemand", () => {
  test("a snapshot replaces everything and lives for its time", () => {
    const demand = demandAfter(
      message({ sequence: 1, jobs: jobs("a") }),
      message({ sequence: 5, jobs: jobs("b") }),
    );
    expect(names(demand)).toEqual(["b"]);
    expect(demand).toMatchObject({ sequence: 5, receivedAtSeconds: 1_000, expiresAtSeconds: 1_300 });
  });

  test("shapes of nodes stay over deltas without them, and go with a snapshot without them", () => {
    const shapes = (ncpus: number) => ({ nodeShapes: [{ nodeArray: "htc", resources: { ncpus } }] });
    const first = message({ sequence: 1, jobs: jobs("a"), ...shapes(2) });
    const delta = message({ sequence: 2, kind: "delta", jobs: jobs("b") });
    expect(demandAfter(first, delta)).toMatchObject(shapes(2));
    const changed = message({ sequence: 3, kind: "delta", ...shapes(4) });
    expect(demandAfter(first, delta, changed)).toMatchObject(shapes(4));
    const none = message({ sequence: 4, kind: "delta", nodeShapes: [] });
    expect(demandAfter(first, delta, changed, none).nodeShapes).toEqual([]);
    expect(demandAfter(first, message({ sequence: 5 })).nodeShapes).toBeUndefined();
  });

  test.each([
    ["an older one", 3],
    ["a repeated one", 4],
  ])("%s is ignored and counted", (_case, sequence) => {
    const demand = demandAfter(message({ sequence: 4, jobs: jobs("new") }));
    const merged = mergeDemand(demand, message({ sequence, sender: "b", jobs: jobs("old") }), times);
    expect(merged).toMatchObject({
      outcome: "ignored",
      demand: { ignoredMessages: 1, jobs: [{ name: "new" }], senders: { known: [{ id: "b" }] } },
    });
  });

  test.each([
    ["a live source keeps its count", 1_299, "ignored", "new"],
    ["a source that was silent past its time starts over", 1_300, "merged", "again"],
  ])("%s: a later snapshot with a lower number", (_, nowSeconds, outcome, job) => {
    const demand = demandAfter(message({ sequence: 4, jobs: jobs("new") }));
    const later = message({ sequence: 1, sentAt: "2026-11-21T11:00:00Z", jobs: jobs("again") });
    const merged = mergeDemand(demand, later, { ...times, nowSeconds });
    expect(merged).toMatchObject({ outcome, demand: { jobs: [{ name: job }] } });
  });

  test("a delta of a source that was silent past its time does not start over", () => {
    const demand = demandAfter(message({ sequence: 4, jobs: jobs("new") }));
    const later = message({
      sequence: 1,
      kind: "delta",
      sentAt: "2026-11-21T11:00:00Z",
      jobs: jobs("again"),
    });
    expect(mergeDemand(demand, later, { ...times, nowSeconds: 1_300 })).toMatchObject({ outcome: "ignored" });
  });

  test("a delta changes, adds and removes, and keeps the order of the queue", () => {
    const before = message({ sequence: 1, jobs: jobs("a", "b", "c") });
    const delta = message({
      kind: "delta",
      sequence: 2,
      jobs: [{ name: "d" }, { name: "b", iterations: 9 }],
      remove: ["a"],
    });
    const demand = demandAfter(before, delta);
    expect(names(demand)).toEqual(["b", "c", "d"]);
    expect(demand.jobs[0]?.iterations).toBe(9);
  });

  test.each<[string, "snapshot" | "delta", unknown, unknown]>([
    ["a snapshot without capabilities claims none", "snapshot", undefined, undefined],
    ["a delta without capabilities leaves them", "delta", undefined, ["drain"]],
    ["a delta takes them back", "delta", [], []],
    ["a delta gives them", "delta", ["drain"], ["drain"]],
  ])("%s", (_case, kind, capabilities, expected) => {
    const before = message({ sequence: 1, capabilities: ["drain"] });
    const demand = demandAfter(before, message({ kind, sequence: 2, capabilities }));
    expect(demand.capabilities).toEqual(expected);
  });

  test.each<[string, "snapshot" | "delta", unknown, unknown]>([
    ["a snapshot without notices has none", "snapshot", undefined, undefined],
    ["a delta without notices leaves them", "delta", undefined, ["waits"]],
    ["a delta takes them back", "delta", [], undefined],
    ["a delta replaces them", "delta", ["renewed"], ["renewed"]],
  ])("%s", (_case, kind, notices, expected) => {
    const before = message({ sequence: 1, notices: ["waits"] });
    expect(demandAfter(before, message({ kind, sequence: 2, notices })).notices).toEqual(expected);
  });

  test.each([
    ["whose predecessor is missing", demandAfter(message({ sequence: 1 })), 3],
    ["without any snapshot", undefined, 1],
  ])("a delta %s has come early", (_case, current, sequence) => {
    expect(mergeDemand(current, message({ kind: "delta", sequence }), times).outcome).toBe("early");
  });
});

test("of what is set aside all is kept that protects a node, and a hundred of the rest", () => {
  const running = { hostnames: ["a"], isWhole: true };
  const item = (kind: "job" | "node", name: string | null) => ({ kind, index: 0, name, problems: [] });
  const rest = Array.from({ length: 60 }, () => [item("job", "waits"), item("node", null)]).flat();
  const kept = keptAside([...rest, { ...item("job", null), running }, item("node", "b")]);
  expect(kept).toMatchObject({ more: 20, items: { length: 102 } });
  expect(kept?.items.slice(-2)).toMatchObject([{ running }, { name: "b" }]);
});

test("a delta ends what is set aside of the jobs and nodes that it mentions, and of no others; of a job that it sets aside again the hosts of both count", () => {
  const item = (kind: "job" | "node", name: string | null) => ({ kind, index: 0, name, problems: [] });
  const named = (kind: "job" | "node") => ["a", "b", "c"].map((name) => item(kind, name));
  const before = { items: [...named("job"), ...named("node"), item("job", null)], more: 0 };
  const delta = message({
    kind: "delta",
    sequence: 2,
    jobs: jobs("a"),
    remove: ["b"],
    nodes: [{ hostname: "a" }],
  });
  if (delta.kind !== "delta") throw new Error("no delta");
  expect(asideAfter(before, delta, [])?.items.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "job c",
    "node b",
    "node c",
    "job null",
  ]);
  const runs = (hostname: string, isWhole: boolean) => ({
    ...item("job", "c"),
    running: { hostnames: [hostname], isWhole },
  });
  for (const [older, newer] of [
    [true, true],
    [true, false],
    [false, true],
  ] as const)
    expect(
      asideAfter({ items: [runs("x", older)], more: 0 }, delta, [runs("y", newer)])?.items,
    ).toMatchObject([{ running: { hostnames: ["x", "y"], isWhole: older && newer } }]);
});
