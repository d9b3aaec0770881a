import { useMemo } from "preact/hooks";
import type { BucketsAnswer, LivesAnswer, NodesAnswer, NodeView } from "../../../shared/api/index.ts";
import { type Grouping, groupings } from "../../../shared/names/node-groups.ts";
import { useOf } from "../../../shared/names/node-use.ts";
import type { MapBucket, MapNode } from "../parts/map-node.ts";
import { Moments } from "../parts/moments.tsx";
import { NodeFilter } from "../parts/node-filter.tsx";
import { type Coloring, NodeMap } from "../parts/node-map.tsx";
import { pastNodes } from "../parts/past-nodes.ts";
import { Shown } from "../parts/state.tsx";
import { choose, type Place, useAhead } from "../place.ts";
import { useAllPages } from "../service/all-pages.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted, localTime } from "../words.ts";

const fields = [
  "name",
  "nodeId",
  "nodeArray",
  "vmSize",
  "spot",
  "placementGroup",
  "location",
  "vcpuCount",
  "state",
  "targetState",
  "jobs",
  "plannedJobs",
  "keepAlive",
  "draining",
  "firstSeenSeconds",
  "idleSinceSeconds",
  "usdPerHour",
] as const satisfies readonly (keyof NodeView)[];
const owners = { user: "users", account: "accounts" } as const;
const resources = ["resources", "available"] as const;

type Node = Pick<NodeView, (typeof fields)[number]> &
  Partial<Pick<NodeView, (typeof owners)[keyof typeof owners] | (typeof resources)[number]>>;

const groupingTitles: Readonly<Record<Grouping, string>> = {
  array: "Node array",
  region: "Region",
  spot: "Spot",
  state: "Use",
  user: "User",
  account: "Account",
};
const coloringTitles: Readonly<Record<Coloring, string>> = { state: "Use", busy: "Busy cores" };
/** Whose jobs ran on a node is not remembered. */
const pastGroupings = ["array", "region", "spot", "state"] as const;

const noBuckets: readonly MapBucket[] = [];
const noNodes: readonly Node[] = [];

