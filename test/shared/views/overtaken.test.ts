import { describe, expect, test } from "vitest";
import type { Operation } from "../../../shared/ports/index.ts";
import { isOvertaken, type Since } from "../../../shared/views/overtaken.ts";
import { clusterOf, nodeOf } from "../../support/cluster.ts";

const failedAt = 1_000;
const sizes = { htc: { nodeArray: "htc", vmSize: "F4" }, hpc: { nodeArray: "hpc", vmSize: "HB" } };

type Size = keyof typeof sizes;
type Given = Partial<Omit<Operation, "action">>;

function operation(action: object, given: Given): Operation {
  const fields = { actionId: "failed", state: "failed", createdAtSeconds: 990, updatedAtSeconds: failedAt };
  return { ...fields, ...given, action: { planId: "plan-1", ...action } } as unknown as Operation;
}

function creation(of: readonly Size[], given: Given = {}, planId: string | null = "plan-1"): Operation {
  return operation({ kind: "create-nodes", planId, sets: of.map((size) => sizes[size]) }, given);
}

function restart(nodeIds: readonly string[], given: Given = {}, planId: string | null = null): Operation {
  return operation({ kind: "restart-nodes", planId, nodes: nodeIds.map((nodeId) => ({ nodeId })) }, given);
}

function headOf(given: Partial<Since["head"]> = {}): Since["head"] {
  const fields = { atSeconds: failedAt + 1, waiting: [], targets: [], backedOff: [] };
  return { ...fields, ...given } as unknown as Since["head"];
}

const short = { waiting: [{ name: "1", asked: 2, granted: 1, reasons: [] }] };
const newer = (state: Operation["state"]) => ({ actionId: "newer", state });
const closed = { ...sizes.htc, why: "", untilSeconds: failedAt + 100 };

interface Row {
  readonly name: string;
  readonly failed: Operation;
  readonly newer?: readonly Operation[];
  readonly head?: Since["head"];
  readonly nodeIds?: readonly string[];
  readonly nowSeconds?: number;
  readonly overtaken: boolean;
}

describe("isOvertaken", () => {
  test.each<Row>([
    { name: "right after", failed: creation(["htc"]), overtaken: false },
    {
      name: "a newer create of the same sizes, and more",
      failed: creation(["htc"]),
      newer: [creation(["hpc", "htc"], newer("sent"))],
      overtaken: true,
    },
    {
      name: "a newer create of a part of the sizes",
      failed: creation(["hpc", "htc"]),
      newer: [creation(["hpc"], newer("visible"))],
      overtaken: false,
    },
    {
      name: "a newer create that asked nothing",
      failed: creation(["htc"]),
      newer: [creation(["htc"], newer("dropped"))],
      overtaken: false,
    },
    {
      name: "a later plan with nothing short",
      failed: creation(["htc"]),
      head: headOf({ backedOff: [closed] }),
      overtaken: true,
    },
    {
      name: "the plan before it",
      failed: creation(["htc"]),
      head: headOf({ atSeconds: failedAt - 5 }),
      overtaken: false,
    },
    {
      name: "a later plan with jobs that wait while the size is backed off",
      failed: creation(["htc"]),
      head: headOf({ ...short, backedOff: [closed] }),
      overtaken: false,
    },
    {
      name: "a later plan that could have asked again, and did not",
      failed: creation(["htc"]),
      head: headOf({ ...short, backedOff: [{ ...closed, untilSeconds: failedAt + 2 }] }),
      overtaken: true,
    },
    {
      name: "an operator's create: a later plan says nothing about it",
      failed: creation(["htc"], {}, null),
      head: headOf(),
      overtaken: false,
    },
    {
      name: "an operator's create, a day later",
      failed: creation(["htc"], {}, null),
      nowSeconds: failedAt + 86_400,
      overtaken: true,
    },
    {
      name: "nodes of which one is there",
      failed: restart(["a", "b"]),
      nodeIds: ["b"],
      overtaken: false,
    },
    { name: "nodes that are gone", failed: restart(["a", "b"]), nodeIds: ["c"], overtaken: true },
    {
      name: "nodes about which something else was asked",
      failed: restart(["a"]),
      newer: [operation({ kind: "reimage-nodes", nodes: [{ nodeId: "a" }] }, newer("visible"))],
      nodeIds: ["a"],
      overtaken: false,
    },
    {
      name: "a plan's action on nodes, after a later plan",
      failed: restart(["a"], {}, "plan-1"),
      head: headOf(short),
      nodeIds: ["a"],
      overtaken: true,
    },
  ])("$name: $overtaken", ({ failed, newer = [], head, nodeIds, nowSeconds = failedAt + 10, overtaken }) => {
    const nodes = nodeIds?.map((nodeId) => nodeOf({ nodeId, name: nodeId }));
    const cluster = nodes === undefined ? undefined : clusterOf({ nodes });
    const older = creation(["htc"], { actionId: "older" });
    const operations = [...newer, failed, older];
    expect(isOvertaken(failed, { operations, head, cluster, nowSeconds })).toBe(overtaken);
  });
});
