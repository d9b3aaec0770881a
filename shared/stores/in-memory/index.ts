import type { Stores } from "../../ports/index.ts";
import { MemoryAccountStore } from "./memory-accounts.ts";
import {
  MemoryControlStore,
  MemoryNotificationStore,
  MemoryPriceSheetStore,
  MemoryQuotaClaimStore,
  MemorySnapshotStore,
} from "./memory-cluster-records.ts";
import { MemoryConfigFiles, MemoryConfigStore } from "./memory-configs.ts";
import { MemoryDemandStore, MemoryDemandUploads, MemoryTargetStore } from "./memory-demand.ts";
import { MemoryConfigVersionStore, MemoryEventStore } from "./memory-events.ts";
import { MemoryHistoryStore, MemoryNodeLossStore } from "./memory-history.ts";
import { MemoryOperationStore } from "./memory-operations.ts";
import { MemoryPlanStore } from "./memory-plans.ts";
import { MemoryRejectionStore } from "./memory-rejections.ts";
import { MemorySampleStore } from "./memory-samples.ts";

export { MemoryAccountStore, MemoryConfigFiles, MemoryConfigStore, MemoryDemandUploads, MemorySnapshotStore };

/** Every store of the ports, in memory. Tests also look into them. */
export type MemoryStores = ReturnType<typeof createMemoryStores>;

/** Empty stores for tests, simulation and replay; they follow the same contract suite as the Azure ones. */
export function createMemoryStores() {
  return {
    configs: new MemoryConfigStore(),
    controls: new MemoryControlStore(),
    snapshots: new MemorySnapshotStore(),
    demand: new MemoryDemandStore(),
    uploads: new MemoryDemandUploads(),
    targets: new MemoryTargetStore(),
    history: new MemoryHistoryStore(),
    operations: new MemoryOperationStore(),
    plans: new MemoryPlanStore(),
    priceSheets: new MemoryPriceSheetStore(),
    quotaClaims: new MemoryQuotaClaimStore(),
    rejections: new MemoryRejectionStore(),
    losses: new MemoryNodeLossStore(),
    accounts: new MemoryAccountStore(),
    notifications: new MemoryNotificationStore(),
    samples: new MemorySampleStore(),
    events: new MemoryEventStore(),
    configVersions: new MemoryConfigVersionStore(),
  } satisfies Stores;
}
