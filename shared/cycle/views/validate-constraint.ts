import type { ValidateConstraintAnswer, ValidateConstraintBody } from "../../api/index.ts";
import { describeConstraint, examine, parseConstraints, sortByNodeName } from "../../engine/index.ts";
import { toRefusal } from "./explain.ts";
import type { Outlook } from "./outlook.ts";

const mostNodes = 100;

/** Whether constraints can be read, and which buckets and nodes satisfy them while no job is there. */
export function validateConstraint(
  outlook: Outlook,
  { constraints }: ValidateConstraintBody,
): ValidateConstraintAnswer {
  const { cluster, atSeconds, input } = outlook;
  const parsed = parseConstraints(constraints);
  if (!parsed.ok)
    return {
      cluster,
      atSeconds,
      ok: false,
      problems: parsed.problems,
      parsed: [],
      buckets: [],
      matchingNodes: [],
      matchingNodeCount: 0,
    };
  const { buckets, nodeIds } = examine(input, parsed.constraints);
  const nodes = sortByNodeName(
    input.cluster.nodes.filter(({ nodeId }) => nodeIds.has(nodeId)),
    ({ name }) => name,
  );
  return {
    cluster,
    atSeconds,
    ok: true,
    problems: [],
    parsed: parsed.constraints.map(describeConstraint),
    buckets: buckets.map(({ nodeArray, vmSize, placementGroup, reason }) => ({
      nodeArray,
      vmSize,
      placementGroup,
      fits: reason === null,
      refusals: reason === null ? [] : [toRefusal(reason)],
    })),
    matchingNodes: nodes.slice(0, mostNodes).map(({ name }) => name),
    matchingNodeCount: nodes.length,
  };
}
