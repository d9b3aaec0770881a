import { Refusal, type Site, toIso, toNodeRecord } from "../../../shared/simulated-cyclecloud/index.ts";

export interface ReportRequest {
  readonly clusterName: string;
  readonly node: string;
  readonly category: string | undefined;
  readonly description: string | undefined;
}

const defaultCategory = "Resource.Hpc.Unhealthy.HpcGenericFailure";

/** Files a guest health report. Refused: unknown node (404), unknown category (400), reported before (409). */
export function report(site: Site, request: ReportRequest): void {
  const { cluster, node } = find(site, request);
  const { category = defaultCategory, description = "" } = request;
  if (!category.startsWith("Resource.Hpc.")) {
    throw new Refusal(
      400,
      `Cannot report node "${node.name}": category "${category}", expected Resource.Hpc.…`,
    );
  }
  if (cluster.healthReports.has(node.nodeId))
    throw new Refusal(409, `Cannot report node "${node.name}": reported before`);
  cluster.healthReports.set(node.nodeId, { category, description });
}

/** The impact as it would go to Azure: what was filed, or what the query says. */
export function impactOf(site: Site, request: ReportRequest) {
  const { cluster, at, node } = find(site, request);
  const filed = cluster.healthReports.get(node.nodeId);
  const { InstanceId } = toNodeRecord(node, at, cluster.definition);
  return {
    properties: {
      impactCategory: filed?.category ?? request.category ?? defaultCategory,
      impactDescription: filed?.description ?? request.description ?? "",
      impactedResourceId: InstanceId ?? null,
      startDateTime: toIso(at),
    },
  };
}

function find(site: Site, { clusterName, node: name }: ReportRequest) {
  const { cluster, at } = site.clusterNow(clusterName);
  const node = [...cluster.population.living()].find((each) => each.name === name);
  if (node === undefined) throw new Refusal(404, `Cannot find node "${name}" in cluster "${clusterName}"`);
  return { cluster, at, node };
}
