import type { WorldPorts } from "../cycle/index.ts";
import type { ConfigChanges } from "../operate/index.ts";
import type { ConfigFiles, DemandQueue, Ports } from "../ports/index.ts";
import type { Outlook } from "../views/index.ts";

/** What answers from records need: stores that can be read, be they an account's or an archive's files. */
export type RecordPorts = WorldPorts &
  Pick<Ports, "accounts" | "events" | "notifications" | "rejections"> &
  /** Absent: from files no queue can be seen. */
  Partial<Pick<Ports, "unreadDemand">> & {
    /**
     * What is known of a cluster, and the plan that would be made now; undefined for one that is not configured. With
     * `madeAtSeconds`: the look of that moment, where it is still held, so that the pages of a list fit together.
     * Throws StaleSnapshotError for a cluster that was never seen.
     */
    lookAhead(cluster: string, madeAtSeconds?: number): Promise<Outlook | undefined>;
    readonly knownSecrets: readonly string[];
  };

/** What answers that change or show records need beside that: the rights of somebody who may write to the account. */
export type StoragePorts = RecordPorts &
  Pick<Ports, "configVersions" | "log" | "planRequests" | "samples" | "uploads"> & {
    readonly configFiles: ConfigFiles;
    readonly demandQueue: DemandQueue;
    readonly configChanges: ConfigChanges;
    readonly about: Readonly<Record<string, string>>;
  };

/** What the service itself has: the way to its executor, and the order in which nodes that ask to stop take turns. */
export type ServicePorts = StoragePorts & Ports & { readonly stops: StopTurns };

interface StopTurns {
  readonly pace: {
    /** Seconds until a node may ask again; 0: now, and this counts. */
    waitSeconds(name: string, nowSeconds: number): number;
    /** The node was sent away unheard: it may ask at once. */
    forget(name: string): void;
  };
  readonly turns: {
    /** Undefined, at once, when too many wait already. */
    take<T>(name: string, work: () => Promise<T>): Promise<T> | undefined;
  };
}
