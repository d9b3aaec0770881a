import type { NodeShape } from "../driver.ts";
import type { Host } from "./hosts.ts";
import type { Limits } from "./limits.ts";
import type { QueueRecord, ServerRecord } from "./pbs-records.ts";
import type { ResourceTypes } from "./pbs-resources.ts";
import type { PbsSettings } from "./pbs-settings.ts";

/** What a job record is read with. */
export interface JobContext {
  readonly settings: PbsSettings;
  readonly nowSeconds: number;
  readonly queues: ReadonlyMap<string, QueueRecord>;
  readonly server: ServerRecord;
  /** The priority that jobs have from their queue: larger starts first. None: all jobs start in one order. */
  readonly queuePriorities: ReadonlyMap<string, number>;
  /** Whether jobs of a queue start by the priority of `qsub -p`. */
  readonly sortsByPriority: boolean;
  readonly types: ResourceTypes;
  /** Nodes list their jobs, too: names of hosts by a job's id. */
  readonly listedOn: ReadonlyMap<string, readonly string[]>;
  /** By the name of the host, of a vnode of it, or of its node daemon, in lower case. */
  readonly hostOf: ReadonlyMap<string, Host>;
  /** Queues of reservations that are posted with what they hold: their jobs take nothing more. */
  readonly reservedQueues: ReadonlySet<string>;
  readonly limits: Limits;
  /** Boolean resources that some node has, or would have. */
  readonly haveSome: ReadonlySet<string>;
  /** What is known of nodes of each kind. */
  readonly shapes: readonly NodeShape[];
  /** Different amounts that nodes have of each resource, or would have. */
  readonly amountsOfNodes: ReadonlyMap<string, readonly number[]>;
  /** Names of hosts on which all CPUs are in use. */
  readonly fullHosts: readonly string[];
  /** Whether nodes belong to one job at a time, or never do, whatever jobs say; undefined: as jobs say. */
  readonly sharing: NodeSharing;
  /** Whether PBS starts a job on any nodes where no value of its `group` has enough; false, too, while that is not known. */
  readonly passesOverGroups: boolean;
}

/** `sharing` of the nodes, where all have the same. */
export type NodeSharing = "as-asked" | "exclusive-unless-asked" | "always-exclusive" | "never-exclusive";

/** A job that is no demand because what it asks for is not understood, or cannot be ordered; for the log. */
export interface LeftOut {
  readonly leftOut: string;
  /** Where it runs all the same. */
  readonly executingHostnames?: readonly string[];
}
