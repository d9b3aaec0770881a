import type {
  ActionAnswer,
  EventsAnswer,
  HistoryAnswer,
  NodesAnswer,
  NodeView,
} from "../../../shared/api/index.ts";
import { keeperWords } from "../../../shared/text/keeper-words.ts";
import { ActButton } from "../act/act-button.tsx";
import { type ActNode, bodyOf, nodeActs } from "../act/kinds.ts";
import { groupOf } from "../parts/event-groups.ts";
import { Figures } from "../parts/figures.tsx";
import { Goes } from "../parts/goes.tsx";
import { LifeBars, type Mark } from "../parts/life-bars.tsx";
import { AllOf } from "../parts/links.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { Steps } from "../parts/steps.tsx";
import { linkTo } from "../place.ts";
import { addressOf, call, pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { session } from "../service/session.ts";
import { duration, localTime, sentence, usd } from "../words.ts";

export function NodePage({ cluster, name }: { readonly cluster: string; readonly name: string }) {
  const polled = usePolled<NodesAnswer>(addressOf(pathOf("clusters", cluster, "nodes"), { name }));
  return (
    <>
      <AllOf cluster={cluster} view="nodes" />
      <h1>Node {name}</h1>
      <Shown polled={polled}>
        {({ nodes: [node], atSeconds }) =>
          node === undefined ? (
            <p>The cluster has no node {name} now.</p>
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
            </>
          )
        }
      </Shown>
      <Past cluster={cluster} name={name} />
      <p>
        <a href={linkTo({ cluster, view: "events", options: { node: name } })}>What happened to it</a>
      </p>
    </>
  );
}

const mostRuns = 20;

/** A plan sees a node some time after it was asked for. */
const beforeSeconds = 3_600;

/** What the node, and those of its name before it, did; nothing while no plan has seen it. */
function Past({ cluster, name }: { readonly cluster: string; readonly name: string }) {
  const path = (...of: readonly string[]) => pathOf("clusters", cluster, ...of);
  const rarely = { everyMs: 30_000 };
  const { answer } = usePolled<HistoryAnswer>(path("nodes", name, "history"), rarely);
  const first = answer?.lives.at(-1)?.firstSeenSeconds;
  const since = first && { node: name, from: String(Math.floor(first) - beforeSeconds), limit: "100" };
  const { events = [] } =
    usePolled<EventsAnswer>(since ? addressOf(path("events"), since) : null, rarely).answer ?? {};
  if (answer === undefined || first === undefined) return null;
  const signs = events.map((event): Mark => ({ ...groupOf(event), at: event.atSeconds, text: event.text }));
  const runs = answer.runs.slice(0, mostRuns).map(
    ({ job: sign, fromSeconds: at, untilSeconds: end, isRunning }): Mark => ({
      at,
      end,
      color: "use-jobs",
      sign,
      text: `Job ${sign} started${isRunning ? "" : `, and ran for ${duration(end - at)}`}.`,
    }),
  );
  const start = Math.min(first, ...signs.map(({ at }) => at));
  return (
    <section>
      <h2>Over time</h2>
      <LifeBars
        cluster={cluster}
        lives={answer.lives}
        span={[start, answer.atSeconds]}
        lanes={[signs, ...lanesOf(runs)]}
      />
      <Steps caption="What happened to it" steps={[...signs, ...runs].toSorted((a, b) => b.at - a.at)} />
    </section>
  );
}

/** Jobs that follow each other are in one lane. The runs are the newest first. */
function lanesOf(runs: readonly Mark[]): readonly (readonly Mark[])[] {
  const lanes: Mark[][] = [];
  for (const run of runs) {
    const free = lanes.find((lane) => (lane.at(-1)?.at ?? 0) >= (run.end ?? run.at));
    if (free === undefined) lanes.push([run]);
    else free.push(run);
  }
  return lanes;
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
