import { logOf } from "../../../functions/support/process.ts";
import { settled } from "../../../functions/support/settle.ts";
import {
  answerPlanRequest,
  executeAction,
  receiveDemand,
  requestSnapshots,
} from "../../../shared/cycle/index.ts";
import { UpstreamError } from "../../../shared/errors/errors.ts";
import { resumeCluster, tendCluster } from "../../../shared/operate/index.ts";
import type { Ports } from "../../../shared/ports/index.ts";
import { bucketOf, clusterOf, nodeArrayOf } from "../../support/cluster.ts";
import { FakeCycleCloud } from "../../support/fake-cyclecloud.ts";
import { configOf, createWorld, jobFor } from "../../support/world.ts";
import type { Database } from "./evaluate.ts";
import type { Row } from "./values.ts";

const app = "func-example";

export type Name = "hpc" | "gpu";

/**
 * Two clusters that one deployment serves, for so long as a test wants, and the rows that this leaves in a workspace.
 * Lines of the log are written by the product, so that an event or a field that is renamed fails the tests of the
 * alerts; rows of requests are those of the Functions host.
 */
export class RecordedFleet {
  readonly #world = createWorld();
  readonly #traces: Row[] = [];
  readonly #requests: Row[] = [];
  readonly #operations: Row[] = [];
  readonly #lastReadings = new Map<string, number>();
  #sequence = 0;
  /** Whether the platform runs the timer. */
  timerRuns = true;
  /** Whether the workspace takes rows. What it writes of itself is always kept. */
  isCapped = false;
  /** Clusters whose plans are not made. */
  readonly unplanned = new Set<Name>();
  readonly servers: Readonly<Record<Name, FakeCycleCloud>>;
  readonly ports: Ports;

  constructor() {
    const nodeArrays = [nodeArrayOf({ buckets: [bucketOf({ pricePerHourUsd: 2 })] })];
    const serverOf = (name: Name) => {
      const server = new FakeCycleCloud(clusterOf({ name, nodeArrays, nodes: [] }));
      server.credentials = `of ${name}`;
      return server;
    };
    this.servers = { hpc: serverOf("hpc"), gpu: serverOf("gpu") };
    const sink = (SeverityLevel: number) => (Message: string) =>
      this.#write(this.#traces, { Message, SeverityLevel });
    this.ports = {
      ...this.#world.ports,
      log: logOf({ info: sink(1), warn: sink(2), error: sink(3) }),
      cycleCloudFor: ({ cluster }) => this.servers[cluster as Name],
    };
    for (const name of ["hpc", "gpu"] as const) this.configure(name, {});
  }

  configure(name: Name, fields: Parameters<typeof configOf>[0]): void {
    this.#world.ports.configs.put({ ...configOf(fields), cluster: name });
  }

