import { describe, test } from "vitest";
import type { AzureStores } from "../../../../shared/stores/azure/index.ts";
import { accountStoreCases } from "./account-store.ts";
import { type ConfigBench, configStoreCases } from "./config-store.ts";
import { configVersionStoreCases } from "./config-version-store.ts";
import { controlStoreCases } from "./control-store.ts";
import { demandStoreCases } from "./demand-store.ts";
import { demandUploadCases, type UploadBench } from "./demand-uploads.ts";
import { eventStoreCases } from "./event-store.ts";
import { historyStoreCases } from "./history-store.ts";
import { nodeLossStoreCases } from "./node-loss-store.ts";
import { notificationStoreCases } from "./notification-store.ts";
import { operationStoreCases } from "./operation-store.ts";
import { planStoreCases } from "./plan-store.ts";
import { priceSheetStoreCases } from "./price-sheet-store.ts";
import { rejectionStoreCases } from "./rejection-store.ts";
import { sampleStoreCases } from "./sample-store.ts";
import { snapshotStoreCases } from "./snapshot-store.ts";
import type { ContractCase } from "./suite.ts";
import { targetStoreCases } from "./target-store.ts";

/** Everything that the suites work on: fresh stores, and the operator's and the sender's side of two of them. */
export interface Bench {
  readonly stores: Omit<AzureStores, "configs" | "uploads">;
  readonly configs: ConfigBench;
  readonly uploads: UploadBench;
}

/** Runs every contract suite; `bench` is asked inside the tests, after `beforeAll` has made it. */
export function runContractSuites(implementation: string, bench: () => Bench): void {
  const suite = <T>(port: string, cases: readonly ContractCase<T>[], subject: (bench: Bench) => T) => {
    describe(`${port} (${implementation})`, () => {
      for (const { name, run } of cases) test(name, () => run(subject(bench())));
    });
  };
  suite("SnapshotStore", snapshotStoreCases, ({ stores }) => stores.snapshots);
  suite("ControlStore", controlStoreCases, ({ stores }) => stores.controls);
  suite("DemandStore", demandStoreCases, ({ stores }) => stores.demand);
  suite("HistoryStore", historyStoreCases, ({ stores }) => stores.history);
  suite("OperationStore", operationStoreCases, ({ stores }) => stores.operations);
  suite("PlanStore", planStoreCases, ({ stores }) => stores.plans);
  suite("PriceSheetStore", priceSheetStoreCases, ({ stores }) => stores.priceSheets);
  suite("RejectionStore", rejectionStoreCases, ({ stores }) => stores.rejections);
  suite("NodeLossStore", nodeLossStoreCases, ({ stores }) => stores.losses);
  suite("TargetStore", targetStoreCases, ({ stores }) => stores.targets);
  suite("NotificationStore", notificationStoreCases, ({ stores }) => stores.notifications);
  suite("AccountStore", accountStoreCases, ({ stores }) => stores.accounts);
  suite("SampleStore", sampleStoreCases, ({ stores }) => stores.samples);
  suite("EventStore", eventStoreCases, ({ stores }) => stores.events);
  suite("ConfigVersionStore", configVersionStoreCases, ({ stores }) => stores.configVersions);
  suite("ConfigStore", configStoreCases, ({ configs }) => configs);
  suite("DemandUploads", demandUploadCases, ({ uploads }) => uploads);
}
