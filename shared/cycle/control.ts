import type { Cluster, EngineSettings } from "../engine/index.ts";
import { isWritten } from "../errors/errors.ts";
import type { ClusterConfig, ClusterControl, ControlStore, Pause, Ports, Snapshot } from "../ports/index.ts";
import { moment } from "../text/moment.ts";
import { endedEvents, notOver } from "./ended.ts";
import { noteEvents } from "./note-events.ts";

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

/** The decisions that hold now: one that has ended may still be stored. */
export async function loadControl(
  ports: Pick<Ports, "clock" | "controls">,
  cluster: string,
): Promise<ClusterControl> {
  const stored = await ports.controls.load(cluster);
  return stored === undefined ? undecided(cluster) : notOver(stored.value, ports.clock.nowSeconds());
}

/** Identity of what operators have decided, or of what is configured. */
export function digestOf({ ids }: Pick<Ports, "ids">, whole: ClusterControl | ClusterConfig): string {
  const known = knownDigests.get(whole);
  if (known?.ids === ids) return known.digest;
  const digest = ids.digest(JSON.stringify(whole));
  knownDigests.set(whole, { ids, digest });
  return digest;
}

/** Stores give the same object until it changes, and every plan asks. */
const knownDigests = new WeakMap<
  ClusterControl | ClusterConfig,
  { readonly ids: Pick<Ports, "ids">["ids"]; readonly digest: string }
>();

/** When a decision ends, for a sentence: ` until 2026-11-24T08:00:00Z`. Empty: it does not end by itself. */
export function untilText({ untilSeconds }: { readonly untilSeconds?: number | undefined }): string {
  if (untilSeconds === undefined) return "";
  return ` until ${moment(untilSeconds)}`;
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
  { cluster, setAside }: Pick<Snapshot, "cluster" | "setAside">,
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

export function whyPaused(paused: Pause): string {
  return `paused by ${paused.by}${untilText(paused)}: ${paused.reason}`;
}

export type ControlPorts = Pick<Ports, "clock" | "controls" | "events" | "log">;

/**
 * Changes the decisions about a cluster. When another run changes them at the same time, `change` is called again.
 * Those that have ended by themselves go, and leave an event. Returns the decisions that hold now.
 */
export async function changeControl(
  ports: ControlPorts,
  cluster: string,
  change: (control: ClusterControl) => ClusterControl,
): Promise<ClusterControl> {
  const stored = await ports.controls.load(cluster);
  const nowSeconds = ports.clock.nowSeconds();
  const next = change(stored === undefined ? undecided(cluster) : notOver(stored.value, nowSeconds));
  if (next === stored?.value) return next;
  // Events first: if this process dies before the save, the next one notes the same events.
  if (stored !== undefined) await noteEvents(ports, cluster, endedEvents(stored.value, nowSeconds));
  const isSaved = await isWritten(() => ports.controls.save(next, stored?.etag));
  return isSaved ? next : changeControl(ports, cluster, change);
}

/** Decisions as they are when they are first asked for, or when this run has changed them: one beat has one state of them. */
export function decidedOnce(controls: ControlStore): ControlStore {
  const loaded = new Map<string, ReturnType<ControlStore["load"]>>();
  return {
    load: (cluster) => {
      const load = loaded.get(cluster) ?? controls.load(cluster);
      loaded.set(cluster, load);
      return load;
    },
    save: (control, ifMatch) => {
      loaded.delete(control.cluster);
      return controls.save(control, ifMatch);
    },
    refusedLogin: (fingerprint) => controls.refusedLogin(fingerprint),
    saveRefusedLogin: (refused) => controls.saveRefusedLogin(refused),
    changeRefusedLogin: (refused, etag) => controls.changeRefusedLogin(refused, etag),
    forgetRefusedLogin: (fingerprint) => controls.forgetRefusedLogin(fingerprint),
  };
}

/**
 * Takes away decisions that have ended by themselves, and notes an event of each. Throws what the stores throw: while events
 * cannot be kept the decisions stay stored, where they hold no longer, and the next beat notes them.
 */
export async function endDecisions(ports: ControlPorts, cluster: string): Promise<void> {
  const stored = await ports.controls.load(cluster);
  const events = stored === undefined ? [] : endedEvents(stored.value, ports.clock.nowSeconds());
  if (events.length === 0) return;
  await ports.events.note(cluster, events);
  await changeControl(ports, cluster, (control) => control);
  ports.log.info("decisions-ended", { cluster, count: events.length });
}
