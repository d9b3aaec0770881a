import { buffer } from "node:stream/consumers";
import type {
  BlobItem,
  BlobServiceClient,
  BlobUploadCommonResponse,
  ContainerClient,
} from "@azure/storage-blob";
import { concurrently } from "../../collections/batches.ts";
import { InvariantError } from "../../errors/errors.ts";
import { readAtMost } from "../../json/read-at-most.ts";
import type { IfMatch, Stored } from "../../ports/index.ts";
import { blobNameProblem, metadataProblem } from "../../ports/index.ts";
import { FirstUse } from "./first-use.ts";
import { checkVersion, recordVersion } from "./record-version.ts";
import { calling, reading, saving, statusOf } from "./sdk-errors.ts";

/** A blob's bytes and the ETag to save it with. */
export interface Blob {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** A blob larger than requested, with its minimum size in bytes. */
export interface TooLarge {
  readonly tooLarge: number;
}

/** Properties of a blob, without its content. */
export interface BlobFacts {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface BlobContent {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** One blob container, made when it is missing. Errors: UpstreamError, and ConflictError where an ETag is given. */
export class Container {
  readonly #client: ContainerClient;
  readonly #home: FirstUse;

  constructor(service: BlobServiceClient, name: string) {
    this.#client = service.getContainerClient(name);
    this.#home = new FirstUse(() =>
      calling(`create container "${name}"`, () => this.#client.createIfNotExists()),
    );
  }

  /** Undefined when there is no such blob. */
  async read(name: string): Promise<Blob | undefined> {
    return this.#reading(name, () => this.#download(name, {}));
  }

  /** The value of a blob of ours, with its ETag. */
  async load<T>(name: string): Promise<Stored<T> | undefined> {
    const blob = await this.read(name);
    return blob && { value: fromJson(blob.bytes), etag: blob.etag };
  }

  /** Values of all blobs with the prefix. One that goes away between listing and reading is left out. */
  async loadAll<T>(prefix: string): Promise<T[]> {
    const found = await concurrently(await this.names(prefix), (name) => this.load<T>(name));
    return found.flatMap((each) => (each === undefined ? [] : [each.value]));
  }

  /** The same as `read`, unless the blob is larger than that: then the bytes read so far are discarded. */
  async readAtMost(name: string, mostBytes: number): Promise<Blob | TooLarge | undefined> {
    return this.#reading(name, () => this.#downloadAtMost(name, mostBytes, {}));
  }

  /** The same, or "unchanged" when the blob still has this ETag. */
  async readUnlessAtMost(
    name: string,
    etag: string,
    mostBytes: number,
  ): Promise<Blob | TooLarge | "unchanged" | undefined> {
    const download = () => this.#downloadAtMost(name, mostBytes, { ifNoneMatch: etag });
    return this.#reading(name, () => unlessUnchanged(download));
  }

  /** "unchanged" when the blob still has this ETag: then nothing is transferred. */
  async readUnless(name: string, etag: string): Promise<Blob | "unchanged" | undefined> {
    return this.#reading(name, () => unlessUnchanged(() => this.#download(name, { ifNoneMatch: etag })));
  }

  async facts(name: string): Promise<BlobFacts | undefined> {
    return reading(this.#call("look up", name), async () => {
      const properties = await this.#home.use(() => this.#client.getBlobClient(name).getProperties());
      return {
        sizeBytes: properties.contentLength ?? 0,
        etag: etagOf(properties),
        metadata: properties.metadata ?? {},
      };
    });
  }

  /** Writes the blob, whatever was there. */
  async put(name: string, content: BlobContent): Promise<void> {
    await calling(this.#call("write", name), () => this.#home.use(() => this.#upload(name, content, {})));
  }

  /** Throws ConflictError about `record` unless the blob still has this ETag, or is still absent. Returns the new ETag. */
  async save(
    name: string,
    content: BlobContent,
    guard: { ifMatch: IfMatch; record: string },
  ): Promise<string> {
    const conditions = guard.ifMatch === undefined ? { ifNoneMatch: "*" } : { ifMatch: guard.ifMatch };
    return etagOf(
      await saving(guard.record, () => this.#home.use(() => this.#upload(name, content, conditions))),
    );
  }

  /** Names that start with the prefix, in their order. */
  async names(prefix: string): Promise<readonly string[]> {
    return (await this.#list(prefix)).map(({ name }) => name);
  }

  /** The same, of blobs that were not written since. */
  async namesWrittenBefore(prefix: string, time: Date): Promise<readonly string[]> {
    const blobs = await this.#list(prefix);
    return blobs.flatMap(({ name, properties }) => (properties.lastModified < time ? [name] : []));
  }

  /** The names between the prefix, which ends with a slash, and the next slash. */
  async folders(prefix: string): Promise<readonly string[]> {
    return calling(this.#call("list", prefix), () =>
      this.#home.use(async () => {
        const folders: string[] = [];
        for await (const item of this.#client.listBlobsByHierarchy("/", { prefix }))
          if (item.kind === "prefix") folders.push(item.name.slice(prefix.length, -1));
        return folders;
      }),
    );
  }

  #list(prefix: string): Promise<readonly BlobItem[]> {
    return calling(this.#call("list", prefix), () =>
      this.#home.use(async () => {
        const blobs: BlobItem[] = [];
        for await (const blob of this.#client.listBlobsFlat({ prefix })) blobs.push(blob);
        return blobs;
      }),
    );
  }

