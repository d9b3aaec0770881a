import type { ClusterStatus, NodeView } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import type { Narrowing } from "./fit-table.ts";
import { ago } from "./moments.ts";

/** Why a node is not the autoscaler's to use or to delete. A node may have several. */
export interface Hold {
  readonly name: string;
  readonly nodearray: string;
  readonly state: string | null;
  readonly held: "kept alive" | "kept" | "deallocated" | "draining" | "undraining" | "ignored";
  /** Null: unknown. */
  readonly by: string | null;
  readonly sinceSeconds: number | null;
  /** When it ends by itself; null: it must be ended by an operator. */
  readonly untilSeconds: number | null;
  readonly why: string | null;
}

export const heldColumns = columnsOf("name,held,by:-,since:-,ends:-,state:-,why:-");

export const heldNarrowing: Narrowing = {
  goFirst: ["STATE"],
  whole: ["NAME", "HELD"],
  sentence: "WHY",
};

/** Kept, drained and ignored nodes, with who wants it so, and why, as far as the status says. */
export function holdsOf(nodes: readonly NodeView[], status: HoldStatus): readonly Hold[] {
  const drains = new Map(status.draining.map((drain) => [drain.name, drain]));
  const ignored = new Map(status.ignoredNodes.map((decision) => [decision.nodeId, decision]));
  return nodes.flatMap((node) => [
    ...node.kept.map((keeper) => keptHold(node, keeper)),
    ...(node.draining === null ? [] : [drainHold(node, drains.get(node.name))]),
    ...(node.ignored ? [ignoredHold(node, ignored.get(node.nodeId ?? ""))] : []),
  ]);
}

type HoldStatus = Pick<ClusterStatus, "draining" | "ignoredNodes">;
type Keeper = NodeView["kept"][number];
type Drain = HoldStatus["draining"][number];
type Ignored = HoldStatus["ignoredNodes"][number];

const nobody = { by: null, sinceSeconds: null, untilSeconds: null, why: null } as const;

function about({ name, nodeArray, state }: NodeView): Pick<Hold, "name" | "nodearray" | "state"> {
  return { name, nodearray: nodeArray, state };
}

const heldWords: Readonly<Record<Keeper["kind"], Hold["held"]>> = {
  "keep-alive": "kept alive",
  target: "kept",
  spare: "kept",
  failed: "kept",
  deallocated: "deallocated",
};

function keptHold(node: NodeView, { kind, by, reason, sinceSeconds, untilSeconds }: Keeper): Hold {
  return { ...about(node), held: heldWords[kind], by, sinceSeconds, untilSeconds, why: reason };
}

/** A node without an operator's decision is in `ignored_nodes` of the configuration. */
function ignoredHold(node: NodeView, decision: Ignored | undefined): Hold {
  const base = { ...about(node), held: "ignored" } as const;
  if (decision === undefined) return { ...base, ...nobody, why: "ignored_nodes of the configuration" };
  const { by, reason, atSeconds, untilSeconds = null } = decision;
  return { ...base, by, sinceSeconds: atSeconds, untilSeconds, why: reason };
}

/** The status has the drain's own record; a node that it does not list is drained all the same. */
function drainHold(node: NodeView, drain: Drain | undefined): Hold {
  const held = node.draining?.phase ?? "draining";
  if (drain === undefined)
    return {
      ...about(node),
      ...nobody,
      held,
      sinceSeconds: node.draining?.sinceSeconds ?? null,
      why: node.draining?.reason ?? null,
    };
  const { by, source, why, sinceSeconds, untilSeconds = null } = drain;
  const who = source === null ? by : `${by} in ${source}`;
  return { ...about(node), held, by: who, sinceSeconds, untilSeconds, why };
}

export function holdFields(hold: Hold, nowSeconds: number): Fields {
  const when = (seconds: number | null) => (seconds === null ? null : ago(seconds, nowSeconds));
  return { ...hold, since: when(hold.sinceSeconds), ends: when(hold.untilSeconds) };
}
