import { isIgnored, isLeftOut } from "../ledger/left-alone.ts";
import type { ClusterNode, NodeArray } from "../model/bucket.ts";
import { madeAt, type NodeHistory } from "../model/history.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Retirement, Warning } from "../model/plan-result.ts";
import { type DeallocateSettings, type EngineSettings, forNodeArray } from "../model/settings.ts";

/** Why nodes of an array are not deallocated, whatever is set; null: nothing is known that forbids it. */
function whyNever({ name, spot, ephemeralOsDisk }: NodeArray): string | null {
  if (spot) return `Nodes of "${name}" are not deallocated: they are Spot nodes, which Azure deletes`;
  return ephemeralOsDisk === true
    ? `Nodes of "${name}" are not deallocated: their OS disk is ephemeral and lost with the VM`
    : null;
}

/** Arrays whose own setting has no effect, which only CycleCloud's answer shows. */
export function neverDeallocated({ cluster, settings }: PlanInput): readonly Warning[] {
  const named = Object.keys(settings.deallocate?.byNodeArray ?? {});
  return cluster.nodeArrays.flatMap((array) => {
    const why = named.includes(array.name) ? whyNever(array) : null;
    return why === null ? [] : [{ code: "never-deallocated", subject: array.name, message: why }];
  });
}

/** How many nodes of an array are deallocated instead of deleted; null: none. */
export function deallocatedIn(
  { deallocate }: Pick<EngineSettings, "deallocate">,
  array: NodeArray,
): DeallocateSettings | null {
  if (deallocate === undefined || whyNever(array) !== null) return null;
  return forNodeArray(deallocate, array.name);
}

/**
 * The nodes that go, each with how: idle ones are deallocated while there is room, and further ones go that are deallocated for
 * too long or too many. `history` is as observed in this pass; `wantedIds` are the nodes that the plan starts or that have been
 * asked to start. Nodes that take no jobs (`closedIds`) come last: one that its scheduler holds does not go, and must not take the
 * place of one that does.
 */
export function withDeallocated(
  retire: readonly Retirement[],
  input: PlanInput,
  seen: {
    readonly history: ReadonlyMap<string, NodeHistory>;
    readonly wantedIds: ReadonlySet<string>;
    readonly closedIds: ReadonlySet<string>;
  },
): readonly Retirement[] {
  const { cluster, settings } = input;
  if (settings.deallocate === undefined) return retire;
  const stocks = new Map(
    cluster.nodeArrays.flatMap((array) => {
      const most = array.enabled ? deallocatedIn(settings, array) : null;
      return most === null ? [] : [[array.name, stockOf(input, array, most)] as const];
    }),
  );
  const isOld = (nodeId: string, { maxAgeSeconds }: DeallocateSettings) => {
    const row = seen.history.get(nodeId);
    return row !== undefined && madeAt(row) < input.nowSeconds - maxAgeSeconds;
  };
  const spotIds = new Set(cluster.nodes.flatMap(({ nodeId, spot }) => (spot ? [nodeId] : [])));
  const closedLast = retire.toSorted(
    (a, b) => Number(seen.closedIds.has(a.nodeId)) - Number(seen.closedIds.has(b.nodeId)),
  );
  const kept = new Set(
    closedLast.filter(({ nodeId, nodeArray, cause }) => {
      const stock = stocks.get(nodeArray);
      if (stock === undefined || cause !== "idle-timeout" || stock.room <= 0) return false;
      if (spotIds.has(nodeId) || isOld(nodeId, stock)) return false;
      stock.room--;
      return true;
    }),
  );
  const going = retire.map((retirement): Retirement => {
    if (!stocks.has(retirement.nodeArray)) return retirement;
    return { ...retirement, verb: kept.has(retirement) ? "deallocate" : "terminate" };
  });
  const surplus = [...stocks.values()].flatMap(({ asleep, array, ...stock }) => {
    const since = ({ nodeId }: ClusterNode) => seen.history.get(nodeId)?.deletedSeconds ?? null;
    const free = asleep
      .filter((node) => isFree(node, array, settings) && !seen.wantedIds.has(node.nodeId))
      .toSorted((a, b) => (since(a) ?? 0) - (since(b) ?? 0));
    const old = free.filter(({ nodeId }) => isOld(nodeId, stock));
    const others = free.filter((node) => !old.includes(node));
    const beyond = Math.max(0, asleep.length - old.length - stock.most);
    return [...old, ...others.slice(0, beyond)].map((node): Retirement => {
      const { nodeId, name, nodeArray, hostname } = node;
      const sinceSeconds = since(node) ?? input.nowSeconds;
      return { nodeId, name, nodeArray, hostname, cause: "deallocated", sinceSeconds, verb: "terminate" };
    });
  });
  return [...going, ...surplus];
}

/** The deallocated nodes of an array, without those on their way out, and how many more there may be. */
interface Stock extends DeallocateSettings {
  readonly array: NodeArray;
  readonly asleep: readonly ClusterNode[];
  room: number;
}

/** A start may fail and a deletion may be refused, so a node takes its place until a snapshot shows that it is up or gone. */
function stockOf(
  { cluster, leavingNodeIds, deallocatingNodeIds = [] }: PlanInput,
  array: NodeArray,
  settings: DeallocateSettings,
): Stock {
  const [leaving, deallocating] = [new Set(leavingNodeIds), new Set(deallocatingNodeIds)];
  const nodes = cluster.nodes.filter(({ nodeArray }) => nodeArray === array.name);
  const asleep = nodes.filter(({ targetState }) => targetState === "Deallocated");
  const coming = nodes.filter(
    ({ nodeId, targetState }) => targetState === "Started" && deallocating.has(nodeId),
  );
  return {
    ...settings,
    array,
    asleep: asleep.filter(({ nodeId }) => !leaving.has(nodeId) || deallocating.has(nodeId)),
    room: settings.most - asleep.length - coming.length,
  };
}

function isFree(node: ClusterNode, array: NodeArray, settings: EngineSettings): boolean {
  if (node.status !== "Deallocated" || node.keepAlive) return false;
  return !isIgnored(node, settings.ignoredNodes) && !isLeftOut(node, array, settings);
}
