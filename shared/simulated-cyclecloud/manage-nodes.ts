import { type Cluster, nodeArrayOf } from "./cluster.ts";
import { drawBoot } from "./draw-boot.ts";
import { deallocate, reboot, redirect, type Step, stepAt, terminate } from "./node-life.ts";
import type { SimulatedNode } from "./simulated-node.ts";

export const verbs = [
  "start",
  "deallocate",
  "shutdown",
  "terminate",
  "remove",
  "reimage",
  "restart",
] as const;

export type Verb = (typeof verbs)[number];

/** One node's answer: its new future, nothing to do, or why not. */
export type Managed =
  | { readonly kind: "redirected"; readonly node: SimulatedNode }
  | { readonly kind: "as-wished" }
  | { readonly kind: "refused"; readonly error: string };

/** What a verb would do to a node now; the caller puts the node back. */
export function manageNode(
  cluster: Cluster,
  node: SimulatedNode,
  { verb, at }: { readonly verb: Verb; readonly at: number },
): Managed {
  const step = stepAt(node.life, at);
  switch (verb) {
    case "start":
      return start(cluster, node, step, at);
    case "terminate":
    case "remove":
      return end(cluster, node, step, at);
    case "deallocate":
      return stop(cluster, node, step, at);
    case "shutdown":
      return node.shutdownPolicy === "Deallocate"
        ? stop(cluster, node, step, at)
        : end(cluster, node, step, at);
    case "restart":
      return renew(cluster, node, step, { at, status: "Restarting" });
    case "reimage":
      return renew(cluster, node, step, { at, status: "Reimaging" });
  }
}

/** Boots a Failed node again. */
export function retryNode(cluster: Cluster, node: SimulatedNode, at: number): SimulatedNode {
  return bootAgain(cluster, node, { at, kind: "boot" });
}

/** CycleCloud checks no limit of its own here; Azure checks the quotas. */
function start(cluster: Cluster, node: SimulatedNode, { status, target }: Step, at: number): Managed {
  if (status === "Deallocated" || status === "Terminated") {
    return { kind: "redirected", node: bootAgain(cluster, node, { at, kind: "start" }) };
  }
  return target === "Started" && status !== "Failed" ? { kind: "as-wished" } : refused("start", node, status);
}

function end(cluster: Cluster, node: SimulatedNode, step: Step, at: number): Managed {
  if (step.target === "Terminated") return { kind: "as-wished" };
  if (node.keepAlive) return kept("terminate", node);
  const terminateSeconds = cluster.random.seconds(timesOf(cluster, node).terminate);
  // A node without a VM has nothing to wait for.
  const wait = step.status === "Acquiring" ? 0 : terminateSeconds;
  return redirected(node, at, terminate({ at, from: step, terminateSeconds: wait, fixed: node.fixed }));
}

function stop(cluster: Cluster, node: SimulatedNode, step: Step, at: number): Managed {
  if (step.target === "Deallocated") return { kind: "as-wished" };
  if (step.target === "Terminated") return refused("deallocate", node, step.status);
  if (node.keepAlive) return kept("deallocate", node);
  return redirected(
    node,
    at,
    deallocate(at, step, cluster.random.seconds(timesOf(cluster, node).deallocate)),
  );
}

function renew(
  cluster: Cluster,
  node: SimulatedNode,
  { status, holdsCores }: Step,
  { at, status: next }: { readonly at: number; readonly status: "Restarting" | "Reimaging" },
): Managed {
  const hasVm = status === "Ready" || (status === "Failed" && holdsCores);
  if (!hasVm) return refused(next === "Restarting" ? "restart" : "reimage", node, status);
  return redirected(node, at, reboot(at, next, cluster.random.seconds(timesOf(cluster, node).start)));
}

function bootAgain(
  cluster: Cluster,
  node: SimulatedNode,
  { at, kind }: { readonly at: number; readonly kind: "boot" | "start" },
): SimulatedNode {
  // A failed node that still has its VM needs no more quota than it has.
  const checksQuota = !stepAt(node.life, at).holdsCores;
  return {
    ...node,
    life: redirect(node.life, at, drawBoot(cluster, { bucket: node.bucket, at, kind, checksQuota })),
  };
}

function timesOf(cluster: Cluster, { bucket }: SimulatedNode) {
  return nodeArrayOf(cluster, bucket.nodearray)?.times ?? cluster.definition.times;
}

function redirected(node: SimulatedNode, at: number, future: readonly Step[]): Managed {
  return { kind: "redirected", node: { ...node, life: redirect(node.life, at, future) } };
}

function kept(verb: string, { name }: SimulatedNode): Managed {
  return { kind: "refused", error: `Cannot ${verb} node "${name}": KeepAlive is set, expected it off` };
}

function refused(verb: string, { name }: SimulatedNode, status: string): Managed {
  return { kind: "refused", error: `Cannot ${verb} node "${name}": its status is ${status}` };
}
