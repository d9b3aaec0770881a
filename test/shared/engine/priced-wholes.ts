import fc from "fast-check";
import type { Job, PlanInput } from "../../../shared/engine/index.ts";
import { pricedWorlds } from "./priced-worlds.ts";
import { job } from "./tiny.ts";

/** The worlds with a price for every size, with jobs that want several nodes, one group, whole nodes, or this or that. */

const shape = fc.oneof(
  fc.record({ ncpus: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ ncpus: fc.integer({ min: 1, max: 8 }), memgb: fc.integer({ min: 1, max: 32 }) }),
  fc.constantFrom<object>(
    { or: [{ ncpus: 8 }, { ncpus: 2, memgb: 16 }] },
    { xor: [{ ngpus: 1 }, { ncpus: 4 }] },
    { ncpus: 2, not: { "node.vm_size": "Standard_E8" } },
    { ncpus: 1, exclusive_task: true },
  ),
);

const whole = fc.record({
  constraints: shape,
  nodeCount: fc.constantFrom(0, 1, 2, 3, 4),
  iterations: fc.integer({ min: 1, max: 6 }),
  colocated: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
  exclusive: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  priority: fc.constantFrom(0, 0, 0, 5),
  gang: fc.constantFrom<Partial<Job>>({}, {}, { gang: "a" }, { gang: "b", gangApart: true }),
});

const groups = ["pg1", "pg2"].map((name) => ({ name, activeCount: 0 }));

/** Worlds with such jobs between others. */
export const wholeWorlds: fc.Arbitrary<PlanInput> = fc
  .record({
    world: pricedWorlds,
    wholes: fc.array(whole, { minLength: 1, maxLength: 6 }),
    hasGroups: fc.boolean(),
    hasGangs: fc.integer({ min: 0, max: 2 }).map((n) => n === 0),
    mostInGroup: fc.constantFrom(2, 3, 100),
    order: fc.nat(),
  })
  .map(({ world, wholes, hasGroups, hasGangs, mostInGroup, order }) => {
    const more = wholes.map(({ constraints: json, iterations, gang, ...fields }, index): Job => {
      const isWide = fields.nodeCount > 0;
      return job(`whole-${index}`, json, {
        ...fields,
        ...(hasGangs ? gang : {}),
        iterations: isWide ? 1 : iterations,
      });
    });
    const { jobs, cluster } = world;
    const at = order % (jobs.length + 1);
    const nodeArrays = cluster.nodeArrays.map((array) => ({
      ...array,
      buckets: array.buckets.map((bucket) => ({
        ...bucket,
        placementGroups: hasGroups ? groups : [],
        limits: { ...bucket.limits, maxPlacementGroupSize: mostInGroup },
      })),
    }));
    return {
      ...world,
      jobs: [...jobs.slice(0, at), ...more, ...jobs.slice(at)],
      cluster: { ...cluster, nodeArrays },
    };
  });
