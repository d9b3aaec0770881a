import type { BucketsQuery, PricesAnswer, SizePriceView } from "../api/index.ts";
import { type Bucket, kindName, type NodeArray, runningIn } from "../engine/index.ts";
import { inMicroUsd } from "../prices/index.ts";
import { ofSelected, type Selected, selectingOf } from "./node-selection.ts";
import type { Outlook } from "./outlook.ts";

/** What nodes of the selected sizes cost, as the newest snapshot has it. */
export function listPrices(outlook: Outlook, query: BucketsQuery): Selected<PricesAnswer> {
  const { input, snapshot } = outlook;
  return ofSelected(input, selectingOf(query), (selector) => {
    const surveyed = outlook.buckets();
    const selected = selector === undefined ? surveyed : surveyed.filter(selector.isBucketSelected);
    const keys = new Set(selected.map(kindName));
    const { reservedNodes } = runningIn(snapshot.cluster);
    const prices = snapshot.cluster.nodeArrays.flatMap((array) =>
      array.buckets
        .filter(
          ({ vmSize }) => selector === undefined || keys.has(kindName({ nodeArray: array.name, vmSize })),
        )
        .map((bucket) => toView(array, bucket, reservedNodes)),
    );
    const { cluster, atSeconds } = outlook;
    return { cluster, atSeconds, snapshotTakenAtSeconds: snapshot.takenAtSeconds, prices };
  });
}

function toView(array: NodeArray, bucket: Bucket, reservedNodes: ReadonlyMap<string, number>): SizePriceView {
  const { vmSize, vm, prices, reservation } = bucket;
  const usdPerHour = bucket.pricePerHourUsd ?? null;
  return {
    nodeArray: array.name,
    vmSize,
    location: array.location,
    spot: array.spot,
    vcpuCount: vm.vcpuCount,
    usdPerHour,
    usdPerCoreHour: usdPerHour === null || vm.vcpuCount === 0 ? null : inMicroUsd(usdPerHour / vm.vcpuCount),
    regular: prices?.regular ?? null,
    spotPrice: prices?.spot ?? null,
    reservation:
      reservation === undefined
        ? null
        : { ...reservation, running: reservedNodes.get(reservation.name) ?? 0 },
  };
}
