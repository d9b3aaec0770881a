import type { ClusterControl, NotedEvent, NotedKind, Pause } from "../ports/index.ts";
import { eventsOf } from "./note-events.ts";

/** A decision that may end by itself. */
type Ending = Pick<Pause, "untilSeconds">;

/** Without the decisions that have ended by themselves; the same object when none has. */
export function notOver(control: ClusterControl, nowSeconds: number): ClusterControl {
  const holds = (decision: Ending) => !isOver(decision, nowSeconds);
  if (endings(control).every(holds)) return control;
  return {
    ...control,
    paused: control.paused !== null && holds(control.paused) ? control.paused : null,
    ignoredNodes: control.ignoredNodes.filter(holds),
    drainedNodes: control.drainedNodes.filter(holds),
    keptNodes: control.keptNodes.filter(holds),
  };
}

/** When the next decision ends by itself: a plan is due then. Null: none does. */
export function nextEndSeconds(control: ClusterControl): number | null {
  const ends = endings(control).flatMap(({ untilSeconds }) => untilSeconds ?? []);
  return ends.length === 0 ? null : ends.reduce((first, end) => Math.min(first, end));
}

/**
 * What `notOver` leaves out, as events of the moments at which it ended. They are the same whoever finds them and whenever:
 * noting them again changes nothing.
 */
export function endedEvents(control: ClusterControl, nowSeconds: number): readonly NotedEvent[] {
  const { paused, ignoredNodes, drainedNodes, keptNodes } = control;
  return [
    ...(paused === null || !isOver(paused, nowSeconds) ? [] : ended("resume", "pause", paused)),
    ...ofNodes("undrain", "drain", drainedNodes),
    ...ofNodes("release", "keep-alive", keptNodes),
    ...ofNodes("unignore", "ignore", ignoredNodes),
  ];

  function ofNodes(kind: NotedKind, what: string, decided: ClusterControl["drainedNodes"]) {
    return decided
      .filter((each) => isOver(each, nowSeconds))
      .flatMap((each) => ended(kind, what, each, each));
  }
}

function ended(
  kind: NotedKind,
  what: string,
  { by, reason, untilSeconds = 0 }: Pause,
  node: { readonly nodeId: string; readonly name: string } | null = null,
): readonly NotedEvent[] {
  const words = `the ${what} by ${by} ended by itself (${reason})`;
  const about = { kind, by: "the autoscaler", reason: words, atSeconds: untilSeconds };
  return eventsOf(about, node === null ? null : [{ nodeId: node.nodeId, name: node.name }]);
}

function isOver({ untilSeconds = Number.POSITIVE_INFINITY }: Ending, nowSeconds: number): boolean {
  return untilSeconds <= nowSeconds;
}

function endings({ paused, ignoredNodes, drainedNodes, keptNodes }: ClusterControl): readonly Ending[] {
  return [...(paused === null ? [] : [paused]), ...ignoredNodes, ...drainedNodes, ...keptNodes];
}