  get now(): Date {
    return new Date(this.#world.now() * 1000);
  }

  /** What a query sees now of the day before. Rows take three minutes on their way into the workspace. */
  database(): Database & {
    readonly tables: { readonly AppTraces: readonly Row[]; readonly AppRequests: readonly Row[] };
  } {
    const { now } = this;
    const sees = ({ TimeGenerated }: Row) => {
      const ageMinutes = (now.getTime() - (TimeGenerated as Date).getTime()) / 60_000;
      return ageMinutes >= 3 && ageMinutes <= 24 * 60;
    };
    const tables = {
      AppTraces: this.#traces.filter(sees),
      AppRequests: this.#requests.filter(sees),
      _LogOperation: this.#operations.filter(sees),
    };
    return { now, tables };
  }

  /** One beat of the timer and all that follows from it within the minute. */
  async minute(): Promise<void> {
    if (this.timerRuns) {
      await requestSnapshots(this.ports);
      this.#write(this.#requests, { Name: "snapshot-nodes", Success: true, DurationMs: 100 });
    }
    for (let part = 0; part < 4; part += 1) {
      this.#world.advance(15);
      await this.#answer();
    }
  }

  /** Half an hour without alerts: both clusters are known, and each has nodes. */
  async boot(): Promise<void> {
    for (const cluster of ["hpc", "gpu"] as const) await this.post(cluster, 1);
    for (let minute = 0; minute < 30; minute += 1) await this.minute();
  }

  /** Demand of `pbs` for one cluster. */
  post(cluster: Name, jobs: number): Promise<unknown> {
    return this.postJobs(cluster, jobs === 0 ? [] : [jobFor(jobs)]);
  }

  postJobs(cluster: Name, jobs: readonly Record<string, unknown>[]): Promise<unknown> {
    this.#sequence += 1;
    const sentAt = this.now.toISOString();
    const envelope = { version: 1, kind: "snapshot", cluster, source: "pbs", sequence: this.#sequence };
    return this.receive({ ...envelope, sentAt, ttlSeconds: 86_400, jobs });
  }

  receive(body: unknown): Promise<unknown> {
    this.#sequence += 1;
    return receiveDemand(this.ports, { body, messageId: `m-${this.#sequence}`, queue: "job-demand" });
  }

  /** The next calls of this cluster's server fail, or work again. */
  setOutage(cluster: Name, isOut: boolean): void {
    this.servers[cluster].outage = isOut
      ? new UpstreamError("connect ECONNREFUSED", { retryable: true })
      : undefined;
  }

  /** Of a cluster that never had a usable one, unless that of before stays in force. */
  breakConfiguration(cluster: Name, isBroken: boolean, { hadOne = false } = {}): void {
    if (isBroken && !hadOne) this.#world.ports.configs.delete(cluster);
    if (isBroken) this.#world.ports.configs.putBroken(cluster, ["username: missing"]);
    else this.configure(cluster, {});
  }

  /** Asks for more nodes than there are; all of them fail. */
  async failNodes(cluster: Name): Promise<void> {
    const server = this.servers[cluster];
    for (const { name } of server.nodes) server.change(name, { status: "Failed" });
    await this.post(cluster, 2);
  }

  /** Refuses a cluster's login, or takes it again and lets somebody resume it. */
  async refuseLogin(cluster: Name, isRefused: boolean): Promise<void> {
    this.servers[cluster].isLoginRefused = isRefused;
    if (isRefused) return;
    await resumeCluster(this.ports, { cluster, by: "ann", reason: "new password" });
  }

  /** What Azure notes when the daily cap is reached, and when the next day begins. */
  setCapped(isCapped: boolean): void {
    this.isCapped = isCapped;
    const Detail = isCapped
      ? "Data collection stopped due to daily limit of ingested data reached. Ingestion status = OverQuota"
      : "Data collection started again. Ingestion status = RespectQuota";
    this.#operations.push({ TimeGenerated: this.now, Category: "Ingestion", Detail });
  }

  #write(table: Row[], row: Row): void {
    if (!this.isCapped) table.push({ TimeGenerated: this.now, AppRoleName: app, ...row });
  }

  async #execute(): Promise<void> {
    const take = () => this.#world.ports.scaleActions.take(this.#world.now());
    for (let action = take(); action !== undefined; action = take()) {
      const about = { cluster: action.cluster, actionId: action.actionId };
      const one = action;
      await settled({ trigger: "service-bus", log: this.ports.log, about }, () =>
        executeAction(this.ports, one),
      ).catch(() => undefined);
    }
    for (const server of Object.values(this.servers)) server.settle();
  }

  async #answer(): Promise<void> {
    for (const { request } of this.#world.ports.planRequests.takeDue(this.#world.now())) {
      const { cluster } = request;
      const trigger = request.onBeat === true ? "timer" : "service-bus";
      if (trigger === "service-bus" && this.unplanned.has(cluster as Name)) continue;
      const notifier = { send: () => Promise.reject(new Error("nobody is to be told")) };
      const tending = { notifier, lastReadings: this.#lastReadings };
      // As functions/plan-scale.ts; what is thrown there the host offers again.
      await settled({ trigger, log: this.ports.log, about: { cluster } }, () =>
        trigger === "timer"
          ? tendCluster(this.ports, request, tending)
          : answerPlanRequest(this.ports, request).then(() => undefined),
      ).catch(() => undefined);
    }
    await this.#execute();
  }
}
