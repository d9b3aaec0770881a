import {
  type Cluster,
  type EngineSettings,
  forNodeArray,
  type NodeArray,
  type Retirement,
} from "../../engine/index.ts";
import type { SharedQuota } from "../../ports/index.ts";
import { Cores, quotaKey, quotaKeysOf } from "./foresee-quotas.ts";
import { sum } from "./quota-shares.ts";

/** Settings under which idle nodes go at once of arrays whose quota others wait for who have less than is due to them. */
export function handingBack(
  settings: EngineSettings,
  { nodeArrays }: Pick<Cluster, "nodeArrays">,
  quotas: readonly SharedQuota[],
): EngineSettings {
  const wanted = new Set(quotas.flatMap((quota) => (quota.kept.length > 0 ? [quotaKey(quota)] : [])));
  const draws = (array: NodeArray) =>
    array.buckets.some((bucket) => quotaKeysOf(array, bucket).some((key) => wanted.has(key)));
  const atOnce = nodeArrays.filter(draws).map(({ name }) => [name, 0] as const);
  if (atOnce.length === 0) return settings;
  const { byNodeArray, ...timeouts } = settings.idleTimeoutSeconds;
  return {
    ...settings,
    idleTimeoutSeconds: { ...timeouts, byNodeArray: { ...byNodeArray, ...Object.fromEntries(atOnce) } },
  };
}

/** `givenBack`: before its idle time-out, since other clusters wait for the quota that it was lent. */
export interface HandedBack extends Retirement {
  readonly givenBack?: true;
}

/** As many of the idle nodes that go before their time-out as others wait for, those that are idle for longest; what leaves already counts. */
export function asManyAsWanted(
  retire: readonly Retirement[],
  handing: {
    readonly settings: EngineSettings;
    readonly cluster: Cluster;
    readonly quotas: readonly SharedQuota[];
    readonly leavingNodeIds: readonly string[];
    readonly nowSeconds: number;
  },
): readonly HandedBack[] {
  const { settings, cluster, quotas, leavingNodeIds, nowSeconds } = handing;
  if (quotas.every(({ kept }) => kept.length === 0)) return retire;
  const leaving = new Set(leavingNodeIds);
  const left = new Map(quotas.map((quota) => [quotaKey(quota), sum(quota.kept.map(({ cores }) => cores))]));
  const nodes = new Map(cluster.nodes.map((node) => [node.nodeId, node]));
  const given = (nodeId: string): boolean => {
    const cores = new Cores(cluster);
    const { nodeArray = "", vmSize = "" } = nodes.get(nodeId) ?? {};
    cores.add(nodeArray, vmSize, 1);
    const drawn = [...left].filter(([key]) => cores.of(key) > 0);
    for (const [key, wanted] of drawn) left.set(key, wanted - cores.of(key));
    return drawn.some(([, wanted]) => wanted > 0);
  };
  for (const { nodeId, targetState } of cluster.nodes)
    if (leaving.has(nodeId) || targetState !== "Started") given(nodeId);
  const isEarly = ({ cause, nodeArray, sinceSeconds }: Retirement) =>
    cause === "idle-timeout" &&
    sinceSeconds >= nowSeconds - forNodeArray(settings.idleTimeoutSeconds, nodeArray);
  const longestFirst = retire.toSorted((a, b) => a.sinceSeconds - b.sinceSeconds);
  const goes = new Set(longestFirst.filter((each) => given(each.nodeId) || !isEarly(each)));
  return retire
    .filter((each) => goes.has(each))
    .map((each) => (isEarly(each) ? { ...each, givenBack: true } : each));
}
