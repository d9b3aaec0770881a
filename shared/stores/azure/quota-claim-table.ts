import type { IfMatch, QuotaClaimStore, QuotaClaims, Stored } from "../../ports/index.ts";
import { escapeName } from "./keys.ts";
import type { Table } from "./table.ts";

const row = "claims";

/** Table `QuotaClaims`, one row per subscription: one ETag decides between all plans that order there. */
export class TableQuotaClaimStore implements QuotaClaimStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async load(subscription: string): Promise<Stored<QuotaClaims> | undefined> {
    const stored = await this.#table.get<QuotaClaims>(escapeName(subscription), row);
    return stored?.value && { value: stored.value, etag: stored.etag };
  }

  async save(claims: QuotaClaims, ifMatch: IfMatch): Promise<void> {
    const change =
      ifMatch === undefined
        ? ({ kind: "insert", row, value: claims } as const)
        : ({ kind: "replace", row, value: claims, ifMatch } as const);
    const { subscription } = claims;
    await this.#table.submit(
      escapeName(subscription),
      [change],
      `quota claims of subscription "${subscription}"`,
    );
  }
}
