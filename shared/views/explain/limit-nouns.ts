import type { LimitFigure, LimitName } from "../../engine/index.ts";

/** A limit by its kind, scope and unit: the same limit has the same everywhere. */
export type NamedLimit = Pick<LimitFigure, "scope" | "unit"> & { readonly limit: LimitName | null };

/** The limit as part of a sentence: `the core quota of region westeurope`. */
export function limitNoun({ limit, scope, unit }: NamedLimit): string {
  const kind = unit === "nodes" ? "node" : "core";
  switch (limit) {
    case "region":
      return scope.endsWith(" spot")
        ? `the spot core quota of region ${scope.slice(0, -" spot".length)}`
        : `the core quota of region ${scope}`;
    case "family":
      return `the core quota of VM family ${scope}`;
    case "cluster":
      return `the ${kind} limit of cluster ${scope}`;
    case "node-array":
      return `the ${kind} limit of node array ${scope}`;
    case "spot-share":
      return "the share of cores that may be spot";
    case "max-nodes-per-plan":
      return "the cap on new nodes of one plan";
    case "max-cores":
      return "the cap on cores";
    case "monthly-budget":
      return "the monthly budget, after an hour of all nodes that run,";
    case "unknown-price":
      return `the unknown price of ${scope}`;
    case "placement-group":
      return `placement group ${scope}`;
    case "back-off":
      return `a back-off of ${scope}`;
    case "budget":
      return `a budget that holds ${scope}`;
    case "bucket":
    case null:
      return `what CycleCloud still offers of ${scope}`;
  }
}

/** What somebody changes to raise it, as CycleCloud, Azure or the configuration call it; null: nobody can. */
export function limitKnob({ limit, scope, unit }: NamedLimit): string | null {
  const maximum = unit === "nodes" ? "MaxCount" : "MaxCoreCount";
  switch (limit) {
    case "region":
    case "family":
    case "bucket":
      return limitNoun({ limit, scope, unit });
    case "cluster":
      return `${maximum} of cluster ${scope}`;
    case "node-array":
      return `${maximum} of node array ${scope}`;
    case "max-nodes-per-plan":
      return '"max_nodes_per_plan"';
    case "max-cores":
      return '"max_cores"';
    case "monthly-budget":
      return '"monthly_budget_usd"';
    case "unknown-price":
      return `"price_per_hour_usd" of ${scope}`;
    case "spot-share":
    case "placement-group":
    case "back-off":
    case "budget":
    case null:
      return null;
  }
}
