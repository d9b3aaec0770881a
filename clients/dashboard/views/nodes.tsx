import { useMemo, useState } from "preact/hooks";
import type { NodesAnswer, NodeView } from "../../../shared/api/index.ts";
import { ActButton } from "../act/act-button.tsx";
import { nodeActs } from "../act/kinds.ts";
import { Choice } from "../parts/choice.tsx";
import { FieldFilter } from "../parts/field-filter.tsx";
import { Goes } from "../parts/goes.tsx";
import { NodeLink } from "../parts/links.tsx";
import { NodeFilter } from "../parts/node-filter.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { VirtualTable, type WideColumn } from "../parts/virtual-table.tsx";
import { choose, type Place } from "../place.ts";
import { useAllPages } from "../service/all-pages.ts";
import { pathOf } from "../service/call.ts";
import { session } from "../service/session.ts";
import { count, counted, usd } from "../words.ts";
import { Lives } from "./lives.tsx";
import { ClusterMap } from "./map.tsx";
import { NodePage } from "./node.tsx";

/** What a row shows. The service sends these alone: all that it knows of 10,000 nodes is three times as much. */
const fields = [
  "name",
  "nodeId",
  "nodeArray",
  "vmSize",
  "spot",
  "origin",
  "state",
  "failure",
  "usdPerHour",
  "jobs",
  "keepAlive",
  "kept",
  "ignored",
  "draining",
  "idleSinceSeconds",
  "deleteAtSeconds",
  "operation",
] as const satisfies readonly (keyof NodeView)[];

type Node = Pick<NodeView, (typeof fields)[number]>;

type Sort = keyof typeof sorts;

const { compare } = new Intl.Collator("en", { numeric: true });

/** How rows can be ordered, by the place of the column; what is not known comes last, and nodes that are alike stay in the order of their names. */
const sorts = {
  // As they come.
  name: undefined,
  array: (a: Node, b: Node) => compare(a.nodeArray, b.nodeArray),
  size: (a: Node, b: Node) => compare(a.vmSize, b.vmSize),
  state: (a: Node, b: Node) => compare(a.state ?? "~", b.state ?? "~"),
  idle: (a: Node, b: Node) => (a.idleSinceSeconds ?? Infinity) - (b.idleSinceSeconds ?? Infinity) || 0,
  goes: (a: Node, b: Node) => (a.deleteAtSeconds ?? Infinity) - (b.deleteAtSeconds ?? Infinity) || 0,
  price: (a: Node, b: Node) => (b.usdPerHour ?? -1) - (a.usdPerHour ?? -1),
  jobs: (a: Node, b: Node) => b.jobs.length - a.jobs.length,
} as const;

