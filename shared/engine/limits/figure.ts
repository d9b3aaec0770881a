import type { Bucket } from "../model/bucket.ts";
import { micro } from "../model/caps.ts";
import type { LimitName } from "../model/limits.ts";
import { nodesLeft } from "./charges.ts";
import type { Limit } from "./limit.ts";
import { limits } from "./limits.ts";
import type { Charge } from "./quota.ts";

/** One limit of a bucket before any job is placed: nodes that exist or are on order count as used. */
export interface LimitFigure {
  readonly limit: LimitName;
  /** The scope of the limit, for people: `htc`, `westeurope/standardFSv2Family`. The same limit has the same everywhere. */
  readonly scope: string;
  readonly unit: "nodes" | "cores" | "usd";
  readonly max: number;
  readonly used: number;
  /** Can be less than `max` minus `used`: for a bucket, CycleCloud reports what it still offers. */
  readonly left: number;
  /** How much one node of the bucket takes, in that unit. */
  readonly perNode: number;
  readonly nodesLeft: number;
}

/** The figures of a bucket's limits. Nodes on order count as used: they were charged after the limit was read. */
export function figuresOf(size: Bucket, charges: readonly Charge[]): readonly LimitFigure[] {
  return charges.flatMap((charge) => {
    const { shown }: Limit = limits[charge.limit];
    return shown === null ? [] : [figureOf(charge, shown?.(size) ?? charge.quota)];
  });
}

function figureOf(charge: Charge, reported: { readonly max: number; readonly used: number }): LimitFigure {
  const { limit, scope, quota } = charge;
  const charged = Math.max(0, quota.max - quota.used) - quota.cut - quota.left;
  const isMoney = charge.unit === "micro-usd";
  const shown = (amount: number) => (isMoney ? amount / micro : amount);
  return {
    limit,
    scope,
    unit: charge.unit === "micro-usd" ? "usd" : charge.unit,
    max: shown(reported.max),
    used: shown(reported.used + charged),
    left: shown(quota.left),
    perNode: shown(charge.perNode),
    nodesLeft: Math.min(nodesLeft(charge), Number.MAX_SAFE_INTEGER),
  };
}
