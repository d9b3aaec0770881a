import { expect, test } from "vitest";
import { holdFields, holdsOf } from "../../../../clients/cli/output/held-nodes.ts";
import type { ClusterStatus, NodeView } from "../../../../shared/api/index.ts";

const now = 1_800_000_000;

function nodeOf(name: string, fields: Partial<NodeView>): NodeView {
  const base = {
    name,
    nodeId: name,
    nodeArray: "htc",
    state: "Ready",
    keepAlive: false,
    kept: [],
    ignored: false,
  };
  return { ...base, draining: null, ...fields } as NodeView;
}

const drain = { nodeId: "1", hostname: null, toldSeconds: null, phase: "draining" } as const;
const draining: ClusterStatus["draining"] = [
  {
    ...drain,
    name: "htc-2",
    sinceSeconds: now - 60,
    by: "bob",
    why: "disk errors",
    source: null,
    untilSeconds: now + 3_600,
  },
  { ...drain, name: "htc-3", sinceSeconds: now - 60, by: "root", why: "bad fan", source: "slurm" },
];

const ignoredNodes: ClusterStatus["ignoredNodes"] = [
  { nodeId: "7", name: "htc-7", by: "eve", reason: "with the vendor", atSeconds: now - 30 },
];

test("nodes that are kept, drained and ignored, each with who wants it so; the others are left out", () => {
  const kept = {
    kind: "keep-alive" as const,
    by: "ann",
    reason: "a user debugs there",
    sinceSeconds: now - 10,
    untilSeconds: now + 172_800,
  };
  const spare = { ...kept, kind: "spare" as const, by: "spare nodes of htc", untilSeconds: null };
  const phase = { phase: "draining", sinceSeconds: now - 90, reason: "idle" } as const;
  const nodes = [
    nodeOf("htc-1", { keepAlive: true, kept: [kept] }),
    nodeOf("htc-2", { draining: phase }),
    nodeOf("htc-3", { draining: phase }),
    nodeOf("htc-4", { draining: phase }),
    nodeOf("htc-5", { ignored: true, keepAlive: true, kept: [{ ...kept, by: "CycleCloud" }, spare] }),
    nodeOf("htc-6", {}),
    nodeOf("htc-7", { nodeId: "7", ignored: true }),
  ];
  const rows = holdsOf(nodes, { draining, ignoredNodes }).map((hold) => {
    const { name, held, by, since, ends, why } = holdFields(hold, now);
    return [name, held, by, since, ends, why];
  });
  expect(rows).toEqual([
    ["htc-1", "kept alive", "ann", "10s ago", "in 2d", "a user debugs there"],
    ["htc-2", "draining", "bob", "1m ago", "in 1h", "disk errors"],
    ["htc-3", "draining", "root in slurm", "1m ago", null, "bad fan"],
    // The status lists the first ones only.
    ["htc-4", "draining", null, "1m30s ago", null, "idle"],
    ["htc-5", "kept alive", "CycleCloud", "10s ago", "in 2d", "a user debugs there"],
    ["htc-5", "kept", "spare nodes of htc", "10s ago", null, "a user debugs there"],
    ["htc-5", "ignored", null, null, null, "ignored_nodes of the configuration"],
    ["htc-7", "ignored", "eve", "30s ago", null, "with the vendor"],
  ]);
});
