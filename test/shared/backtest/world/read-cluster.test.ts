import fc from "fast-check";
import { expect, test } from "vitest";
import { definitionOf } from "../../../../shared/backtest/index.ts";
import { ClusterReader } from "../../../../shared/backtest/world/read-cluster.ts";
import {
  create,
  createManualClock,
  createSite,
  type DefinitionInput,
  manage,
  parseDefinition,
  toClusterStatus,
} from "../../../../shared/simulated-cyclecloud/index.ts";
import { cases } from "../../../support/cases.ts";
import { inputOf } from "./small-world.ts";

const definition: DefinitionInput = {
  name: "mixed",
  region: "westeurope",
  quotas: { westeurope: { cores: 300, spotCores: 60, families: { standardFSv2Family: 80 } } },
  nodes: [{ name: "scheduler", machineType: "Standard_D4s_v5" }],
  nodearrays: [
    {
      name: "htc",
      machineTypes: ["Standard_F4s_v2", "Standard_F16s_v2"],
      bootFailureRate: 0.3,
      priority: 5,
      configuration: { autoscale: { resources: { licence: 2 } } },
    },
    { name: "spot", machineTypes: ["Standard_D16s_v5"], interruptible: true, evictionsPerHour: 3 },
    {
      name: "hpc",
      machineTypes: ["Standard_HB120rs_v3"],
      maxCount: 3,
      maxScalesetSize: 2,
      placementGroupId: "pg",
    },
  ],
};

const { toReading } = inputOf({ jobs: [], definition });

/** Calls at moments: nodes of some bucket, or the end of the nodes of an earlier call. */
const calls = fc.array(
  fc.record({
    afterSeconds: fc.integer({ min: 0, max: 400 }),
    nodearray: fc.constantFrom("htc", "spot", "hpc"),
    count: fc.integer({ min: 1, max: 9 }),
    ends: fc.boolean(),
    attributes: fc.constantFrom({}, { KeepAlive: true }, { Configuration: { x: 1 } }),
  }),
  { minLength: 1, maxLength: 8 },
);

test("what is filled in is what the service would read from the wire", () => {
  fc.assert(
    fc.property(calls, fc.integer({ min: 1, max: 99 }), (asked, seed) => {
      const clock = createManualClock();
      const site = createSite({ definitions: [parseDefinition(definition)], seed, clock });
      const reader = new ClusterReader(site, "mixed", toReading);
      for (const [index, { afterSeconds, nodearray, count, ends, attributes }] of asked.entries()) {
        clock.advance(afterSeconds);
        const living = [...site.clusterNow("mixed").cluster.population.living()];
        const ids = living.filter(({ bucket }) => bucket.nodearray === nodearray).map(({ nodeId }) => nodeId);
        if (ends) manage(site, "mixed", "shutdown", { requestId: `m${index}`, ids });
        else
          create(site, "mixed", {
            requestId: `c${index}`,
            sets: [{ nodearray, count, nodeAttributes: attributes }],
          });
        const { cluster, at } = site.clusterNow("mixed");
        const status = toClusterStatus(cluster, { at, nodes: true });
        expect(reader.read()).toEqual(toReading({ name: "mixed", status, nodes: status.nodes ?? [] }));
      }
    }),
    cases(60),
  );
});

test("the definition of a snapshot has its limits and quotas, and what others use of them", () => {
  const clock = createManualClock();
  const site = createSite({ definitions: [parseDefinition(definition)], seed: 1, clock });
  create(site, "mixed", { requestId: "r", sets: [{ nodearray: "htc", count: 5 }] });
  const { cluster } = new ClusterReader(site, "mixed", toReading).read();
  const made = definitionOf(cluster);
  // The scheduler's four cores are nobody's array: others use them.
  expect(made.quotas).toEqual({
    westeurope: { cores: 296, spotCores: 60, families: { standardFSv2Family: 80, standardHBv3Family: 300 } },
  });
  const again = createSite({ definitions: [parseDefinition(made)], seed: 1, clock });
  const empty = { ...cluster, nodes: [] };
  const read = new ClusterReader(again, "mixed", toReading).read().cluster;
  expect(read.nodeArrays.map(({ buckets: _, ...array }) => array)).toEqual(
    empty.nodeArrays.map(({ buckets: _, ...array }) => array),
  );
  expect(read.nodeArrays.flatMap(({ buckets }) => buckets.map(({ vmSize, vm }) => ({ vmSize, vm })))).toEqual(
    empty.nodeArrays.flatMap(({ buckets }) => buckets.map(({ vmSize, vm }) => ({ vmSize, vm }))),
  );
});
