import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { constants, createGzip, gunzip } from "node:zlib";
import type { BlobServiceClient } from "@azure/storage-blob";
import { ConflictError } from "../../errors/errors.ts";
import { jsonPieces } from "../../json/json.ts";
import {
  type ArchivedPlan,
  type ArchiveOutcome,
  type IfMatch,
  type Log,
  type PlanHead,
  type PlanRecord,
  type PlanStore,
  type PlanSummary,
  packPlan,
  type Stored,
  unpackPlan,
} from "../../ports/index.ts";
import { newestPlanFirst } from "../order.ts";
import { largestPlanCharacters, planTooLarge, recordOf } from "../store-limits.ts";
import { type BlobContent, Container, fromJson, jsonContent } from "./container.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { RememberedBlobs } from "./remembered-blobs.ts";
import { Retention } from "./retention.ts";
import type { Change, Table } from "./table.ts";

const unzip = promisify(gunzip);

/**
 * Container `plans`: `<cluster>/head.json` and `<cluster>/archive/<plan id>.json.gz`. Table `Plans`: the index,
 * partition cluster, row `<reverse time>:<plan id>`.
 */
export class AzurePlanStore implements PlanStore {
  readonly #container: Container;
  readonly #heads: RememberedBlobs<PlanHead>;
  readonly #index: Table;
  readonly #retention: Retention;
  readonly #limit: number;

  constructor(
    service: BlobServiceClient,
    index: Table,
    options: { readonly log?: Log | undefined; readonly limitCharacters?: number } = {},
  ) {
    this.#limit = options.limitCharacters ?? largestPlanCharacters;
    const container = new Container(service, "plans");
    this.#container = container;
    this.#heads = new RememberedBlobs(container);
    this.#index = index;
    this.#retention = new Retention({
      table: index,
      prefix: "",
      log: options.log,
      remove: (cluster, plan) => container.delete(archiveOf(cluster, plan)),
    });
  }

  async loadHead(cluster: string): Promise<Stored<PlanHead> | undefined> {
    return this.#heads.read(headName(cluster));
  }

  async saveHead(head: PlanHead, ifMatch: IfMatch): Promise<void> {
    const record = `plan head of cluster "${head.cluster}"`;
    const [name, content] = [headName(head.cluster), jsonContent(head)];
    const etag = await this.#container.save(name, content, { ifMatch, record });
    this.#heads.remember(name, { value: head, etag }, content.bytes.length);
  }

  /** The archive first: a line of the index always leads to a plan. */
  async archive(plan: ArchivedPlan): Promise<ArchiveOutcome> {
    const bytes = await zipPlan(plan, this.#limit);
    if (bytes === undefined) return { outcome: "too-large", reason: planTooLarge(this.#limit) };
    const record = recordOf(plan, bytes.length);
    const replaced = await this.#store(plan, bytes);
    const { partition, line, what } = lineOf("put", record);
    await this.#index.submit(partition, [line], what);
    if (replaced !== undefined && rowOf(replaced) !== rowOf(record)) {
      await this.#index.delete(partition, rowOf(replaced));
    }
    await this.#retention.enforce(partition, record.atSeconds);
    return { outcome: "archived" };
  }

  async recordFailed(record: PlanRecord): Promise<void> {
    const { partition, line, what } = lineOf("insert", record);
    await this.#index.submitOnce(partition, [line], what);
    await this.#retention.enforce(partition, record.atSeconds);
  }

  async list(cluster: string, limit: number, untilSeconds?: number): Promise<readonly PlanRecord[]> {
    const range = { from: untilSeconds === undefined ? "0" : reverseTime(untilSeconds), to: ":", limit };
    return (await this.#index.values<PlanRecord>(escapeName(cluster), range)).sort(newestPlanFirst);
  }

  async load(cluster: string, planId: string): Promise<ArchivedPlan | undefined> {
    const blob = await this.#container.read(archiveName(cluster, planId));
    return blob === undefined ? undefined : unpackPlan(fromJson(await unzip(blob.bytes)));
  }

  /** Returns the summary of the plan that had this id before, whose line of the index may be another. */
  async #store(plan: ArchivedPlan, bytes: Buffer): Promise<PlanSummary | undefined> {
    const { cluster, planId } = plan.summary;
    const name = archiveName(cluster, planId);
    const content: BlobContent = { bytes, contentType: "application/gzip" };
    try {
      await this.#container.save(name, content, { ifMatch: undefined, record: `plan "${planId}"` });
      return undefined;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const before = await this.load(cluster, planId);
      await this.#container.put(name, content);
      return before?.summary;
    }
  }
}

function headName(cluster: string): string {
  return `${escapeName(cluster)}/head.json`;
}

function archiveName(cluster: string, planId: string): string {
  return archiveOf(escapeName(cluster), escapeName(planId));
}

/** The blob of a plan. Takes names that are escaped already, like those in the keys of the index. */
function archiveOf(cluster: string, plan: string): string {
  return `${cluster}/archive/${plan}.json.gz`;
}

function rowOf(summary: PlanSummary): string {
  return `${reverseTime(summary.atSeconds)}:${escapeName(summary.planId)}`;
}

function lineOf(kind: "insert" | "put", record: PlanRecord) {
  const line: Change = { kind, row: rowOf(record), value: record, columns: columnsOf(record) };
  return { partition: escapeName(record.cluster), line, what: `plan "${record.planId}" in the index` };
}

function columnsOf(summary: PlanSummary) {
  const { jobs, placedJobs, create, start, retire } = summary;
  return { reason: summary.reason, jobs, placedJobs, create, start, retire };
}

/** The bytes of an archived plan; undefined when its JSON text has more characters than that: the rest is not made. */
export function zipPlan(plan: ArchivedPlan, mostCharacters: number): Promise<Buffer | undefined> {
  return zipped(jsonPieces(packPlan(plan)), mostCharacters);
}

async function zipped(pieces: Iterable<string>, mostCharacters: number): Promise<Buffer | undefined> {
  // A third of the time for a fifth more bytes than at the usual level.
  const zip = createGzip({ level: constants.Z_BEST_SPEED });
  const bytes = buffer(zip);
  let characters = 0;
  for (const piece of pieces) {
    characters += piece.length;
    if (characters > mostCharacters) break;
    if (!zip.write(piece)) await once(zip, "drain");
  }
  zip.end();
  const whole = await bytes;
  return characters > mostCharacters ? undefined : whole;
}
