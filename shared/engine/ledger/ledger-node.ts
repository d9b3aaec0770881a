import type { NodeProperty } from "../constraints/node-properties.ts";
import { isSharedProperty, type SharedProperty } from "../constraints/node-properties.ts";
import type { SharedDraw } from "../constraints/shared-pool.ts";
import type { Subject } from "../constraints/subject.ts";
import type { ClusterNode } from "../model/bucket.ts";
import type { NodeHistory } from "../model/history.ts";
import type { BucketName } from "../model/reasons.ts";
import type { Target } from "../model/target.ts";
import { amountOf } from "../values/amounts.ts";
import type { Scalar } from "../values/resources.ts";
import type { Availability } from "./availability.ts";
import { type Columns, vacantColumn } from "./columns.ts";
import type { Pools } from "./pools.ts";
import type { Stock } from "./stock.ts";

/** Position of an example node: it stands for nodes that do not exist and is never in a table. */
export const exampleNode = -1;

/** `deallocated`: exists without a VM, can be started. The others are as in the plan. */
export type LedgerOrigin = "existing" | "deallocated" | "starting" | "pending" | "new" | "on-premise";

/** The part of its bucket that a node uses. */
interface Home {
  readonly name: BucketName;
  readonly placementGroup: string | null;
  readonly secondsSinceCapacityFailure: number | null;
  readonly systemResources: boolean;
  readonly context: PlanContext;
  readonly columns: Columns;
  readonly table: Availability;
  property(name: SharedProperty): Scalar;
}

export interface NodeFields {
  readonly name: string;
  readonly origin: LedgerOrigin;
  readonly stock: Stock;
  readonly reported: ClusterNode | null;
  /** Without domain. */
  readonly hostname: string | null;
  readonly history: NodeHistory | null;
  readonly keepAlive: boolean;
  /** Absent: it does. */
  readonly takesNoJobs?: boolean;
}

/** The surroundings from which a node reads properties and amounts left. */
export interface PlanContext {
  readonly pools: Pools;
  readonly nowSeconds: number;
  readonly bootTimeoutSeconds: (nodeArray: string) => number;
}

type TimeProperty = Extract<NodeProperty, `${string}_time${"" | "_unix" | "_remaining"}`>;

interface JobSlots {
  readonly job: string;
  slots: number;
}

/** Most nodes have few of either: they begin with the same empty lists, which are never changed. */
const noJobs: JobSlots[] = [];
const noTargets: readonly Target[] = [];
const fewJobs = 4;

/** A node of a bucket of type `B` while planning. Its left-overs live in its bucket's table. */
export class NodeOf<B extends Home> implements Subject {
  readonly bucket: B;
  /** Changes only when nodes before it, which the plan made, are taken back. */
  position: number;
  readonly name: string;
  readonly stock: Stock;
  readonly reported: ClusterNode | null;
  readonly hostname: string | null;
  readonly history: NodeHistory | null;
  readonly keepAlive: boolean;
  /** No new ones: those that run there stay. */
  readonly takesNoJobs: boolean;
  origin: LedgerOrigin;
  /** Index in its name format, of new nodes. */
  nameIndex = 0;
  jobs: JobSlots[] = noJobs;
  /** Those that it counts towards; the first of them pays for it. */
  targets: readonly Target[] = noTargets;

  constructor(bucket: B, position: number, fields: NodeFields) {
    this.bucket = bucket;
    this.position = position;
    this.name = fields.name;
    this.origin = fields.origin;
    this.stock = fields.stock;
    this.reported = fields.reported;
    this.hostname = fields.hostname;
    this.history = fields.history;
    this.keepAlive = fields.keepAlive;
    this.takesNoJobs = fields.takesNoJobs ?? false;
  }

  /** Puts slots of a job on it, behind those that lie there. */
  put(job: string, slots: number): void {
    const last = this.jobs.at(-1);
    if (last?.job === job) last.slots += slots;
    // A list that grows has room for sixteen more: of 30,000 nodes that is more than they are themselves.
    else if (this.jobs.length < fewJobs) this.jobs = [...this.jobs, { job, slots }];
    else this.jobs.push({ job, slots });
  }

