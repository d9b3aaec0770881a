import { jobDemandQueue } from "../../../shared/app/names.ts";
import { parseDemand, wholly } from "../../../shared/messages/index.ts";
import type { NodeShape, SchedulerNode } from "../../agent/drivers/driver.ts";
import type { JobJson } from "../engine/job.ts";
import { importPeer } from "../import-peer.ts";
import { type StorageAccount, storageClients } from "../storage-account.ts";

export interface DemandSenderOptions {
  /** CycleCloud's name of the cluster. */
  readonly cluster: string;
  /** What the scheduler is called in messages. A source belongs to one scheduler of one cluster. */
  readonly source: string;
  readonly storage: StorageAccount;
  /** How long a message counts if no other follows; 300 by default. */
  readonly ttlSeconds?: number;
}

/** A host that the scheduler knows; without a state it takes jobs. */
export type HostJson = Pick<SchedulerNode, "hostname"> & Partial<SchedulerNode>;

/** `refused`: nothing was sent, because the message is not what the service takes. */
export type Sent =
  | { readonly outcome: "sent"; readonly messages: number; readonly sequence: number }
  | { readonly outcome: "refused"; readonly reason: string };

/**
 * Posts all jobs and nodes of a scheduler to the queue `job-demand`: in one message, in parts, or as an upload, whatever they
 * need. Numbers follow the clock, so a sender that is started anew goes on where it stopped.
 */
export class DemandSender {
  readonly #options: DemandSenderOptions;
  #sequence = 0;

  constructor(options: DemandSenderOptions) {
    this.#options = options;
  }

  /** Throws an Error when the queue does not answer; then send all of it again. */
  async snapshot(
    jobs: readonly JobJson[],
    nodes: readonly HostJson[] = [],
    nodeShapes: readonly NodeShape[] = [],
  ): Promise<Sent> {
    const { cluster, source, ttlSeconds = 300, storage } = this.#options;
    this.#sequence = Math.max(this.#sequence + 1, Math.floor(Date.now() / 1000));
    const message = {
      version: 1,
      kind: "snapshot",
      cluster,
      source,
      sequence: this.#sequence,
      sentAt: new Date().toISOString(),
      ttlSeconds,
      jobs,
      nodes,
      ...(nodeShapes.length === 0 ? {} : { nodeShapes }),
    } as const;
    const parsed = wholly(parseDemand(message));
    if (!parsed.ok) return { outcome: "refused", reason: parsed.problems.join("; ") };
    const { sendDemand } = await importPeer(() => import("../../../shared/queues/storage-queue/index.ts"));
    const { queue, blob } = await storageClients(storage);
    const sent = await sendDemand(message, { queue: queue.getQueueClient(jobDemandQueue), uploads: blob });
    return sent.outcome === "sent"
      ? { outcome: "sent", messages: sent.messages, sequence: this.#sequence }
      : { outcome: "refused", reason: sent.reason };
  }
}
