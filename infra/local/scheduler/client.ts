import type { Host } from "../../../shared/backtest/index.ts";
import { createVmCatalogue } from "../../../shared/facts/index.ts";

/** A node as the CycleCloud simulator reports it, as far as the scheduler looks at it. */
interface NodeRecord {
  readonly Status: string;
  readonly TargetState?: string;
  readonly Template: string;
  readonly MachineType: string;
  readonly Hostname?: string;
  readonly PlacementGroupId?: string;
  /** True of nodes outside every array, such as the scheduler itself: they run no jobs. */
  readonly Fixed?: boolean;
}

export interface CycleCloudAccess {
  readonly url: string;
  readonly cluster: string;
  readonly username: string;
  readonly password: string;
}

/**
 * The hosts that have joined the scheduler. On a real cluster the scheduler's daemon on each node says so when the node
 * is up; here the node list of the simulator stands in for those daemons.
 */
export async function readHosts(access: CycleCloudAccess): Promise<readonly Host[]> {
  const nodes = await readNodes(access);
  return nodes.flatMap((node) => toHost(node) ?? []);
}

const catalogue = createVmCatalogue();

function toHost(node: NodeRecord): Host | undefined {
  const size = catalogue.find(node.MachineType);
  if (node.Fixed === true || node.Status !== "Ready" || node.TargetState !== "Started") return undefined;
  if (node.Hostname === undefined || size === undefined) return undefined;
  return {
    hostname: node.Hostname,
    nodeArray: node.Template,
    placementGroup: node.PlacementGroupId ?? null,
    capacity: { ncpus: size.vcpusAvailable, memoryGiB: size.memoryGiB, gpus: size.gpus },
  };
}

async function readNodes(access: CycleCloudAccess): Promise<readonly NodeRecord[]> {
  const credentials = Buffer.from(`${access.username}:${access.password}`).toString("base64");
  const response = await fetch(`${access.url}/clusters/${encodeURIComponent(access.cluster)}/nodes`, {
    headers: { authorization: `Basic ${credentials}` },
  });
  if (!response.ok) throw new Error(`Cannot read hosts of "${access.cluster}": HTTP ${response.status}`);
  const body = (await response.json()) as { readonly nodes: readonly NodeRecord[] };
  return body.nodes;
}
