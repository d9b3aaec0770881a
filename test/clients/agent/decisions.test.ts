import { describe, expect, test } from "vitest";
import { decide, drainingHosts, newsOf, withDecision } from "../../../clients/agent/decisions.ts";
import type { SchedulerEvent } from "../../../shared/messages/scheduler-event.ts";

function event(kind: SchedulerEvent["kind"], atSeconds: number, nodeId = "n1"): SchedulerEvent {
  const nodes = [{ nodeId, name: "worker-1", hostname: "IP-0A000005.internal" }];
  return { version: 1, cluster: "hpc", source: "celery", kind, nodes, atSeconds };
}

function decided(...events: readonly SchedulerEvent[]) {
  return events.reduce((decisions, each) => decide(decisions, each, 1_000), {});
}

const draining = (...events: readonly SchedulerEvent[]) => [...drainingHosts(decided(...events)).keys()];

describe("which hosts drain", () => {
  test.each([
    ["asked to", [event("drain", 10)], true],
    ["asked to, twice", [event("drain", 10), event("drain", 10)], true],
    ["and wanted again", [event("drain", 10), event("undrain", 11)], false],
    ["wanted again, which came first", [event("undrain", 11), event("drain", 10)], false],
    ["drained a second time", [event("drain", 10), event("undrain", 11), event("drain", 12)], true],
    ["and deleted", [event("drain", 10), event("node-deleted", 20)], false],
    ["and given up", [event("drain", 10), event("boot-timeout", 20)], false],
    [
      "while the deletion was of an earlier node of that name",
      [event("drain", 10, "n2"), event("node-deleted", 20, "n1")],
      true,
    ],
    [
      "before another node came with that name",
      [event("drain", 10, "n1"), event("node-joined", 30, "n2")],
      false,
    ],
    [
      "after it joined, which is told again late",
      [event("drain", 10, "n1"), event("node-joined", 5, "n1")],
      true,
    ],
  ] as const)("%s", (_, events, drains) => {
    expect(draining(...events)).toEqual(drains ? ["ip-0a000005"] : []);
  });

  test("nodes without a host name are of no concern", () => {
    const unnamed = { ...event("drain", 10), nodes: [{ nodeId: "n1", name: "worker-1", hostname: null }] };
    expect(newsOf(unnamed, {}).nodes).toEqual([]);
    expect(decided(unnamed)).toEqual({});
  });

  test("since it was first asked, also when it is asked again", () => {
    const first = decide({}, event("drain", 10), 1_000);
    const second = decide(first, event("drain", 12), 2_000);
    expect(drainingHosts(second).get("ip-0a000005")).toBe(1_000);
  });

  test("for a week at most: the queue does not keep the news of its end longer than that", () => {
    const other = { ...event("drain", 20), nodes: [{ nodeId: "n9", name: "worker-9", hostname: "ip-9" }] };
    const later = decide(decided(event("drain", 10)), other, 1_000 + 8 * 86_400);
    expect([...drainingHosts(later).keys()]).toEqual(["ip-9"]);
  });
});

test("a host may have any name", () => {
  for (const hostname of ["constructor", "__proto__", "valueof"]) {
    const named = { ...event("drain", 10), nodes: [{ nodeId: "n1", name: "worker-1", hostname }] };
    expect(newsOf(named, {}).nodes).toHaveLength(1);
    expect([...drainingHosts(decided(named)).keys()]).toEqual([hostname]);
  }
});

test("what was acted on before is no news", () => {
  const decisions = decided(event("drain", 10));
  expect(newsOf(event("drain", 10), decisions).nodes).toEqual([]);
  expect(newsOf(event("drain", 9), decisions).nodes).toEqual([]);
  expect(newsOf(event("undrain", 11), decisions).nodes).toEqual([
    { name: "worker-1", hostname: "IP-0A000005.internal", nodeId: "n1" },
  ]);
});

test("a node is posted with the time of the decision that its state obeys", () => {
  const node = { hostname: "ip-0A000005", resources: {}, state: "draining" } as const;
  expect(withDecision(node, decided(event("drain", 10)))).toEqual({ ...node, eventAtSeconds: 10 });
  expect(withDecision({ ...node, isOutByOthers: true }, decided(event("undrain", 10)))).toEqual(node);
  const lost = { ...node, isOutByLostEvent: true } as const;
  expect(withDecision(lost, decided(event("drain", 10)))).toEqual({ ...node, eventAtSeconds: 10 });
  expect(withDecision(lost, {})).toEqual({ ...node, eventAtSeconds: 0 });
  expect(withDecision({ ...node, hostname: "other" }, decided(event("drain", 10)))).not.toHaveProperty(
    "eventAtSeconds",
  );
});
