import { describe, expect, test } from "vitest";
import { type PriceRule, parseConstraints } from "../../../shared/engine/index.ts";
import { locationsOf, priceCluster } from "../../../shared/prices/index.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";

const sheet = {
  location: "westeurope",
  readAtSeconds: 1_800_000_000,
  prices: { standard_f4s_v2: { regularUsd: 0.2, spotUsd: 0.04, asOfSeconds: 1_800_000_000 } },
};
const cluster = clusterOf({
  nodeArrays: [nodeArrayOf({ location: "WestEurope" }), nodeArrayOf({ name: "htc-spot", spot: true })],
});

function ruleOf(select: Record<string, unknown>, effect: Partial<PriceRule>): PriceRule {
  const parsed = parseConstraints(select);
  if (!parsed.ok) throw new Error("bad select");
  return { name: "rule", select: parsed.constraints, ...effect };
}

function pricedBuckets(rules: readonly PriceRule[], of = cluster) {
  const priced = priceCluster(of, { sheets: [sheet], rules });
  return priced.nodeArrays.map(({ buckets: [bucket] }) => [bucket?.pricePerHourUsd, bucket?.reservation]);
}

describe("priceCluster", () => {
  const paid = { name: "rule", nodes: 4 };

  test.each([
    {
      name: "spot arrays have the spot price",
      rules: [],
      expected: [
        [0.2, undefined],
        [0.04, undefined],
      ],
    },
    {
      name: "a rule for a family",
      rules: [ruleOf({ "node.vm_family": "standardFSv2Family" }, { discountPercent: 50 })],
      expected: [
        [0.1, undefined],
        [0.04, undefined],
      ],
    },
    {
      name: "a rule for another family",
      rules: [ruleOf({ "node.vm_family": "standardDSv5Family" }, { discountPercent: 50 })],
      expected: [
        [0.2, undefined],
        [0.04, undefined],
      ],
    },
    {
      name: "a rule for one array",
      rules: [ruleOf({ "node.nodearray": "htc-spot" }, { addPerCoreHourUsd: 0.01 })],
      expected: [
        [0.2, undefined],
        [0.08, undefined],
      ],
    },
    {
      name: "a rule for spot",
      rules: [ruleOf({ "node.spot": true }, { addPerCoreHourUsd: 0.01 })],
      expected: [
        [0.2, undefined],
        [0.08, undefined],
      ],
    },
    {
      name: "a reservation pays no spot node",
      rules: [ruleOf({}, { reservedNodes: 4 })],
      expected: [
        [0.2, paid],
        [0.04, undefined],
      ],
    },
    {
      name: "of two reservations the first counts",
      rules: [
        ruleOf({ "node.vcpu_count": 4 }, { reservedNodes: 4 }),
        { ...ruleOf({}, { reservedNodes: 9 }), name: "other" },
      ],
      expected: [
        [0.2, paid],
        [0.04, undefined],
      ],
    },
  ])("$name", ({ rules, expected }) => {
    expect(pricedBuckets(rules)).toEqual(expected);
  });

  test("vm_sizes of the configuration come first", () => {
    const facts = { overrides: { STANDARD_F4S_V2: { pricePerHourUsd: 0.15 } } };
    const [array] = priceCluster(cluster, { facts, sheets: [sheet] }).nodeArrays;
    expect(array?.buckets[0]?.prices?.regular).toEqual({
      usdPerHour: 0.15,
      source: "vm_sizes",
      asOfSeconds: null,
    });
  });

  test("a price that is not known is null, never 0", () => {
    const odd = clusterOf({ nodeArrays: [nodeArrayOf({ buckets: [bucketOf({ vmSize: "Standard_Odd" })] })] });
    expect(pricedBuckets([ruleOf({}, { addPerCoreHourUsd: 1 })], odd)).toEqual([[null, undefined]]);
  });

  test("each location of a cluster once, in lower case", () => {
    expect(locationsOf(cluster)).toEqual(["westeurope"]);
  });
});
