import { expect, test } from "vitest";
import {
  createManualClock,
  type DefinitionInput,
  parseDefinition,
} from "../../../../infra/local/cyclecloud/index.ts";
import { availableAt } from "../../../../shared/simulated-cyclecloud/availability-trace.ts";
import { stepAt } from "../../../../shared/simulated-cyclecloud/node-life.ts";
import { createSite } from "../../../../shared/simulated-cyclecloud/site.ts";
import { create } from "../../../../shared/simulated-cyclecloud/site-actions.ts";

const trace = (...data: number[]) => ({ metadata: { gap_seconds: 60 }, data });

function siteWith(availability: ReturnType<typeof trace>) {
  const definition: DefinitionInput = {
    name: "hpc",
    region: "westeurope",
    quotas: { westeurope: { cores: 400, spotCores: 400 } },
    nodearrays: [{ name: "spot", machineTypes: ["Standard_F4s_v2"], interruptible: true, availability }],
  };
  const clock = createManualClock(1_800_000_000);
  const site = createSite({ definitions: [parseDefinition(definition)], seed: 1, clock });
  const add = (count: number) => create(site, "hpc", { sets: [{ nodearray: "spot", count }] }).sets[0];
  const targets = () => {
    const { cluster, at } = site.clusterNow("hpc");
    return [...cluster.population.living()].map(({ life }) => stepAt(life, at).target).toSorted();
  };
  return { clock, add, targets };
}

test.each([
  [0, 4],
  [59, 4],
  [60, 1],
  [120, 4],
  [-5, 4],
])("at %i s the trace has %i nodes", (atSeconds, nodes) => {
  expect(availableAt(trace(4, 1), atSeconds)).toBe(nodes);
});

test("a create gets no more nodes than there are", () => {
  const { add } = siteWith(trace(3));
  expect(add(2)).toEqual({ added: 2 });
  expect(add(2)).toEqual({
    added: 1,
    message: 'Added 1 of 2 nodes to "spot/Standard_F4s_v2": no capacity in westeurope',
  });
});

test("at a tick with fewer nodes the rest is evicted, and gone after the notice", () => {
  const { clock, add, targets } = siteWith(trace(4, 1, 1, 1));
  add(4);
  clock.advance(59);
  expect(targets()).toEqual(["Started", "Started", "Started", "Started"]);
  clock.advance(1);
  expect(targets()).toEqual(["Started", "Terminated", "Terminated", "Terminated"]);
  clock.advance(30);
  expect(targets()).toEqual(["Started"]);
});
