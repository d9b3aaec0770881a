import {
  type ArchivedPlan,
  type ClusterControl,
  isOpen,
  type Operation,
  type PlanHead,
  type RejectedMessage,
  type RequestSet,
  type Snapshot,
  type SourceDemand,
} from "../../shared/ports/index.ts";
import type { PortCall } from "./faulty-ports.ts";

/** What the stores hold, as far as the simulation judges by it; kept up to date by every write that took effect. */
export class Records {
  readonly operations = new Map<string, Operation>();
  readonly heads = new Map<string, PlanHead>();
  readonly rejections = new Set<string>();
  readonly #demand = new Map<string, SourceDemand>();
  readonly #snapshots = new Map<string, Snapshot>();

  open(cluster: string): readonly Operation[] {
    return [...this.operations.values()].filter((each) => each.cluster === cluster && isOpen(each));
  }

  /** Says what a write changed; undefined for calls that write nothing of interest. */
  note({ place, args }: PortCall): Written | undefined {
    switch (place) {
      case "operations.save":
      case "operations.saveRequested": {
        const operation = args[0] as Operation;
        this.operations.set(operation.actionId, operation);
        return { what: "operation", operation };
      }
      case "plans.archive":
        return { what: "plan", plan: args[0] as ArchivedPlan };
      case "plans.saveHead": {
        const head = args[0] as PlanHead;
        this.heads.set(head.cluster, head);
        return { what: "head", head };
      }
      case "rejections.add":
        this.rejections.add((args[0] as RejectedMessage).rejection.rejectionId);
        return undefined;
      case "demand.save": {
        const demand = args[0] as SourceDemand;
        this.#demand.set(demand.cluster, demand);
        return { what: "demand", demand };
      }
      case "controls.save":
        return { what: "control", control: args[0] as ClusterControl };
      case "targets.save":
        return { what: "targets", requested: args[0] as RequestSet };
      case "snapshots.save":
        return this.#noteSnapshot(args[1] as Snapshot);
    }
    return undefined;
  }

  /** The store keeps the reading that was started last. */
  #noteSnapshot(snapshot: Snapshot): Written | undefined {
    const before = this.#snapshots.get(snapshot.cluster.name);
    if (before !== undefined && before.takenAtSeconds > snapshot.takenAtSeconds) return undefined;
    this.#snapshots.set(snapshot.cluster.name, snapshot);
    return { what: "snapshot", snapshot };
  }
}

export type Written =
  | { readonly what: "head"; readonly head: PlanHead }
  | { readonly what: "operation"; readonly operation: Operation }
  | { readonly what: "control"; readonly control: ClusterControl }
  | { readonly what: "plan"; readonly plan: ArchivedPlan }
  | { readonly what: "demand"; readonly demand: SourceDemand }
  | { readonly what: "targets"; readonly requested: RequestSet }
  | { readonly what: "snapshot"; readonly snapshot: Snapshot };
