import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { NodeView } from "../../../shared/api/index.ts";
import { type NodeUse, useOf } from "../../../shared/names/node-use.ts";
import { goTo } from "../place.ts";
import { counted, duration, usd } from "../words.ts";
import { nodeUses } from "./node-use.ts";
import { useWidth } from "./use-width.ts";

export type MappedNode = Pick<
  NodeView,
  | "name"
  | "nodeArray"
  | "vmSize"
  | "spot"
  | "placementGroup"
  | "vcpuCount"
  | "state"
  | "targetState"
  | "jobs"
  | "plannedJobs"
  | "keepAlive"
  | "draining"
  | "idleSinceSeconds"
  | "usdPerHour"
>;

interface Group {
  readonly title: string;
  readonly cores: number;
  readonly nodes: readonly MappedNode[];
}

interface MapProps {
  readonly nodes: readonly MappedNode[];
  readonly cluster: string;
  readonly now: number;
}

/** Every node as a cell, coloured by use, larger with more cores. Screen readers hear the counts of each group. */
export function NodeMap({ nodes, cluster, now }: MapProps) {
  const groups = useMemo(() => groupsOf(nodes), [nodes]);
  const [pointed, point] = useState<MappedNode>();
  const uses = useMemo(() => new Set(nodes.map(useOf)), [nodes]);
  const side = nodes.length <= 500 ? 18 : nodes.length <= 3_000 ? 11 : 7;
  const typical = typicalCores(groups);
  return (
    <div class="map">
      <div class="legend" aria-hidden="true">
        {nodeUses
          .filter(({ use }) => uses.has(use))
          .map(({ use, title }) => (
            <span key={use}>
              <i class={`swatch use-${use}`} /> {title}
            </span>
          ))}
      </div>
      {/* Its line is there whether something is pointed at or not: nothing moves below the pointer. */}
      <p class="quiet pointed" aria-hidden="true">
        {pointed === undefined ? "Point at a node; a click opens it." : wordsOf(pointed, now)}
      </p>
      <div class="groups">
        {groups.map((group) => (
          <Cells
            key={group.title}
            group={group}
            side={Math.round(side * sizeOf(group.cores, typical))}
            onPoint={point}
            onOpen={({ name }) => goTo({ cluster, view: "nodes", subject: name })}
          />
        ))}
      </div>
    </div>
  );
}

interface CellsProps {
  readonly group: Group;
  /** Of a cell, in pixels. */
  readonly side: number;
  readonly onPoint: (node: MappedNode | undefined) => void;
  readonly onOpen: (node: MappedNode) => void;
}

function Cells({ group, side, onPoint, onOpen }: CellsProps) {
  const { title, nodes } = group;
  const { box, width } = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useScheme();
  const step = side + (side > 10 ? 2 : 1);
  const columns = Math.max(1, Math.floor(width / step));
  const rows = Math.ceil(nodes.length / columns);
  const drawn = { width: Math.min(nodes.length, columns) * step, height: rows * step };
  useLayoutEffect(() => {
    const element = canvas.current;
    const pen = element?.getContext("2d");
    if (element === null || !pen || width === 0) return;
    const style = getComputedStyle(element);
    const colors = new Map(nodeUses.map(({ use }) => [use, style.getPropertyValue(`--use-${use}`)] as const));
    pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    pen.clearRect(0, 0, drawn.width, drawn.height);
    nodes.forEach((node, index) => {
      pen.fillStyle = colors.get(useOf(node)) ?? "gray";
      pen.fillRect((index % columns) * step, Math.floor(index / columns) * step, side, side);
    });
  }, [nodes, columns, side, scheme, width]);
  const nodeAt = ({ offsetX, offsetY }: MouseEvent): MappedNode | undefined => {
    const column = Math.floor(offsetX / step);
    return column >= columns ? undefined : nodes[Math.floor(offsetY / step) * columns + column];
  };
  return (
    <div class={nodes.length > 100 ? "many" : ""}>
      <p>
        {title} <span class="quiet">{counted(nodes.length, "node")}</span>
      </p>
      <div ref={box}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${title}: ${inWords(nodes)}`}
          width={drawn.width * devicePixelRatio}
          height={drawn.height * devicePixelRatio}
          style={{ width: `${drawn.width}px`, height: `${drawn.height}px` }}
          onMouseMove={(event) => onPoint(nodeAt(event))}
          onMouseLeave={() => onPoint(undefined)}
          onClick={(event) => {
            const node = nodeAt(event);
            if (node !== undefined) onOpen(node);
          }}
        />
      </div>
    </div>
  );
}

/** Changes with the colours of the page. */
function useScheme(): number {
  const [scheme, changed] = useReducer((turn: number) => turn + 1, 0);
  useLayoutEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const look = () => changed(0);
    dark.addEventListener("change", look);
    return () => dark.removeEventListener("change", look);
  }, []);
  return scheme;
}

function groupsOf(nodes: readonly MappedNode[]): readonly Group[] {
  const groups = Map.groupBy(nodes, ({ nodeArray, vmSize, spot, placementGroup }) =>
    [
      nodeArray,
      `${vmSize.replace(/^Standard_/, "")}${spot ? " spot" : ""}`,
      ...(placementGroup === null ? [] : [placementGroup.replace(`${vmSize}_`, "")]),
    ].join(" · "),
  );
  return [...groups]
    .map(([title, some]) => ({ title, cores: some[0]?.vcpuCount ?? 0, nodes: some }))
    .toSorted((a, b) => (a.title < b.title ? -1 : 1));
}

/** The median; 0: of no size it is known. */
function typicalCores(groups: readonly Group[]): number {
  const known = groups.map(({ cores }) => cores).filter((cores) => cores > 0);
  return known.toSorted((a, b) => a - b)[Math.floor(known.length / 2)] ?? 0;
}

/** An area as the cores are, between half and twice the side of the typical one. */
function sizeOf(cores: number, typical: number): number {
  return cores === 0 || typical === 0 ? 1 : Math.min(2, Math.max(0.5, Math.sqrt(cores / typical)));
}

function inWords(nodes: readonly MappedNode[]): string {
  const counts = new Map<NodeUse, number>();
  for (const node of nodes) counts.set(useOf(node), (counts.get(useOf(node)) ?? 0) + 1);
  return nodeUses
    .flatMap(({ use, title }) => (counts.has(use) ? [`${counts.get(use)} ${title.toLowerCase()}`] : []))
    .join(", ");
}

function wordsOf(node: MappedNode, now: number): string {
  const { name, state, jobs, idleSinceSeconds, usdPerHour } = node;
  const [first] = jobs;
  const job =
    first === undefined ? [] : [`job ${first.job}${jobs.length > 1 ? ` and ${jobs.length - 1} more` : ""}`];
  const idle = idleSinceSeconds === null ? [] : [`idle for ${duration(now - idleSinceSeconds)}`];
  return [`${name}: ${state ?? "on order"}`, ...job, ...idle, `${usd(usdPerHour)} USD/h`].join(", ");
}
