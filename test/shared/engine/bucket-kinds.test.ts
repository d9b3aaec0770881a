import { expect, test } from "vitest";
import { vacantColumn, WantedResources } from "../../../shared/engine/ledger/columns.ts";
import { openLedger } from "../../../shared/engine/ledger/open-ledger.ts";
import { Pools } from "../../../shared/engine/ledger/pools.ts";
import { exclusiveShare, LimitTable, newKinds } from "../../../shared/engine/place/bucket-kinds.ts";
import { array, bucket, cluster, input } from "./tiny.ts";

test("a new node is vacant: an exclusive slot has room on it", () => {
  const nodeArrays = [array({ buckets: [bucket({ vcpus: 4 })] })];
  const opened = openLedger(input({ cluster: cluster({ nodeArrays }), jobs: [] }), new Pools([]), new Set());
  opened.open(new WantedResources());
  const [first] = opened.ledger.buckets;
  if (first === undefined) throw new Error("no bucket");
  const [kind] = newKinds(first, 0, new LimitTable(), new Map());
  expect(kind?.capacity[vacantColumn]).toBe(exclusiveShare);
});
