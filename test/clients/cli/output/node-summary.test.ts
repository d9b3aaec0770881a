import { expect, test } from "vitest";
import { isIdle, summaryOf, summaryTotal } from "../../../../clients/cli/output/node-summary.ts";
import type { NodeView } from "../../../../shared/api/index.ts";
import { idleNode } from "./first-node.ts";

/** An idle node with a size and a price. */
async function pricedNode(): Promise<NodeView> {
  const { node } = await idleNode();
  return { ...node, vcpuCount: 4, usdPerHour: 0.25 };
}

test("a row for each array, state and size; nodes at rest cost nothing, and an unknown price is no zero", async () => {
  const node = await pricedNode();
  const nodes: readonly NodeView[] = [
    node,
    { ...node, jobs: [{ job: "1", slots: 1 }] },
    { ...node, usdPerHour: null },
    { ...node, state: "Deallocated", targetState: "Deallocated", idleSinceSeconds: null },
    { ...node, nodeArray: "viz", usdPerHour: null, vcpuCount: null },
  ];
  const { nodeArray, vmSize } = node;
  expect(summaryOf(nodes, 0)).toEqual([
    {
      nodearray: nodeArray,
      state: "Deallocated",
      vm_size: vmSize,
      nodes: 1,
      cores: 4,
      idle: 0,
      usd_per_hour: 0,
      unpriced: 0,
    },
    {
      nodearray: nodeArray,
      state: "Ready",
      vm_size: vmSize,
      nodes: 3,
      cores: 12,
      idle: 2,
      usd_per_hour: 0.5,
      unpriced: 1,
    },
    {
      nodearray: "viz",
      state: "Ready",
      vm_size: vmSize,
      nodes: 1,
      cores: null,
      idle: 1,
      usd_per_hour: null,
      unpriced: 1,
    },
  ]);
  expect(summaryTotal(nodes)).toMatchObject({ nodes: 5, cores: 16, idle: 3, usd_per_hour: 0.5, unpriced: 2 });
});

test("idle is a node that is up and has no job", async () => {
  const node = await pricedNode();
  expect(isIdle(node)).toBe(true);
  expect(isIdle({ ...node, jobs: [{ job: "1", slots: 1 }] })).toBe(false);
  expect(isIdle({ ...node, idleSinceSeconds: null })).toBe(false);
});
