import { clusterStatusSchema, toCluster } from "../../../shared/cyclecloud/index.ts";
import type { Cluster, NodeArray } from "../../../shared/engine/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { createVmCatalogue } from "../../../shared/facts/index.ts";
import { describeProblems } from "../../../shared/messages/index.ts";
import { priceCluster } from "../../../shared/prices/index.ts";
import { printable } from "../../../shared/text/text.ts";
import { CommandFailure } from "../exit-code.ts";
import { readJson } from "../read-text.ts";

/** A spot array, and the array that takes its jobs when there is no spot. */
export interface SpotPair {
  readonly spot: string;
  readonly regular: string;
}

const advice = "Save what CycleCloud answers to GET /clusters/NAME/status?nodes=true, and name that file.";

/** A cluster as CycleCloud describes it in a file, with shipped prices. */
export async function readClusterStatus(file: string, name: string): Promise<Cluster> {
  const parsed = clusterStatusSchema.safeParse(await readJson(file), { reportInput: true });
  if (!parsed.success)
    throw new CommandFailure(
      `Cannot read the cluster's status in "${printable(file)}": ${describeProblems(parsed.error).join("; ")}`,
      advice,
    );
  try {
    const read = toCluster({ name, status: parsed.data, nodes: [], catalogue: createVmCatalogue() });
    return priceCluster(read.cluster, {});
  } catch (error) {
    throw new CommandFailure(`Cannot read "${printable(file)}": ${messageOf(error)}`, advice);
  }
}

/** Arrays whose nodes CycleCloud may lose, each beside a regular one of the same VM sizes: the one with the most similar name. */
export function proposePairs({ nodeArrays }: Cluster): readonly SpotPair[] {
  const regular = nodeArrays.filter(({ spot, buckets }) => !spot && buckets.length > 0);
  return nodeArrays
    .filter(({ spot, buckets }) => spot && buckets.length > 0)
    .flatMap((array) => {
      const same = regular.filter((other) => sizesOf(other) === sizesOf(array));
      const named = same.find(({ name }) => array.name.toLowerCase().includes(name.toLowerCase())) ?? same[0];
      return named === undefined ? [] : [{ spot: array.name, regular: named.name }];
    });
}

function sizesOf({ buckets }: NodeArray): string {
  return JSON.stringify(buckets.map(({ vmSize }) => vmSize.toLowerCase()).toSorted());
}

/** A line for each size of each array: what an hour costs. */
export function pricesInWords(cluster: Cluster): readonly string[] {
  return cluster.nodeArrays.flatMap(({ name, spot, buckets }) =>
    buckets.map(({ vmSize, prices }) => {
      const price = spot ? prices?.spot : prices?.regular;
      const usd =
        price === null || price === undefined
          ? "price not known"
          : `${price.isUpperBound === true ? "at most " : ""}${price.usdPerHour.toFixed(4)} USD an hour`;
      return `${name}${spot ? " (spot)" : ""}, ${vmSize}: ${usd}`;
    }),
  );
}
