import { InvariantError } from "../errors/errors.ts";
import type { ActionCreateSet } from "../messages/index.ts";
import type { NodesRequest } from "../ports/index.ts";

/** `POST /clusters/{c}/nodes/create`. */
export interface NodeCreationRequest {
  readonly requestId: string;
  readonly sets: readonly NodeCreationSet[];
}

interface NodeCreationSet {
  readonly nodearray: string;
  readonly count: number;
  readonly definition: { readonly machineType: string };
  readonly placementGroupId?: string;
  readonly nameFormat?: string;
  readonly nameOffset?: number;
  readonly nodeAttributes?: Readonly<Record<string, unknown>>;
}

/** `POST /clusters/{c}/nodes/{start,shutdown,...}`. Nodes are named by id alone: names are used again. */
export interface NodeManagementRequest {
  readonly requestId: string;
  readonly ids: readonly string[];
}

export function toCreationRequest(request: {
  readonly requestId: string;
  readonly sets: readonly ActionCreateSet[];
}): NodeCreationRequest {
  return { requestId: request.requestId, sets: request.sets.map(toSet) };
}

function toSet(set: ActionCreateSet): NodeCreationSet {
  return {
    nodearray: set.nodeArray,
    count: set.count,
    definition: { machineType: set.vmSize },
    ...(set.placementGroup === null ? {} : { placementGroupId: set.placementGroup }),
    ...(set.nameFormat === undefined ? {} : { nameFormat: set.nameFormat }),
    ...(set.nameOffset === undefined ? {} : { nameOffset: set.nameOffset }),
    ...(set.nodeAttributes === undefined ? {} : { nodeAttributes: set.nodeAttributes }),
  };
}

/** Throws InvariantError without ids: the server does not define what an empty selection means. */
export function toManagementRequest(request: NodesRequest): NodeManagementRequest {
  if (request.nodeIds.length === 0)
    throw new InvariantError(`Cannot ask CycleCloud to act on nodes: 0 node ids in "${request.requestId}"`);
  return { requestId: request.requestId, ids: request.nodeIds };
}
