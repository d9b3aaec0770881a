import type { SimulatedNode, Step } from "../../../shared/simulated-cyclecloud/index.ts";

/** An event in the schema of Event Grid, with the data that CycleCloud documents. */
export interface NodeEvent {
  readonly id: string;
  readonly topic: string;
  readonly subject: string;
  readonly eventType: string;
  readonly eventTime: string;
  readonly dataVersion: "1";
  readonly metadataVersion: "1";
  readonly data: Readonly<Record<string, unknown>>;
}

/** Content of the event about one step. */
interface Told {
  readonly kind: "NodeAdded" | "NodeCreated" | "NodeStarted" | "NodeDeallocated" | "NodeTerminated";
  readonly status: "Succeeded" | "Failed";
  readonly message: string;
  readonly reason?: string;
  readonly timing?: Readonly<Record<string, number>>;
}

/** Events of a node's steps from number `from` on that are over at `at`: CycleCloud sends one at the end of each. */
export function nodeEvents(
  node: SimulatedNode,
  { from, at, subscription }: { readonly from: number; readonly at: number; readonly subscription: string },
): readonly NodeEvent[] {
  return node.life.flatMap((step, index) => {
    if (index < from || step.at > at) return [];
    const told = toldOf(node, index);
    return told === undefined ? [] : [toEvent(node, { told, step, index, subscription })];
  });
}

/** How many steps of a life have begun. */
export function stepsBegun({ life }: SimulatedNode, at: number): number {
  return life.filter((step) => step.at <= at).length;
}

function toldOf({ life, name, operationId }: SimulatedNode, index: number): Told | undefined {
  const step = life[index];
  // Those that were there from the start were added before anybody listened.
  if (step === undefined || operationId === undefined) return undefined;
  if (index === 0)
    return {
      kind: "NodeAdded",
      status: "Succeeded",
      message: `Node ${name} was added`,
      reason: "Autoscaled",
    };
  switch (step.status) {
    case "Ready":
      return booted(life, index, { status: "Succeeded", message: `Node ${name} is up` });
    case "Failed":
      return booted(life, index, { status: "Failed", message: step.message ?? `Node ${name} failed` });
    case "Deallocated": {
      const timing = { Deallocate: since(life, index, "Stopping") };
      const message = `Node ${name} was deallocated`;
      return { kind: "NodeDeallocated", status: "Succeeded", message, reason: "Autoscaled", timing };
    }
    case "Gone":
    case "Terminated": {
      const seconds = since(life, index, "Terminating");
      const timing = { Terminate: seconds, DeleteVM: seconds };
      const message = `Node ${name} was terminated`;
      const reason = step.reason ?? "Autoscaled";
      return { kind: "NodeTerminated", status: "Succeeded", message, reason, timing };
    }
    case "Acquiring":
    case "Preparing":
    case "Reimaging":
    case "Restarting":
    case "Stopping":
    case "Terminating":
      return undefined;
  }
}

/** The end of a boot; undefined when a running node changed without one, for which CycleCloud sends no event. */
function booted(
  life: SimulatedNode["life"],
  index: number,
  outcome: Pick<Told, "status" | "message">,
): Told | undefined {
  const before = life.slice(0, index);
  const began = before.findLastIndex(({ status }) => status !== "Preparing");
  const first = before[began];
  const last = life[index];
  if (first?.status !== "Acquiring" || last === undefined) return undefined;
  const total = last.at - first.at;
  const vm = (before[began + 1]?.at ?? last.at) - first.at;
  const reason = "Autoscaled";
  return before[began - 1]?.status === "Deallocated"
    ? { kind: "NodeStarted", ...outcome, reason, timing: { Start: total, StartVM: vm } }
    : {
        kind: "NodeCreated",
        ...outcome,
        reason,
        timing: { Create: total, CreateVM: vm, ...(vm < total ? { Configure: total - vm } : {}) },
      };
}

function since(life: SimulatedNode["life"], index: number, status: Step["status"]): number {
  const begin = life.slice(0, index).findLast((step) => step.status === status);
  return (life[index]?.at ?? 0) - (begin?.at ?? life[index]?.at ?? 0);
}

function toEvent(
  node: SimulatedNode,
  { told, step, index, subscription }: { told: Told; step: Step; index: number; subscription: string },
): NodeEvent {
  const { kind, ...said } = told;
  const { name, nodeId, cluster, bucket, placementGroupId } = node;
  const site = "/sites/simulator";
  const failures = node.life.slice(0, index).filter(({ status }) => status === "Failed").length;
  return {
    // The same step always has the same id.
    id: `${nodeId}-${index}`,
    topic: `/subscriptions/${subscription}/resourceGroups/simulator/providers/Microsoft.EventGrid/topics/cyclecloud`,
    subject: `${site}/clusters/${cluster}/nodes/${name}`,
    eventType: `Microsoft.CycleCloud.${kind}`,
    eventTime: new Date(step.at * 1000).toISOString().replace("Z", "+00:00"),
    dataVersion: "1",
    metadataVersion: "1",
    data: {
      ...said,
      clusterName: cluster,
      nodeName: name,
      nodeId,
      nodeArray: bucket.nodearray,
      resourceId: `/subscriptions/${subscription}/resourceGroups/simulator/providers/Microsoft.Compute/virtualMachines/${name}`,
      subscriptionId: subscription,
      region: bucket.region,
      vmSku: bucket.machineType,
      priority: bucket.spot ? "spot" : "regular",
      ...(placementGroupId === undefined ? {} : { placementGroupId }),
      ...(failures === 0 ? {} : { retryCount: failures }),
    },
  };
}
