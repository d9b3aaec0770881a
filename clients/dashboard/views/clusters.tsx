import { useEffect, useState } from "preact/hooks";
import type { ClusterStatus, ClustersAnswer, StatusProblem } from "../../../shared/api/index.ts";
import { Figures } from "../parts/figures.tsx";
import { Shown } from "../parts/state.tsx";
import { choose, decoded, linkTo, type Place, useAhead } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted, duration, usd } from "../words.ts";
import { Search } from "./search.tsx";

export function Clusters({ place }: { readonly place: Place }) {
  const { subject: strayed } = place;
  const polled = usePolled<ClustersAnswer>("clusters");
  return (
    <>
      <h1>Clusters</h1>
      <Shown polled={polled}>
        {({ clusters }) => (
          <>
            {strayed === undefined ? null : <Strayed to={strayed} clusters={clusters} />}
            {clusters.length === 0 ? (
              <p>
                No cluster is configured. <code>ccscale config init</code> makes a first configuration.
              </p>
            ) : (
              <Cards clusters={clusters.map(({ cluster }) => cluster)} place={place} />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

/** What is wrong comes first; among alike ones in the order of their names. What is typed chooses by name, and searches all when sent. */
function Cards({ clusters, place }: { readonly clusters: readonly string[]; readonly place: Place }) {
  const [ranks, setRanks] = useState<Readonly<Record<string, number>>>({});
  const { find = "" } = place.options;
  const [typed, setTyped] = useAhead(find);
  const noteRank = (cluster: string, rank: number) => setRanks((before) => ({ ...before, [cluster]: rank }));
  const rank = (cluster: string) => ranks[cluster] ?? gravities.length;
  const shown = clusters
    .filter((cluster) => typed === find || cluster.toLowerCase().includes(typed.trim().toLowerCase()))
    .toSorted((a, b) => rank(a) - rank(b));
  return (
    <>
      {clusters.length === 1 ? null : (
        <form
          class="filter"
          onSubmit={(event) => {
            event.preventDefault();
            choose(place, { find: typed.trim() });
          }}
        >
          <label class="long">
            Cluster, node, job or user
            <input
              placeholder="htc-12, ann, state:failed"
              spellcheck={false}
              autocapitalize="off"
              value={typed}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
          <button type="submit">Search all</button>
          <p class="quiet" aria-live="polite">
            {shown.length === clusters.length
              ? counted(clusters.length, "cluster")
              : `${count(shown.length)} of ${counted(clusters.length, "cluster")}`}
          </p>
        </form>
      )}
      {find === "" ? null : <Search clusters={clusters} text={find} />}
      <ul class="cards">
        {shown.map((cluster) => (
          <ClusterCard key={cluster} cluster={cluster} everyMs={everyMs(clusters.length)} onRank={noteRank} />
        ))}
      </ul>
    </>
  );
}

const gravities: readonly StatusProblem["gravity"][] = ["stopped", "degraded", "notice"];

/** 0: the gravest; one more than the last gravity: nothing is wrong, or nothing is known yet. */
function rankOf({ problems }: ClusterStatus): number {
  const [worst] = problems;
  return worst === undefined ? gravities.length : gravities.indexOf(worst.gravity);
}

/** An address that somebody wrote by hand: the cluster it may mean, and where its view is. */
function Strayed(props: { readonly to: string; readonly clusters: ClustersAnswer["clusters"] }) {
  const [name = "", view = "overview"] = props.to.split("/").map(decoded);
  const isKnown = props.clusters.some(({ cluster }) => cluster === name);
  return (
    <p role="alert" class="problem degraded">
      {isKnown ? "This address names no view." : `No cluster “${name}” is configured.`}{" "}
      {isKnown ? (
        <>
          You may mean <a href={linkTo({ cluster: name, view })}>{`${view} of ${name}`}</a>.
        </>
      ) : props.clusters.length > 0 ? (
        "These are:"
      ) : null}
    </p>
  );
}

/** So that fifty clusters are not a thousand calls a minute. */
function everyMs(clusters: number): number {
  return Math.max(3, clusters / 4) * 1_000;
}

interface CardProps {
  readonly cluster: string;
  readonly everyMs: number;
  readonly onRank: (cluster: string, rank: number) => void;
}

function ClusterCard({ cluster, everyMs, onRank }: CardProps) {
  const polled = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"), { everyMs });
  // A status that cannot be had is as grave as the gravest.
  const rank = polled.error === undefined ? polled.answer && rankOf(polled.answer) : 0;
  useEffect(() => {
    if (rank !== undefined) onRank(cluster, rank);
  }, [rank]);
  return (
    <li class="card">
      <h2>
        <a href={linkTo({ cluster })}>{cluster}</a>
      </h2>
      <Shown polled={polled}>{(status) => <Health status={status} />}</Shown>
    </li>
  );
}

function Health({ status }: { readonly status: ClusterStatus }) {
  const { problems, nodes, spending, snapshot, atSeconds, plans } = status;
  const grave = problems.filter(({ gravity }) => gravity !== "notice").length;
  const [plan] = plans;
  const allNodes = Object.values(nodes).reduce((sum, each) => sum + each, 0);
  return (
    <>
      <p class={`problem ${grave > 0 ? problems[0]?.gravity : "fine"}`}>
        {status.paused !== null ? "Paused. " : ""}
        {grave > 0
          ? counted(grave, "problem")
          : problems.length > 0
            ? counted(problems.length, "notice")
            : "No problems"}
      </p>
      <Figures
        figures={[
          ["Nodes", count(allNodes)],
          ["Jobs waiting", plan === undefined ? "–" : count(plan.jobs - plan.placedJobs)],
          ["USD per hour", usd(spending?.usdPerHour)],
          [
            "Snapshot",
            snapshot === null ? "none yet" : `${duration(atSeconds - snapshot.takenAtSeconds)} old`,
          ],
        ]}
      />
    </>
  );
}
