import { isIP } from "node:net";
import type { z } from "zod";
import { type ClusterNode, dynamicArrayOf, type NodeArray } from "../engine/index.ts";
import type { RequestedNode } from "../ports/index.ts";
import { redactText } from "../text/redact.ts";
import { printableCut } from "../text/text.ts";
import { readAutoscaleSection } from "./autoscale-section.ts";
import { nodeSchema, type requestedNodesSchema } from "./node-schema.ts";
import { type SetAside, subjectOf } from "./wire-value.ts";

/** One node record; undefined if it is set aside. Values that it lacks come from its node array. */
export function toNode(
  value: unknown,
  context: { index: number; arrays: ReadonlyMap<string, NodeArray>; setAside: SetAside },
): ClusterNode | undefined {
  const subject = subjectOf("node", value, { key: "Name", index: context.index });
  const node = context.setAside.read(nodeSchema, value, subject);
  if (node === undefined) return undefined;
  const array = context.arrays.get(node.Template);
  const section = readAutoscaleSection(node.Configuration);
  for (const name of section.unusable)
    context.setAside.add(`resource "${name}" of ${subject}`, "a list or an object, expected a single value");
  return {
    nodeId: node.NodeId,
    name: node.Name,
    nodeArray: node.Template,
    vmSize: node.MachineType,
    placementGroup: node.PlacementGroupId,
    hostname: node.Hostname === null ? null : shortHostname(node.Hostname),
    fqdn: node.Hostname === null ? null : fullyQualified(node.Hostname),
    privateIp: node.PrivateIp,
    instanceId: node.InstanceId,
    // Neither ready nor failed: nothing is concluded from it.
    status: node.Status ?? "Unknown",
    ...failureOf(node),
    targetState: node.TargetState,
    location: node.Region ?? array?.location ?? "",
    spot: node.Interruptible ?? array?.spot ?? false,
    keepAlive: node.KeepAlive ?? false,
    ...accountOf(node.Configuration),
    resources: section.resources,
    softwareConfiguration: node.Configuration,
  };
}

/** Status messages are redacted: a script or an image may write anything into them, even a password. */
const longestMessage = 500;

/** Kept for failed nodes only: the message of a booting node changes constantly. */
function failureOf({
  Status,
  StatusMessage,
}: z.output<typeof nodeSchema>): Pick<ClusterNode, "statusMessage"> {
  if (Status !== "Failed" || StatusMessage === null) return {};
  const oneLine = StatusMessage.replaceAll(/\s+/g, " ").trim();
  return { statusMessage: printableCut(redactText(oneLine), longestMessage) };
}

/** A node of a request, as far as it takes to recognise it later. */
export function toRequestedNode(node: z.output<typeof requestedNodesSchema>["nodes"][number]): RequestedNode {
  return {
    nodeId: node.NodeId,
    name: node.Name,
    nodeArray: node.Template,
    vmSize: node.MachineType,
    placementGroup: node.PlacementGroupId,
    ...accountOf(node.Configuration),
  };
}

function accountOf(configuration: ClusterNode["softwareConfiguration"]): Pick<ClusterNode, "dynamicArray"> {
  const dynamicArray = dynamicArrayOf(configuration);
  return dynamicArray === null ? {} : { dynamicArray };
}

/** The host name without its domain, as schedulers and CycleCloud's own calls use it. An address is kept whole. */
function shortHostname(hostname: string): string {
  return isIP(hostname) === 0 ? (hostname.split(".", 1)[0] ?? hostname) : hostname;
}

/** The name with its domain; null when CycleCloud reports only the short one. */
function fullyQualified(hostname: string): string | null {
  return isIP(hostname) === 0 && hostname.includes(".") ? hostname : null;
}
