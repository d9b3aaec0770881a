import type { Cluster, EngineSettings } from "../engine/index.ts";
import { kindOf } from "../errors.ts";
import type { ClusterConfig, ClusterControl, Pause, Ports, Snapshot } from "../ports/index.ts";

/** No decision about the cluster: nothing is held. */
export function undecided(cluster: string): ClusterControl {
  return {
    cluster,
    paused: null,
    refusedLogin: null,
    ignoredNodes: [],
    drainedNodes: [],
    keptNodes: [],
    rolling: null,
  };
}

export async function loadControl(ports: Pick<Ports, "controls">, cluster: string): Promise<ClusterControl> {
  return (await ports.controls.load(cluster))?.value ?? undecided(cluster);
}

/** The engine's settings with the nodes that operators ignore, by id. */
export function withIgnored(settings: EngineSettings, { ignoredNodes }: ClusterControl): EngineSettings {
  if (ignoredNodes.length === 0) return settings;
  const ids = ignoredNodes.map(({ nodeId }) => nodeId);
  return { ...settings, ignoredNodes: [...settings.ignoredNodes, ...ids] };
}

/**
 * The cluster that CycleCloud reports, with the nodes that operators keep alive. Plans and the check before a deletion
 * use this cluster. Only comparisons with CycleCloud's own record do not.
 */
export function withKept<T extends { readonly cluster: Cluster }>(
  reported: T,
  { keptNodes }: ClusterControl,
): T {
  if (keptNodes.length === 0) return reported;
  const { cluster } = reported;
  const ids = new Set(keptNodes.map(({ nodeId }) => nodeId));
  const nodes = cluster.nodes.map((node) => (ids.has(node.nodeId) ? { ...node, keepAlive: true } : node));
  return { ...reported, cluster: { ...cluster, nodes } };
}

/**
 * The decisions about nodes that still exist: ids are never used again. While a node's record cannot be read, it may be
 * any of them, so no decision is dropped.
 */
export function stillThere<T extends { readonly nodeId: string }>(
  decided: readonly T[],
  { cluster, setAside }: Snapshot,
): readonly T[] {
  if (setAside.length > 0) return decided;
  const there = new Set(cluster.nodes.map(({ nodeId }) => nodeId));
  return decided.filter(({ nodeId }) => there.has(nodeId));
}

/**
 * Why nothing may be sent; undefined: sending is allowed. A plan that is held is made again once sending is allowed.
 */
export function whyHeld(config: ClusterConfig, control: ClusterControl): string | undefined {
  if (config.cycle.readOnly) return "the cluster is read-only";
  const { paused, refusedLogin } = control;
  if (paused !== null) return whyPaused(paused);
  return refusedLogin === null ? undefined : "CycleCloud refused the login";
}

export function whyPaused({ by, reason }: Pause): string {
  return `paused by ${by}: ${reason}`;
}

/**
 * Changes the decisions about a cluster. When somebody else changes them at the same moment, `change` is called again.
 * Returns the decisions that hold now.
 */
export async function changeControl(
  ports: Pick<Ports, "controls">,
  cluster: string,
  change: (control: ClusterControl) => ClusterControl,
): Promise<ClusterControl> {
  const stored = await ports.controls.load(cluster);
  const next = change(stored?.value ?? undecided(cluster));
  if (next === stored?.value) return next;
  try {
    await ports.controls.save(next, stored?.etag);
    return next;
  } catch (error) {
    if (kindOf(error) !== "conflict") throw error;
    return changeControl(ports, cluster, change);
  }
}
