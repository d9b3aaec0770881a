import { periodEnd } from "../../accounting/index.ts";
import type { LimitFigure, LimitName } from "../../engine/index.ts";
import { counted } from "../../text/text.ts";
import { shown } from "./cause.ts";

/** A limit by its kind, scope and unit: the same limit has the same everywhere. Null: CycleCloud does not report which. */
export type NamedLimit = Pick<LimitFigure, "scope" | "unit"> & { readonly limit: LimitName | null };

type Named = Pick<LimitFigure, "scope" | "unit">;

/** A limit that leaves somebody too little. */
interface BindingLimit extends Named {
  readonly max: number;
  /** By how much it is short, in its unit; null: unknown. */
  readonly more: number | null;
}

interface Words {
  /** A part of a sentence: `the core quota of region westeurope`. */
  noun(limit: Named): string;
  /** What somebody changes to raise it, as CycleCloud, Azure or the configuration call it; null: nobody can. */
  knob(limit: Named): string | null;
  /** The noun where its scope is known already. */
  readonly short: string;
  /** What makes room again. Default: the limit is raised. */
  readonly wayOut?: string;
  /** What leaves so many new nodes, as a sentence without its end. Default: the noun does. */
  why?(limit: BindingLimit, newNodes: string): string;
  /** What to do about it. */
  next(limit: BindingLimit): string;
  /** When it ends by itself. Default: it does not. */
  endSeconds?(nowSeconds: number): number;
  /** What is used of it is no figure that explains anything. */
  readonly hasNoFigures?: true;
  /** Only Azure can raise it, and not whoever runs the cluster. */
  readonly isAzures?: true;
}

const wait = "or wait until nodes there go";
const push = "`ccscale config push FILE`";
const maximum = ({ unit }: Named) => (unit === "nodes" ? "MaxCount" : "MaxCoreCount");
const coreOrNode = ({ unit }: Named) => (unit === "nodes" ? "node" : "core");
const by = ({ more, unit }: BindingLimit) => (more === null ? "" : ` by ${counted(more, unit)} or more`);
const moreCores = ({ more }: BindingLimit) => (more === null ? "more cores" : `${shown(more)} more cores`);
const nobody = () => null;

const spot = " spot";
const regionNoun = ({ scope }: Named) =>
  scope.endsWith(spot)
    ? `the spot core quota of region ${scope.slice(0, -spot.length)}`
    : `the core quota of region ${scope}`;
const familyNoun = ({ scope }: Named) => `the core quota of VM family ${scope}`;
const bucketNoun = ({ scope }: Named) => `what CycleCloud still offers of ${scope}`;

