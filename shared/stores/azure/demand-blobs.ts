import type { BlobServiceClient } from "@azure/storage-blob";
import { concurrently } from "../../collections/batches.ts";
import { type JsonLimits, smallestLimits } from "../../json/json-limits.ts";
import type {
  DemandPart,
  DemandStore,
  DemandSummary,
  DemandUploads,
  IfMatch,
  MessageIdentity,
  SourceDemand,
  Stored,
  WaitingPart,
} from "../../ports/index.ts";
import { azureLimits, blobNameProblem } from "../../ports/index.ts";
import { summaryOf } from "../demand-summary.ts";
import { bySource } from "../order.ts";
import { noSuchName, type ReadUpload, textOfUpload, tooLarge } from "../store-limits.ts";
import { BlobNames } from "./blob-names.ts";
import { Container, fromJson, jsonContent } from "./container.ts";
import { escapeName, sortableNumber, staysInside, unescapeName } from "./keys.ts";
import { packDemand, unpackDemand } from "./packed-demand.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";

/** Leaves room for the other metadata, and for their names. */
const longestSummary = azureLimits.blob.metadataBytes - 1024;
const checkPartsEveryMs = 3_600_000;
const keepPartsMs = 86_400_000;

/**
 * Container `demand`: `<cluster>/sources/<source>.json`, and until a snapshot in parts is complete
 * `<cluster>/parts/<source>/<sequence>/<index>.json`. A source's
 * summary is in the metadata of its blob, so that nobody reads its jobs for it.
 */
export class BlobDemandStore implements DemandStore {
  readonly #container: Container;
  readonly #names: BlobNames;
  readonly #sources: RememberedBlobs<SourceDemand>;
  readonly #partsCheckedMs = new Map<string, number>();
  readonly #keepPartsMs: number;

  constructor(
    service: BlobServiceClient,
    options: { readonly keepPartsMs?: number; readonly nowSeconds?: () => number } = {},
  ) {
    this.#keepPartsMs = options.keepPartsMs ?? keepPartsMs;
    this.#container = new Container(service, "demand");
    this.#names = new BlobNames(this.#container, sourcesOf, options.nowSeconds);
    this.#sources = new RememberedBlobs(this.#container, (bytes) => unpackDemand(fromJson(bytes)));
  }

