import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ClusterNode, type Plan, type PlanInput, plan } from "../../shared/engine/index.ts";
import { planInputs } from "./arbitraries.ts";
import { planNaively } from "./naive-planner.ts";
import { violationsOf } from "./plan-validity.ts";

const runs = { numRuns: 400 };

describe("plan", () => {
  it("breaks no rule, whatever the cluster and the demand", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        expect(violationsOf(input, plan(input))).toEqual([]);
      }),
      runs,
    );
  });

  it("breaks no rule in scalelib compatibility either", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const settings = { ...input.settings, compatibility: "scalelib" as const };
        expect(violationsOf({ ...input, settings }, plan({ ...input, settings }))).toEqual([]);
      }),
      runs,
    );
  });

  it("places every slot where a naive planner places it", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const result = plan(input);
        const naive = planNaively(input);
        expect(
          result.jobs.map(({ name, placements }) => ({ name, nodes: sorted(slotNames(placements)) })),
        ).toEqual(naive.jobs.map(({ name, nodes }) => ({ name, nodes: sorted(nodes) })));
        expect(sorted(result.create.flatMap((set) => set.names))).toEqual(sorted(naive.created));
        expect(sorted(result.start.map(({ name }) => name))).toEqual(sorted(naive.started));
      }),
      runs,
    );
  });

  it("gives the same plan again, and for an input that was archived as JSON", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const archived = JSON.parse(JSON.stringify(input)) as PlanInput;
        expect(JSON.stringify(plan(archived))).toBe(JSON.stringify(plan(input)));
      }),
      { numRuns: 100 },
    );
  });

  it("never changes its input", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const before = JSON.stringify(input);
        plan(deepFreeze(input));
        expect(JSON.stringify(input)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it("has a reason for everything that it did not place", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        for (const outcome of plan(input).jobs)
          expect(outcome.reasons.length > 0, outcome.name).toBe(outcome.granted < outcome.asked);
      }),
      runs,
    );
  });

  // CycleCloud counts deallocated nodes to the cluster, and starting one is charged like creating one: when that limit
  // binds, the next pass finds the cores that were charged twice. Erring on this side never exceeds the limit.
  it("orders nothing new once its own actions took effect", () => {
    fc.assert(
      fc.property(planInputs, (drawn) => {
        const input = { ...drawn, cluster: { ...drawn.cluster, maxCoreCount: 100_000 } };
        const first = plan(input);
        const second = plan(afterActions(input, first));
        expect(second.create).toEqual([]);
        expect(second.start).toEqual([]);
      }),
      runs,
    );
  });

  it("orders nothing new while its own actions are under way", () => {
    fc.assert(
      fc.property(planInputs, (input) => {
        const pending = plan(input).create.map((set) => ({ ...set, actionId: "a" }));
        const started = plan(input).start.map(({ name, nodeArray }) => {
          const asleep = input.cluster.nodes.find((node) => node.name === name);
          const { vmSize = "", placementGroup = null } = asleep ?? {};
          return { actionId: "b", nodeArray, vmSize, placementGroup, names: [name], count: 1 };
        });
        const second = plan({ ...input, pending: [...pending, ...started] });
        expect(second.create).toEqual([]);
        expect(second.start).toEqual([]);
      }),
      runs,
    );
  });
});

function slotNames(placements: Plan["jobs"][number]["placements"]): string[] {
  return placements.flatMap(({ node, slots }) => Array.from({ length: slots }, () => node));
}

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort();
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}

/** The world when CycleCloud did what the plan asked for: the nodes are there, and the figures count them. */
function afterActions(input: PlanInput, result: Plan): PlanInput {
  const started = new Set(result.start.map(({ nodeId }) => nodeId));
  const nodes = input.cluster.nodes.map(
    (node): ClusterNode =>
      started.has(node.nodeId) ? { ...node, status: "Preparing", targetState: "Started" } : node,
  );
  for (const set of result.create)
    for (const name of set.names)
      nodes.push({
        ...made(name),
        nodeArray: set.nodeArray,
        vmSize: set.vmSize,
        placementGroup: set.placementGroup,
      });
  const used = new Map(result.buckets.map((use) => [`${use.nodeArray} ${use.vmSize}`, 0]));
  for (const node of result.nodes)
    if (node.origin === "new" || node.origin === "starting") {
      const key = `${node.nodeArray} ${node.vmSize}`;
      used.set(key, (used.get(key) ?? 0) + 1);
    }
  const nodeArrays = input.cluster.nodeArrays.map((array) => ({
    ...array,
    buckets: array.buckets.map((bucket) => ({
      ...bucket,
      limits: limitsAfter(input, used, array.name, bucket),
    })),
  }));
  return { ...input, cluster: { ...input.cluster, nodes, nodeArrays } };
}

function made(name: string): ClusterNode {
  return {
    nodeId: `id-${name}`,
    name,
    nodeArray: "",
    vmSize: "",
    placementGroup: null,
    hostname: null,
    fqdn: null,
    privateIp: null,
    instanceId: null,
    status: "Preparing",
    targetState: "Started",
    location: "westeurope",
    spot: false,
    keepAlive: false,
    resources: {},
    softwareConfiguration: {},
  };
}

type Bucket = PlanInput["cluster"]["nodeArrays"][number]["buckets"][number];

function limitsAfter(
  input: PlanInput,
  used: ReadonlyMap<string, number>,
  arrayName: string,
  bucket: Bucket,
): Bucket["limits"] {
  const spot = input.cluster.nodeArrays.find(({ name }) => name === arrayName)?.spot;
  const cores = (matches: (array: string, size: string) => boolean) =>
    input.cluster.nodeArrays
      .filter((array) => array.spot === spot)
      .flatMap((array) =>
        array.buckets
          .filter((b) => matches(array.name, b.vmSize))
          .map((b) => (used.get(`${array.name} ${b.vmSize}`) ?? 0) * b.vm.vcpuQuotaCount),
      )
      .reduce((sum, n) => sum + n, 0);
  const { limits, vmSize } = bucket;
  const region = { ...limits.region, usedCores: limits.region.usedCores + cores(() => true) };
  const family = {
    ...limits.family,
    usedCores: limits.family.usedCores + cores((_, size) => size === vmSize),
  };
  return {
    ...limits,
    region,
    family,
    availableCount: limits.availableCount - (used.get(`${arrayName} ${vmSize}`) ?? 0),
  };
}
