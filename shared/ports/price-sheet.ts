/** A list price of one VM size in US dollars per hour, Linux, pay as you go; null: the list has none, which is not free. */
export interface ListPrice {
  readonly regularUsd: number | null;
  readonly spotUsd: number | null;
  /** When it was read. Unix seconds. */
  readonly asOfSeconds: number;
}

/** List prices of a location, of the VM sizes that clusters use there. */
export interface PriceSheet {
  /** Azure's short name, in lower case. */
  readonly location: string;
  /** When a whole reading was last begun. Unix seconds. */
  readonly readAtSeconds: number;
  /** By VM size, in lower case. Sizes that were asked for and that no list has are there too, with no price. */
  readonly prices: Readonly<Record<string, ListPrice>>;
}

/**
 * List prices by location.
 *
 * - Called by: the timer of prices writes; snapshots read.
 * - Twice: yes: an older reading does not replace a newer one.
 * - Gone: `load` gives undefined: the shipped prices count.
 * - Retries: the SDK; then the next beat of the timer.
 */
export interface PriceSheetStore {
  /** By Azure's short name, in any letter case. Undefined: none was ever read. */
  load(location: string): Promise<PriceSheet | undefined>;
  /** Replaces the sheet of the location, unless that one was read later. */
  save(sheet: PriceSheet): Promise<void>;
}

/** What a public price list says of one VM size. */
export interface ListedPrice {
  readonly vmSize: string;
  readonly regularUsd: number | null;
  readonly spotUsd: number | null;
}

/**
 * A public price list, such as Azure's.
 *
 * - Called by: the timer of prices.
 * - Twice: yes: it only reads.
 * - Gone: a size that the list does not have is left out.
 * - Retries: the HTTP client, within a minute; then the next beat of the timer. The last sheet stands.
 */
export interface PriceList {
  /**
   * Prices of these sizes; one that the list does not have is left out. All or nothing: throws UpstreamError when any page is
   * refused, odd or too large.
   */
  read(query: {
    readonly location: string;
    readonly vmSizes: readonly string[];
  }): Promise<readonly ListedPrice[]>;
}
