import { kindOf, untilWritten } from "../../errors/errors.ts";
import type { Stored } from "../../ports/index.ts";
import { type Container, jsonContent } from "./container.ts";
import { escapeName } from "./keys.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";

/** For so long names are believed without a listing. */
const listEverySeconds = 600;
/** A name stays for so long without a blob: whoever added it may be about to write it. */
const keepSeconds = 3_600;

interface KnownNames {
  /** When the blobs were listed last. */
  readonly listedAtSeconds: number;
  /** When each was added; 0: found by listing. */
  readonly names: Readonly<Record<string, number>>;
}

/** No cluster's name gives it, so nobody takes the record for a blob of a cluster. */
const folder = "~names";

/**
 * Which blobs a cluster has, in blob `~names/<cluster>.json`: a conditional read costs a tenth of a listing. Whoever makes a
 * blob adds its name first, so a reader never misses it, whichever run dies in between: a name without a blob is no harm.
 * Names of blobs that are gone leave with the next listing, ten minutes later at most. Without the record everybody lists.
 */
export class BlobNames {
  readonly #container: Pick<Container, "names" | "save">;
  readonly #prefixOf: (cluster: string) => string;
  readonly #records: RememberedBlobs<KnownNames>;
  readonly #nowSeconds: () => number;

  constructor(
    container: Pick<Container, "names" | "read" | "readUnless" | "save">,
    prefixOf: (cluster: string) => string,
    nowSeconds = () => Date.now() / 1000,
  ) {
    this.#container = container;
    this.#prefixOf = prefixOf;
    this.#records = new RememberedBlobs(container);
    this.#nowSeconds = nowSeconds;
  }

  /** All blobs of the cluster, and perhaps some that are gone. */
  async of(cluster: string): Promise<readonly string[]> {
    const known = await this.#records.read(recordOf(cluster));
    const nowSeconds = this.#nowSeconds();
    const isFresh =
      known !== undefined && Math.abs(nowSeconds - known.value.listedAtSeconds) < listEverySeconds;
    if (isFresh) return Object.keys(known.value.names);
    const names = await this.#container.names(this.#prefixOf(cluster));
    await this.#keep(cluster, { known, names, nowSeconds });
    return names;
  }

  /** To be called before the blob is made. Throws ConflictError when others were faster in every round. */
  add(cluster: string, name: string): Promise<void> {
    return untilWritten(async () => {
      const known = await this.#records.read(recordOf(cluster));
      const { listedAtSeconds = 0, names = {} } = known?.value ?? {};
      const next = { listedAtSeconds, names: { ...names, [name]: this.#nowSeconds() } };
      await this.#save(cluster, next, known);
    });
  }

  /** Whoever may not write only reads, and when somebody was faster, that counts: a name may have been added meanwhile. */
  async #keep(
    cluster: string,
    listed: {
      readonly known: Stored<KnownNames> | undefined;
      readonly names: readonly string[];
      readonly nowSeconds: number;
    },
  ): Promise<void> {
    const { known, names, nowSeconds } = listed;
    const before = Object.entries(known?.value.names ?? {});
    const recent = before.filter(([, addedAtSeconds]) => addedAtSeconds > nowSeconds - keepSeconds);
    const next = {
      listedAtSeconds: nowSeconds,
      names: { ...Object.fromEntries(names.map((name) => [name, 0])), ...Object.fromEntries(recent) },
    };
    try {
      await this.#save(cluster, next, known);
    } catch (error) {
      if (kindOf(error) !== "conflict" && kindOf(error) !== "upstream") throw error;
    }
  }

  async #save(cluster: string, next: KnownNames, known: Stored<KnownNames> | undefined): Promise<void> {
    const record = `names of the blobs of cluster "${cluster}"`;
    await this.#container.save(recordOf(cluster), jsonContent(next), { ifMatch: known?.etag, record });
  }
}

function recordOf(cluster: string): string {
  return `${folder}/${escapeName(cluster)}.json`;
}
