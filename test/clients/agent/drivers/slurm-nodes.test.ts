import { expect, test } from "vitest";
import { unknownStates } from "../../../../clients/agent/drivers/slurm/node-states.ts";
import { NodeAmounts } from "../../../../clients/agent/drivers/slurm/shapes.ts";
import { isUsable, toNode } from "../../../../clients/agent/drivers/slurm/slurm-nodes.ts";
import { type NodeRecord, nodeRecord } from "../../../../clients/agent/drivers/slurm/slurm-records.ts";
import { readSlurm, slurmNode } from "./slurm-reading.ts";

const nodeOf = (node: unknown) => posted(nodeRecord.parse(node));

function posted(record: NodeRecord) {
  return toNode(record, new NodeAmounts([record], new Map()).of(record));
}

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
  const resources = { ncpus: 4, ngpus: 0 };
  expect(nodeOf(node)).toEqual({
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
  expect(nodeOf(node)).toMatchObject({
    isOutByOthers: true,
    stateReason: "broken disk",
    stateBy: "root",
    stateSince: "2026-11-21T23:57:26.000Z",
  });
});

test("a time that is none is left out", () => {
  const node = { name: "htc-1", hostname: "a", state_flags: ["DRAIN"], reason_changed_at: 1e300 };
  expect(nodeOf(node)).toEqual({
    hostname: "a",
    resources: { ngpus: 0 },
    state: "drained",
    isOutByOthers: true,
  });
});

/** Every state of a node, and every flag beside it, that Slurm 22.05 to 26.05 prints. */
const host = { name: "htc-1", hostname: "ip-1", address: "ip-1", slurmd_version: "22.05.8", state: ["IDLE"] };
test.each([
  ["up", "IDLE ALLOCATED MIXED CLOUD COMPLETING DYNAMIC_NORM PLANNED POWER_UP REBOOT_REQUESTED"],
  ["up", "REBOOT_CANCELED CANCEL_REBOOT RESUME UNDRAIN"],
  ["none", "DOWN ERROR FUTURE UNKNOWN DYNAMIC_FUTURE EXTERNAL INVALID_REG NOT_RESPONDING"],
  ["none", "POWERED_DOWN POWERING_DOWN POWERING_UP"],
  ["drained", "DRAIN FAIL POWER_DOWN POWER_DRAIN"],
  ["draining", "MAINTENANCE RESERVED BLOCKED REBOOT_ISSUED"],
])("an idle host is %s in each of the states %s", (expected, list) => {
  const rows = list.split(" ").map((state) => {
    const record = nodeRecord.parse({ ...host, state: ["IDLE", state] });
    return [state, isUsable(record) ? posted(record).state : "none", unknownStates(record)];
  });
  expect(rows).toEqual(list.split(" ").map((state) => [state, expected, []]));
});

test("a state of a newer release is left aside, and the log names it", () => {
  const node = slurmNode(1, { state: ["IDLE", "SPARKLING"] });
  expect(readSlurm({ jobs: [], nodes: [node] })).toMatchObject({
    nodes: [{ hostname: "ip-1", state: "up" }],
    setAside: [{ record: "node htc-1", reason: 'state "SPARKLING" is not known, left aside' }],
  });
});

test("a host in a maintenance reservation is out by others, with its state as the reason", () => {
  const record = nodeRecord.parse({ ...host, state: ["IDLE", "MAINTENANCE"] });
  expect(posted(record)).toMatchObject({
    state: "draining",
    isOutByOthers: true,
    stateReason: "state MAINTENANCE",
  });
});
