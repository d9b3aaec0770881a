import { expect, test } from "vitest";
import { changeLine } from "../../../clients/cli/output/change-line.ts";
import { otherSetting, withOthers } from "../../../clients/cli/scenario/other-settings.ts";
import { defaultSettings, type EngineSettings } from "../../../shared/engine/index.ts";
import { type Decisions, planDifference } from "../../../shared/views/index.ts";

const none: Decisions = { jobs: [], create: [], start: [], retire: [], settings: {} };

function set(count: number): Decisions["create"][number] {
  return { nodeArray: "htc", vmSize: "F4", placementGroup: null, count } as Decisions["create"][number];
}

function retirement(name: string, cause: string) {
  return { name, cause } as Decisions["retire"][number];
}

function job(name: string, granted: number): Decisions["jobs"][number] {
  return { name, allocated: granted > 0, asked: 2, granted, placements: [], reasons: [] };
}

test.each<{ what: string; before: Partial<Decisions>; after: Partial<Decisions>; lines: readonly string[] }>([
  { what: "the same", before: { create: [set(2)] }, after: { create: [set(1), set(1)] }, lines: [] },
  {
    what: "new nodes",
    before: { create: [set(2)] },
    after: { create: [set(3), { ...set(1), placementGroup: "pg0" }] },
    lines: ["create htc F4: 2 -> 3", "create htc F4 pg0: none -> 1"],
  },
  {
    what: "retirements",
    before: { retire: [retirement("htc-1", "idle-timeout"), retirement("htc-2", "idle-timeout")] },
    after: { retire: [retirement("htc-2", "boot-timeout")] },
    lines: ["retire htc-1: idle-timeout -> none", "retire htc-2: idle-timeout -> boot-timeout"],
  },
  {
    what: "jobs that wait",
    before: { jobs: [job("a", 0), job("b", 2)] },
    after: { jobs: [job("a", 1), job("b", 2)] },
    lines: ["waiting a: has 0 of 2 -> has 1 of 2"],
  },
  {
    what: "jobs of two schedulers that number theirs alike",
    before: { jobs: [job("1", 0), job("2", 0), job("1", 0)], sources: ["slurm", "slurm", "celery"] },
    after: { jobs: [job("1", 1), job("2", 1), job("1", 0)], sources: ["slurm", "slurm", "celery"] },
    lines: ["waiting 1 (slurm): has 0 of 2 -> has 1 of 2", "waiting 2: has 0 of 2 -> has 1 of 2"],
  },
  {
    what: "a number that another scheduler uses next",
    before: { jobs: [job("1", 0)], sources: ["slurm"] },
    after: { jobs: [job("1", 0)], sources: ["celery"] },
    lines: ["waiting 1 (slurm): has 0 of 2 -> none", "waiting 1 (celery): none -> has 0 of 2"],
  },
  {
    what: "settings",
    before: { settings: { placement: { default: "order" }, failedNodes: "keep" } },
    after: { settings: { placement: { default: "order", htc: "cost" }, failedNodes: "keep" } },
    lines: ['setting placement.htc: none -> "cost"'],
  },
])("planDifference: $what", ({ before, after, lines }) => {
  const changes = planDifference({ ...none, ...before }, { ...none, ...after });
  expect(changes.map(changeLine)).toEqual(lines);
});

const own: EngineSettings = {
  ...defaultSettings,
  idleTimeoutSeconds: { default: 60, byNodeArray: { htc: 90 } },
};

test.each<{ texts: readonly string[]; changes: Partial<EngineSettings> }>([
  { texts: ["placement=cost"], changes: { placement: { ...own.placement, default: "cost" } } },
  { texts: ["idle_timeout=300"], changes: { idleTimeoutSeconds: { default: 300, byNodeArray: {} } } },
  {
    texts: ["idle_timeout.hpc=600"],
    changes: { idleTimeoutSeconds: { default: 60, byNodeArray: { htc: 90, hpc: 600 } } },
  },
  {
    texts: ["failed_nodes=retry", 'ignored_nodes=["x"]'],
    changes: { failedNodes: "retry", ignoredNodes: ["x"] },
  },
])("--set $texts changes that setting alone", ({ texts, changes }) => {
  const others = texts.reduce<ReturnType<typeof otherSetting>>((all, text) => otherSetting(text, all), []);
  expect(withOthers(own, others)).toEqual({ ...own, ...changes });
});

test.each(["placement", "=cost", "url=x", "placement=cheapest", "idle_timeout=soon", "placement.htc=cost"])(
  "--set %s is refused",
  (text) => {
    expect(() => otherSetting(text)).toThrow(/expected/i);
  },
);

test("--set with a misspelt key names the one that was probably meant", () => {
  expect(() => otherSetting("placment=cost")).toThrow('Did you mean "placement"?');
});
