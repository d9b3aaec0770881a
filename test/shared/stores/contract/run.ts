import { describe, test } from "vitest";
import type { Stores } from "../../../../shared/ports/index.ts";
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
import { quotaClaimStoreCases } from "./quota-claim-store.ts";
import { rejectionStoreCases } from "./rejection-store.ts";
import { sampleStoreCases } from "./sample-store.ts";
import { snapshotStoreCases } from "./snapshot-store.ts";
import type { ContractCases } from "./suite.ts";
import { targetStoreCases } from "./target-store.ts";

/** What suites work on: the store, or a bench that also is the operator's or the sender's side of it. */
export interface Bench {
  readonly stores: Omit<Stores, keyof Benches>;
  readonly configs: ConfigBench;
  readonly uploads: UploadBench;
}

type Benches = Omit<Bench, "stores">;

type Subjects = Bench["stores"] & Benches;

interface Suite<T> {
  readonly port: string;
  readonly cases: ContractCases<T>;
}

/** A suite for each store: one that is added to `Stores` is asked for here. */
const suites: { readonly [Name in keyof Stores]: Suite<Subjects[Name]> } = {
  snapshots: { port: "SnapshotStore", cases: snapshotStoreCases },
  controls: { port: "ControlStore", cases: controlStoreCases },
  demand: { port: "DemandStore", cases: demandStoreCases },
  history: { port: "HistoryStore", cases: historyStoreCases },
  operations: { port: "OperationStore", cases: operationStoreCases },
  plans: { port: "PlanStore", cases: planStoreCases },
  priceSheets: { port: "PriceSheetStore", cases: priceSheetStoreCases },
  quotaClaims: { port: "QuotaClaimStore", cases: quotaClaimStoreCases },
  rejections: { port: "RejectionStore", cases: rejectionStoreCases },
  losses: { port: "NodeLossStore", cases: nodeLossStoreCases },
  targets: { port: "TargetStore", cases: targetStoreCases },
  notifications: { port: "NotificationStore", cases: notificationStoreCases },
  accounts: { port: "AccountStore", cases: accountStoreCases },
  samples: { port: "SampleStore", cases: sampleStoreCases },
  events: { port: "EventStore", cases: eventStoreCases },
  configVersions: { port: "ConfigVersionStore", cases: configVersionStoreCases },
  configs: { port: "ConfigStore", cases: configStoreCases },
  uploads: { port: "DemandUploads", cases: demandUploadCases },
};

/** Runs every contract suite; `bench` is asked inside the tests, after `beforeAll` has made it. */
export function runContractSuites(implementation: string, bench: () => Bench): void {
  const subjects = (): Subjects => {
    const { stores, configs, uploads } = bench();
    return { ...stores, configs, uploads };
  };
  const runSuite = <Name extends keyof Stores>(name: Name) => {
    const { port, cases }: Suite<Subjects[Name]> = suites[name];
    describe(`${port} (${implementation})`, () => {
      for (const [promise, check] of Object.entries(cases)) test(promise, () => check(subjects()[name]));
    });
  };
  for (const name of Object.keys(suites)) runSuite(name as keyof Stores);
}
