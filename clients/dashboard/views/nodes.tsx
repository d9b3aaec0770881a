import { useMemo, useState } from "preact/hooks";
import type { NodesAnswer, NodeView } from "../../../shared/api/index.ts";
import { ActButton } from "../act/act-button.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { VirtualTable, type WideColumn } from "../parts/virtual-table.tsx";
import { choose, linkTo, type Place } from "../place.ts";
import { useAllPages } from "../service/all-pages.ts";
import { pathOf } from "../service/call.ts";
import { session } from "../service/session.ts";
import { count, counted, usd } from "../words.ts";

const actKinds = [
  "drain",
  "undrain",
  "keep-alive",
  "let-go",
  "ignore",
  "unignore",
  "delete",
  "start",
  "restart",
] as const;

type Sort = keyof typeof sorts;

const text = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** How rows can be ordered; what is not known comes last. */
const sorts = {
  name: (a: NodeView, b: NodeView) => text(a.name, b.name),
  array: (a: NodeView, b: NodeView) => text(a.nodeArray, b.nodeArray) || text(a.name, b.name),
  state: (a: NodeView, b: NodeView) => text(a.state ?? "~", b.state ?? "~") || text(a.name, b.name),
  idle: (a: NodeView, b: NodeView) => (a.idleSinceSeconds ?? Infinity) - (b.idleSinceSeconds ?? Infinity),
  price: (a: NodeView, b: NodeView) => (b.usdPerHour ?? -1) - (a.usdPerHour ?? -1),
  jobs: (a: NodeView, b: NodeView) => b.jobs.length - a.jobs.length,
} as const;

/** Every node, and what to do with some of them. */
export function Nodes({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { name = "", nodeArray = "", state = "", constraint = "" } = place.options;
  const sort = (Object.hasOwn(sorts, place.options.sort ?? "") ? place.options.sort : "name") as Sort;
  const query = { name, nodeArray, state, constraint, resources: "ncpus" };
  const polled = useAllPages<NodesAnswer, NodeView>(
    pathOf("clusters", cluster, "nodes"),
    query,
    (page) => page.nodes,
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  return (
    <>
      <h1>Nodes</h1>
      <Filter place={place} />
      <Shown polled={polled}>
        {({ items, first, isWhole }) => (
          <>
            <p class="quiet" aria-live="polite">
              {counted(items.length, "node")}
              {isWhole ? "" : `, of ${count(first.total ?? items.length)}: loading the others`}.{" "}
              {chosen.size > 0 ? `${count(chosen.size)} chosen.` : ""}
            </p>
            {session.mayOperate ? (
              <div class="acts">
                {actKinds.map((kind) => (
                  <ActButton
                    key={kind}
                    cluster={cluster}
                    kind={kind}
                    names={[...chosen]}
                    onDone={() => {
                      setChosen(new Set());
                      polled.refresh();
                    }}
                  />
                ))}
                <ActButton cluster={cluster} kind="retry-failed" names={[]} onDone={polled.refresh} />
              </div>
            ) : null}
            <List
              {...{ items, sort, chosen, cluster }}
              now={first.atSeconds}
              onSort={(next) => choose(place, { sort: next })}
              onChoose={setChosen}
            />
          </>
        )}
      </Shown>
    </>
  );
}

function Filter({ place }: { readonly place: Place }) {
  const { options } = place;
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        choose(place, Object.fromEntries([...fields].map(([key, value]) => [key, String(value).trim()])));
      }}
    >
      <label>
        Name <input name="name" placeholder="htc-*" defaultValue={options.name} key={`n${options.name}`} />
      </label>
      <label>
        Node array{" "}
        <input
          name="nodeArray"
          placeholder="htc"
          defaultValue={options.nodeArray}
          key={`a${options.nodeArray}`}
        />
      </label>
      <label>
        State{" "}
        <input name="state" placeholder="Ready" defaultValue={options.state} key={`s${options.state}`} />
      </label>
      <label class="long">
        Constraint
        <input
          name="constraint"
          placeholder='{"node.vm_size": "Standard_F*"}'
          defaultValue={options.constraint}
          key={`c${options.constraint}`}
        />
      </label>
      <button type="submit">Filter</button>
      <button
        type="button"
        class="plain"
        onClick={() => choose(place, { name: "", nodeArray: "", state: "", constraint: "" })}
      >
        Show all
      </button>
    </form>
  );
}

