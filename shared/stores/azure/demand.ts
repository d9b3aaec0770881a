import type { BlobServiceClient } from "@azure/storage-blob";
import { azureLimits } from "../../azure-limits.ts";
import type {
  DemandPart,
  DemandStore,
  DemandSummary,
  IfMatch,
  MessageIdentity,
  SourceDemand,
  Stored,
} from "../../ports/index.ts";
import { summaryOf } from "../demand-summary.ts";
import { bySource } from "../order.ts";
import { concurrently } from "./concurrently.ts";
import { Container, fromJson, jsonContent } from "./container.ts";
import { escapeName, sortableNumber } from "./keys.ts";
import { packDemand, readDemand } from "./packed-demand.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";

/** Leaves room for the other metadata, and for their names. */
const longestSummary = azureLimits.blob.metadataBytes - 1024;
/** Version 2: jobs are packed. */
const version = 2;

/**
 * Container `demand`: `<cluster>/sources/<source>.json`, and until a snapshot in parts is complete
 * `<cluster>/parts/<source>/<sequence>/<index>.json`. A source's
 * summary is in the metadata of its blob, so that a listing tells it.
 */
export class BlobDemandStore implements DemandStore {
  readonly #container: Container;
  readonly #sources: RememberedBlobs<SourceDemand>;

  constructor(service: BlobServiceClient) {
    this.#container = new Container(service, "demand", version);
    this.#sources = new RememberedBlobs(this.#container, (bytes) => readDemand(fromJson(bytes)));
  }

  async list(cluster: string): Promise<readonly SourceDemand[]> {
    const names = await this.#container.names(sourcesOf(cluster));
    const stored = await concurrently(names, (name) => this.#sources.read(name));
    // A blob that goes away between listing and reading is left out.
    return stored.flatMap((each) => (each === undefined ? [] : [each.value])).sort(bySource);
  }

  async summaries(cluster: string): Promise<readonly DemandSummary[]> {
    const blobs = await this.#container.listed(sourcesOf(cluster));
    const found = await concurrently(blobs, async ({ name, metadata: { summary } }) => {
      if (summary !== undefined) return fromMetadata(summary);
      // It had no room there.
      const stored = await this.#sources.read(name);
      return stored && summaryOf(stored.value);
    });
    return found.flatMap((each) => each ?? []).sort(bySource);
  }

  async load(cluster: string, source: string): Promise<Stored<SourceDemand> | undefined> {
    return this.#sources.read(sourceName(cluster, source));
  }

  async save(demand: SourceDemand, ifMatch: IfMatch): Promise<void> {
    const { cluster, source } = demand;
    const record = `demand of source "${source}" for cluster "${cluster}"`;
    const content = jsonContent(packDemand(demand), toMetadata(summaryOf(demand)));
    await this.#container.save(sourceName(cluster, source), content, { ifMatch, record });
  }

  async savePart(snapshot: MessageIdentity, part: DemandPart): Promise<void> {
    await this.#container.put(`${partsOf(snapshot)}${sortableNumber(part.index)}.json`, jsonContent(part));
  }

  async partIndexes(snapshot: MessageIdentity): Promise<readonly number[]> {
    const names = await this.#container.names(partsOf(snapshot));
    return names.map(indexOf).sort((a, b) => a - b);
  }

  async loadParts(snapshot: MessageIdentity): Promise<readonly DemandPart[]> {
    const parts = await this.#readAll<DemandPart>(partsOf(snapshot));
    return parts.sort((a, b) => a.index - b.index);
  }

  async dropParts(snapshot: MessageIdentity): Promise<void> {
    const names = await this.#container.names(partsOfSource(snapshot));
    const newest = partsOf(snapshot);
    const dropped = names.filter((name) => name.slice(0, newest.length) <= newest);
    await concurrently(dropped, (name) => this.#container.delete(name));
  }

  /** A blob that goes away between listing and reading is left out. */
  async #readAll<T>(prefix: string): Promise<T[]> {
    const names = await this.#container.names(prefix);
    const blobs = await concurrently(names, (name) => this.#container.read(name));
    return blobs.flatMap((blob) => (blob === undefined ? [] : [fromJson<T>(blob.bytes)]));
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

function indexOf(partName: string): number {
  return Number(partName.slice(partName.lastIndexOf("/") + 1, -".json".length));
}

function partsOfSource({ cluster, source }: MessageIdentity): string {
  return `${escapeName(cluster)}/parts/${escapeName(source)}/`;
}

/** Sequences have a fixed width: an older snapshot's prefix compares smaller. */
function partsOf(snapshot: MessageIdentity): string {
  return `${partsOfSource(snapshot)}${sortableNumber(snapshot.sequence)}/`;
}
