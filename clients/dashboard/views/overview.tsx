import type { ClusterStatus, EventsAnswer, SamplesAnswer } from "../../../shared/api/index.ts";
import { useActDialog } from "../act/act-button.tsx";
import { type ActKind, acts } from "../act/kinds.ts";
import { Choice, spans } from "../parts/choice.tsx";
import { Figures } from "../parts/figures.tsx";
import { AllOf } from "../parts/links.tsx";
import { Problems } from "../parts/problems.tsx";
import { Spending } from "../parts/spending.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { UseCharts } from "../parts/use-charts.tsx";
import { WaitingJobs } from "../parts/waiting-jobs.tsx";
import { choose, linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { askAgain, usePolled } from "../service/polled.ts";
import { session } from "../service/session.ts";
import { count, counted, duration, usd } from "../words.ts";
import { BindingLimits } from "./limits.tsx";
import { TargetTable } from "./targets.tsx";

const mostTargets = 5;

export function Overview({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const status = usePolled<ClusterStatus>(pathOf("clusters", cluster, "status"));
  // Beside what is polled: a problem or a button that is gone must not take the dialog with it.
  const { open, dialog } = useActDialog();
  const act = (kind: ActKind) => open({ cluster, kind, nodes: [], onDone: status.refresh });
  return (
    <>
      <h1>{cluster}</h1>
      {dialog}
      <Shown polled={status}>
        {(answer) => (
          <>
            <Problems cluster={cluster} problems={answer.problems} onAct={act} />
            <Now status={answer} />
            {answer.paused !== null || !session.mayOperate ? null : (
              <div class="acts">
                <button type="button" onClick={() => act("pause")}>
                  {acts.pause.title}
                </button>
              </div>
            )}
          </>
        )}
      </Shown>
      {status.error?.status === 404 ? null : <History place={place} cluster={cluster} />}
      {status.answer === undefined || status.error?.status === 404 ? null : (
        <>
          <Spending cluster={cluster} spending={status.answer.spending} />
          <BindingLimits cluster={cluster} />
          <Demand status={status.answer} cluster={cluster} />
        </>
      )}
    </>
  );
}

function Now({ status }: { readonly status: ClusterStatus }) {
  const { nodes, spending, plans, atSeconds, snapshot, cluster } = status;
  const [plan] = plans;
  const states = Object.entries(nodes).toSorted(([, a], [, b]) => b - a);
  return (
    <Figures
      figures={[
        [
          "Nodes",
          <>
            <a href={linkTo({ cluster, view: "nodes" })}>
              {count(states.reduce((sum, [, each]) => sum + each, 0))}
            </a>
            <span class="quiet"> {states.map(([state, each]) => `${state} ${count(each)}`).join(", ")}</span>
          </>,
        ],
        [
          "Jobs waiting",
          <a href={linkTo({ cluster, view: "jobs", options: { state: "waiting" } })}>
            {plan === undefined ? "–" : count(plan.jobs - plan.placedJobs)}
          </a>,
        ],
        ["USD per hour", <a href={linkTo({ cluster, view: "money" })}>{usd(spending?.usdPerHour)}</a>],
        [
          "This month",
          <>
            {usd(spending?.monthUsd)}
            <span class="quiet"> forecast {usd(spending?.forecastUsd)}</span>
          </>,
        ],
        [
          "Newest plan",
          plan === undefined ? (
            "none yet"
          ) : (
            <>
              <a href={linkTo({ cluster, view: "plans", subject: plan.planId })}>
                <Ago at={plan.atSeconds} now={atSeconds} />
              </a>
              <span class="quiet">
                creates {count(plan.create)}, deletes {count(plan.retire)}
                {plan.held === undefined ? "" : `; held: ${plan.held}`}
              </span>
            </>
          ),
        ],
        ["Snapshot", snapshot === null ? "none yet" : `${duration(atSeconds - snapshot.takenAtSeconds)} old`],
      ]}
    />
  );
}

function History({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const hours = place.options.hours ?? "24";
  const samples = usePolled<SamplesAnswer>(`${pathOf("clusters", cluster, "samples")}?hours=${hours}`, {
    ask: (before, { signal }) => {
      // To the minute: within it nothing is new, and nothing is sent.
      const until = Math.ceil(Date.now() / 60_000) * 60;
      const span = new URLSearchParams({ from: `${until - Number(hours) * 3_600}`, until: `${until}` });
      return askAgain(`${pathOf("clusters", cluster, "samples")}?${span}`, before, signal);
    },
  });
  const happened = usePolled<EventsAnswer>(`${pathOf("clusters", cluster, "events")}?hours=${hours}`, {
    everyMs: 15_000,
    ask: (before, { signal }) => {
      const from = `${Math.floor(Date.now() / 60_000) * 60 - Number(hours) * 3_600}`;
      const query = new URLSearchParams({ from, limit: "1000" });
      return askAgain(`${pathOf("clusters", cluster, "events")}?${query}`, before, signal);
    },
  });
  return (
    <section>
      <h2>Nodes and demand</h2>
      <Choice
        legend="Time shown"
        options={spans}
        value={hours}
        onChoose={(value) => choose(place, { hours: value })}
      />
      <Shown polled={samples}>
        {(answer) => <UseCharts answer={answer} events={happened.answer?.events ?? []} />}
      </Shown>
      {happened.answer == null || happened.answer.next === null ? null : (
        <p class="quiet">The newest {counted(happened.answer.events.length, "event")} are marked.</p>
      )}
    </section>
  );
}

function Demand({ status, cluster }: { readonly status: ClusterStatus; readonly cluster: string }) {
  const { demand, waiting, targets, atSeconds } = status;
  return (
    <>
      <section>
        <h2>What schedulers want</h2>
        <Table
          caption="Sources of demand"
          rows={demand}
          rowKey={({ source }) => source}
          none="No scheduler has sent anything."
          columns={[
            ["Source", ({ source }) => source],
            ["Jobs", ({ jobs }) => count(jobs), "number"],
            ["Hosts", ({ nodes }) => count(nodes), "number"],
            ["Newest message", ({ receivedAtSeconds }) => <Ago at={receivedAtSeconds} now={atSeconds} />],
            ["Counts until", ({ expiresAtSeconds }) => <Ago at={expiresAtSeconds} now={atSeconds} />],
            [
              "State",
              ({ expired, setAside, warned }) =>
                [
                  expired && "silent: its jobs do not count",
                  setAside.count > 0 &&
                    `${counted(setAside.count, "item")} set aside: ${setAside.first.join(" ")}`,
                  warned && `${counted(warned.jobs, "job")} with keys without effect: ${warned.first}`,
                ]
                  .filter(Boolean)
                  .join("; ") || "up to date",
              "long",
            ],
          ]}
        />
      </section>
      <section>
        <h2>First in the queue that wait</h2>
        <WaitingJobs
          cluster={cluster}
          groups={[...Map.groupBy(waiting, ({ why }) => why.at(-1) ?? "")].flatMap(([reason, all]) =>
            all.slice(0, 1).map((first) => ({ reason, jobs: all.length, first })),
          )}
          allOf={() => ({ state: "waiting" })}
        />
      </section>
      {targets.length === 0 ? null : (
        <section>
          <h2>Targets</h2>
          <TargetTable status={status} targets={targets.slice(0, mostTargets)} />
          <AllOf cluster={cluster} view="targets" />
        </section>
      )}
    </>
  );
}