  get placementGroup(): string | null {
    return this.bucket.placementGroup;
  }

  get secondsSinceCapacityFailure(): number | null {
    return this.bucket.secondsSinceCapacityFailure;
  }

  /** Whether something needs it: a job, a target, or whoever made it keep-alive. */
  get matched(): boolean {
    return this.jobs.length > 0 || this.targets.length > 0 || this.keepAlive;
  }

  get vacant(): boolean {
    return this.position === exampleNode || this.bucket.table.get(this.position, vacantColumn) > 0;
  }

  /** The same node without any job on it: nothing can be put there. */
  emptied(): NodeOf<B> {
    return new NodeOf(this.bucket, exampleNode, this);
  }

  poolLeft(draw: SharedDraw): number | undefined {
    return this.bucket.context.pools.left(draw);
  }

  resource(name: string): Scalar | undefined {
    const { resources } = this.stock;
    if (Object.hasOwn(resources, name)) return resources[name];
    // The one system resource that differs from node to node is not part of the shared stock.
    if (name === "ccnodeid" && this.bucket.systemResources) return this.reported?.nodeId ?? undefined;
    return undefined;
  }

  left(name: string): number {
    const column = this.position === exampleNode ? undefined : this.bucket.columns.byName.get(name);
    return column === undefined
      ? amountOf(this.resource(name))
      : this.bucket.table.get(this.position, column);
  }

  get exists(): boolean {
    return this.origin === "existing" || this.origin === "on-premise";
  }

  property(name: NodeProperty): Scalar {
    if (isSharedProperty(name)) return this.bucket.property(name);
    switch (name) {
      case "name":
        return this.name;
      case "hostname":
        return this.hostname;
      case "fqdn":
        return this.reported?.fqdn ?? this.hostname;
      case "hostname_or_uuid":
        return this.hostname ?? this.reported?.nodeId ?? this.name;
      case "private_ip":
        return this.reported?.privateIp ?? null;
      case "instance_id":
        return this.reported?.instanceId ?? null;
      case "state":
        return this.reported?.status ?? (this.origin === "on-premise" ? "Ready" : "Off");
      case "exists":
        return this.exists;
      case "keep_alive":
        return this.keepAlive;
      case "create_time":
      case "create_time_remaining":
      case "create_time_unix":
      case "delete_time":
      case "delete_time_unix":
      case "last_match_time":
      case "last_match_time_unix":
        return this.#timeProperty(name);
    }
  }

  #timeProperty(name: TimeProperty): Scalar {
    const created = this.history?.createdSeconds ?? null;
    const matched = this.history?.lastMatchSeconds ?? null;
    const deleted = this.history?.deletedSeconds ?? null;
    switch (name) {
      case "create_time_unix":
        return created;
      case "create_time":
        return created === null ? null : isoTime(created);
      case "create_time_remaining":
        return this.#bootSecondsLeft(created);
      case "last_match_time_unix":
        return matched;
      case "last_match_time":
        return matched === null ? null : isoTime(matched);
      case "delete_time_unix":
        return deleted;
      case "delete_time":
        return deleted === null ? null : isoTime(deleted);
    }
  }

  /** Seconds until the boot time-out; -1 once Ready. */
  #bootSecondsLeft(created: number | null): number {
    if (this.reported?.status === "Ready" || this.origin === "on-premise") return -1;
    const { nowSeconds, bootTimeoutSeconds } = this.bucket.context;
    const timeout = bootTimeoutSeconds(this.bucket.name.nodeArray);
    return created === null ? timeout : Math.max(0, timeout - (nowSeconds - created));
  }
}

/** Unix seconds as ISO 8601 in UTC, to the second. */
function isoTime(unixSeconds: number): string {
  return new Date(Math.floor(unixSeconds) * 1_000).toISOString().replace(".000Z", "Z");
}
