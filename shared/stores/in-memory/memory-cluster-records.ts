import type {
  ClusterControl,
  ControlStore,
  IfMatch,
  NotificationRecord,
  NotificationStore,
  PriceSheet,
  PriceSheetStore,
  QuotaClaimStore,
  QuotaClaims,
  RefusedLogin,
  Snapshot,
  SnapshotStore,
  Stored,
} from "../../ports/index.ts";
import { Records } from "./memory-records.ts";

/** The newest snapshot of each cluster. */
export class MemorySnapshotStore implements SnapshotStore {
  readonly #snapshots = new Records<Snapshot>("snapshot");

  async load(cluster: string): Promise<Stored<Snapshot> | undefined> {
    return this.#snapshots.get(cluster);
  }

  async save(
    cluster: string,
    snapshot: Snapshot,
    { latestSeconds = Number.POSITIVE_INFINITY }: { readonly latestSeconds?: number } = {},
  ): Promise<void> {
    const storedSeconds = this.#snapshots.get(cluster)?.value.takenAtSeconds ?? 0;
    if (storedSeconds > snapshot.takenAtSeconds && storedSeconds <= latestSeconds) return;
    this.#snapshots.put(cluster, snapshot);
  }
}

/** Decisions of operators for each cluster. */
export class MemoryControlStore implements ControlStore {
  readonly #controls = new Records<ClusterControl>("control");
  readonly #logins = new Records<RefusedLogin>("refused login");

  async load(cluster: string): Promise<Stored<ClusterControl> | undefined> {
    return this.#controls.get(cluster);
  }

  async save(control: ClusterControl, ifMatch: IfMatch): Promise<void> {
    this.#controls.save(control.cluster, control, ifMatch);
  }

  async refusedLogin(fingerprint: string): Promise<Stored<RefusedLogin> | undefined> {
    return this.#logins.get(fingerprint);
  }

  async saveRefusedLogin(refused: RefusedLogin): Promise<void> {
    this.#logins.put(refused.fingerprint, refused);
  }

  async changeRefusedLogin(refused: RefusedLogin, etag: string): Promise<void> {
    this.#logins.save(refused.fingerprint, refused, etag);
  }

  async forgetRefusedLogin(fingerprint: string): Promise<void> {
    this.#logins.delete(fingerprint);
  }
}

/** The price sheet of each location. */
export class MemoryPriceSheetStore implements PriceSheetStore {
  readonly #sheets = new Records<PriceSheet>("price sheet");

  async load(location: string): Promise<PriceSheet | undefined> {
    return this.#sheets.get(location.toLowerCase())?.value;
  }

  async save(sheet: PriceSheet): Promise<void> {
    const key = sheet.location.toLowerCase();
    const storedSeconds = this.#sheets.get(key)?.value.readAtSeconds ?? 0;
    if (storedSeconds <= sheet.readAtSeconds) this.#sheets.put(key, sheet);
  }
}

/** What is wrong with each cluster, and who has to be told. */
export class MemoryNotificationStore implements NotificationStore {
  readonly #records = new Records<NotificationRecord>("notifications");

  async load(cluster: string): Promise<Stored<NotificationRecord> | undefined> {
    return this.#records.get(cluster);
  }

  async save(record: NotificationRecord, ifMatch: IfMatch): Promise<string> {
    return this.#records.save(record.cluster, record, ifMatch);
  }
}

/** What clusters have of the quotas of each subscription. */
export class MemoryQuotaClaimStore implements QuotaClaimStore {
  readonly #claims = new Records<QuotaClaims>("quota claims", { isRow: true });

  async load(subscription: string): Promise<Stored<QuotaClaims> | undefined> {
    return this.#claims.get(subscription);
  }

  async save(claims: QuotaClaims, ifMatch: IfMatch): Promise<void> {
    this.#claims.save(claims.subscription, claims, ifMatch);
  }
}
