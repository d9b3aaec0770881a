import type { ConfigVersion, ConfigVersionStore } from "../../ports/index.ts";
import { mostConfigVersions } from "../store-limits.ts";
import { escapeName, sortableNumber } from "./keys.ts";
import type { Table } from "./table.ts";

/** Larger than any version, so that keys can count down: the newest comes first. */
const afterAll = 9_000_000_000;

/** Table `ConfigVersions`, partition cluster, row by the version, counted down. */
export class TableConfigVersionStore implements ConfigVersionStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async add(cluster: string, version: ConfigVersion): Promise<void> {
    const partition = escapeName(cluster);
    const columns = { by: version.by ?? "", reason: version.reason };
    const change = { kind: "insert", row: rowOf(version.version), value: version, columns } as const;
    await this.#table.submit(partition, [change], `version ${version.version} of configuration "${cluster}"`);
    await this.#table.delete(partition, rowOf(version.version - mostConfigVersions));
  }

  async list(cluster: string, limit: number): Promise<readonly ConfigVersion[]> {
    const range = { from: "", to: ":", limit };
    return this.#table.values<ConfigVersion>(escapeName(cluster), range);
  }
}

function rowOf(version: number): string {
  return sortableNumber(afterAll - version);
}
