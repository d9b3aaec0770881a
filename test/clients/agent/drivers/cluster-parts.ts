import type { ClusterParts } from "../../../../clients/agent/drivers/driver.ts";

type Bucket = ClusterParts["buckets"][number];
type Node = ClusterParts["nodes"][number];

/** A cluster of which everything is known. */
export function partsOf(
  buckets: readonly Bucket[],
  nodes: readonly Node[] = [],
  unread: readonly string[] = [],
): ClusterParts {
  return { buckets, nodes, unread };
}

/** A node of the array that its name begins with. */
export function existing(name: string, given: Partial<Node> = {}): Node {
  return {
    name,
    nodeArray: name.replace(/-\d+$/, ""),
    vmSize: "Standard_D4s_v5",
    placementGroup: null,
    ...given,
  };
}

/** A bucket of an array of 100 nodes of 4 threads and 16 GiB, with other figures where they are given. */
export function bucket(given: Partial<Bucket> & { readonly most?: number } = {}): Bucket {
  const { most = 100, ...rest } = given;
  return {
    nodeArray: "htc",
    vmSize: "Standard_D4s_v5",
    location: "westeurope",
    spot: false,
    enabled: true,
    valid: true,
    vm: { vcpuCount: 4, pcpuCount: 2, gpuCount: 0, memoryBytes: 16 * 1024 ** 3 },
    limits: [
      { limit: "bucket", max: most, perNode: 1 },
      { limit: "family", max: 8, perNode: 4 },
    ],
    usdPerHour: 0.23,
    resources: {},
    ...rest,
  };
}
