import type { Cluster } from "../../engine/index.ts";
import type { BackedOff, BootsFailing, TroubledNode } from "../../ports/index.ts";

/**
 * Node arrays whose nodes were deleted again and again because they failed or never booted: buying more of them would
 * only cost money. After the back-off they are tried again, and the next failure backs them off again.
 */
export function bootsFailing(
  troubled: readonly TroubledNode[],
  limits: { readonly failures: number; readonly backoffSeconds: number; readonly nowSeconds: number },
): readonly BootsFailing[] {
  const { failures: most, backoffSeconds, nowSeconds } = limits;
  const timesOf = new Map<string, number[]>();
  for (const { nodeArray, fate, atSeconds } of troubled)
    if (fate === "deleted") timesOf.set(nodeArray, [...(timesOf.get(nodeArray) ?? []), atSeconds]);
  return [...timesOf].flatMap(([nodeArray, times]) => {
    const untilSeconds = Math.max(...times) + backoffSeconds;
    const isFailing = most > 0 && times.length >= most && untilSeconds > nowSeconds;
    return isFailing ? [{ nodeArray, failures: times.length, untilSeconds }] : [];
  });
}

/** Every bucket of these arrays. */
export function bucketsOf(cluster: Cluster, arrays: readonly BootsFailing[]): readonly BackedOff[] {
  return arrays.flatMap(({ nodeArray, failures, untilSeconds }) => {
    const array = cluster.nodeArrays.find(({ name }) => name === nodeArray);
    const why = `${failures} nodes of "${nodeArray}" failed or did not boot within an hour`;
    return (array?.buckets ?? []).map(({ vmSize }) => ({ nodeArray, vmSize, untilSeconds, why }));
  });
}
