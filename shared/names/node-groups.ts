import { type NodeUse, nodeUses } from "./node-use.ts";

/** What a map of nodes can be divided by; each part is divided by size. */
export const groupings = ["array", "region", "spot", "state", "user", "account"] as const;

export type Grouping = (typeof groupings)[number];

/** Where new nodes come from. */
interface Source {
  readonly nodeArray: string;
  readonly vmSize: string;
  readonly spot: boolean;
  readonly placementGroup: string | null;
}

export interface GroupedNode extends Source {
  readonly location: string | null;
  /** Unknown: of a node of the past. */
  readonly use: NodeUse | "unknown";
  /** Those of its jobs, each once; null: a job of which none is known. */
  readonly users?: readonly (string | null)[] | undefined;
  readonly accounts?: readonly (string | null)[] | undefined;
}

/** Nodes of one size that a map shows together, under the heading of a part. */
export interface NodeGroup<N, B = never> {
  readonly heading: string;
  readonly title: string;
  readonly nodes: readonly N[];
  /** Set: new nodes of this group come from there. */
  readonly bucket: B | undefined;
}

const headings: Readonly<Record<Grouping, (node: GroupedNode) => string>> = {
  array: ({ nodeArray }) => nodeArray,
  region: ({ location }) => location ?? "Not known",
  spot: ({ spot }) => (spot ? "Spot" : "Regular"),
  state: ({ use }) => nodeUses.find((each) => each.use === use)?.title ?? "Not known",
  user: ({ users }) => ownersIn(users, "users"),
  account: ({ accounts }) => ownersIn(accounts, "accounts"),
};

const { compare } = new Intl.Collator("en", { numeric: true });

/** In order of headings and titles. Buckets belong to parts by node array alone: elsewhere several share a part. */
export function groupsOf<N extends GroupedNode, B extends Source = never>(
  nodes: readonly N[],
  by: Grouping,
  buckets: readonly B[] = [],
): readonly NodeGroup<N, B>[] {
  type Group = NodeGroup<N, B> & { readonly nodes: N[]; bucket: B | undefined };
  const groups = new Map<string, Group>();
  let last: { readonly heading: string; readonly source: Source; readonly group: Group } | undefined;
  const isByArray = by === "array";
  const groupOf = (heading: string, source: Source) => {
    const { nodeArray, vmSize, spot, placementGroup } = source;
    // Neighbours are mostly of one group, and names for 10,000 nodes would take most of the time.
    if (
      last?.heading === heading &&
      last.source.vmSize === vmSize &&
      last.source.nodeArray === nodeArray &&
      last.source.spot === spot &&
      last.source.placementGroup === placementGroup
    )
      return last.group;
    const parts = isByArray ? [vmSize, spot, placementGroup] : [nodeArray, vmSize, spot];
    const key = [heading, ...parts].join("\n");
    const group = groups.get(key) ?? { heading, title: titleOf(source, by), nodes: [], bucket: undefined };
    groups.set(key, group);
    last = { heading, source, group };
    return group;
  };
  for (const node of nodes) groupOf(headings[by](node), node).nodes.push(node);
  for (const bucket of isByArray ? buckets : []) groupOf(bucket.nodeArray, bucket).bucket = bucket;
  return [...groups.values()].toSorted((a, b) => compare(a.heading, b.heading) || compare(a.title, b.title));
}

function titleOf({ nodeArray, vmSize, spot, placementGroup }: Source, by: Grouping): string {
  const size = `${vmSize.replace(/^Standard_/, "")}${spot ? " spot" : ""}`;
  if (by !== "array") return `${nodeArray} · ${size}`;
  return placementGroup === null ? size : `${size} · ${placementGroup.replace(`${vmSize}_`, "")}`;
}

function ownersIn(owners: readonly (string | null)[] | undefined, many: string): string {
  const [first, ...others] = owners ?? [];
  if (first === undefined) return "No job";
  return others.length > 0 ? `Several ${many}` : (first ?? "Not known");
}
