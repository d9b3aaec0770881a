import type { TargetReason } from "../model/reasons.ts";
import type { TargetOutcome } from "../model/target.ts";
import { bucketLabel, limitTexts } from "./explain.ts";

/** A target's outcome in sentences: how far it was met, then what was in the way. */
export function explainTarget(outcome: TargetOutcome): readonly string[] {
  const { name, asked, granted, unit, requestSet, reasons } = outcome;
  const met = `Target "${name}" of request set "${requestSet}" has ${granted} of ${asked} ${unit}.`;
  return [met, ...new Set(reasons.map((reason) => explainReason(reason, outcome)))];
}

function explainReason({ code, bucket, limit, asked, left }: TargetReason, target: TargetOutcome): string {
  const where = bucketLabel(bucket);
  switch (code) {
    case "NoCapacity": {
      const binding = limit === null ? "the limits" : limitTexts[limit];
      return `${where}: ${asked === 1 ? "1 more node is" : `${String(asked)} more nodes are`} wanted, and ${binding} leaves ${String(left)}.`;
    }
    case "NodesTakeNoJobs": {
      const binding = limit === null ? "the limits" : limitTexts[limit];
      return `${where}: ${left === 1 ? "1 of its nodes is drained and does" : `${String(left)} of its nodes are drained and do`} not count; ${String(asked)} more ${asked === 1 ? "is" : "are"} wanted, and ${binding} leaves too few.`;
    }
    case "InvalidBucket":
      return `${where}: CycleCloud marks the VM size as not usable, so that no new nodes are made.`;
    case "PlacementGroupTooSmall":
      return `${where}: a group needs ${String(asked)} nodes, and a placement group holds at most ${String(left)}.`;
    case "UnknownVmSize":
      return `${where}: the node array has no such VM size.`;
    case "NodeArrayDisabled":
      return `Autoscaling of node array "${target.nodeArray}" is switched off (autoscale.enabled).`;
    case "NameOfANodeArray":
      return `"${target.dynamicArray}" is the name of a node array of the cluster: a dynamic one needs its own.`;
    case "UnknownNodeArray":
      return `The cluster has no node array "${target.nodeArray}".`;
  }
}
