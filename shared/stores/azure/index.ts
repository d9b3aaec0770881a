import type { TableClient } from "@azure/data-tables";
import type { BlobServiceClient } from "@azure/storage-blob";
import type { JsonLimits } from "../../json/json-limits.ts";
import type { Log, Stores } from "../../ports/index.ts";
import { AzureAccountStore } from "./account-store.ts";
import { BlobConfigStore, type ParseConfig } from "./config-blobs.ts";
import { TableConfigVersionStore } from "./config-version-table.ts";
import { Container } from "./container.ts";
import { BlobControlStore } from "./control-blobs.ts";
import { BlobDemandStore, BlobDemandUploads } from "./demand-blobs.ts";
import { TableEventStore } from "./event-table.ts";
import { TableHistoryStore } from "./history-table.ts";
import { TableNodeLossStore } from "./loss-table.ts";
import { BlobNotificationStore } from "./notification-blobs.ts";
import { TableOperationStore } from "./operation-table.ts";
import { AzurePlanStore } from "./plan-store.ts";
import { BlobPriceSheetStore } from "./price-sheet-blobs.ts";
import { TableQuotaClaimStore } from "./quota-claim-table.ts";
import { TableRejectionStore } from "./rejection-table.ts";
import { TableSampleStore } from "./sample-table.ts";
import { BlobSnapshotStore } from "./snapshot-blobs.ts";
import { Table } from "./table.ts";
import { BlobTargetStore } from "./target-blobs.ts";

export { BlobConfigFiles } from "./config-file-blobs.ts";
export {
  connectStorage,
  type StorageClients,
  type StorageConnection,
} from "./connect.ts";
export { escapeName } from "./keys.ts";

export interface AzureStoreOptions {
  readonly blob: BlobServiceClient;
  /** Gives the client of a table by its name. */
  readonly table: (name: string) => TableClient;
  readonly parseConfig: ParseConfig;
  /** Whether configurations that were put into the container by hand are kept as versions. */
  readonly keepsVersions?: boolean;
  readonly log?: Log;
  /** Limits for uploads and configurations. Default: those of the smallest instance. */
  readonly jsonLimits?: JsonLimits;
}

/** The stores of one account. Tables and containers are made when a call finds them missing; nothing is sent before. */
export function createAzureStores(options: AzureStoreOptions): Stores {
  const { blob, log, jsonLimits, parseConfig: parse, keepsVersions } = options;
  const table = (name: string) => new Table(options.table(name));
  const configVersions = new TableConfigVersionStore(table("ConfigVersions"));
  return {
    configs: new BlobConfigStore(blob, { parse, versions: configVersions, keepsVersions, log }),
    controls: new BlobControlStore(blob),
    snapshots: new BlobSnapshotStore(blob),
    demand: new BlobDemandStore(blob),
    uploads: new BlobDemandUploads(blob, jsonLimits),
    targets: new BlobTargetStore(blob),
    history: new TableHistoryStore(table("NodeHistory"), new Container(blob, "history")),
    operations: new TableOperationStore(table("Operations"), { log }),
    plans: new AzurePlanStore(blob, table("Plans"), { log }),
    priceSheets: new BlobPriceSheetStore(blob),
    quotaClaims: new TableQuotaClaimStore(table("QuotaClaims")),
    rejections: new TableRejectionStore(table("Rejections"), { log }),
    losses: new TableNodeLossStore(table("NodeLosses"), { log }),
    accounts: new AzureAccountStore(blob, table("JobCosts")),
    notifications: new BlobNotificationStore(blob),
    samples: new TableSampleStore(table("Samples"), { log }),
    events: new TableEventStore(table("Events"), { log }),
    configVersions,
  };
}
