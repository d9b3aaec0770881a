import type { NodeView } from "../../../shared/api/index.ts";
import type { Fields } from "../../columns/evaluate.ts";
import { columnsOf } from "../../columns/parse-columns.ts";
import { nodeFields } from "./node-fields.ts";

export const summaryColumns = columnsOf("nodearray,state,vm_size,nodes,cores:-,idle:-,usd_per_hour:-");

export interface NodeGroup {
  readonly nodearray: string;
  readonly state: string;
  readonly vm_size: string;
  readonly nodes: number;
  /** Null: no node of them has a known count. */
  readonly cores: number | null;
  /** How many have no job. */
  readonly idle: number;
  /** List prices of those that have, or soon have, a VM. Null: no price is known. */
  readonly usd_per_hour: number | null;
  /** Nodes that cost money but have no known price: the sum leaves them out. */
  readonly unpriced: number;
}

/** A row for each array, state and size, in that order. */
export function summaryOf(nodes: readonly NodeView[], nowSeconds: number): readonly NodeGroup[] {
  const keyed = nodes.map((node) => {
    const { state } = nodeFields(node, nowSeconds);
    return { node, keys: { nodearray: node.nodeArray, state: String(state), vm_size: node.vmSize } };
  });
  const groups = [...Map.groupBy(keyed, ({ keys }) => JSON.stringify(Object.values(keys))).entries()];
  return groups
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, members]) => {
      const [first] = members;
      return first === undefined ? [] : [{ ...first.keys, ...totalsOf(members.map(({ node }) => node)) }];
    });
}

type Totals = Omit<NodeGroup, "nodearray" | "state" | "vm_size">;

function totalsOf(nodes: readonly NodeView[]): Totals {
  const paid = nodes.filter(isPaid);
  const prices = paid.flatMap(({ usdPerHour }) => usdPerHour ?? []);
  const cores = nodes.flatMap(({ vcpuCount }) => vcpuCount ?? []);
  return {
    nodes: nodes.length,
    cores: cores.length === 0 ? null : sum(cores),
    idle: nodes.filter(isIdle).length,
    usd_per_hour: paid.length > 0 && prices.length === 0 ? null : sum(prices),
    unpriced: paid.length - prices.length,
  };
}

export function summaryTotal(nodes: readonly NodeView[]): NodeGroup {
  return { nodearray: "TOTAL", state: "", vm_size: "", ...totalsOf(nodes) };
}

/** As a table shows it: dollars with cents. */
export function summaryFields(group: NodeGroup): Fields {
  return { ...group, usd_per_hour: group.usd_per_hour?.toFixed(2) ?? null, idle: group.idle || null };
}

/** Up, without a job. */
export function isIdle({ idleSinceSeconds, jobs }: NodeView): boolean {
  return idleSinceSeconds !== null && jobs.length === 0;
}

/** A node that reached Deallocated, Terminated or Off costs nothing; a host on premise has no price to look for. */
function isPaid({ origin, state, targetState }: NodeView): boolean {
  const isAtRest = targetState !== null && targetState !== "Started" && state === targetState;
  return origin !== "on-premise" && !isAtRest;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
