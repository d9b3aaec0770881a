import type { BucketDefinition, ShutdownPolicy } from "./definition.ts";
import { type Life, type Step, stepAt } from "./node-life.ts";

/** Free-form attributes, as a create request or a node array gives them. */
export type Attributes = Readonly<Record<string, unknown>>;

/** A node as the simulator keeps it; what it looks like at a moment follows from its life. */
export interface SimulatedNode {
  readonly nodeId: string;
  readonly name: string;
  readonly cluster: string;
  readonly bucket: BucketDefinition;
  readonly placementGroupId: string | undefined;
  /** Given at creation, shown when the life says so; used again by a later node once this one is gone. */
  readonly privateIp: string;
  readonly requestId: string | undefined;
  readonly operationId: string | undefined;
  readonly createdAt: number;
  readonly keepAlive: boolean;
  readonly fixed: boolean;
  readonly shutdownPolicy: ShutdownPolicy;
  readonly attributes: Attributes;
  /** Leaves `TargetState` out of the record, as CycleCloud does now and then. */
  readonly hidesTargetState: boolean;
  readonly life: Life;
}

export function statusOf(node: SimulatedNode, at: number): Step["status"] {
  return stepAt(node.life, at).status;
}

/** Counts as active: wanted, whether it runs, boots or has failed. */
export function isActive(node: SimulatedNode, at: number): boolean {
  return stepAt(node.life, at).target === "Started";
}

/** Active, or not taken back by Azure yet. */
export function occupies(node: SimulatedNode, at: number): boolean {
  const step = stepAt(node.life, at);
  return step.target === "Started" || step.holdsCores;
}

export function hostnameOf(privateIp: string): string {
  const number = privateIp.split(".").reduce((whole, part) => whole * 256 + Number(part), 0);
  return `ip-${number.toString(16).padStart(8, "0").toUpperCase()}`;
}
