import type { SlurmSettings } from "../slurm-settings.ts";
import { type ExistingNode, heading, type NodeKind } from "./node-kind.ts";

interface Group {
  readonly name: string;
  readonly nodes: readonly string[];
}

/** Nodes of one placement group are one switch, or one block. Those that are not there, or in no group, are beside them. */
export function topologyFile(
  kinds: readonly NodeKind[],
  nodes: readonly ExistingNode[],
  settings: SlurmSettings,
): { readonly name: string; readonly text: string } | undefined {
  const kind = settings.config?.topology;
  if (kind === undefined) return undefined;
  const arrays = new Set(kinds.map(({ nodeArray }) => nodeArray));
  const grouped = nodes.filter(
    ({ nodeArray, placementGroup }) => arrays.has(nodeArray) && placementGroup !== null,
  );
  const groups = [...Map.groupBy(grouped, (node) => `${node.nodeArray}_${node.placementGroup}`)]
    .map(
      ([name, own]): Group => ({
        name: name.replaceAll(/[^\w-]/g, "-"),
        nodes: own.map((node) => `${settings.node_prefix}${node.name}`).toSorted(),
      }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const inGroups = new Set(groups.flatMap((group) => group.nodes));
  const others = kinds.flatMap((each) => outside(each, inGroups, settings));
  if (kind === "block") return { name: "topology.conf", text: blocks(groups) };
  return kind === "tree"
    ? { name: "topology.conf", text: tree(groups, others) }
    : { name: "topology.yaml", text: yaml(groups, others) };
}

/** The rest of an array's names, as few ranges as can be. */
function outside(
  { nodeArray, count, otherNames }: NodeKind,
  taken: ReadonlySet<string>,
  { node_prefix }: SlurmSettings,
): readonly string[] {
  const before = `${node_prefix}${nodeArray}-`;
  const ranges: [from: number, to: number][] = [];
  for (let index = 1; index <= count; index++) {
    if (taken.has(`${before}${index}`)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  const parts = ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
  return [
    ...(parts.length === 0 ? [] : [`${before}[${parts.join(",")}]`]),
    ...otherNames.map((name) => `${node_prefix}${name}`).filter((name) => !taken.has(name)),
  ];
}

const root = "cyclecloud";
const rest = "cyclecloud-others";

function leavesOf(groups: readonly Group[], others: readonly string[]): readonly Group[] {
  return [...groups, ...(others.length === 0 ? [] : [{ name: rest, nodes: others }])];
}

function tree(groups: readonly Group[], others: readonly string[]): string {
  const leaves = leavesOf(groups, others);
  return lines([
    heading,
    ...leaves.map(({ name, nodes }) => `SwitchName=${name} Nodes=${nodes.join(",")}`),
    `SwitchName=${root} Switches=${leaves.map(({ name }) => name).join(",")}`,
  ]);
}

/** Nodes without a block have none: a job that asks for one cannot get them. */
function blocks(groups: readonly Group[]): string {
  const least = Math.max(1, Math.min(...groups.map(({ nodes }) => nodes.length)));
  return lines([
    heading,
    ...groups.map(({ name, nodes }) => `BlockName=${name} Nodes=${nodes.join(",")}`),
    ...(groups.length === 0 ? [] : [`BlockSizes=${least}`]),
  ]);
}

/** For Slurm 25.05 and later. */
function yaml(groups: readonly Group[], others: readonly string[]): string {
  const leaves = leavesOf(groups, others);
  return lines([
    heading,
    `- topology: ${root}`,
    "  cluster_default: true",
    "  tree:",
    "    switches:",
    `      - switch: ${root}`,
    `        children: ${leaves.map(({ name }) => name).join(",")}`,
    ...leaves.flatMap(({ name, nodes }) => [`      - switch: ${name}`, `        nodes: ${nodes.join(",")}`]),
  ]);
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
