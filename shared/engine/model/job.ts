import type { Constraint } from "../constraints/constraint-kinds.ts";
import type { Json } from "../values/resources.ts";
import type { OwnerCapName } from "./demand-caps.ts";

/** `pack`: slots, several per node where they fit, partly if need be. `scatter`: different nodes, all or nothing. */
export type PackingStrategy = "pack" | "scatter";

/** Money that somebody's jobs may cost. */
export interface SpentBudget {
  readonly name: string;
  readonly maxUsd: number;
  /** Null: unknown, which is not zero. */
  readonly spentUsd: number | null;
}

/** The most cores that the jobs of one owner may have together, those that run included. */
export interface OwnerLimit {
  readonly cap: OwnerCapName;
  readonly owner: string;
  readonly maxCores: number;
}

/** A demand for slots or nodes under constraints. */
export interface Job {
  readonly name: string;
  /** All of them hold. */
  readonly constraints: readonly Constraint[];
  /** Slots to place, for `pack`. */
  readonly iterations: number;
  /** Different nodes to place on, for `scatter`; 0 for `pack`. */
  readonly nodeCount: number;
  /** All nodes in one placement group, all or nothing. */
  readonly colocated: boolean;
  /** The same as the constraint `{"exclusive": true}`. */
  readonly exclusive: boolean;
  readonly packingStrategy: PackingStrategy;
  /** Short names of hosts on which the job runs already. */
  readonly executingHostnames: readonly string[];
  /** Larger first; equals stay in the order of arrival. */
  readonly priority: number;
  readonly submittedAtSeconds: number | null;
  /** How long it runs at most, or probably. Null: nobody knows. */
  readonly runtimeSeconds: number | null;
  /** When a running job started. Null: unknown. */
  readonly startedAtSeconds: number | null;
  /** Whether it may be stopped and run again. Null: unknown. */
  readonly interruptible: boolean | null;
  /** The scheduler that it comes from. */
  readonly source: string | null;
  readonly metadata: { readonly [key: string]: Json };
  /** The budget that holds it: it keeps the hosts on which it runs, and gets nothing more. Absent: none does. */
  readonly hold?: SpentBudget;
  /** Jobs of a source with the same one are parts of one job: all get all that they ask for, or none gets anything. */
  readonly gang?: string;
  /** Whether it lies on no node of another job of its gang that says so too; its nodes may be of several buckets. Absent, and without a `gang`: it may. */
  readonly gangApart?: boolean;
  /**
   * Whether its nodes may be of several buckets where none of them could ever hold all of it. Colocated jobs of a gang for which this is true
   * or false are all in one placement group until they are divided. Absent, and without a `gang`: they may not, and each job has a group
   * of its own.
   */
  readonly mayDivide?: boolean;
  /** The slots of a job that is not placed whole come in lots of so many: a lot gets all of its slots, or none. Absent: each by itself. */
  readonly gangSize?: number;
  /** Limits of those whose job it is. Absent: none. */
  readonly ownerLimits?: readonly OwnerLimit[];
}

/** Undefined stands for what is left out. */
type Fields = { readonly [Name in keyof Job]?: Job[Name] | undefined };

/**
 * A job with the defaults filled in: one slot, packed. One that asks for nodes is scattered, whatever its strategy says: with `pack` it
 * would get one node. A scattered job that names no node count wants each of its iterations on a node of its own.
 */
export function defineJob(fields: Pick<Job, "name" | "constraints"> & Fields): Job {
  const { iterations = 1, nodeCount = 0 } = fields;
  const isScattered = nodeCount > 0 || fields.packingStrategy === "scatter";
  return {
    name: fields.name,
    constraints: fields.constraints,
    iterations,
    nodeCount: isScattered && nodeCount === 0 ? iterations : nodeCount,
    colocated: fields.colocated ?? false,
    exclusive: fields.exclusive ?? false,
    packingStrategy: isScattered ? "scatter" : "pack",
    executingHostnames: fields.executingHostnames ?? [],
    priority: fields.priority ?? 0,
    submittedAtSeconds: fields.submittedAtSeconds ?? null,
    runtimeSeconds: fields.runtimeSeconds ?? null,
    startedAtSeconds: fields.startedAtSeconds ?? null,
    interruptible: fields.interruptible ?? null,
    source: fields.source ?? null,
    metadata: fields.metadata ?? {},
    ...(fields.hold === undefined ? {} : { hold: fields.hold }),
    ...gangOf(fields),
    ...(fields.gangSize === undefined ? {} : { gangSize: fields.gangSize }),
    ...(fields.ownerLimits === undefined ? {} : { ownerLimits: fields.ownerLimits }),
  };
}

/** Slots, or nodes. Archived jobs, and those that users of the library wrote out, may be scattered without a node count. */
export function askedBy({ packingStrategy, nodeCount, iterations }: Job): number {
  return packingStrategy === "scatter" ? nodeCount || iterations : iterations;
}

/** Nodes of several buckets are all there, or none is: only a gang promises that. */
function gangOf({ gang, gangApart, mayDivide }: Fields): Pick<Job, "gang" | "gangApart" | "mayDivide"> {
  if (gang === undefined) return {};
  return {
    gang,
    ...(gangApart === undefined ? {} : { gangApart }),
    ...(mayDivide === undefined ? {} : { mayDivide }),
  };
}
