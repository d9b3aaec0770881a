import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { BlobServiceClient } from "@azure/storage-blob";
import { ConflictError } from "../../errors.ts";
import type {
  ArchivedPlan,
  IfMatch,
  Log,
  PlanHead,
  PlanStore,
  PlanSummary,
  Stored,
} from "../../ports/index.ts";
import { newestPlanFirst } from "../order.ts";
import { type BlobContent, Container, fromJson, jsonContent } from "./container.ts";
import { escapeName, reverseTime } from "./keys.ts";
import { Retention } from "./retention.ts";
import type { Change, Table } from "./table.ts";

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/**
 * Container `plans`: `<cluster>/head.json` and `<cluster>/archive/<plan id>.json.gz`. Table `Plans`: the index,
 * partition cluster, row `<reverse time>:<plan id>`.
 */
export class AzurePlanStore implements PlanStore {
  readonly #container: Container;
  readonly #index: Table;
  readonly #retention: Retention;

  constructor(service: BlobServiceClient, index: Table, options: { readonly log?: Log | undefined } = {}) {
    const container = new Container(service, "plans");
    this.#container = container;
    this.#index = index;
    this.#retention = new Retention({
      table: index,
      prefix: "",
      log: options.log,
      remove: (cluster, plan) => container.delete(archiveOf(cluster, plan)),
    });
  }

  async loadHead(cluster: string): Promise<Stored<PlanHead> | undefined> {
    const blob = await this.#container.read(headName(cluster));
    return blob === undefined ? undefined : { value: fromJson(blob.bytes), etag: blob.etag };
  }

  async saveHead(head: PlanHead, ifMatch: IfMatch): Promise<void> {
    const record = `plan head of cluster "${head.cluster}"`;
    await this.#container.save(headName(head.cluster), jsonContent(head), { ifMatch, record });
  }

  /** The archive first: a line of the index always leads to a plan. */
  async archive(plan: ArchivedPlan): Promise<void> {
    const { summary } = plan;
    const partition = escapeName(summary.cluster);
    const replaced = await this.#store(plan);
    const line: Change = { kind: "put", row: rowOf(summary), value: summary, columns: columnsOf(summary) };
    await this.#index.submit(partition, [line], `plan "${summary.planId}" in the index`);
    if (replaced !== undefined && rowOf(replaced) !== rowOf(summary)) {
      await this.#index.delete(partition, rowOf(replaced));
    }
    await this.#retention.enforce(partition, summary.atSeconds);
  }

  async list(cluster: string, limit: number, untilSeconds?: number): Promise<readonly PlanSummary[]> {
    const range = { from: untilSeconds === undefined ? "0" : reverseTime(untilSeconds), to: ":", limit };
    const rows = await this.#index.list<PlanSummary>(escapeName(cluster), range);
    return rows.flatMap((row) => row.value ?? []).sort(newestPlanFirst);
  }

  async load(cluster: string, planId: string): Promise<ArchivedPlan | undefined> {
    const blob = await this.#container.read(archiveName(cluster, planId));
    return blob === undefined ? undefined : fromJson(await unzip(blob.bytes));
  }

  /** Returns the summary of the plan that had this id before, whose line of the index may be another. */
  async #store(plan: ArchivedPlan): Promise<PlanSummary | undefined> {
    const { cluster, planId } = plan.summary;
    const name = archiveName(cluster, planId);
    const content: BlobContent = {
      bytes: await zip(JSON.stringify(plan)),
      contentType: "application/gzip",
    };
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

/** Of names that are escaped already, as they are in the keys of the index. */
function archiveOf(cluster: string, plan: string): string {
  return `${cluster}/archive/${plan}.json.gz`;
}

function rowOf(summary: PlanSummary): string {
  return `${reverseTime(summary.atSeconds)}:${escapeName(summary.planId)}`;
}

function columnsOf(summary: PlanSummary) {
  const { jobs, placedJobs, create, start, retire } = summary;
  return { reason: summary.reason.slice(0, 1024), jobs, placedJobs, create, start, retire };
}