interface ListProps {
  readonly items: readonly NodeView[];
  readonly sort: Sort;
  readonly chosen: ReadonlySet<string>;
  readonly cluster: string;
  readonly now: number;
  readonly onSort: (sort: Sort) => void;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

function List({ items, sort, chosen, cluster, now, onSort, onChoose }: ListProps) {
  const rows = useMemo(() => items.toSorted(sorts[sort]), [items, sort]);
  const toggled = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    onChoose(next);
  };
  const allNames = rows.filter(({ nodeId }) => nodeId !== null).map(({ name }) => name);
  const columns: readonly (WideColumn<NodeView> & { readonly sort?: Sort })[] = [
    {
      title: "Choose",
      width: "2.5rem",
      cell: ({ name, nodeId }) => (
        <input
          type="checkbox"
          aria-label={`Choose ${name}`}
          disabled={nodeId === null}
          checked={chosen.has(name)}
          onChange={() => toggled(name)}
        />
      ),
    },
    {
      title: "Name",
      sort: "name",
      width: "minmax(8rem, 1.4fr)",
      cell: ({ name }) => <a href={linkTo({ cluster, view: "nodes", options: { name } })}>{name}</a>,
    },
    { title: "Node array", sort: "array", width: "minmax(6rem, 1fr)", cell: ({ nodeArray }) => nodeArray },
    {
      title: "VM size",
      width: "minmax(8rem, 1.2fr)",
      cell: ({ vmSize, spot }) => `${vmSize.replace(/^Standard_/, "")}${spot ? " spot" : ""}`,
    },
    { title: "State", sort: "state", width: "6.5rem", cell: ({ state, origin }) => state ?? origin },
    {
      title: "Jobs",
      sort: "jobs",
      width: "minmax(6rem, 1.2fr)",
      cell: ({ jobs }) =>
        jobs.length === 0
          ? "–"
          : `${jobs[0]?.job ?? ""}${jobs.length > 1 ? ` and ${count(jobs.length - 1)} more` : ""}`,
    },
    {
      title: "Idle",
      sort: "idle",
      width: "6.5rem",
      cell: ({ idleSinceSeconds }) =>
        idleSinceSeconds === null ? "–" : <Ago at={idleSinceSeconds} now={now} />,
    },
    { title: "Goes", width: "minmax(7rem, 1fr)", cell: (node) => <Goes node={node} now={now} /> },
    {
      title: "USD/h",
      sort: "price",
      width: "5rem",
      isNumber: true,
      cell: ({ usdPerHour }) => usd(usdPerHour),
    },
  ];
  return (
    <VirtualTable
      caption="Nodes"
      columns={columns}
      rows={rows}
      keyOf={({ name, nodeId }) => nodeId ?? name}
      heading={(column) => {
        const { sort: own, title } = column as (typeof columns)[number];
        if (title === "Choose")
          return (
            <input
              type="checkbox"
              aria-label="Choose all that are shown"
              checked={allNames.length > 0 && chosen.size === allNames.length}
              onChange={({ currentTarget }) => onChoose(new Set(currentTarget.checked ? allNames : []))}
            />
          );
        if (own === undefined) return title;
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

/** Why a node will go, and when; or why it stays. */
function Goes({ node, now }: { readonly node: NodeView; readonly now: number }) {
  const { keepAlive, ignored, draining, deleteAtSeconds, operation } = node;
  if (operation !== null) return <>{`${operation.kind}: ${operation.state}`}</>;
  if (draining !== null) return <span title={draining.reason ?? undefined}>{draining.phase}</span>;
  if (keepAlive) return <>kept alive</>;
  if (ignored) return <>ignored</>;
  return deleteAtSeconds === null ? <>–</> : <Ago at={deleteAtSeconds} now={now} />;
}
