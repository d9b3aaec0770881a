import type { Notice } from "../../../shared/ports/index.ts";

export function noticeOf(fields: Partial<Notice> = {}): Notice {
  return {
    id: "i-1-begun",
    incident: "i-1",
    phase: "begun",
    to: "OPS_WEBHOOK",
    cluster: "hpc",
    kind: "boots-failing",
    problem: "boots-failing",
    subject: "gpu",
    text: 'Node array "gpu" gets no new nodes for 600 s.',
    next: "Look at a failed node's messages in CycleCloud.",
    command: "ccscale nodes --cluster hpc --nodearray gpu",
    sinceSeconds: 1_800_000_000,
    atSeconds: 1_800_000_000,
    ...fields,
  };
}
