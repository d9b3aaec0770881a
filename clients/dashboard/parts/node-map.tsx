import { useMemo } from "preact/hooks";
import type { BucketLimitView } from "../../../shared/api/index.ts";
import { type Grouping, groupsOf, type NodeGroup } from "../../../shared/names/node-groups.ts";
import { nodeUses } from "../../../shared/names/node-use.ts";
import { goTo, linkTo } from "../place.ts";
import { count, counted, duration, percent, usd } from "../words.ts";
import { MapCanvas, type Shade } from "./map-canvas.tsx";
import { layOut, type Spot, type Tile } from "./map-layout.ts";
import type { MapBucket, MapNode } from "./map-node.ts";
import { Table } from "./table.tsx";
import { useWidth } from "./use-width.ts";

/** What cells are coloured by. */
export type Coloring = "state" | "busy";

interface Kind extends Shade {
  readonly title: string;
}

const useKinds: ReadonlyMap<string, Kind> = new Map([
  ...nodeUses.map(({ use, title }) => [use, { title, color: `use-${use}`, alpha: 1 }] as const),
  ["unknown", { title: "Not known any more", color: "use-drained", alpha: 0.5 }],
]);
const withJobs = useKinds.get("jobs");
const noJob: Kind = { title: "No core busy", color: "use-idle", alpha: 1 };
const notKnown: Kind = { title: "Not known", color: "use-drained", alpha: 0.5 };
const busyKinds: readonly Kind[] = [0.25, 0.5, 0.75, 1].map((share) => ({
  title: share === 1 ? "More" : `Up to ${percent(share)} busy`,
  color: "use-jobs",
  alpha: 0.25 + 0.75 * share,
}));

function kindOf({ use, busy }: MapNode, by: Coloring): Kind {
  if (by === "state") return useKinds.get(use) ?? notKnown;
  if (busy === null) return notKnown;
  return busy <= 0 ? noJob : (busyKinds[Math.ceil(Math.min(1, busy) * 4) - 1] ?? notKnown);
}

interface MapProps {
  readonly nodes: readonly MapNode[];
  /** What new nodes can come from; empty: not shown. */
  readonly buckets: readonly MapBucket[];
  readonly by: Grouping;
  readonly coloring: Coloring;
  readonly cluster: string;
  /** When that is, in Unix seconds. */
  readonly now: number;
}

type Group = NodeGroup<MapNode | undefined, MapBucket>;

/** Frames of a group that has few nodes. */
const fewestFrames = 24;

/** Every node as a cell, and as empty frames those that may be made besides. The table has the same in words. */
export function NodeMap({ nodes, buckets, by, coloring, cluster, now }: MapProps) {
  const { box, width } = useWidth();
  const groups = useMemo(() => {
    const wanted = buckets.filter(
      ({ availableCount, enabled, valid }) => enabled && valid && availableCount > 0,
    );
    const there = new Set(wanted);
    // Where nothing can be made, only groups that have nodes are worth a place.
    return groupsOf(nodes, by, buckets)
      .filter(({ nodes: some, bucket }) => some.length > 0 || (bucket !== undefined && there.has(bucket)))
      .map(placed);
  }, [nodes, buckets, by]);
  const layout = useMemo(
    () =>
      layOut(
        groups.map((group) => ({
          group,
          cores: group.nodes.find((node) => node !== undefined)?.vcpuCount ?? group.bucket?.vm.vcpuCount ?? 0,
          frames: Math.min(roomOf(group.bucket), Math.max(fewestFrames, group.nodes.length)),
        })),
        width,
      ),
    [groups, width],
  );
  const drawn = useMemo(() => {
    const shadeOf = (node: MapNode) => kindOf(node, coloring);
    const counts = new Map<Kind, number>();
    for (const node of nodes) counts.set(shadeOf(node), (counts.get(shadeOf(node)) ?? 0) + 1);
    return {
      shadeOf,
      legend: [...useKinds.values(), noJob, ...busyKinds, notKnown].filter((kind) => counts.has(kind)),
      counts,
    };
  }, [nodes, coloring]);
  const table = useMemo(() => <MapTable groups={groups} by={by} cluster={cluster} />, [groups, by, cluster]);
  return (
    <div class="map" ref={box}>
      {width === 0 ? null : (
        <MapCanvas
          layout={layout}
          label={`Map of ${counted(nodes.length, "node")}`}
          about={aboutTile}
          shadeOf={drawn.shadeOf}
          wordsOf={(spot) => wordsOf(spot, now)}
          onOpen={({ name }) => goTo({ cluster, view: "nodes", subject: name })}
        >
          <div class="legend" aria-hidden="true">
            {drawn.legend.map((kind) => (
              <span key={kind.title}>
                <i class={`swatch ${kind.color}`} style={{ opacity: kind.alpha }} /> {kind.title}{" "}
                {count(drawn.counts.get(kind) ?? 0)}
              </span>
            ))}
            {layout.tiles.some(({ frames }) => frames > 0) ? (
              <span>
                <i class="swatch frame" /> May be made
              </span>
            ) : null}
          </div>
        </MapCanvas>
      )}
      <details>
        <summary>The map as a table</summary>
        {table}
      </details>
    </div>
  );
}

