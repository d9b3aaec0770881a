import fc from "fast-check";
import { expect, test } from "vitest";
import { toClusterStatus } from "../../../shared/simulated-cyclecloud/cluster-status-answer.ts";
import {
  type BucketDefinition,
  type ClusterDefinition,
  parseDefinition,
} from "../../../shared/simulated-cyclecloud/definition.ts";
import type { Verb } from "../../../shared/simulated-cyclecloud/manage-nodes.ts";
import type { NodeRecord } from "../../../shared/simulated-cyclecloud/node-record.ts";
import { createManualClock, type ManualClock } from "../../../shared/simulated-cyclecloud/simulated-clock.ts";
import { createSite, type Site } from "../../../shared/simulated-cyclecloud/site.ts";
import { create, manage, recordsOf } from "../../../shared/simulated-cyclecloud/site-actions.ts";
import { labDefinition } from "../../infra/local/cyclecloud/rig.ts";
import { cases } from "../../support/cases.ts";

/** The lab with its chances back (times that differ, boots that fail, evictions), and a region that is soon full. */
const definition: ClusterDefinition = parseDefinition({
  ...labDefinition,
  times: {},
  quotas: { westeurope: { ...labDefinition.quotas.westeurope, cores: 68 } },
  nodearrays: labDefinition.nodearrays.map((array) => ({
    ...array,
    bootFailureRate: 0.2,
    evictionsPerHour: 5,
    ...(array.name === "parked" ? { maxCount: 20 } : {}),
  })),
});

type Step =
  | {
      readonly kind: "create";
      readonly bucket: BucketDefinition;
      readonly count: number;
      readonly group: string | undefined;
    }
  | { readonly kind: "manage"; readonly verb: Verb; readonly picks: readonly number[] }
  | { readonly kind: "advance"; readonly seconds: number };

const buckets = definition.nodearrays.flatMap((array) => array.buckets);

function steps(verbs: readonly Verb[], among: readonly BucketDefinition[]) {
  const createStep = fc.record({
    kind: fc.constant("create" as const),
    bucket: fc.constantFrom(...among),
    count: fc.integer({ min: 1, max: 30 }),
    group: fc.constantFrom(undefined, undefined, "pg_1", "pg_2"),
  });
  const manageStep = fc.record({
    kind: fc.constant("manage" as const),
    verb: fc.constantFrom(...verbs),
    picks: fc.array(fc.nat(60), { maxLength: 8 }),
  });
  const advanceStep = fc.record({
    kind: fc.constant("advance" as const),
    seconds: fc.integer({ min: 0, max: 400 }),
  });
  return fc.array(fc.oneof(createStep, createStep, manageStep, advanceStep), { minLength: 1, maxLength: 25 });
}

interface World {
  readonly site: Site;
  readonly clock: ManualClock;
  /** Nodes that were seen deallocated: they have given their place back, and terminating them takes none again. */
  readonly parkedIds: Set<string>;
}

function newWorld(seed: number): World {
  const clock = createManualClock();
  return { clock, parkedIds: new Set(), site: createSite({ definitions: [definition], seed, clock }) };
}

function records({ site }: World): readonly NodeRecord[] {
  const { cluster, at } = site.clusterNow("lab");
  return recordsOf(cluster, at);
}

function perform(world: World, step: Step): void {
  switch (step.kind) {
    case "create":
      performCreate(world, step);
      return;
    case "manage": {
      const all = records(world);
      const ids = step.picks.flatMap((pick) => all[pick % Math.max(1, all.length)]?.NodeId ?? []);
      manage(world.site, "lab", step.verb, { ids });
      return;
    }
    case "advance":
      world.clock.advance(step.seconds);
  }
}

/** Also checks the answer: as many as it says, a message when fewer than asked, and then really no room for one more. */
function performCreate(world: World, { bucket, count, group }: Extract<Step, { kind: "create" }>): void {
  const { nodearray, machineType } = bucket;
  const set = { nodearray, count, definition: { machineType }, placementGroupId: group };
  const before = records(world).length;
  const [answer] = create(world.site, "lab", { sets: [set] }).sets;
  expect(records(world).length - before).toBe(answer?.added);
  expect(answer?.message === undefined).toBe(answer?.added === count);
  if (answer?.message !== undefined) {
    expect(create(world.site, "lab", { sets: [{ ...set, count: 1 }] }).sets[0]?.added).toBe(0);
  }
}

