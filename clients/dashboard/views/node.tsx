import type { ActionAnswer, HistoryAnswer, NodesAnswer, NodeView } from "../../../shared/api/index.ts";
import { keeperWords } from "../../../shared/text/keeper-words.ts";
import { ActButton } from "../act/act-button.tsx";
import { type ActNode, bodyOf, nodeActs } from "../act/kinds.ts";
import { Figures } from "../parts/figures.tsx";
import { Goes } from "../parts/goes.tsx";
import { LifeBars } from "../parts/life-bars.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { linkTo } from "../place.ts";
import { addressOf, call, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { session } from "../service/session.ts";
import { localTime, sentence, usd } from "../words.ts";

export function NodePage({ cluster, name }: { readonly cluster: string; readonly name: string }) {
  const polled = usePolled<NodesAnswer>(addressOf(pathOf("clusters", cluster, "nodes"), { name }));
  return (
    <>
      <p>
        <a href={linkTo({ cluster, view: "nodes" })}>All nodes</a>
      </p>
      <h1>Node {name}</h1>
      <Shown polled={polled}>
        {({ nodes: [node], atSeconds }) =>
          node === undefined ? (
            <p>
              The cluster has no node {name} now.{" "}
              <a href={linkTo({ cluster, view: "events", options: { node: name } })}>What happened to it</a>
            </p>
          ) : (
            <>
              <Facts node={node} cluster={cluster} now={atSeconds} />
              {session.mayOperate && node.nodeId !== null ? (
                <>
                  <MayBeDeleted key={node.nodeId} cluster={cluster} node={{ name, nodeId: node.nodeId }} />
                  <div class="acts">
                    {nodeActs.map((kind) => (
                      <ActButton
                        key={kind}
                        cluster={cluster}
                        kind={kind}
                        nodes={[{ name, nodeId: node.nodeId ?? "" }]}
                        onDone={polled.refresh}
                      />
                    ))}
                  </div>
                </>
              ) : null}
              <p>
                <a href={linkTo({ cluster, view: "events", options: { node: name } })}>What happened to it</a>
              </p>
            </>
          )
        }
      </Shown>
      <Past cluster={cluster} name={name} />
    </>
  );
}

/** What the node, and those of its name before it, did; nothing while no plan has seen it. */
function Past({ cluster, name }: { readonly cluster: string; readonly name: string }) {
  const { answer } = usePolled<HistoryAnswer>(`${pathOf("clusters", cluster, "nodes", name, "history")}`, {
    everyMs: 30_000,
  });
  const first = answer?.lives.at(-1);
  if (answer === undefined || first === undefined) return null;
  return (
    <section>
      <h2>Over time</h2>
      <LifeBars cluster={cluster} lives={answer.lives} span={[first.firstSeenSeconds, answer.atSeconds]} />
    </section>
  );
}

function Facts(props: { readonly node: NodeView; readonly cluster: string; readonly now: number }) {
  const { node, cluster, now } = props;
  const { state, origin, failure, jobs, idleSinceSeconds, readySeconds, kept, draining } = node;
  const why = [...kept, ...(draining === null ? [] : [draining])].map(({ reason }) => reason ?? "");
  return (
    <>
      {failure === null ? null : (
        <p class="problem degraded">
          Failed <Ago at={failure.atSeconds} now={now} />
          {failure.message === null ? "" : `: ${failure.message}`}
        </p>
      )}
      <Figures
        isSmall
        figures={[
          ["State", state ?? origin],
          ["Node array", node.nodeArray],
          ["VM size", `${node.vmSize}${node.spot ? " spot" : ""}`],
          ["Host name", node.hostname ?? "–"],
          ["Placement group", node.placementGroup ?? "–"],
          ["USD per hour", usd(node.usdPerHour)],
          ["Ready", readySeconds === null ? "–" : <Ago at={readySeconds} now={now} />],
          [
            "Jobs",
            jobs.length === 0
              ? "none"
              : jobs.map(({ job }) => (
                  <>
                    <a href={linkTo({ cluster, view: "jobs", subject: job })}>{job}</a>{" "}
                  </>
                )),
          ],
          ["Idle", idleSinceSeconds === null ? "no" : <Ago at={idleSinceSeconds} now={now} />],
          ["Goes", <Goes key="goes" node={{ ...node, failure: null }} now={now} />],
          ...kept
            .slice(1)
            .map((keeper) => ["Kept as well", sentence(keeperWords(keeper, localTime))] as const),
          ["Held because", why.join("; ") || "–"],
        ]}
      />
    </>
  );
}

/** The dry run of a deletion, which changes nothing. */
function MayBeDeleted({ cluster, node }: { readonly cluster: string; readonly node: ActNode }) {
  const path = pathOf("clusters", cluster, "actions");
  const polled = usePolled<ActionAnswer>(`${path}?delete=${encodeURIComponent(node.nodeId)}`, {
    everyMs: 15_000,
    ask: (_, { signal }) =>
      call<ActionAnswer>(path, {
        method: "POST",
        body: bodyOf("delete", { nodes: [node], reason: "a question", by: session.name, dryRun: true }),
        signal,
      }),
  });
  return (
    <section>
      <h2>May it be deleted?</h2>
      <Shown polled={polled}>
        {({ outcome, summary, problems, skipped }) => (
          <p class={`problem ${outcome === "would" ? "fine" : "degraded"}`}>
            <strong>{outcome === "would" ? "Yes." : "No."}</strong>{" "}
            {[
              ...(outcome === "refused" ? [] : [summary]),
              ...problems.map(sentence),
              ...skipped.map(({ why, next }) => `It ${why}. ${next}`),
            ].join(" ")}
          </p>
        )}
      </Shown>
    </section>
  );
}
