import { expect, test, vi } from "vitest";
import {
  cluster,
  defaultResources,
  demandTable,
  job,
  ncpus,
  node,
  nodeArray,
  plan,
  planInput,
  printDemand,
  property,
} from "../../../clients/library/engine/index.ts";

const htc = nodeArray("htc", { vmSizes: ["Standard_F4s_v2"], maxCount: 2 });
const there = node("htc-1", { nodeArray: "htc", vmSize: "Standard_F4s_v2", hostname: "ip-0A000005" });
const hpc = cluster("hpc", [htc], { nodes: [there] });

function planned(
  jobs: Parameters<typeof planInput>[0]["jobs"],
  defaults: Parameters<typeof defaultResources>[0] = [],
) {
  const settings = { defaultResources: defaultResources(defaults) };
  return plan(planInput({ cluster: hpc, jobs, settings, nowSeconds: 1_800_000_000 }));
}

test("vcpu_count and memory are the machine's, whatever resources are configured", () => {
  const half = { select: {}, name: "ncpus", value: "node.vcpu_count", divide: 2 };
  const table = demandTable("name,vcpu_count,ncpus,memory", planned([], [half]), {
    format: "table-headerless",
  });
  expect(table.trim().split(/ +/)).toEqual(["htc-1", "4", "2", "8g"]);
});

test("a column that no node has is told of on standard error", () => {
  const [warn, log] = (["warn", "log"] as const).map((name) => vi.spyOn(console, name).mockReturnValue());
  printDemand("name,vcpu_cuont", planned([]));
  expect(warn?.mock.calls).toEqual([['no node has "vcpu_cuont"']]);
  expect(log).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});

test.each(["ip-0a000005", "IP-0A000005", "ip-0A000005"])(
  "a job that names host %s goes there",
  (hostname) => {
    const [outcome] = planned([job("1", property("node.hostname", hostname))]).jobs;
    expect(outcome?.placements).toMatchObject([{ node: "htc-1" }]);
  },
);

test("two spellings of one host are one node", () => {
  const names = property("node.hostname", ["ip-0a000005", "IP-0A000005"]);
  const [outcome] = planned([job("1", [names, ncpus(2)], { iterations: 3 })]).jobs;
  expect(outcome).toMatchObject({ granted: 2, placements: [{ node: "htc-1", slots: 2 }] });
});

test("an amount of memory needs no prefix where the resource is memory", () => {
  const [fits, tooMuch] = planned([job("1", { memgb: "4g" }), job("2", { memgb: "64g" })]).jobs;
  expect([fits?.allocated, tooMuch?.allocated]).toEqual([true, false]);
});

test.each([
  ["subtract", 9, "is -5, expected an amount that is not negative"],
  ["multiply", "size::8589934592g", "and no more than machines have"],
])("a default resource that %s makes impossible is left out, with a warning", (operation, operand, words) => {
  const entry = { select: {}, name: "slots", value: "node.vcpu_count", [operation]: operand };
  const { warnings, nodes } = planned([], [entry]);
  expect(warnings.map(({ message }) => message).join()).toContain(words);
  expect(nodes[0]?.resources.slots).toBeUndefined();
});