function checkQuotas({ site }: World): void {
  const { cluster, at } = site.clusterNow("lab");
  for (const array of toClusterStatus(cluster, { at, nodes: false }).nodearrays) {
    for (const bucket of array.buckets) {
      expect(bucket.regionalConsumedCoreCount).toBeLessThanOrEqual(bucket.regionalQuotaCoreCount);
      expect(bucket.familyConsumedCoreCount).toBeLessThanOrEqual(bucket.familyQuotaCoreCount);
      expect(bucket.consumedCoreCount).toBeLessThanOrEqual(bucket.quotaCoreCount);
    }
  }
}

/** Counted here from the records alone; nodes that terminate still hold their place, deallocated ones do not. */
function checkTemplateLimits(world: World): void {
  const all = records(world);
  for (const record of all) if (record.Status === "Deallocated") world.parkedIds.add(record.NodeId);
  const holding = all.filter((record) => !world.parkedIds.has(record.NodeId));
  const cores = (some: readonly NodeRecord[]) =>
    some.reduce((sum, record) => sum + Number(record.CoreCount), 0);
  expect(holding.length).toBeLessThanOrEqual(definition.maxCount);
  expect(cores(holding)).toBeLessThanOrEqual(definition.maxCoreCount);
  for (const array of definition.nodearrays) {
    const own = holding.filter((record) => record.Template === array.name);
    expect(own.length).toBeLessThanOrEqual(array.maxCount);
    expect(cores(own)).toBeLessThanOrEqual(array.maxCoreCount);
    const groups = Map.groupBy(
      own.filter((record) => record.PlacementGroupId !== undefined),
      (record) => `${record.MachineType} ${record.PlacementGroupId}`,
    );
    for (const members of groups.values()) expect(members.length).toBeLessThanOrEqual(array.maxScalesetSize);
  }
}

function checkCounts(world: World): void {
  const { cluster, at } = world.site.clusterNow("lab");
  const all = records(world);
  for (const array of toClusterStatus(cluster, { at, nodes: true }).nodearrays) {
    for (const bucket of array.buckets) {
      const { machineType } = bucket.definition;
      const active = all.filter(
        (record) =>
          record.Template === array.name &&
          record.MachineType === machineType &&
          record.TargetState === "Started",
      );
      expect(bucket).toMatchObject({
        activeCount: active.length,
        activeCoreCount: active.length * bucket.virtualMachine.vcpuCount,
        activeNodes: active.map((record) => record.Name),
        availableCoreCount: bucket.availableCount * bucket.virtualMachine.vcpuCount,
      });
      const grouped = active.filter((record) => record.PlacementGroupId !== undefined).length;
      expect(bucket.placementGroups.reduce((sum, group) => sum + group.activeCount, 0)).toBe(grouped);
    }
  }
}

function checkIdentities(world: World): void {
  const all = records(world);
  for (const key of ["NodeId", "Name", "PrivateIp", "Hostname"]) {
    const known = all.map((record) => record[key]).filter((value) => value !== undefined);
    expect(new Set(known).size).toBe(known.length);
  }
}

test("limits: no create ever breaks one, and all counts agree with the nodes", () => {
  const verbs = ["terminate", "remove", "shutdown", "deallocate", "restart", "reimage"] as const;
  fc.assert(
    fc.property(fc.integer(), steps(verbs, buckets), (seed, sequence) => {
      const world = newWorld(seed);
      for (const step of sequence) {
        perform(world, step);
        checkTemplateLimits(world);
        checkQuotas(world);
        checkCounts(world);
        checkIdentities(world);
      }
    }),
    cases(150),
  );
});

// One array, so that parked nodes and new ones soon want the same quota.
const parked = buckets.filter((bucket) => bucket.nodearray === "parked");

test("limits: starting deallocated nodes may pass the template's limits, never a quota", () => {
  fc.assert(
    fc.property(
      fc.integer(),
      steps(["deallocate", "deallocate", "start", "start", "terminate"], parked),
      (seed, sequence) => {
        const world = newWorld(seed);
        for (const step of sequence) {
          perform(world, step);
          checkQuotas(world);
          checkCounts(world);
        }
      },
    ),
    cases(150),
  );
});