export function Nodes({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { subject } = place;
  if (subject !== undefined) return <NodePage key={subject} cluster={cluster} name={subject} />;
  const { show = "" } = place.options;
  return (
    <>
      <h1>Nodes</h1>
      <Choice
        legend="How nodes are shown"
        options={[
          { value: "", title: "List" },
          { value: "map", title: "Map" },
          { value: "time", title: "Over time" },
        ]}
        value={show}
        onChoose={(value) => choose(place, { show: value, cursor: "" })}
      />
      {show === "time" ? (
        <>
          {/* What is gone has no state to filter by. */}
          <FieldFilter place={place} name="nodeArray" title="Node array" placeholder="htc" />
          <Lives place={place} cluster={cluster} />
        </>
      ) : show === "map" ? (
        <ClusterMap place={place} cluster={cluster} />
      ) : (
        <NodeList place={place} cluster={cluster} />
      )}
    </>
  );
}

function NodeList({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { where = "" } = place.options;
  const sort = (Object.hasOwn(sorts, place.options.sort ?? "") ? place.options.sort : "name") as Sort;
  const query = { where, fields: fields.join() };
  const polled = useAllPages<NodesAnswer, Node>(
    pathOf("clusters", cluster, "nodes"),
    query,
    (page) => page.nodes,
  );
  const { answer } = polled;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // A node that is gone, or is not shown, is not acted on.
  const picked = useMemo(
    () =>
      answer?.items.flatMap(({ name, nodeId }) =>
        nodeId !== null && chosen.has(name) ? [{ name, nodeId }] : [],
      ) ?? [],
    [answer?.items, chosen],
  );
  return (
    <>
      <NodeFilter place={place} items={answer?.items} isWhole={answer?.isWhole === true} />
      <Shown polled={polled}>
        {({ items, atSeconds, total, isWhole }) => (
          <>
            <p class="quiet">
              {counted(items.length, "node")}
              {isWhole ? "" : `, of ${count(total ?? items.length)}: loading the others`}.{" "}
              <span aria-live="polite">{picked.length > 0 ? `${count(picked.length)} chosen.` : ""}</span>
            </p>
            {session.mayOperate ? (
              <div class="acts toolbar">
                {nodeActs.map((kind) => (
                  <ActButton
                    key={kind}
                    cluster={cluster}
                    kind={kind}
                    nodes={picked}
                    onDone={() => {
                      setChosen(new Set());
                      polled.refresh();
                    }}
                  />
                ))}
                <ActButton cluster={cluster} kind="retry-failed" nodes={[]} onDone={polled.refresh} />
                <ActButton cluster={cluster} kind="stop-rolling" nodes={[]} onDone={polled.refresh} />
              </div>
            ) : null}
            {items.length === 0 ? (
              <p>
                {where !== ""
                  ? "No node is like that."
                  : "The cluster has no nodes now: they come when jobs or targets need them."}
              </p>
            ) : (
              <List
                items={items}
                sort={sort}
                chosen={chosen}
                cluster={cluster}
                isAllChosen={picked.length > 0 && picked.length === items.filter(isKnown).length}
                now={atSeconds}
                onSort={(next) => choose(place, { sort: next })}
                onChoose={setChosen}
              />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

interface ListProps {
  readonly items: readonly Node[];
  readonly sort: Sort;
  readonly chosen: ReadonlySet<string>;
  readonly isAllChosen: boolean;
  readonly cluster: string;
  readonly now: number;
  readonly onSort: (sort: Sort) => void;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

function List({ items, sort, chosen, isAllChosen, cluster, now, onSort, onChoose }: ListProps) {
  const order = sorts[sort];
  const rows = useMemo(() => (order === undefined ? items : items.toSorted(order)), [items, order]);
  // Ages are shown by the minute: rows are not drawn again for a second more.
  const shownNow = Math.floor(now / 10) * 10;
  const columns = useMemo(
    () => columnsOf({ chosen, cluster, now: shownNow, onChoose }),
    [chosen, cluster, shownNow, onChoose],
  );
  return (
    <VirtualTable
      caption="Nodes"
      columns={columns}
      rows={rows}
      rowKey={({ name, nodeId }) => nodeId ?? name}
      heading={(column) => {
        const { place, title } = column as WideColumn<Node>;
        if (title === "Choose")
          return (
            <input
              type="checkbox"
              aria-label="Choose all that are shown"
              checked={isAllChosen}
              onChange={({ currentTarget }) =>
                onChoose(new Set(currentTarget.checked ? rows.filter(isKnown).map(({ name }) => name) : []))
              }
            />
          );
        const own = place as Sort;
        return (
          <button type="button" class="plain head" aria-pressed={own === sort} onClick={() => onSort(own)}>
            {title}
            {own === sort ? " ▾" : ""}
          </button>
        );
      }}
    />
  );
}

/** Only what CycleCloud knows can be acted on. */
function isKnown({ nodeId }: Node): boolean {
  return nodeId !== null;
}

function columnsOf(
  given: Pick<ListProps, "chosen" | "cluster" | "now" | "onChoose">,
): readonly WideColumn<Node>[] {
  const { chosen, cluster, now, onChoose } = given;
  const toggled = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChoose(next);
  };
  return [
    {
      title: "Choose",
      width: "1.75rem",
      place: "choose",
      kind: "tight",
      cell: (node) => (
        <input
          type="checkbox"
          aria-label={`Choose ${node.name}`}
          disabled={!isKnown(node)}
          checked={chosen.has(node.name)}
          onChange={() => toggled(node.name)}
        />
      ),
    },
    {
      title: "Name",
      width: "minmax(6rem, 1.4fr)",
      place: "name",
      cell: ({ name }) => <NodeLink cluster={cluster} name={name} />,
    },
    {
      title: "Node array",
      width: "minmax(5.5rem, 1fr)",
      place: "array",
      cell: ({ nodeArray }) => nodeArray,
    },
    {
      title: "VM size",
      width: "minmax(9.5rem, 1.2fr)",
      place: "size",
      cell: ({ vmSize, spot }) => `${vmSize.replace(/^Standard_/, "")}${spot ? " spot" : ""}`,
    },
    {
      title: "State",
      width: "5rem",
      place: "state",
      cell: ({ state, origin }) => state ?? origin,
    },
    {
      title: "Jobs",
      width: "minmax(5rem, 1.2fr)",
      place: "jobs",
      cell: ({ jobs }) =>
        jobs.length === 0
          ? "–"
          : `${jobs[0]?.job ?? ""}${jobs.length > 1 ? ` and ${count(jobs.length - 1)} more` : ""}`,
    },
    {
      title: "Idle",
      width: "6.25rem",
      place: "idle",
      cell: ({ idleSinceSeconds }) =>
        idleSinceSeconds === null ? "–" : <Ago at={idleSinceSeconds} now={now} />,
    },
    {
      title: "Goes, or why not",
      width: "minmax(8rem, 1.6fr)",
      place: "goes",
      cell: (node) => <Goes node={node} now={now} />,
    },
    {
      title: "USD/h",
      width: "4.5rem",
      place: "price",
      kind: "number",
      cell: ({ usdPerHour }) => usd(usdPerHour),
    },
  ];
}
