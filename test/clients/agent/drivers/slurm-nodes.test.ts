import { expect, test } from "vitest";
import { toNode } from "../../../../clients/agent/drivers/slurm/slurm-nodes.ts";
import { nodeRecord } from "../../../../clients/agent/drivers/slurm/slurm-records.ts";

test.each([
  ["ours is an answer to an event", "cyclecloud drain", {}],
  ["somebody else's is none", "broken disk", { isOutByOthers: true, stateReason: "broken disk" }],
  ["one without a reason is none", "", { isOutByOthers: true }],
])("a drain: %s", (_, reason, expected) => {
  const node = {
    name: "htc-1",
    hostname: "ip-0A000005",
    state: "idle",
    state_flags: ["DRAIN"],
    reason,
    cpus: 4,
  };
  const resources = { ncpus: 4 };
  expect(toNode(nodeRecord.parse(node))).toEqual({
    hostname: "ip-0A000005",
    resources,
    state: "drained",
    ...expected,
  });
});

test("who drained a node, why and since when are told in Slurm's words", () => {
  const node = {
    name: "htc-1",
    hostname: "ip-0A000005",
    state: ["IDLE", "DRAIN"],
    cpus: 4,
    reason: "broken disk",
    reason_set_by_user: "root",
    reason_changed_at: { set: true, infinite: false, number: 1_795_305_446 },
  };
  expect(toNode(nodeRecord.parse(node))).toMatchObject({
    isOutByOthers: true,
    stateReason: "broken disk",
    stateBy: "root",
    stateSince: "2026-11-21T23:57:26.000Z",
  });
});

test("a time that is none is left out", () => {
  const node = { name: "htc-1", hostname: "a", state_flags: ["DRAIN"], reason_changed_at: 1e300 };
  expect(toNode(nodeRecord.parse(node))).toEqual({
    hostname: "a",
    resources: {},
    state: "drained",
    isOutByOthers: true,
  });
});