/** The nodes that there are, or were at a moment of the last day, as a map. */
export function ClusterMap({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { where = "", at = "" } = place.options;
  const rested = /^\d{1,12}$/.test(at) ? Number(at) : undefined;
  const [moment, show] = useAhead(rested);
  const isPast = moment !== undefined;
  const offered: readonly Grouping[] = isPast ? pastGroupings : groupings;
  const by = offered.find((each) => each === place.options.by) ?? "array";
  const coloring: Coloring = place.options.color === "busy" && !isPast ? "busy" : "state";
  const polled = useAllPages<NodesAnswer, Node>(
    pathOf("clusters", cluster, "nodes"),
    { where: isPast ? "" : where, ...asked(by, coloring) },
    (page) => page.nodes,
  );
  // Beside some of the nodes alone, what may be made besides says nothing.
  const isWhole = where === "" || isPast;
  const buckets =
    usePolled<BucketsAnswer>(isWhole ? pathOf("clusters", cluster, "buckets") : null, { everyMs: 15_000 })
      .answer?.buckets ?? noBuckets;
  const items = polled.answer?.items ?? noNodes;
  const nodes = useMemo(() => items.map(mapNodeOf), [items]);
  const how = { by, coloring, cluster };
  return (
    <>
      {isPast ? null : (
        <NodeFilter place={place} items={polled.answer?.items} isWhole={polled.answer?.isWhole === true} />
      )}
      <div class="map-bar">
        <Picked
          label="Group by"
          titles={groupingTitles}
          offered={offered}
          value={by}
          onPick={(value) => choose(place, { by: value === "array" ? "" : value })}
        />
        <Picked
          label="Colour by"
          titles={coloringTitles}
          offered={isPast ? ["state"] : ["state", "busy"]}
          value={coloring}
          onPick={(value) => choose(place, { color: value === "state" ? "" : value })}
        />
        <Moments
          now={polled.answer?.atSeconds ?? Date.now() / 1_000}
          moment={moment}
          onShow={show}
          onRest={(to) => choose(place, { at: to })}
        />
      </div>
      <Shown polled={polled}>
        {({ total, isWhole: isAll, atSeconds: now }) => (
          <>
            {isPast ? (
              <Past {...how} moment={moment} buckets={buckets} present={items} isFiltered={where !== ""} />
            ) : (
              <>
                <p class="quiet">
                  {counted(nodes.length, "node")}
                  {isAll ? "" : `, of ${count(total ?? nodes.length)}: loading the others`}.
                  {by === "array" && buckets.length > 1
                    ? " Groups may draw on the same limit: what one takes, the others lose."
                    : ""}
                </p>
                <NodeMap {...how} buckets={buckets} nodes={nodes} now={now} />
              </>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function Picked<T extends string>(props: {
  readonly label: string;
  readonly titles: Readonly<Record<T, string>>;
  readonly offered: readonly T[];
  readonly value: T;
  readonly onPick: (value: T) => void;
}) {
  const { label, titles, offered, value, onPick } = props;
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value as T)}>
        {offered.map((each) => (
          <option key={each} value={each}>
            {titles[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What takes the service time is asked for where it is shown. */
function asked(by: Grouping, coloring: Coloring): Readonly<Record<string, string>> {
  const owner = by === "user" || by === "account" ? [owners[by]] : [];
  const isBusy = coloring === "busy";
  return {
    fields: [...fields, ...owner, ...(isBusy ? resources : [])].join(),
    ...(isBusy && { resources: "ncpus" }),
  };
}

function mapNodeOf(node: Node): MapNode {
  const { idleSinceSeconds, firstSeenSeconds } = node;
  return {
    ...node,
    use: useOf(node),
    state: node.state ?? "on order",
    since:
      idleSinceSeconds !== null
        ? { what: "idle", atSeconds: idleSinceSeconds }
        : firstSeenSeconds !== null
          ? { what: "up", atSeconds: firstSeenSeconds }
          : undefined,
    busy: busyShare(node),
  };
}

function busyShare({ jobs, resources: all, available }: Node): number | null {
  // A node that is on its way out takes no jobs, and has no resources any more.
  if (jobs.length === 0) return 0;
  const [whole, free] = [Number(all?.ncpus), Number(available?.ncpus)];
  return whole > 0 && !Number.isNaN(free) ? 1 - free / whole : null;
}

interface PastProps {
  readonly cluster: string;
  readonly by: Grouping;
  readonly coloring: Coloring;
  readonly moment: number;
  readonly buckets: readonly MapBucket[];
  readonly present: readonly Node[];
  readonly isFiltered: boolean;
}

function Past({ moment, buckets, present, isFiltered, ...how }: PastProps) {
  const lives = useAllPages<LivesAnswer, LivesAnswer["lives"][number]>(
    pathOf("clusters", how.cluster, "lives"),
    {},
    (page) => page.lives,
    { everyMs: 60_000 },
  );
  const items = lives.answer?.items;
  const nodesAt = useMemo(
    () =>
      pastNodes(items ?? [], {
        buckets,
        groupsById: new Map(present.map((node) => [node.nodeId, node.placementGroup])),
      }),
    [items, buckets, present],
  );
  const nodes = useMemo(() => nodesAt(moment), [nodesAt, moment]);
  return (
    <Shown polled={lives}>
      {({ isWhole, total, items: some }) => (
        <>
          <p class="quiet">
            {counted(nodes.length, "node")} at {localTime(moment)}
            {isWhole
              ? ""
              : `, by ${count(some.length)} of ${counted(total ?? some.length, "life", "lives")}: loading the others`}
            .{isFiltered ? " The filter is for the present." : ""}
          </p>
          <NodeMap {...how} buckets={noBuckets} nodes={nodes} now={moment} />
        </>
      )}
    </Shown>
  );
}
