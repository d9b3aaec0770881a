import { z } from "zod";
import { kindOf, messageOf } from "../../shared/errors/errors.ts";
import { parseDemand } from "../../shared/messages/index.ts";
import type { DemandDestination, DemandSent, DemandToSend } from "../../shared/queues/storage-queue/index.ts";
import { changesBetween, type Demand } from "./changes.ts";
import { parse, type StateFolder } from "./state.ts";

/** After so many deltas the agent posts a snapshot, which corrects whatever got lost on the way. */
const deltasInARow = 20;
/** A delta has to be worth its dependence on its predecessor. */
const largestDeltaShare = 0.5;
/** A delta of this size is never too large, so that "nothing has changed" is one also when little is wanted. */
const smallBytes = 100;

const unsentSchema = z.object({
  readAtSeconds: z.number(),
  jobs: z.array(z.looseObject({ name: z.string() })),
  nodes: z.array(z.looseObject({ hostname: z.string() })),
  nodeShapes: z.array(z.looseObject({ nodeArray: z.string() })).optional(),
});

export interface OutboxOptions {
  readonly cluster: string;
  readonly source: string;
  /** Which process this is. */
  readonly sender: string;
  readonly ttlSeconds: number;
  readonly destination: DemandDestination;
  /** `shared/queues/storage-queue.ts` does it. */
  readonly send: (demand: DemandToSend, to: DemandDestination) => Promise<DemandSent>;
  readonly folder: Pick<StateFolder, "read" | "write" | "remove" | "saveSequence">;
}

/** How a post went. `kept`: the queue did not take it; it is on disk, and sent when nothing newer can be read. */
export type Posted =
  | { readonly outcome: "sent"; readonly kind: "snapshot" | "delta"; readonly sequence: number }
  | { readonly outcome: "kept" | "refused"; readonly sequence: number; readonly reason: string };

/**
 * Posts demand, as little as will do. A snapshot takes the place of everything before it, so the newest one that could
 * not be sent is all that needs to be kept: the spool on disk is one reading long.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #sequence: number;
  /** What the service surely has, under the newest sequence number. */
  #base: Demand | undefined;
  #deltas = 0;

  constructor(options: OutboxOptions, sequence: number) {
    this.#options = options;
    this.#sequence = sequence;
  }

  async post(demand: Demand, nowSeconds: number): Promise<Posted> {
    const changes = this.#base === undefined ? undefined : changesBetween(this.#base, demand);
    const isDelta =
      changes !== undefined && this.#deltas < deltasInARow && isSmallBeside(sizeOf(changes), demand);
    const sequence = isDelta ? this.#sequence + 1 : this.#nextSequence(nowSeconds);
    this.#sequence = sequence;
    // Before it is sent: a number is not used twice, whatever becomes of this process. Without a disk the clock sees to it.
    await this.#options.folder.saveSequence(sequence).catch(() => undefined);
    const { cluster, source, sender, ttlSeconds } = this.#options;
    const sentAt = new Date(nowSeconds * 1000).toISOString();
    const envelope = { version: 1, cluster, source, sender, sequence, sentAt, ttlSeconds } as const;
    const posted = await this.#send(
      isDelta && changes !== undefined
        ? { ...envelope, kind: "delta", ...changes }
        : { ...envelope, kind: "snapshot", capabilities: ["drain"], ...demand },
    );
    this.#base = posted.outcome === "sent" ? demand : undefined;
    this.#deltas = isDelta ? this.#deltas + 1 : 0;
    if (posted.outcome === "sent") await this.#options.folder.remove("unsent");
    if (posted.outcome === "kept") await this.#keep(demand, nowSeconds).catch(() => undefined);
    return posted;
  }

  /** Posts what an earlier pass could not, unless it has outlived its time. Undefined when there is no such thing. */
  async postKept(nowSeconds: number): Promise<Posted | undefined> {
    const text = await this.#options.folder.read("unsent");
    if (text === undefined) return undefined;
    const kept = unsentSchema.safeParse(parse(text));
    const isUsable = kept.success && nowSeconds - kept.data.readAtSeconds < this.#options.ttlSeconds;
    if (isUsable) return this.post(kept.data as unknown as Demand, nowSeconds);
    await this.#options.folder.remove("unsent");
    return undefined;
  }

  /** A snapshot comes next: what was sent before has not taken effect, and a delta to it never would. */
  startOver(): void {
    this.#base = undefined;
  }

  /** Larger than the last, also after the state was lost: a pass takes more than a second, so time is ahead. */
  #nextSequence(nowSeconds: number): number {
    return Math.max(this.#sequence + 1, Math.floor(nowSeconds));
  }

  async #send(message: DemandToSend): Promise<Posted> {
    const { sequence, kind } = message;
    // Jobs, nodes and shapes were checked one by one (`check-reading.ts`); what stands around them is checked here.
    const parsed = parseDemand({ ...message, jobs: [], nodes: [], nodeShapes: [] });
    if (!parsed.ok) return { outcome: "refused", sequence, reason: parsed.problems.join("; ") };
    try {
      const sent = await this.#options.send(message, this.#options.destination);
      if (sent.outcome === "sent") return { outcome: "sent", kind, sequence };
      return { outcome: "refused", sequence, reason: sent.reason };
    } catch (error) {
      if (kindOf(error) !== "upstream") throw error;
      return { outcome: "kept", sequence, reason: messageOf(error) };
    }
  }

  async #keep(demand: Demand, nowSeconds: number): Promise<void> {
    await this.#options.folder.write("unsent", JSON.stringify({ readAtSeconds: nowSeconds, ...demand }));
  }
}

function isSmallBeside(size: number, demand: Demand): boolean {
  return size <= smallBytes || size <= sizeOf(demand) * largestDeltaShare + smallBytes;
}

function sizeOf(value: object): number {
  return JSON.stringify(value).length;
}
