import { ConflictError } from "../../errors/errors.ts";
import { type JsonLimits, smallestLimits } from "../../json/json-limits.ts";
import type {
  DemandPart,
  DemandStore,
  DemandSummary,
  DemandUploads,
  IfMatch,
  MessageIdentity,
  RequestSet,
  SourceDemand,
  Stored,
  TargetStore,
  WaitingPart,
} from "../../ports/index.ts";
import { blobNameProblem } from "../../ports/index.ts";
import { summaryOf } from "../demand-summary.ts";
import { byRequestSet, bySource } from "../order.ts";
import { noSuchName, type ReadUpload, textOfUpload } from "../store-limits.ts";
import { Records, recordKey } from "./memory-records.ts";

interface KeptPart {
  readonly snapshot: MessageIdentity;
  readonly part: DemandPart;
}

/** Demand per source, and the parts of snapshots that are not complete yet. */
export class MemoryDemandStore implements DemandStore {
  readonly #demand = new Records<SourceDemand>("demand");
  readonly #parts = new Records<KeptPart>("part");

  async list(cluster: string): Promise<readonly SourceDemand[]> {
    const all = this.#demand.which((demand) => demand.cluster === cluster);
    return all.map(({ value }) => value).sort(bySource);
  }

  async summaries(cluster: string): Promise<readonly DemandSummary[]> {
    return (await this.list(cluster)).map(summaryOf);
  }

  async load(cluster: string, source: string): Promise<Stored<SourceDemand> | undefined> {
    return this.#demand.get(recordKey(cluster, source));
  }

  async save(demand: SourceDemand, ifMatch: IfMatch): Promise<void> {
    this.#demand.save(recordKey(demand.cluster, demand.source), demand, ifMatch);
  }

  async savePart(snapshot: MessageIdentity, part: DemandPart): Promise<void> {
    this.#parts.put(partKey(snapshot, part.index), { snapshot, part });
  }

  async remove({ cluster, source }: Pick<SourceDemand, "cluster" | "source">, etag: string): Promise<void> {
    const key = recordKey(cluster, source);
    if (this.#demand.get(key)?.etag !== etag) throw new ConflictError(`demand ${key}`);
    this.#demand.delete(key);
  }

  async waitingParts(source: Pick<MessageIdentity, "cluster" | "source">): Promise<readonly WaitingPart[]> {
    const waiting = this.#partsOfSource(source).map(({ kept: { snapshot, part } }) => ({
      sequence: snapshot.sequence,
      index: part.index,
    }));
    return waiting.sort((a, b) => a.sequence - b.sequence || a.index - b.index);
  }

  async sourcesWithParts(cluster: string): Promise<readonly string[]> {
    const kept = this.#parts.entries().map(({ stored }) => stored.value.snapshot);
    const sources = kept.flatMap((snapshot) => (snapshot.cluster === cluster ? [snapshot.source] : []));
    return [...new Set(sources)].sort();
  }

  async loadParts(snapshot: MessageIdentity): Promise<readonly DemandPart[]> {
    return this.#partsOfSource(snapshot)
      .filter(({ kept }) => kept.snapshot.sequence === snapshot.sequence)
      .map(({ kept }) => kept.part)
      .sort((a, b) => a.index - b.index);
  }

  async loadFirstPart(message: MessageIdentity): Promise<DemandPart | undefined> {
    return this.#parts.get(partKey(message, 0))?.value.part;
  }

  async dropFirstPart(message: MessageIdentity): Promise<void> {
    this.#parts.delete(partKey(message, 0));
  }

  async dropParts(snapshot: MessageIdentity): Promise<void> {
    for (const { key, kept } of this.#partsOfSource(snapshot)) {
      if (kept.snapshot.sequence <= snapshot.sequence) this.#parts.delete(key);
    }
  }

  #partsOfSource({
    cluster,
    source,
  }: Pick<MessageIdentity, "cluster" | "source">): { readonly key: string; readonly kept: KeptPart }[] {
    return this.#parts
      .entries()
      .map(({ key, stored }) => ({ key, kept: stored.value }))
      .filter(({ kept }) => kept.snapshot.cluster === cluster && kept.snapshot.source === source);
  }
}

function partKey({ cluster, source, sequence }: MessageIdentity, index: number): string {
  return recordKey(cluster, source, String(sequence), String(index));
}

/** Targets per request set. */
export class MemoryTargetStore implements TargetStore {
  readonly #sets = new Records<RequestSet>("targets");

  async list(cluster: string): Promise<readonly RequestSet[]> {
    const all = this.#sets.entries().map(({ stored }) => stored.value);
    return all.filter((requested) => requested.cluster === cluster).sort(byRequestSet);
  }

  async load(cluster: string, requestSet: string): Promise<Stored<RequestSet> | undefined> {
    return this.#sets.get(recordKey(cluster, requestSet));
  }

  async save(requested: RequestSet, ifMatch: IfMatch): Promise<void> {
    this.#sets.save(recordKey(requested.cluster, requested.requestSet), requested, ifMatch);
  }

  async remove(cluster: string, requestSet: string): Promise<void> {
    this.#sets.delete(recordKey(cluster, requestSet));
  }
}

/** Uploaded blobs by name; `put` stands for the sender. */
export class MemoryDemandUploads implements DemandUploads {
  readonly #texts = new Map<string, string>();
  readonly #limits: JsonLimits;

  constructor(limits: JsonLimits = smallestLimits) {
    this.#limits = limits;
  }

  async read(blob: string): Promise<ReadUpload | undefined> {
    const problem = blobNameProblem(blob);
    if (problem !== undefined) return { refused: noSuchName(blob, problem) };
    const text = this.#texts.get(blob);
    return text === undefined ? undefined : textOfUpload(blob, Buffer.from(text), this.#limits);
  }

  put(blob: string, text: string): void {
    this.#texts.set(blob, text);
  }
}
