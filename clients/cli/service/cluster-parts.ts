import type { ClusterParts } from "../../agent/drivers/driver.ts";
import type { Service } from "./service.ts";

const pageSize = 10_000;

/** What files of a scheduler are drawn up from: all buckets, and the nodes that are there. */
export async function readClusterParts(service: Service): Promise<ClusterParts> {
  const { buckets } = await service.ask("buckets");
  const nodes: ClusterParts["nodes"][number][] = [];
  let cursor: string | null | undefined;
  do {
    const page = await service.ask("nodes", {
      query: { limit: pageSize, cursor: cursor ?? undefined, resources: "-" },
    });
    for (const { name, nodeArray, placementGroup } of page.nodes)
      nodes.push({ name, nodeArray, placementGroup });
    cursor = page.next;
  } while (cursor !== null);
  return { buckets, nodes };
}
