import type { NodeKind } from "../engine/index.ts";
import type { ScaleAction } from "../messages/index.ts";
import type { RequestedNode } from "./cyclecloud.ts";
import type { IfMatch, Stored } from "./stored.ts";

/**
 * The fate of an action. `planned`: recorded, not known to be on the queue yet. `sent`: on the queue. `accepted`:
 * CycleCloud took it. Closed states: `visible` (a snapshot shows its effect), `failed` (the server refused it),
 * `lost` (no effect was seen in time), `dropped` (stale or expired when its turn came; nothing was asked).
 */
export type OperationState = "planned" | "sent" | "accepted" | "visible" | "failed" | "lost" | "dropped";

export interface Operation {
  readonly cluster: string;
  readonly actionId: string;
  readonly state: OperationState;
  readonly action: ScaleAction;
  /** CycleCloud's id of the operation, once accepted. */
  readonly operationId: string | null;
  /** The nodes it made or changed, as far as CycleCloud reported them. */
  readonly nodes: readonly RequestedNode[];
  /** Nodes that CycleCloud said it added, per set; empty unless a create was accepted, and while its answer is lost. */
  readonly added: readonly number[];
  /** Set for an accepted create: `nodes` was read after CycleCloud's lists had the time to catch up, so there are no more. */
  readonly isToldWhole?: true;
  /** Since when CycleCloud says that it does not know a create that it may have carried out: its lists may lag. */
  readonly unknownSinceSeconds?: number;
  /** Sets of a create for which CycleCloud added fewer nodes than asked, and why. */
  readonly shortfalls?: readonly Shortfall[];
  /** The server's words, or why it was closed. */
  readonly messages: readonly string[];
  /** Set before CycleCloud is asked for the first time. Absent: it cannot have had any effect. */
  readonly asked?: true;
  /** Tries that CycleCloud could not answer; each is followed by another one later. */
  readonly attempts?: number;
  /** Of a request that somebody named by a key: what it asked for. */
  readonly askedDigest?: string;
  readonly createdAtSeconds: number;
  readonly updatedAtSeconds: number;
}

/** One set of a create that was not met. */
export interface Shortfall extends NodeKind {
  readonly asked: number;
  readonly added: number;
  /** CycleCloud's reason, when it gave one. */
  readonly message: string | null;
  readonly atSeconds: number;
  /** The newest snapshot left no room for the rest, which was not asked for. */
  readonly isForeseen?: true;
}

export function isOpen(operation: Operation): boolean {
  return operation.state === "planned" || operation.state === "sent" || operation.state === "accepted";
}

/**
 * The fate of every action.
 *
 * - Called by: planner, executor, snapshots, and requests of people and nodes.
 * - Twice: yes: `save` under its ETag; the action id is the key.
 * - Gone: `load` gives undefined. A closed operation stays, so an action that comes again finds that it was done.
 * - Retries: the SDK; on ConflictError the caller loads again, and a request decides anew.
 */
export interface OperationStore {
  /** Operations that are still on their way, oldest first. */
  open(cluster: string): Promise<readonly Stored<Operation>[]>;
  /** The newest `limit`, any state, newest first; only those created from `sinceSeconds` to `untilSeconds` when given. */
  recent(
    cluster: string,
    limit: number,
    sinceSeconds?: number,
    untilSeconds?: number,
  ): Promise<readonly Operation[]>;
  load(cluster: string, actionId: string): Promise<Stored<Operation> | undefined>;
  /** Throws ConflictError when it was saved by somebody else since `ifMatch` was read. Returns the new ETag. */
  save(operation: Operation, ifMatch: IfMatch): Promise<string>;
  /** Changes with every `saveRequested` of the cluster. Undefined while there was none. */
  requestsTag(cluster: string): Promise<string | undefined>;
  /**
   * Records a new operation that somebody asked for. Throws ConflictError, and records nothing, when another one was
   * recorded since `tag` was read: whatever was decided from then on has to be decided again. Returns the new ETag.
   */
  saveRequested(operation: Operation, tag: string | undefined): Promise<string>;
}