  /** Throws ConflictError about `record` unless the blob still has this ETag. */
  async deleteIf(name: string, { ifMatch, record }: { ifMatch: string; record: string }): Promise<void> {
    await saving(record, () =>
      this.#home.use(() => this.#client.deleteBlob(name, { conditions: { ifMatch } })),
    );
  }

  /** Nothing happens when there is no such blob. */
  async delete(name: string): Promise<void> {
    await reading(this.#call("delete", name), () => this.#home.use(() => this.#client.deleteBlob(name)));
  }

  #reading<T>(name: string, download: () => Promise<T>): Promise<T | undefined> {
    return reading(this.#call("read", name), () => this.#home.use(download));
  }

  async #download(name: string, conditions: { readonly ifNoneMatch?: string }): Promise<Blob> {
    const { stream, etag } = await this.#open(name, conditions);
    return { bytes: await buffer(stream), etag };
  }

  /** Size and bytes come from one answer, so no larger blob can be put in between. */
  async #downloadAtMost(
    name: string,
    mostBytes: number,
    conditions: { readonly ifNoneMatch?: string },
  ): Promise<Blob | TooLarge> {
    const { stream, etag, contentLength = 0, stop } = await this.#open(name, conditions);
    const bytes = contentLength > mostBytes ? undefined : await readAtMost(stream, mostBytes);
    if (bytes !== undefined) return { bytes, etag };
    stop();
    return { tooLarge: Math.max(contentLength, mostBytes + 1) };
  }

  async #open(name: string, conditions: { readonly ifNoneMatch?: string }) {
    const stopping = new AbortController();
    const answer = await this.#client
      .getBlobClient(name)
      .download(0, undefined, { conditions, abortSignal: stopping.signal });
    const { readableStreamBody: stream, contentLength } = answer;
    if (stream === undefined) throw new InvariantError(`Blob "${name}" came without a body`);
    // Nobody reads the rest, so its errors do not matter.
    const stop = () => {
      stream.on("error", () => undefined);
      stopping.abort();
    };
    checkVersion(answer.metadata?.recordversion, `blob "${name}"`);
    return { stream, etag: etagOf(answer), contentLength, stop };
  }

  async #upload(
    name: string,
    content: BlobContent,
    conditions: Conditions,
  ): Promise<BlobUploadCommonResponse> {
    const { bytes, contentType } = content;
    const metadata = { ...content.metadata, recordversion: `${recordVersion}` };
    const problem = blobNameProblem(name) ?? metadataProblem(metadata);
    if (problem !== undefined) throw new InvariantError(`Cannot ${this.#call("write", name)}: ${problem}`);
    return this.#client.getBlockBlobClient(name).upload(bytes, bytes.length, {
      conditions,
      blobHTTPHeaders: { blobContentType: contentType },
      metadata,
    });
  }

  #call(verb: string, name: string): string {
    return `${verb} blob "${name}" of container "${this.#client.containerName}"`;
  }
}

async function unlessUnchanged<T>(read: () => Promise<T>): Promise<T | "unchanged"> {
  try {
    return await read();
  } catch (error) {
    if (statusOf(error) === 304) return "unchanged";
    throw error;
  }
}

interface Conditions {
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
}

function etagOf(answer: { readonly etag?: string }): string {
  if (answer.etag === undefined) throw new InvariantError("Blob storage answered without an ETag");
  return answer.etag;
}

/** A value as the JSON content of a blob. */
export function jsonContent(value: unknown, metadata?: Readonly<Record<string, string>>): BlobContent {
  const bytes = Buffer.from(JSON.stringify(value));
  return { bytes, contentType: "application/json", ...(metadata === undefined ? {} : { metadata }) };
}

/** Own blobs are trusted to hold what was saved: their container is written by this program alone. */
export function fromJson<T>(bytes: Buffer): T {
  return JSON.parse(bytes.toString("utf8"));
}
