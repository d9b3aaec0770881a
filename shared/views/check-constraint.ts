import type { ValidateConstraintAnswer, ValidateConstraintBody } from "../api/index.ts";
import { examine, parseConstraints, sortByNodeName } from "../engine/index.ts";
import { describeConstraint } from "./explain/constraint-words.ts";
import { toRefusal } from "./explain/explain-job.ts";
import { ofSelected, type Selected, type Selector } from "./node-selection.ts";
import type { Outlook } from "./outlook.ts";

const mostNodes = 100;

/** Whether constraints can be read, and which buckets and nodes satisfy them while no job is there. */
export function validateConstraint(
  outlook: Outlook,
  { constraints, nodes }: ValidateConstraintBody,
): Selected<ValidateConstraintAnswer> {
  return ofSelected(outlook.input, nodes, (selector) => drawUp(outlook, constraints, selector));
}

function drawUp(
  outlook: Outlook,
  constraints: unknown,
  selector: Selector | undefined,
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
    input.cluster.nodes.filter((node) => nodeIds.has(node.nodeId) && selector?.isSelected(node) !== false),
    ({ name }) => name,
  );
  return {
    cluster,
    atSeconds,
    ok: true,
    problems: [],
    parsed: parsed.constraints.map(describeConstraint),
    buckets: buckets
      .filter((bucket) => selector?.isBucketSelected(bucket) !== false)
      .map(({ nodeArray, vmSize, placementGroup, reason }) => ({
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