const words: Readonly<Record<LimitName, Words>> = {
  bucket: {
    noun: bucketNoun,
    knob: bucketNoun,
    short: "what CycleCloud still offers of the VM size",
    next: (limit) =>
      `Raise what CycleCloud shows as the limit of the VM size${by(limit)}, ${wait}: \`ccscale buckets\`.`,
  },
  region: {
    noun: regionNoun,
    knob: regionNoun,
    short: "the region's core quota",
    next: (limit) =>
      limit.scope.endsWith(spot)
        ? `Ask Azure for ${moreCores(limit)} of spot quota, let the job use another node array, ${wait}. What is used: \`ccscale limits\`.`
        : `Ask Azure for ${moreCores(limit)} in the region, ${wait}. What is used: \`ccscale limits\`.`,
    isAzures: true,
  },
  cluster: {
    noun: (limit) => `the ${coreOrNode(limit)} limit of cluster ${limit.scope}`,
    knob: (limit) => `${maximum(limit)} of cluster ${limit.scope}`,
    short: "the cluster's limit",
    next: (limit) => `Raise ${maximum(limit)} of the cluster in CycleCloud${by(limit)}, ${wait}.`,
  },
  "node-array": {
    noun: (limit) => `the ${coreOrNode(limit)} limit of node array ${limit.scope}`,
    knob: (limit) => `${maximum(limit)} of node array ${limit.scope}`,
    short: "the node array's limit",
    next: (limit) => `Raise ${maximum(limit)} of the node array in CycleCloud${by(limit)}, ${wait}.`,
  },
  family: {
    noun: familyNoun,
    knob: familyNoun,
    short: "the VM family's core quota",
    next: (limit) =>
      `Ask Azure for ${moreCores(limit)} of the family, let the job use another one, ${wait}. What is used: \`ccscale limits\`.`,
    isAzures: true,
  },
  "placement-group": {
    noun: ({ scope }) => `placement group ${scope}`,
    knob: nobody,
    short: "the placement group's size",
    next: ({ more }) =>
      `It fits when ${more === null ? "" : `${shown(more)} `}nodes of the group go, or in another group: \`ccscale buckets\`.`,
  },
  "spot-share": {
    noun: () => "the share of cores that may be spot",
    knob: nobody,
    short: "the share of cores that may be spot",
    next: () =>
      `More regular nodes make room for spot ones; or raise "max_share" of "spot" and store the configuration: ${push}.`,
  },
  "max-nodes-per-plan": {
    noun: () => "the cap on new nodes of one plan",
    knob: () => '"max_nodes_per_plan"',
    short: "the cap max_nodes_per_plan",
    wayOut: "nodes become free, or with one of the next plans",
    why: ({ max }) => `one plan makes at most ${counted(max, "new nodes")}`,
    next: () => `The next plans go on; or raise "max_nodes_per_plan" and store the configuration: ${push}.`,
    hasNoFigures: true,
  },
  "max-cores": {
    noun: () => "the cap on cores",
    knob: () => '"max_cores"',
    short: "the cap max_cores",
    next: (limit) => `Raise "max_cores"${by(limit)} and store the configuration (${push}), ${wait}.`,
  },
  "monthly-budget": {
    noun: () => "the monthly budget, after an hour of all nodes that run,",
    knob: () => '"monthly_budget_usd"',
    short: "what monthly_budget_usd has left, after an hour of all nodes that run,",
    wayOut: "nodes become free, the budget is raised, or a new month begins",
    next: () =>
      `Raise "monthly_budget_usd" and store the configuration (${push}), or wait for the next month.`,
    endSeconds: (nowSeconds) => periodEnd("month", nowSeconds),
  },
  "unknown-price": {
    noun: ({ scope }) => `the unknown price of ${scope}`,
    knob: ({ scope }) => `"price_per_hour_usd" of ${scope}`,
    short: "its price, which is not known and has to be under monthly_budget_usd,",
    wayOut: "nodes become free, or vm_sizes gives the price (price_per_hour_usd)",
    why: ({ scope }) =>
      `the price of ${scope} is not known, and under a monthly budget nothing is bought that has none`,
    next: () => `Give "price_per_hour_usd" of the size in "vm_sizes" and store the configuration: ${push}.`,
    hasNoFigures: true,
  },
  // What to do about a hold is said of the hold itself, unless it is over since the plan was made.
  "back-off": {
    noun: ({ scope }) => `a back-off of ${scope}`,
    knob: nobody,
    short: "a back-off",
    wayOut: "nodes become free or the back-off is over",
    next: () => "The next plan asks for them.",
  },
  budget: {
    noun: ({ scope }) => `a budget that holds ${scope}`,
    knob: nobody,
    short: "a budget",
    wayOut: "nodes become free, the budget is raised, or its day or month is over",
    next: () => "The next plan asks for them.",
  },
};

/** What CycleCloud does not name is what it offers of the size. */
export function limitWords(limit: LimitName | null): Words {
  return words[limit ?? "bucket"];
}

export function limitNoun(limit: NamedLimit): string {
  return limitWords(limit.limit).noun(limit);
}

/** The same at the end of what it is the subject of. */
export function limitSubject(limit: NamedLimit): string {
  return limitNoun(limit).replace(/,$/, "");
}

export function limitKnob(limit: NamedLimit): string | null {
  return limit.limit === null ? null : limitWords(limit.limit).knob(limit);
}

export function limitInShort(limit: LimitName | null): string {
  return limit === null ? "the limits" : words[limit].short;
}

export function wayOut(limit: LimitName | null): string {
  return limitWords(limit).wayOut ?? "nodes become free or the limit is raised";
}
