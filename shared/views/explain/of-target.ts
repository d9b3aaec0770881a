import type { CauseView } from "../../api/index.ts";
import {
  type NodeKind,
  nearest,
  type Reason,
  type Target,
  type TargetOutcome,
  type TargetReason,
} from "../../engine/index.ts";
import type { RequestSet } from "../../ports/index.ts";
import { duration, exactDuration } from "../../text/durations.ts";
import { counted } from "../../text/text.ts";
import { isUpNode } from "../job-states.ts";
import type { NodeViews } from "../node-views.ts";
import type { Outlook } from "../outlook.ts";
import { amount, cause, figures, labelOf, rounded, shown } from "./cause.ts";
import { drainedNodes } from "./drained-nodes.ts";
import { unusable } from "./full-nodes.ts";
import { heldBy, staleness, withHolds } from "./held.ts";
import { noCapacity } from "./limit-causes.ts";
import { nearestVmSize } from "./near-names.ts";
import { isPlannedNode, onTheirWay } from "./on-their-way.ts";
import { noGpus, spareCost } from "./reason-words.ts";
import { inOrder } from "./shortages.ts";
import type { Wanted } from "./what-is-wanted.ts";

/** A target, what the plan made of it, and the names of the nodes that count towards it. */
export interface OutlookTarget {
  readonly target: Target;
  readonly outcome: TargetOutcome;
  readonly nodes: readonly string[];
}

/** Why a target is not met: what is short, what stops the whole cluster, what is on its way. */
export function causesOfTarget(
  outlook: Outlook,
  views: NodeViews,
  { target, outcome, nodes }: OutlookTarget,
): readonly CauseView[] {
  const isShort = outcome.granted < outcome.asked;
  const needsNodes = nodes.some((node) => isPlannedNode(outlook, node));
  const isComing = nodes.some((node) => !isUpNode(outlook.nodesByName.get(node)));
  const wanted = wantedByTarget(outlook, target, outcome);
  const shortages = outcome.reasons.map((reason) => shortage(outlook, views, { reason, wanted, target }));
  const holds = isShort || needsNodes ? heldBy(outlook) : isComing ? staleness(outlook) : [];
  const short = [
    ...(isShort && outcome.granted > 0 ? [partlyMet(outcome)] : []),
    ...(isShort ? inOrder(shortages) : []),
  ];
  return [...withHolds(holds, short), ...onTheirWay(outlook, views, nodes, null)];
}

/** A request set past its time wants nothing, whatever room there is. */
export function expiry(
  { requestSet, receivedAtSeconds, expiresAtSeconds }: RequestSet,
  nowSeconds: number,
): CauseView {
  const interval = rounded(expiresAtSeconds - receivedAtSeconds);
  const silent = rounded(nowSeconds - receivedAtSeconds);
  return cause("request-expired", {
    text: `Request set "${requestSet}" was last asked for ${exactDuration(silent)} ago, and such a request holds for ${exactDuration(interval)}: it has wanted nothing for ${duration(nowSeconds - expiresAtSeconds)}.`,
    next: "Ask again, at least twice as often as it expires: `ccscale autoscale`.",
    asked: interval,
    left: silent,
  });
}

function partlyMet({ asked, granted, unit }: TargetOutcome): CauseView {
  return cause("partly-placed", {
    text: `${granted} of ${asked} ${unit} are there or on their way; ${asked - granted} wait for the reasons below.`,
    next: "The rest is made as soon as there is room.",
    asked,
    left: granted,
  });
}

function wantedByTarget(
  { snapshot }: Outlook,
  target: Target,
  { asked, granted, unit }: TargetOutcome,
): Wanted {
  const missing = asked - granted;
  const { wish, coresPerNode } = target;
  const vmOf = ({ nodeArray, vmSize }: NodeKind) =>
    snapshot.cluster.nodeArrays
      .find(({ name }) => name === nodeArray)
      ?.buckets.find((size) => size.vmSize === vmSize)?.vm;
  return {
    missing: counted(missing, unit),
    note: "",
    nodesOf: (bucket) => {
      const vm = vmOf(bucket);
      const cores = coresPerNode ?? vm?.vcpuCount ?? null;
      switch (wish.kind) {
        case "nodes":
        case "spares":
          return missing;
        // How many nodes that is, the refusal counts.
        case "slots":
          return null;
        case "cores":
          return cores === null ? null : Math.ceil(missing / cores);
        case "gpus":
          return vm === undefined || vm.gpuCount === 0 ? null : Math.ceil(missing / vm.gpuCount);
        case "groups": {
          if (wish.size.kind === "nodes") return missing * wish.size.count;
          return cores === null ? null : missing * Math.ceil(wish.size.count / cores);
        }
      }
    },
  };
}

