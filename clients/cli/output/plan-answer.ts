import {
  isSize,
  type JobOutcome,
  type Plan,
  type PlanInput,
  type PlannedNode,
  type Resources,
} from "../../../shared/engine/index.ts";

/** The resources that an answer lists, in this order, where a node has them. */
const listed: readonly string[] = [
  "ncpus",
  "pcpus",
  "ngpus",
  "memgb",
  "slots",
  "licenses_local",
  "scratch",
  "tag",
  "disk",
];

/** A plan in the form of the recorded scenarios: all names sorted, sizes as `{bytes}`, buckets in order of arrival. */
export function toPlanAnswer(name: string, input: PlanInput, plan: Plan): object {
  const withJobs = plan.nodes.filter((node) => node.jobs.length > 0);
  return {
    name,
    jobs: plan.jobs.map((outcome, index) => ({
      ...jobAnswer(outcome),
      ...(outcome.allocated && input.jobs[index]?.packingStrategy === "pack" && { slots: outcome.granted }),
    })),
    newNodes: byName(plan.nodes.filter(isNew)).map((node) => ({
      name: node.name,
      nodearray: node.nodeArray,
      vmSize: node.vmSize,
      placementGroup: node.placementGroup,
      jobs: jobNames(node),
      available: amounts(node.available),
    })),
    matchedNodes: plan.matched.toSorted(),
    unmatchedNodes: plan.unmatched.toSorted(),
    failedNodes: plan.failed.toSorted(),
    existingNodes: byName(withJobs.filter((node) => !isNew(node))).map((node) => ({
      name: node.name,
      jobs: jobNames(node),
      available: amounts(node.available),
    })),
    buckets: plan.buckets.map(({ nodeArray, vmSize, placementGroup, availableCount }) => ({
      nodearray: nodeArray,
      vmSize,
      placementGroup,
      availableCount,
    })),
  };
}

function jobAnswer({ name, allocated, placements }: JobOutcome): object {
  if (!allocated) return { name, allocated };
  return { name, allocated, nodes: sortedOnce(placements.map(({ node }) => node)) };
}

/** A deallocated node that is started again counts as new. */
function isNew({ origin }: PlannedNode): boolean {
  return origin === "new" || origin === "starting";
}

function jobNames({ jobs }: PlannedNode): readonly string[] {
  return sortedOnce(jobs.map(({ job }) => job));
}

function amounts(available: Resources): object {
  const held = listed.flatMap((name) => {
    const value = available[name];
    return value === undefined ? [] : [[name, isSize(value) ? { bytes: value.bytes } : value] as const];
  });
  return Object.fromEntries(held);
}

function sortedOnce(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted();
}

function byName(nodes: readonly PlannedNode[]): readonly PlannedNode[] {
  return nodes.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
