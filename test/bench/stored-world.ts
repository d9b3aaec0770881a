import { toPlanInput } from "../../shared/cycle/index.ts";
import { defaultSettings, type PlanInput } from "../../shared/engine/index.ts";
import type { DemandJob } from "../../shared/messages/job-demand.ts";
import type { SourceDemand } from "../../shared/ports/index.ts";
import { packDemand, unpackDemand } from "../../shared/stores/azure/packed-demand.ts";
import { snapshotOf } from "../support/snapshot.ts";
import { clusterOf } from "./clusters.ts";

const nowSeconds = 1_800_000_000;

/** The two large blobs that a plan is made from, as they lie in the storage account. */
export interface StoredWorld {
  readonly snapshot: string;
  readonly demand: string;
}

export function storedWorld(nodes: number, jobs: readonly DemandJob[]): StoredWorld {
  const snapshot = snapshotOf(clusterOf(nodes), nowSeconds);
  const demand: SourceDemand = {
    cluster: "bench",
    source: "bench",
    sequence: 1,
    ignoredMessages: 0,
    receivedAtSeconds: nowSeconds,
    expiresAtSeconds: nowSeconds + 300,
    jobs,
    nodes: [],
  };
  return { snapshot: JSON.stringify(snapshot), demand: JSON.stringify(packDemand(demand)) };
}

/** From the text of the blobs to what the engine plans from, with the service's own readers. */
export function readWorld({ snapshot, demand }: StoredWorld): PlanInput {
  return toPlanInput(
    {
      settings: defaultSettings,
      snapshot: JSON.parse(snapshot),
      demand: [unpackDemand(JSON.parse(demand))],
      targets: [],
      operations: [],
      history: [],
    },
    nowSeconds,
  );
}
