import type { VmFacts } from "../model/bucket.ts";
import { shortHostname } from "../model/names.ts";
import type { SchedulerNode } from "../model/node.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Warning } from "../model/plan-result.ts";
import type { BucketName } from "../model/reasons.ts";
import { demandCapsOf } from "../model/settings.ts";
import type { Resources } from "../values/resources.ts";
import { LedgerBucket, type LedgerBucketFields } from "./ledger-bucket.ts";
import type { PlanContext } from "./ledger-node.ts";

/** Names the on-premise "node array" in results and properties. */
const onPremise = "on-premise";
export const onPremiseName: BucketName = { nodeArray: onPremise, vmSize: "unknown", placementGroup: null };

/** Holds all hosts that CycleCloud does not have; none is ever made there. */
export function onPremiseBucket(
  context: PlanContext,
  { systemResources, placement }: Pick<LedgerBucketFields, "systemResources" | "placement">,
): LedgerBucket {
  return new LedgerBucket({
    name: onPremiseName,
    bucketId: onPremise,
    vm: unknownVm,
    location: "unknown",
    spot: false,
    nodeArray: null,
    size: null,
    charges: [],
    closed: "on-premise",
    systemResources,
    placement,
    context,
  });
}

/** Default resources of a host that CycleCloud does not have: one cpu, until its scheduler reports more. */
const unknownVm: VmFacts = {
  vcpuCount: 1,
  vcpuQuotaCount: 1,
  pcpuCount: 1,
  gpuCount: 0,
  coresPerSocket: 1,
  memoryBytes: 0,
  family: "unknown",
  infiniband: false,
};

/** Hosts that are planned with, those that are too many, and what is odd about others. */
export interface OwnHosts {
  readonly taken: readonly { readonly host: SchedulerNode; readonly resources: Resources }[];
  readonly leftOut: readonly string[];
  readonly warnings: readonly Warning[];
}

/**
 * Names of nodes, in lower case, under which a scheduler may have their hosts: it calls a host like the node until it knows
 * CycleCloud's host name. A name that is, or was, the host of a node means that one.
 */
export function namesForHosts(input: PlanInput): ReadonlySet<string> {
  if (input.settings.compatibility === "scalelib") return new Set();
  const { cluster, pending } = input;
  const hosts = new Set(cluster.nodes.map(({ hostname }) => shortHostname(hostname ?? "")));
  const formerNodes = hostsOfHistory(input);
  const names = [...cluster.nodes.map(({ name }) => name), ...pending.flatMap((each) => each.names ?? [])];
  return new Set(
    names.map((name) => name.toLowerCase()).filter((name) => !hosts.has(name) && !formerNodes.has(name)),
  );
}

/**
 * Hosts of the scheduler that CycleCloud does not have and never had, in the order in which the scheduler names them. `planned`: those
 * of nodes that are planned with; `names`: those of `namesForHosts`.
 */
export function ownHosts(
  input: PlanInput,
  hosts: Iterable<SchedulerNode>,
  { planned, names }: { readonly planned: Iterable<string>; readonly names: ReadonlySet<string> },
): OwnHosts {
  const { nodes } = input.cluster;
  // scalelib treats a host of an array or bucket that it ignores as one that CycleCloud does not have.
  const scalelib = input.settings.compatibility === "scalelib";
  const managed = new Set(scalelib ? planned : nodes.map((node) => shortHostname(node.hostname ?? "")));
  const nodeIds = new Set(nodes.map((node) => node.nodeId));
  const formerNodes = scalelib ? new Map<string, string>() : hostsOfHistory(input);
  const mostHosts = demandCapsOf(input.settings).maxSchedulerHosts;
  const taken: { host: SchedulerNode; resources: Resources }[] = [];
  const leftOut: string[] = [];
  const gone: string[] = [];
  const warnings: Warning[] = [];
  for (const host of hosts) {
    const { hostname } = host;
    const { ccnodeid, ...resources } = host.resources;
    const vanished = typeof ccnodeid === "string" && ccnodeid !== "" && !nodeIds.has(ccnodeid);
    if (vanished) warnings.push(unknownNodeId(hostname, ccnodeid));
    if (vanished || managed.has(shortHostname(hostname)) || names.has(shortHostname(hostname))) continue;
    if (formerNodes.has(shortHostname(hostname))) gone.push(hostname);
    else if (taken.length < mostHosts) taken.push({ host, resources });
    else leftOut.push(hostname);
  }
  return { taken, leftOut, warnings: [...warnings, ...warningsOfGone(gone, formerNodes)] };
}

function unknownNodeId(hostname: string, ccnodeid: string): Warning {
  const message = `Host "${hostname}" has ccnodeid "${ccnodeid}", which CycleCloud does not know any more`;
  return { code: "unknown-node-id", subject: hostname, message };
}

/** One warning for all of them: some schedulers name such hosts for days, and every plan repeats it. */
function warningsOfGone(
  [first, ...others]: readonly string[],
  formerNodes: ReadonlyMap<string, string>,
): readonly Warning[] {
  if (first === undefined) return [];
  const node = `node "${formerNodes.get(shortHostname(first))}", which is gone`;
  const rest = others.length === 0 ? "" : `, and ${others.length} more like it`;
  const message = `Host "${first}" was ${node}${rest}: nothing is planned where schedulers still name such hosts`;
  return [{ code: "gone-host", subject: first, message }];
}

/**
 * Names of nodes by the hosts that they have, or had. A scheduler names the host of a deleted node until it notices: it
 * is no host of its own for that.
 */
function hostsOfHistory({ history }: Pick<PlanInput, "history">): ReadonlyMap<string, string> {
  return new Map(
    history.flatMap(({ hostname, name }) =>
      hostname === null ? [] : [[shortHostname(hostname), name] as const],
    ),
  );
}
