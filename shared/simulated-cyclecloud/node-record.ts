import { isDictionary } from "../json/json.ts";
import type { ClusterDefinition } from "./definition.ts";
import { type Step, stepAt } from "./node-life.ts";
import { type Attributes, hostnameOf, type SimulatedNode } from "./simulated-node.ts";

/** What CycleCloud decides itself; attributes of a request never replace these. */
type Identity = "Name" | "NodeId" | "Template" | "ClusterName" | "MachineType" | "Status" | "TargetState";

/** The record as the API shows it: TitleCase, with what is not known yet left out. */
export type NodeRecord = Attributes & { readonly [K in Exclude<Identity, "TargetState">]: string };

export function toNodeRecord(node: SimulatedNode, at: number, definition: ClusterDefinition): NodeRecord {
  const step = stepAt(node.life, at);
  const { bucket } = node;
  const array = definition.nodearrays.find((each) => each.name === bucket.nodearray);
  const { Configuration, ...attributes } = node.attributes;
  const configuration = merge(array?.configuration ?? {}, isDictionary(Configuration) ? Configuration : {});
  return {
    ...attributes,
    Name: node.name,
    Template: bucket.nodearray,
    NodeId: node.nodeId,
    ClusterName: node.cluster,
    MachineType: bucket.machineType,
    Region: bucket.region,
    SubnetId: definition.subnetId,
    Status: step.status,
    State: stateOf(step),
    ...(node.hidesTargetState ? {} : { TargetState: step.target }),
    ...(step.message === undefined ? {} : { StatusMessage: step.message }),
    ...addressOf(node, step, configuration),
    ...(node.placementGroupId === undefined ? {} : { PlacementGroupId: node.placementGroupId }),
    ...(node.requestId === undefined ? {} : { RequestId: node.requestId }),
    Interruptible: bucket.spot,
    KeepAlive: node.keepAlive,
    Fixed: node.fixed,
    ShutdownPolicy: node.shutdownPolicy,
    CoreCount: bucket.size.vcpusAvailable,
    Memory: bucket.size.memoryGiB,
    Infiniband: bucket.size.rdma,
    Configuration: configuration,
  };
}

/** Hosts are called by their addresses, or like their nodes where CycleCloud's Slurm project is told so. */
function addressOf(
  { privateIp, nodeId, name }: SimulatedNode,
  { address }: Step,
  { slurm }: Attributes,
): Attributes {
  if (address === "none") return {};
  const machine = { PrivateIp: privateIp, InstanceId: nodeId.replaceAll("-", "").slice(0, 16) };
  const isCalledLikeNode = isDictionary(slurm) && slurm.use_nodename_as_hostname === true;
  return address === "ip"
    ? machine
    : { ...machine, Hostname: isCalledLikeNode ? name : hostnameOf(privateIp) };
}

/** The coarse word that filters such as `State === "Started"` ask for. */
function stateOf({ status, target }: Step): string {
  if (status === "Ready") return "Started";
  if (status === "Failed" || status === "Deallocated" || status === "Terminated") return status;
  return target === "Started" ? "Starting" : status;
}

function merge(under: Attributes, over: Attributes): Attributes {
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isDictionary(below) && isDictionary(value) ? merge(below, value) : value;
  }
  return merged;
}
