import { jobKey, type NodeUse, type SeenJob, type SeenNode, type Sight } from "../../accounting/index.ts";
import {
  type Cluster,
  type ClusterNode,
  type Constraint,
  type EngineSettings,
  largestShare,
  paidNodes,
  type Resources,
  resourcesOfSizes,
  shortHostname,
} from "../../engine/index.ts";
import type { DemandJob } from "../../messages/index.ts";
import type { ClusterControl, SourceDemand } from "../../ports/index.ts";
import { constraintsReader, isOutByItself, liveSources, presentDemand } from "../demand/live-demand.ts";
import { asideOf } from "./aside-of.ts";

/** A cluster and its demand when a snapshot was taken. */
export interface SightSources {
  readonly cluster: Cluster;
  readonly takenAtSeconds: number;
  readonly demand: readonly SourceDemand[];
  readonly control: ClusterControl;
  readonly settings: EngineSettings;
}

/**
 * What the cluster's nodes are used for, and by whom. A node on which a scheduler says that a job runs is the job's, whatever
 * CycleCloud says of its state. Jobs of silent sources count as long as they keep their nodes.
 */
export function seeCluster(known: SightSources): Sight {
  const { cluster, takenAtSeconds, demand, control, settings } = known;
  const runs = runningOn(demand, takenAtSeconds);
  const resourcesOf = resourcesOfSizes(cluster, settings);
  const drainedHosts = closedHosts(demand, takenAtSeconds);
  const drainedIds = new Set(control.drainedNodes.map(({ nodeId }) => nodeId));
  const keptIds = new Set(control.keptNodes.map(({ nodeId }) => nodeId));
  const none: Resources = {};
  const nodes = paidNodes(cluster).map(({ node, usdPerHour }): SeenNode => {
    const { nodeId, name, nodeArray, vmSize, spot } = node;
    const host = node.hostname === null ? undefined : shortHostname(node.hostname);
    const slots = host === undefined ? [] : (runs.byHost.get(host) ?? []);
    const of = { nodeId, name, nodeArray, vmSize, spot, usdPerHour };
    if (slots.length > 0) {
      const resources = resourcesOf(nodeArray, vmSize) ?? none;
      return {
        ...of,
        use: "jobs",
        jobs: slots.map((slot) => ({ key: slot.key, share: slot.count * slot.shareOf(resources) })),
      };
    }
    const isDrained = drainedIds.has(nodeId) || (host !== undefined && drainedHosts.has(host));
    const use = useOf(node, { isDrained, isKept: node.keepAlive || keptIds.has(nodeId) });
    return { ...of, use, jobs: [] };
  });
  const aside = asideOf(cluster, settings);
  return { takenAtSeconds, nodes, jobs: runs.jobs, ...(aside.length > 0 && { aside }) };
}

function useOf(
  { status, targetState }: ClusterNode,
  { isDrained, isKept }: { readonly isDrained: boolean; readonly isKept: boolean },
): Exclude<NodeUse, "jobs"> {
  if (status === "Failed") return "failed";
  if (targetState !== "Started" && targetState !== null) return "ending";
  if (status !== "Ready") return "boot";
  if (isDrained) return "drained";
  return isKept ? "kept" : "idle";
}

/** All slots of one job on one host. */
interface Slots {
  readonly key: string;
  readonly count: number;
  readonly shareOf: (resources: Resources) => number;
}

function runningOn(
  demand: readonly SourceDemand[],
  nowSeconds: number,
): { readonly jobs: readonly SeenJob[]; readonly byHost: ReadonlyMap<string, readonly Slots[]> } {
  const slotIn = slotReader();
  const jobs = new Map<string, SeenJob>();
  const byHost = new Map<string, Slots[]>();
  const shortNames = new Map<string, string>();
  const shortOf = (hostname: string) => {
    const knownShort = shortNames.get(hostname);
    if (knownShort !== undefined) return knownShort;
    const short = shortHostname(hostname);
    shortNames.set(hostname, short);
    return short;
  };
  for (const { source, jobs: present } of presentDemand(demand, nowSeconds))
    for (const job of present) {
      const { name, executingHostnames: hostnames } = job;
      if (hostnames.length === 0) continue;
      const key = jobKey(source, name);
      const { user = null, account = null, queue = null, submittedAt } = job;
      jobs.set(key, { key, source, name, user, account, queue, submittedAt });
      const shareOf = slotIn(job);
      const add = (host: string, count: number) => {
        const slots = byHost.get(host);
        if (slots === undefined) byHost.set(host, [{ key, count, shareOf }]);
        else slots.push({ key, count, shareOf });
      };
      // Most jobs run on one host.
      const [only = ""] = hostnames;
      if (hostnames.length === 1) add(shortOf(only), 1);
      else for (const [host, count] of countByHost(hostnames, shortOf)) add(host, count);
    }
  return { jobs: [...jobs.values()], byHost };
}

/** Jobs that share their constraints share the answers. */
function slotReader(): (job: DemandJob) => (resources: Resources) => number {
  const constraintsOf = constraintsReader();
  const readers = new Map<readonly Constraint[], (resources: Resources) => number>();
  const whole = () => 1;
  return ({ constraints, exclusive }) => {
    if (exclusive) return whole;
    const parsed = constraintsOf(constraints);
    const knownReader = readers.get(parsed);
    if (knownReader !== undefined) return knownReader;
    const shares = new Map<Resources, number>();
    const reader = (resources: Resources) => {
      const share = shares.get(resources) ?? largestShare({ constraints: parsed, exclusive }, resources);
      shares.set(resources, share);
      return share;
    };
    readers.set(parsed, reader);
    return reader;
  };
}

function countByHost(
  hostnames: readonly string[],
  shortOf: (hostname: string) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const hostname of hostnames) {
    const host = shortOf(hostname);
    counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  return counts;
}

/** Hosts on which some scheduler starts no more jobs, for a reason of its own. */
function closedHosts(demand: readonly SourceDemand[], nowSeconds: number): ReadonlySet<string> {
  return new Set(
    liveSources(demand, nowSeconds).flatMap(({ nodes }) =>
      nodes.flatMap((node) => (isOutByItself(node) ? [shortHostname(node.hostname)] : [])),
    ),
  );
}
