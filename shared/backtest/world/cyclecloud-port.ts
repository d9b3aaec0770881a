import { defined } from "../../collections/defined.ts";
import type { ActionCreateSet } from "../../messages/index.ts";
import type { CycleCloud, NodesRequest, RequestedNode } from "../../ports/index.ts";
import {
  type CreationRequest,
  create,
  manage,
  Refusal,
  retryFailed,
  type Site,
  type Verb,
} from "../../simulated-cyclecloud/index.ts";
import type { ClusterReader } from "./read-cluster.ts";

/** The port over one simulated cluster: calls have their effect at once and are always answered. */
export function cycleCloudPort(options: {
  readonly site: Site;
  readonly cluster: string;
  readonly reader: ClusterReader;
  /** Called with the nodes that a call made or changed. */
  readonly onChange: () => void;
}): CycleCloud {
  const { site, cluster, reader, onChange } = options;
  return {
    credentialsFingerprint: () => "none",
    readUsage: async () => [],
    readCluster: async () => reader.read(),
    createNodes: async ({ requestId, sets }) => {
      const request: CreationRequest = { requestId, sets: sets.map(toSet) };
      return unlessRefused(() => {
        const { operationId, sets: made } = create(site, cluster, request);
        onChange();
        return { outcome: "accepted", operationId, sets: made };
      });
    },
    startNodes: (request) => act("start", request),
    shutdownNodes: (request) => act("shutdown", request),
    manageNodes: (verb, request) => act(verb, request),
    retryFailedNodes: async () => {
      retryFailed(site, cluster);
      onChange();
    },
    nodesOfRequest: async (requestId) => {
      const operation = site.operations.byRequest(requestId);
      if (operation === undefined) return undefined;
      const { population } = site.clusterNow(cluster).cluster;
      return operation.nodeIds.flatMap((nodeId) => {
        const node = population.byId(nodeId);
        return node === undefined ? [] : [toRequested(reader.nodeOf(node, site.clock.nowSeconds()))];
      });
    },
  };

  async function act(verb: Verb, { requestId, nodeIds }: NodesRequest) {
    return unlessRefused(() => {
      const { operationId, nodes } = manage(site, cluster, verb, { requestId, ids: [...nodeIds] });
      onChange();
      const acted = nodes.map(({ id: nodeId, name, error }) =>
        error === undefined ? { nodeId, name } : { nodeId, name, error },
      );
      return { outcome: "accepted", operationId, nodes: acted } as const;
    });
  }
}

function unlessRefused<T>(call: () => T): T | { readonly outcome: "refused"; readonly message: string } {
  try {
    return call();
  } catch (error) {
    if (error instanceof Refusal && error.status === 409)
      return { outcome: "refused", message: error.message };
    throw error;
  }
}

function toSet(set: ActionCreateSet): CreationRequest["sets"][number] {
  const { nameFormat, nameOffset, nodeAttributes } = set;
  return {
    nodearray: set.nodeArray,
    count: set.count,
    definition: { machineType: set.vmSize },
    ...(set.placementGroup === null ? {} : { placementGroupId: set.placementGroup }),
    ...defined({ nameFormat, nameOffset, nodeAttributes }),
  };
}

function toRequested(node: ReturnType<ClusterReader["nodeOf"]>): RequestedNode {
  const { nodeId, name, nodeArray, vmSize, placementGroup, dynamicArray } = node;
  const plain = { nodeId, name, nodeArray, vmSize, placementGroup };
  return dynamicArray === undefined ? plain : { ...plain, dynamicArray };
}
