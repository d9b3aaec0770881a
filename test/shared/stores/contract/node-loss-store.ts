import { expect } from "vitest";
import type { NodeLoss, NodeLossStore } from "../../../../shared/ports/index.ts";
import { oddNames } from "./names.ts";
import { type ContractCases, uniqueCluster } from "./suite.ts";
import { startSeconds } from "./values.ts";

function lossOf(cluster: string, eventId: string, changed: Partial<NodeLoss> = {}): NodeLoss {
  return {
    cluster,
    eventId,
    reason: "SpotEvicted",
    nodeId: "id-1",
    nodeName: null,
    nodeArray: "spot",
    vmSize: "Standard_F4s_v2",
    atSeconds: startSeconds,
    ...changed,
  };
}

export const nodeLossStoreCases: ContractCases<NodeLossStore> = {
  "a cluster without losses has none": async (store) => {
    expect(await store.recent(uniqueCluster(), 10)).toEqual([]);
  },
  "a loss is kept as it was added; the same event again is not, whatever it says then": async (store) => {
    const cluster = uniqueCluster();
    const loss = lossOf(cluster, "a");
    expect(await store.add(loss)).toBe(true);
    expect(await store.add(loss)).toBe(false);
    expect(await store.add(lossOf(cluster, "a", { atSeconds: startSeconds + 9 }))).toBe(false);
    expect(await store.recent(cluster, 10)).toEqual([loss]);
  },
  "recent lists the newest first, no more, no older and no newer ones than asked": async (store) => {
    const cluster = uniqueCluster();
    for (const index of [2, 0, 3, 1])
      await store.add(lossOf(cluster, `e-${index}`, { atSeconds: startSeconds + index }));
    const idsOf = async (...args: [number, number?, number?]) =>
      (await store.recent(cluster, ...args)).map(({ eventId }) => eventId);
    expect(await idsOf(9)).toEqual(["e-3", "e-2", "e-1", "e-0"]);
    expect(await idsOf(2)).toEqual(["e-3", "e-2"]);
    expect(await idsOf(9, startSeconds + 2)).toEqual(["e-3", "e-2"]);
    expect(await idsOf(9, startSeconds + 4)).toEqual([]);
    expect(await idsOf(9, undefined, startSeconds + 1)).toEqual(["e-1", "e-0"]);
    expect(await idsOf(1, startSeconds + 1, startSeconds + 2)).toEqual(["e-2"]);
    expect(await idsOf(0)).toEqual([]);
  },
  "odd clusters and event ids are kept apart": async (store) => {
    const cluster = uniqueCluster(" ?/#'");
    for (const name of oddNames) expect(await store.add(lossOf(cluster, name))).toBe(true);
    const found = await store.recent(cluster, 100);
    expect(found.map(({ eventId }) => eventId)).toEqual([...oddNames].sort());
    expect(await store.recent(uniqueCluster(), 10)).toEqual([]);
  },
};
