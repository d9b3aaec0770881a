import { Recent } from "../../collections/recent.ts";
import type { Stored } from "../../ports/index.ts";
import { type Container, fromJson } from "./container.ts";

/**
 * Total size of the blobs whose values are kept: two with 100,000 jobs, or some hundred usual clusters and sources. Objects
 * derived from a value take several times as much memory, and live as long (`npm run bench -- memory`).
 */
const mostBytes = 12 * 1024 * 1024;

/**
 * Blobs of a container as parsed values. Every read sends the last ETag, so an unchanged blob is neither transferred nor
 * parsed again and an answer is never stale. Readers share the inside of a value, which is readonly.
 */
export class RememberedBlobs<T extends object> {
  readonly #container: Pick<Container, "read" | "readUnless">;
  readonly #parse: (bytes: Buffer) => T;
  readonly #remembered = new Recent<Stored<T>>({ most: mostBytes });

  constructor(container: Pick<Container, "read" | "readUnless">, parse: (bytes: Buffer) => T = fromJson) {
    this.#container = container;
    this.#parse = parse;
  }

  /** Undefined when there is no such blob. */
  async read(name: string): Promise<Stored<T> | undefined> {
    const remembered = this.#remembered.get(name);
    const blob =
      remembered === undefined
        ? await this.#container.read(name)
        : await this.#container.readUnless(name, remembered.etag);
    if (blob === "unchanged") return remembered && ownCopy(remembered);
    this.#remembered.delete(name);
    if (blob === undefined) return undefined;
    const stored = { value: this.#parse(blob.bytes), etag: blob.etag };
    this.#remembered.set(name, stored, blob.bytes.length);
    return ownCopy(stored);
  }

  /** Keeps a value that was just written with this ETag, so that the next read does not transfer it. */
  remember(name: string, stored: Stored<T>, bytes: number): void {
    this.#remembered.set(name, stored, bytes);
  }
}

function ownCopy<T extends object>({ value, etag }: Stored<T>): Stored<T> {
  return { value: { ...value }, etag };
}