function MapTable({
  groups,
  by,
  cluster,
}: { readonly groups: readonly Group[] } & Pick<MapProps, "by" | "cluster">) {
  return (
    <Table
      caption="Groups of the map"
      rows={groups}
      rowKey={({ heading, title }) => `${heading} ${title}`}
      columns={[
        ["Part", ({ heading }) => heading],
        [
          "Size",
          (group) =>
            by === "array" ? (
              <a href={linkTo({ cluster, view: "nodes", options: { where: whereOf(group) } })}>
                {group.title}
              </a>
            ) : (
              group.title
            ),
        ],
        ["Nodes", ({ nodes }) => count(present(nodes).length), "number"],
        ["Used for", ({ nodes }) => usesIn(present(nodes)) || "–", "long"],
        ["Free room", ({ bucket }) => (bucket === undefined ? "–" : roomWords(bucket)), "long"],
      ]}
    />
  );
}

/** Nodes in the places that they keep. */
function placed(group: NodeGroup<MapNode, MapBucket>): Group {
  if (group.nodes[0]?.slot === undefined) return group;
  const nodes: (MapNode | undefined)[] = [];
  for (const node of group.nodes) nodes[node.slot ?? nodes.length] = node;
  return { ...group, nodes: Array.from(nodes) };
}

function present(nodes: readonly (MapNode | undefined)[]): readonly MapNode[] {
  return nodes.filter((node) => node !== undefined);
}

function aboutTile({ group: { nodes, bucket } }: Tile<MapNode, MapBucket>): string {
  const words = counted(present(nodes).length, "node");
  return bucket === undefined ? words : `${words}; ${roomWords(bucket)}`;
}

function usesIn(nodes: readonly MapNode[]): string {
  const counts = Map.groupBy(nodes, (node) => kindOf(node, "state"));
  return [...useKinds.values()]
    .flatMap((kind) =>
      counts.has(kind)
        ? [
            `${count(counts.get(kind)?.length ?? 0)} ${kind === withJobs ? "with jobs" : kind.title.toLowerCase()}`,
          ]
        : [],
    )
    .join(", ");
}

function roomOf(bucket: MapBucket | undefined): number {
  return bucket === undefined || !bucket.enabled || !bucket.valid ? 0 : bucket.availableCount;
}

const limitTitles: ReadonlyMap<string, string> = new Map([
  ["bucket", "limit of the VM size"],
  ["region", "region quota"],
  ["cluster", "limit of the cluster"],
  ["node-array", "limit of the node array"],
  ["family", "family quota"],
  ["placement-group", "size of the placement group"],
]);

/** How many nodes more, and the limit that allows no more than these. */
function roomWords(bucket: MapBucket): string {
  const { enabled, valid, invalidReason, binding, limits } = bucket;
  if (!enabled) return "none may be made: the array is switched off";
  if (!valid) return `none may be made: ${invalidReason ?? "CycleCloud does not make such nodes"}`;
  const more = `${roomOf(bucket) === 0 ? "no" : count(roomOf(bucket))} more may be made`;
  if (binding === null) return more;
  const least = limits
    .filter(({ limit }) => limit === binding)
    .reduce<BucketLimitView | undefined>(
      (a, b) => (a === undefined || b.nodesLeft < a.nodesLeft ? b : a),
      undefined,
    );
  const figures =
    least === undefined || least.used === null || least.max === null || least.unit === "usd"
      ? ""
      : ` (${count(least.used)} of ${counted(least.max, least.unit.slice(0, -1))} used)`;
  return `${more}; ${limitTitles.get(binding) ?? binding} binds${figures}`;
}

function wordsOf({ tile, index }: Spot<MapNode, MapBucket>, now: number): string {
  const { nodes, bucket } = tile.group;
  const node = nodes[index];
  if (node === undefined) {
    if (index < nodes.length || bucket === undefined) return "No node was here then.";
    return `${tile.group.heading} ${tile.group.title}: ${roomWords(bucket)}, ${usd(bucket.usdPerHour)} an hour each`;
  }
  const { name, state, jobs, since, usdPerHour } = node;
  const [first] = jobs;
  const job =
    first === undefined ? [] : [`job ${first.job}${jobs.length > 1 ? ` and ${jobs.length - 1} more` : ""}`];
  const times =
    since === undefined ? [] : [`${since.what} for ${duration(Math.max(0, now - since.atSeconds))}`];
  const states = since?.what === state ? [] : [state];
  return `${name}: ${[...states, ...job, ...times, `${usd(usdPerHour)} an hour`].join(", ")}`;
}

/** The line that filters the list of nodes down to a group. */
function whereOf({ nodes, bucket }: Group): string {
  const source = nodes.find((node) => node !== undefined) ?? bucket;
  if (source === undefined) return "";
  const { nodeArray, vmSize, spot, placementGroup } = source;
  const terms = [`array:"${nodeArray}"`, `size:"${vmSize}"`, `spot:${spot ? "yes" : "no"}`];
  return [...terms, ...(placementGroup === null ? [] : [`group:"${placementGroup}"`])].join(" ");
}
