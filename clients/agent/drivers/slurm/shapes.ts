import type { NodeShape, SetAside } from "../driver.ts";
import { cycleCloudName } from "./common.ts";
import { gresIn, resourceName } from "./gres.ts";
import { isIgnored } from "./slurm-nodes.ts";
import { cpusAllowed, type Partitions } from "./slurm-partitions.ts";
import type { NodeRecord } from "./slurm-records.ts";
import type { SlurmSettings } from "./slurm-settings.ts";
import { gpuRequestOf, gpusIn } from "./tres.ts";

type Amounts = Readonly<Record<string, number>>;

/** What Slurm counts of a node, whether it is there or not. Memory and CPUs that it keeps for the system are not counted. */
function amountsOf(node: NodeRecord, partitions: Partitions): Amounts {
  const { usable_cpus: ncpus, usable_memory: memmb, gres } = node;
  const caps = (node.partitions ?? []).flatMap((name) => {
    const most = cpusAllowed(partitions.get(name), node);
    return most === undefined ? [] : [[capName(name), Math.min(most, ncpus ?? most)] as const];
  });
  return { ...countedOf({ cpus: ncpus, memoryMb: memmb, gres }), ...Object.fromEntries(caps) };
}

/** The resources of a node line, or of what the controller has made of it: the one place where they get their names. */
export function countedOf({
  cpus,
  memoryMb,
  gres,
}: {
  readonly cpus: number | undefined;
  readonly memoryMb: number | undefined;
  readonly gres: string;
}): Amounts {
  return {
    ...(cpus === undefined ? {} : { ncpus: cpus }),
    ...(memoryMb === undefined ? {} : { memmb: memoryMb }),
    ngpus: gpusIn(gpuRequestOf(gres)),
    ...Object.fromEntries([...gresIn(gres)].map(([name, count]) => [resourceName(name), count])),
  };
}

/**
 * `MaxCPUsPerNode` of a partition bounds what its jobs together take of one node, and nobody else's: it is a resource of the
 * node that only they ask for.
 */
export function capName(partition: string): string {
  return `MaxCPUsPerNode:${partition}`;
}

/** The amounts of every node have the same names, with 0 for what one of them lacks. */
export class NodeAmounts {
  readonly #partitions: Partitions;
  readonly #names: readonly string[];

  constructor(nodes: readonly NodeRecord[], partitions: Partitions) {
    this.#partitions = partitions;
    this.#names = [...new Set(nodes.flatMap((node) => Object.keys(amountsOf(node, partitions))))].filter(
      (name) => name !== "ncpus" && name !== "memmb",
    );
  }

  of(node: NodeRecord): Amounts {
    return {
      ...Object.fromEntries(this.#names.map((name) => [name, 0])),
      ...amountsOf(node, this.#partitions),
    };
  }
}

/**
 * What nodes that come will offer, for each node array and each size that features name. Where the nodes of one kind differ in
 * slurm.conf the least counts: nobody knows which of them comes.
 */
export function shapesOf(
  nodes: readonly NodeRecord[],
  amounts: NodeAmounts,
  settings: SlurmSettings,
): { readonly shapes: readonly NodeShape[]; readonly setAside: readonly SetAside[] } {
  const kinds = Map.groupBy(
    nodes.filter((node) => !isIgnored(node, settings)).flatMap((node) => kindsOf(node, settings)),
    ({ nodeArray, vmSize }) => JSON.stringify([nodeArray, vmSize]),
  );
  const setAside: SetAside[] = [];
  const shapes = [...kinds.values()].map((kind): NodeShape => {
    const [{ nodeArray, vmSize } = { nodeArray: "", vmSize: "" }] = kind;
    const each = kind.map(({ node }) => amounts.of(node));
    const names = [...new Set(each.flatMap((one) => Object.keys(one)))].sort();
    const least = Object.fromEntries(
      names.map((name) => [name, Math.min(...each.map((one) => one[name] ?? 0))]),
    );
    const differing = names.flatMap((name) => {
      const most = Math.max(...each.map((one) => one[name] ?? 0));
      return most === least[name] ? [] : [`${name} (${least[name]} to ${most})`];
    });
    if (differing.length > 0)
      setAside.push({
        record: `nodes of "${nodeArray}"${vmSize === "" ? "" : ` of size ${vmSize}`}`,
        reason: `differ in ${differing.join(", ")}: new ones count as the least`,
      });
    return { nodeArray, ...(vmSize === "" ? {} : { vmSize }), resources: least };
  });
  const key = ({ nodeArray, vmSize = "" }: NodeShape) => `${nodeArray} ${vmSize}`;
  return { shapes: shapes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)), setAside };
}

function kindsOf(node: NodeRecord, settings: SlurmSettings) {
  const own = (node.partitions ?? []).filter((name) => !settings.ignore_partitions.includes(name));
  const arrays = own.flatMap((name) => arraysOf(node, name, settings));
  const vmSize = node.features?.find((feature) => /^standard_\w+$/i.test(feature)) ?? "";
  return [...new Set(arrays)].map((nodeArray) => ({ nodeArray, vmSize, node }));
}

/**
 * The node arrays that a node of a partition may be of. CycleCloud calls nodes `<array>-<number>`, and Slurm's node is called
 * so. The setting of the partition counts before that: one array, or several among which the name chooses.
 */
export function arraysOf(
  { name }: Pick<NodeRecord, "name">,
  partition: string,
  settings: SlurmSettings,
): readonly string[] {
  const named = /^(.+)-\d+$/.exec(cycleCloudName(name, settings))?.[1];
  const set = settings.partitions[partition]?.node_array;
  if (set === undefined) return [named ?? partition];
  const listed = [set].flat();
  return named !== undefined && listed.includes(named) ? [named] : listed;
}
