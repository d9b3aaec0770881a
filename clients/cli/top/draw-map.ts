import { groupsOf, type NodeGroup } from "../../../shared/names/node-groups.ts";
import { type NodeUse, nodeUses, useOf } from "../../../shared/names/node-use.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import type { Line, Size } from "./line.ts";
import type { TopNode, TopState } from "./top-state.ts";

/** Parts that a terminal can show: whose jobs run on a node is not asked for. */
const mapGroupings = ["array", "region", "spot", "state"] as const;

/** A block for each use, so that nothing depends on colour. */
const blocks: Readonly<Record<NodeUse, string>> = {
  jobs: "█",
  boot: "▓",
  idle: "░",
  drained: "▒",
  kept: "■",
  failed: "×",
  ending: "▼",
};
const indent = "  ";

type Group = NodeGroup<TopNode & { readonly use: NodeUse }>;

export function mapGroups({ data, map }: TopState): readonly Group[] {
  return groupsOf(
    data.nodes.map((node) => ({ ...node, use: useOf(node) })),
    groupingOf(map),
  );
}

function groupingOf(map: TopState["map"]) {
  return mapGroupings[(map?.grouping ?? 0) % mapGroupings.length] ?? "array";
}

/** Nodes as blocks, those of one use side by side. A block stands for several nodes where there are more than the screen holds. */
export function mapLines(state: TopState, { width, height }: Size): readonly Line[] {
  const { from: wanted = 0 } = state.map ?? {};
  const by = groupingOf(state.map);
  const groups = mapGroups(state);
  const columns = Math.max(1, width - indent.length);
  const room = Math.max(1, height - 1);
  let each = 1;
  let lines = linesOf(groups, { each, columns });
  // Each group has a title and a line of blocks at least.
  while (lines.length > Math.max(room, 2 * groups.length)) {
    each *= 2;
    lines = linesOf(groups, { each, columns });
  }
  const counts = Map.groupBy(
    groups.flatMap(({ nodes }) => nodes),
    ({ use }) => use,
  );
  const legend = nodeUses.flatMap(({ use }) =>
    counts.has(use) ? [`${blocks[use]} ${use} ${counts.get(use)?.length}`] : [],
  );
  const scale = each === 1 ? "" : `, a block for ${each} nodes`;
  const from = Math.max(0, Math.min(wanted, lines.length - room));
  return [
    {
      text: [`By ${by}${scale}:`, ...(legend.length === 0 ? ["no nodes"] : legend)].join("  "),
      style: "title",
    },
    ...lines.slice(from, from + room),
  ];
}

function linesOf(
  groups: readonly Group[],
  { each, columns }: { readonly each: number; readonly columns: number },
): readonly Line[] {
  return groups.flatMap(({ heading, title, nodes }): readonly Line[] => {
    const byUse = Map.groupBy(nodes, ({ use }) => use);
    // One node of many still has a block.
    const uses = nodeUses.flatMap(({ use }) =>
      Array.from({ length: Math.ceil((byUse.get(use)?.length ?? 0) / each) }, () => use),
    );
    const rows = Array.from({ length: Math.ceil(uses.length / columns) }, (_, row) =>
      uses.slice(row * columns, (row + 1) * columns),
    );
    return [
      { text: `${printable(heading)}  ${printable(title)}  ${counted(nodes.length, "nodes")}` },
      ...rows.map((row): Line => {
        const runs = nodeUses.flatMap(({ use }) => {
          const length = row.filter((own) => own === use).length;
          return length === 0 ? [] : [{ text: blocks[use].repeat(length), style: use }];
        });
        return {
          text: `${indent}${runs.map(({ text }) => text).join("")}`,
          runs: [{ text: indent }, ...runs],
        };
      }),
    ];
  });
}
