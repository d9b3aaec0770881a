import { describe, expect, test } from "vitest";
import { runBacktest, type TraceJob, usualDelays } from "../../../../shared/backtest/index.ts";
import { DemandSource } from "../../../../shared/backtest/world/demand-source.ts";
import type { ScaleAction, SchedulerEvent } from "../../../../shared/messages/index.ts";
import { inputOf, job } from "./small-world.ts";

const oneSize = {
  name: "small",
  region: "westeurope",
  quotas: { westeurope: { cores: 200 } },
  nodearrays: [{ name: "htc", machineTypes: ["Standard_F4s_v2"], maxCount: 20 }],
};

/** A run, and the deletions of idle nodes that its plans decided. */
async function runWith(jobs: readonly TraceJob[], keys: Readonly<Record<string, unknown>> = {}) {
  const actions: ScaleAction[] = [];
  const figures = await runBacktest({
    ...inputOf({ jobs, definition: oneSize, keys: { idle_timeout: 300, ...keys } }),
    watch: {
      gone: () => {},
      planned: (plan) => plan.archive === "whole" && actions.push(...plan.actions),
    },
  });
  const deletions = actions.flatMap((action) => (action.kind === "shutdown-nodes" ? [action] : []));
  return { figures, deletions, startSeconds: figures.period.startSeconds };
}

const first = job("first", { processors: 1, runSeconds: 600 });

describe("an idle node", () => {
  test("is drained before it goes: the agent hears of that with its next pass, and answers", async () => {
    const { deletions } = await runWith([first]);
    const [deletion] = deletions;
    const drain = deletion?.nodes[0]?.drain;
    expect(drain?.isTimedOut).toBe(false);
    const waitSeconds = (deletion?.createdAtSeconds ?? 0) - (drain?.sinceSeconds ?? 0);
    expect(waitSeconds).toBeGreaterThan(usualDelays.queueSeconds);
    expect(waitSeconds).toBeLessThanOrEqual(usualDelays.eventSeconds + usualDelays.queueSeconds + 2);
  });

  test("goes undrained where that is switched off", async () => {
    const { deletions } = await runWith([first], { drain_timeout: 0 });
    expect(deletions.map(({ nodes }) => nodes[0]?.drain?.isTimedOut)).toEqual([true]);
  });

  test("is taken back when a job starts there before its agent has heard of the drain", async () => {
    const alone = await runWith([first]);
    const drainedAt = (alone.deletions[0]?.nodes[0]?.drain?.sinceSeconds ?? 0) - epochSeconds;
    const second = job("second", { submitSeconds: drainedAt + 1, runSeconds: 900 });
    const third = job("third", { submitSeconds: drainedAt + 200 });
    const { figures, deletions } = await runWith([first, second, third]);
    expect(figures.nodes.bought).toBe(1);
    expect(figures.jobs).toMatchObject({ ended: 3, reruns: 0 });
    // It takes jobs again: the third waits for nothing.
    expect([...figures.perJob.waitSeconds.slice(1)]).toEqual([0, 0]);
    expect(deletions).toHaveLength(1);
  });

  test("that its agent has drained takes no job: one that comes then gets a new node", async () => {
    const alone = await runWith([first]);
    const deletedAt = (alone.deletions[0]?.createdAtSeconds ?? 0) - epochSeconds;
    const { figures } = await runWith([first, job("second", { submitSeconds: deletedAt + 0.5 })]);
    expect(figures.nodes.bought).toBe(2);
    expect(figures.jobs).toMatchObject({ ended: 2, reruns: 0 });
  });
});

/** The first submission, on the virtual clock. */
const epochSeconds = Date.UTC(2027, 0, 1) / 1_000;

describe("DemandSource", () => {
  const drain = (atSeconds: number, kind: SchedulerEvent["kind"] = "drain"): SchedulerEvent => ({
    version: 1,
    cluster: "c",
    source: "s",
    kind,
    atSeconds,
    nodes: [{ nodeId: "n", name: "n-1", hostname: "h" }],
  });
  const waiting = (name: string) => ({
    name,
    constraints: {},
    iterations: 1,
    nodeCount: 0,
    colocated: false,
    exclusive: false,
    executingHostnames: [],
    priority: 0,
  });

  test("lists hosts with the event that they obey, drained when nothing runs there any more", () => {
    const busy = new Set(["h"]);
    const source = new DemandSource("c", (hostname) => busy.has(hostname));
    source.joined("h");
    expect(source.message(1)).toMatchObject({ kind: "snapshot", capabilities: ["drain"] });
    expect(source.hasAnswer).toBe(false);
    expect(source.obey(drain(10))).toEqual([{ hostname: "h", isOut: true }]);
    expect(source.hasAnswer).toBe(true);
    expect(source.message(11).nodes).toMatchObject([
      { hostname: "h", state: "draining", eventAtSeconds: 10 },
    ]);
    busy.clear();
    expect(source.used("h")).toBe(true);
    expect(source.message(12).nodes).toMatchObject([{ state: "drained", eventAtSeconds: 10 }]);
    source.obey(drain(20, "undrain"));
    expect(source.message(21).nodes).toMatchObject([{ state: "up", eventAtSeconds: 20 }]);
    expect(source.used("h")).toBe(false);
    expect(source.hasNews).toBe(false);
  });

  test("an older event, and one about a host that is not there, change nothing", () => {
    const source = new DemandSource("c", () => false);
    expect(source.obey(drain(10))).toEqual([]);
    source.joined("h");
    source.obey(drain(10, "undrain"));
    expect(source.obey(drain(9))).toEqual([]);
    expect(source.message(11).nodes).toMatchObject([{ state: "up" }]);
  });

  test("sends everything anew when a host is gone, in the order of the queue", () => {
    const source = new DemandSource("c", () => false);
    for (const name of ["a", "b", "c"]) source.change(waiting(name));
    source.joined("h");
    source.joined("other");
    source.message(1);
    source.remove("b");
    expect(source.message(2)).toMatchObject({ kind: "delta", remove: ["b"], jobs: [], nodes: [] });
    source.left("h");
    const message = source.message(3);
    expect(message).toMatchObject({ kind: "snapshot", nodes: [{ hostname: "other" }] });
    expect(message.jobs.map(({ name }) => name)).toEqual(["a", "c"]);
  });
});
