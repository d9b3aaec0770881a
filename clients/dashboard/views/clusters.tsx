import type { ClusterStatus, ClustersAnswer } from "../../../shared/api/index.ts";
import { Shown } from "../parts/state.tsx";
import { decoded, linkTo } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted, duration, usd } from "../words.ts";

export function Clusters({ strayed }: { readonly strayed: string | undefined }) {
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
              <ul class="cards">
                {clusters.map(({ cluster }) => (
                  <ClusterCard key={cluster} cluster={cluster} everyMs={everyMs(clusters.length)} />
                ))}
              </ul>
            )}
          </>
        )}
      </Shown>
    </>
  );
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

function ClusterCard({ cluster, everyMs }: { readonly cluster: string; readonly everyMs: number }) {
  const polled = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"), { everyMs });
  return (
    <li class="card">
      <h2>
        <a href={linkTo({ cluster })}>{cluster}</a>
      </h2>
      <Shown polled={polled}>{(status) => <Figures status={status} />}</Shown>
    </li>
  );
}

function Figures({ status }: { readonly status: ClusterStatus }) {
  const { problems, nodes, spending, snapshot, atSeconds, plans } = status;
  const grave = problems.filter(({ gravity }) => gravity !== "notice").length;
  const [plan] = plans;
  const allNodes = Object.values(nodes).reduce((sum, each) => sum + each, 0);
  return (
    <>
      <p class={grave > 0 ? "problem degraded" : "problem fine"}>
        {status.paused !== null ? "Paused. " : ""}
        {grave > 0
          ? counted(grave, "problem")
          : problems.length > 0
            ? counted(problems.length, "notice")
            : "No problems"}
      </p>
      <dl class="figures">
        <div>
          <dt>Nodes</dt>
          <dd>{count(allNodes)}</dd>
        </div>
        <div>
          <dt>Jobs waiting</dt>
          <dd>{plan === undefined ? "–" : count(plan.jobs - plan.placedJobs)}</dd>
        </div>
        <div>
          <dt>USD per hour</dt>
          <dd>{usd(spending?.usdPerHour)}</dd>
        </div>
        <div>
          <dt>Snapshot</dt>
          <dd>{snapshot === null ? "none yet" : `${duration(atSeconds - snapshot.takenAtSeconds)} old`}</dd>
        </div>
      </dl>
    </>
  );
}
