import { expect, test } from "vitest";
import { toNode } from "../../../shared/schedulers/slurm-nodes.ts";
import { nodeRecord } from "../../../shared/schedulers/slurm-records.ts";

test.each([
  ["ours is an answer to an event", "cyclecloud drain", {}],
  ["somebody else's is none", "broken disk", { isOutByOthers: true }],
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