  async list(cluster: string): Promise<readonly SourceDemand[]> {
    const names = await this.#names.of(cluster);
    const stored = await concurrently(names, (name) => this.#sources.read(name));
    // A source that is gone is left out.
    return stored.flatMap((each) => (each === undefined ? [] : [each.value])).sort(bySource);
  }

  async summaries(cluster: string): Promise<readonly DemandSummary[]> {
    const names = await this.#names.of(cluster);
    const summaries = await concurrently(names, async (name) => {
      const summary = (await this.#container.facts(name))?.metadata.summary;
      if (summary !== undefined) return fromMetadata(summary);
      // The summary did not fit the metadata, or the source is gone.
      const stored = await this.#sources.read(name);
      return stored && summaryOf(stored.value);
    });
    return summaries.flatMap((each) => each ?? []).sort(bySource);
  }

  async load(cluster: string, source: string): Promise<Stored<SourceDemand> | undefined> {
    return this.#sources.read(sourceName(cluster, source));
  }

  async save(demand: SourceDemand, ifMatch: IfMatch): Promise<void> {
    const { cluster, source } = demand;
    const record = `demand of source "${source}" for cluster "${cluster}"`;
    const content = jsonContent(packDemand(demand), toMetadata(summaryOf(demand)));
    const name = sourceName(cluster, source);
    if (ifMatch === undefined) await this.#names.add(cluster, name);
    const etag = await this.#container.save(name, content, { ifMatch, record });
    this.#sources.remember(name, { value: demand, etag }, content.bytes.length);
  }

  async savePart(snapshot: MessageIdentity, part: DemandPart): Promise<void> {
    await this.#dropStaleParts(snapshot.cluster);
    await this.#container.put(partName(snapshot, part.index), jsonContent(part));
  }

  async remove({ cluster, source }: Pick<SourceDemand, "cluster" | "source">, etag: string): Promise<void> {
    const record = `demand of source "${source}" for cluster "${cluster}"`;
    await this.#container.deleteIf(sourceName(cluster, source), { ifMatch: etag, record });
  }

  async waitingParts(source: Pick<MessageIdentity, "cluster" | "source">): Promise<readonly WaitingPart[]> {
    const prefix = partsOfSource(source);
    const names = await this.#container.names(prefix);
    return names.map((name) => {
      const [sequence = "", index = ""] = name.slice(prefix.length, -".json".length).split("/");
      return { sequence: Number(sequence), index: Number(index) };
    });
  }

  async sourcesWithParts(cluster: string): Promise<readonly string[]> {
    const folders = await this.#container.folders(partsIn(cluster));
    return folders.flatMap((folder) => unescapeName(folder) ?? []);
  }

  async loadParts(snapshot: MessageIdentity): Promise<readonly DemandPart[]> {
    const parts = await this.#container.loadAll<DemandPart>(partsOf(snapshot));
    return parts.sort((a, b) => a.index - b.index);
  }

  async loadFirstPart(message: MessageIdentity): Promise<DemandPart | undefined> {
    const blob = await this.#container.read(partName(message, 0));
    return blob && fromJson<DemandPart>(blob.bytes);
  }

  async dropFirstPart(message: MessageIdentity): Promise<void> {
    await this.#container.delete(partName(message, 0));
  }

  async dropParts(snapshot: MessageIdentity): Promise<void> {
    const names = await this.#container.names(partsOfSource(snapshot));
    const newest = partsOf(snapshot);
    const dropped = names.filter((name) => name.slice(0, newest.length) <= newest);
    await concurrently(dropped, (name) => this.#container.delete(name));
  }

  /** Parts older than this will never be completed: their source has sent newer demand, or nothing. */
  async #dropStaleParts(cluster: string): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - (this.#partsCheckedMs.get(cluster) ?? 0) < checkPartsEveryMs) return;
    this.#partsCheckedMs.set(cluster, nowMs);
    const stale = await this.#container.namesWrittenBefore(
      partsIn(cluster),
      new Date(nowMs - this.#keepPartsMs),
    );
    await concurrently(stale, (name) => this.#container.delete(name));
  }
}

/** Metadata is ASCII, and small: a summary that has no room there is made from the blob when somebody asks for it. */
function toMetadata(demand: DemandSummary): Readonly<Record<string, string>> {
  const summary = encodeURIComponent(JSON.stringify(demand));
  return summary.length <= longestSummary ? { summary } : {};
}

function fromMetadata(text: string): DemandSummary {
  return JSON.parse(decodeURIComponent(text));
}

function sourcesOf(cluster: string): string {
  return `${escapeName(cluster)}/sources/`;
}

function sourceName(cluster: string, source: string): string {
  return `${sourcesOf(cluster)}${escapeName(source)}.json`;
}

function partsIn(cluster: string): string {
  return `${escapeName(cluster)}/parts/`;
}

function partsOfSource({ cluster, source }: Pick<MessageIdentity, "cluster" | "source">): string {
  return `${partsIn(cluster)}${escapeName(source)}/`;
}

/** Sequences have a fixed width: an older snapshot's prefix compares smaller. */
function partsOf(snapshot: MessageIdentity): string {
  return `${partsOfSource(snapshot)}${sortableNumber(snapshot.sequence)}/`;
}

function partName(message: MessageIdentity, index: number): string {
  return `${partsOf(message)}${sortableNumber(index)}.json`;
}

/** Container `demand-uploads`: senders write there, this program only reads. */
export class BlobDemandUploads implements DemandUploads {
  readonly #container: Container;
  readonly #limits: JsonLimits;

  constructor(service: BlobServiceClient, limits: JsonLimits = smallestLimits) {
    this.#container = new Container(service, "demand-uploads");
    this.#limits = limits;
  }

  async read(blob: string): Promise<ReadUpload | undefined> {
    if (!staysInside(blob)) {
      return {
        refused: `Cannot read upload "${blob}": not a plain path, expected a name without "." and ".."`,
      };
    }
    const problem = blobNameProblem(blob);
    if (problem !== undefined) return { refused: noSuchName(blob, problem) };
    const read = await this.#container.readAtMost(blob, this.#limits.bytes);
    if (read === undefined) return undefined;
    if ("tooLarge" in read) return { refused: tooLarge(blob, read.tooLarge, this.#limits) };
    return textOfUpload(blob, read.bytes, this.#limits);
  }
}