function shortage(
  outlook: Outlook,
  views: NodeViews,
  given: { readonly reason: TargetReason; readonly wanted: Wanted; readonly target: Target },
): CauseView {
  const { reason, wanted, target } = given;
  const { nodeArrays } = outlook.snapshot.cluster;
  switch (reason.code) {
    case "NoCapacity":
      return noCapacity(outlook, views, reason, wanted);
    case "NodesTakeNoJobs":
      return drainedNodes(outlook, views, reason, wanted);
    case "InvalidBucket":
      return unusable(outlook, reason, wanted);
    case "PlacementGroupTooSmall":
      return cause("placement-group-too-small", {
        text: `A group wants ${counted(amount(reason.asked), "nodes")} of ${labelOf(reason.bucket)} in one placement group, which holds at most ${shown(reason.left)}.`,
        next: "Ask for smaller groups, or raise Azure.MaxScalesetSize of the node array in CycleCloud.",
        ...figures(reason),
      });
    case "LeftToOthers":
      return cause("others-first", {
        text: `Jobs or other targets wait at a limit of ${labelOf(reason.bucket)}, and spare nodes come after them.`,
        next: "They come when nobody waits there any more. Which limit it is: `ccscale limits`.",
        ...figures(reason),
      });
    case "SpareCost":
      return cause("budget", {
        text: `Spare nodes of ${labelOf(reason.bucket)}: ${spareCost(reason)}.`,
        next:
          reason.asked === null
            ? "Configure the price of the VM size in `vm_sizes`: a price that is not known does not count as none."
            : "Raise SpareCostPerHour of the target, or name a MachineType that costs less.",
        ...figures(reason),
      });
    case "SlotTooLarge":
      return cause("too-big", {
        text: `No slot of the shape that SlotResources asks for fits on ${labelOf(reason.bucket)}.`,
        next: "Ask for smaller slots, or name a larger MachineType. What a node has: `ccscale buckets`.",
        ...figures(reason),
      });
    case "NoGpus":
      return cause("too-big", {
        text: `${labelOf(reason.bucket)} counts for no GPU of the target: ${noGpus(reason)}.`,
        next:
          reason.left === null
            ? "Configure `gpus` of the VM size in `vm_sizes`: what is not known does not count as none."
            : "Name a MachineType with GPUs, or an array that has one: `ccscale buckets`.",
        ...figures(reason),
      });
    case "UnknownVmSize": {
      const sizes =
        nodeArrays.find(({ name }) => name === target.nodeArray)?.buckets.map(({ vmSize }) => vmSize) ?? [];
      return notThere(reason, `Node array "${target.nodeArray}" has no VM size "${reason.bucket?.vmSize}"`, {
        guess: nearestVmSize(reason.bucket?.vmSize ?? "", sizes),
        next: "Name a MachineType that the array has: `ccscale buckets`.",
      });
    }
    case "NodeArrayDisabled":
      return cause("never-satisfiable", {
        text: `Autoscaling is off for node array "${target.nodeArray}".`,
        next: "Set Configuration.autoscale.enabled = true on the node array in CycleCloud.",
        ...figures(reason),
      });
    case "NameOfANodeArray":
      return cause("never-satisfiable", {
        text: `"${target.dynamicArray}" is the name of a node array of the cluster, and a dynamic one needs its own.`,
        next: 'Give the dynamic array another Name, or ask for the node array without "Dynamic".',
        ...figures(reason),
      });
    case "UnknownNodeArray":
      return notThere(reason, `The cluster has no node array "${target.nodeArray}"`, {
        guess: nearest(
          target.nodeArray,
          nodeArrays.map(({ name }) => name),
        ),
        next: "Name a node array of the cluster: `ccscale buckets`.",
      });
  }
}

function notThere(
  reason: Reason,
  what: string,
  { guess, next }: { readonly guess: string | null; readonly next: string },
): CauseView {
  const text = guess === null ? `${what}.` : `${what}. Did you mean "${guess}"?`;
  return cause("never-satisfiable", { text, next, ...figures(reason) });
}
