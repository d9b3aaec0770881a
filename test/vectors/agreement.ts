import { isSize, type Plan, type Scalar } from "../../shared/engine/index.ts";

type Amount = number | string | boolean | null | { readonly bytes: number };

interface ExpectedNode {
  readonly name: string;
  readonly jobs: readonly string[];
  readonly available: Readonly<Record<string, Amount>>;
}

/** What the reference made of a scenario. */
export interface ExpectedPlan {
  readonly jobs: readonly {
    readonly name: string;
    readonly allocated: boolean;
    readonly nodes?: readonly string[];
    readonly slots?: number;
  }[];
  readonly newNodes: readonly ExpectedNode[];
  readonly existingNodes: readonly ExpectedNode[];
  readonly matchedNodes: readonly string[];
  readonly unmatchedNodes: readonly string[];
  readonly failedNodes: readonly string[];
  readonly buckets: readonly {
    readonly nodearray: string;
    readonly vmSize: string;
    readonly placementGroup: string | null;
    readonly availableCount: number;
  }[];
}

/** The first place where a plan differs from what was expected; null: nowhere. */
export function firstDifference(result: Plan, expected: ExpectedPlan): string | null {
  return (
    jobDifference(result, expected) ??
    nodeDifference(result, expected) ??
    compare("matchedNodes", sorted(result.matched), sorted(expected.matchedNodes)) ??
    compare("unmatchedNodes", sorted(result.unmatched), sorted(expected.unmatchedNodes)) ??
    compare("failedNodes", sorted(result.failed), sorted(expected.failedNodes)) ??
    compare("buckets", bucketsOf(result), expected.buckets.map(bucketLine))
  );
}

function compare(path: string, actual: unknown, expected: unknown): string | null {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  return a === e ? null : `${path}: ${a}, expected ${e}`;
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

function jobDifference(result: Plan, expected: ExpectedPlan): string | null {
  for (const [index, wanted] of expected.jobs.entries()) {
    const outcome = result.jobs[index];
    const nodes = sorted(outcome?.placements.map((placement) => placement.node) ?? []);
    const path = `jobs.${wanted.name}`;
    const difference =
      compare(`${path}.allocated`, outcome?.allocated, wanted.allocated) ??
      (wanted.nodes === undefined ? null : compare(`${path}.nodes`, nodes, wanted.nodes)) ??
      (wanted.slots === undefined ? null : compare(`${path}.slots`, outcome?.granted, wanted.slots));
    if (difference !== null) return difference;
  }
  return null;
}

function nodeDifference(result: Plan, expected: ExpectedPlan): string | null {
  const made = result.nodes.filter(({ origin, jobs }) => jobs.length > 0 && (origin === "new" || origin === "starting"));
  const names = made.map((node) => node.name);
  const wantedNames = expected.newNodes.map((node) => node.name);
  const byName = new Map(result.nodes.map((node) => [node.name, node]));
  const differences = [...expected.newNodes, ...expected.existingNodes].map((wanted) => {
    const node = byName.get(wanted.name);
    const jobs = sorted(node?.jobs.map((entry) => entry.job) ?? []);
    return compare(`nodes.${wanted.name}.jobs`, jobs, wanted.jobs) ?? leftDifference(node?.available ?? {}, wanted);
  });
  return compare("newNodes", sorted(names), sorted(wantedNames)) ?? differences.find((difference) => difference !== null) ?? null;
}

function leftDifference(available: Readonly<Record<string, Scalar>>, wanted: ExpectedNode): string | null {
  for (const [resource, amount] of Object.entries(wanted.available)) {
    const left = available[resource];
    const plain = left !== undefined && isSize(left) ? left.bytes : left;
    const expected = typeof amount === "object" && amount !== null ? amount.bytes : amount;
    const difference = compare(`nodes.${wanted.name}.available.${resource}`, plain, expected);
    if (difference !== null) return difference;
  }
  return null;
}

function bucketLine(bucket: ExpectedPlan["buckets"][number]): string {
  // A limit that is used beyond its maximum counts as full; the reference goes below zero there.
  const available = Math.max(0, bucket.availableCount);
  return `${bucket.nodearray} ${bucket.vmSize} ${bucket.placementGroup} ${available}`;
}

function bucketsOf(result: Plan): readonly string[] {
  return result.buckets.map((bucket) => bucketLine({ ...bucket, nodearray: bucket.nodeArray }));
}
