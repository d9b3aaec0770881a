import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type {
  EventsAnswer,
  ExplainAnswer,
  JobCostAnswer,
  JobState,
  JobsAnswer,
} from "../../../shared/api/index.ts";
import { jobWhereKeys } from "../../../shared/names/where-keys.ts";
import { commandLine } from "../act/command-line.ts";
import { useAnnounced } from "../parts/announce.tsx";
import { Choice } from "../parts/choice.tsx";
import { Causes, Places, Refusals } from "../parts/explained.tsx";
import { AllOf, NodeLinks } from "../parts/links.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Shown } from "../parts/state.tsx";
import { type Step, Steps } from "../parts/steps.tsx";
import { TurnPages } from "../parts/turn-pages.tsx";
import { offersOf, WhereBox } from "../parts/where-box.tsx";
import { choose, linkTo, type Place } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { askAgain, usePolled } from "../service/polled.ts";
import { count, counted, duration, usd } from "../words.ts";
import { WhatIf } from "./what-if.tsx";

const states: readonly JobState[] = ["waiting", "partly", "booting", "placed", "running", "set-aside"];
const pageSize = "200";
const rarely = { everyMs: 30_000 };
/** A node for a job comes up before it, or is lost some time after it was seen running last. */
const longestBootSeconds = 1_800;
const lossSeconds = 300;

type JobRun = JobCostAnswer["runs"][number];

export function Jobs({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  if (place.subject !== undefined) return <Explained place={place} cluster={cluster} job={place.subject} />;
  return <List place={place} cluster={cluster} />;
}

function List({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { state = "", where = "", cursor = "" } = place.options;
  const address = addressOf(pathOf("clusters", cluster, "jobs"), { limit: pageSize, where, state, cursor });
  const polled = usePolled<JobsAnswer>(address);
  const { answer } = polled;
  useAnnounced(
    address,
    answer && `${count(answer.jobs.length)} of ${counted(answer.total ?? answer.jobs.length, "job")} shown.`,
  );
  return (
    <>
      <h1>Jobs</h1>
      <WhereBox
        place={place}
        keys={jobWhereKeys}
        example="1201, user:ann queue:hpc waits>1h"
        offers={offersOf("user", answer?.jobs.map(({ user }) => user) ?? [])}
      />
      <Shown polled={polled}>
        {({ counts, jobs, next, total }) => (
          <>
            <Choice
              legend="State of jobs shown"
              options={["", ...states].map((value) => ({
                value,
                title: value === "" ? "All" : `${value} ${count(counts[value as JobState] ?? 0)}`,
              }))}
              value={state}
              onChoose={(value) => choose(place, { state: value, cursor: "" })}
            />
            <p class="quiet">
              {cursor === "" ? "The first" : "The next"} {count(jobs.length)} of{" "}
              {counted(total ?? jobs.length, "job")}.
            </p>
            <ListTable
              caption="Jobs"
              rows={jobs}
              rowKey={({ source, job }) => `${source} ${job}`}
              none={state === "" && where === "" ? "Nobody asks for anything." : "No job is like that."}
              columns={[
                [
                  "Job",
                  ({ job, source }) => (
                    <a
                      href={linkTo({
                        cluster,
                        view: "jobs",
                        subject: job,
                        options: { source: source ?? "" },
                      })}
                    >
                      {job}
                    </a>
                  ),
                ],
                ["State", ({ state: each }) => <span class={`state ${each}`}>{each}</span>],
                ["Why", ({ reason }) => reason ?? "", "long"],
                ["User", ({ user }) => user ?? "–"],
                [
                  "Has",
                  ({ granted, asked, unit }) => `${count(granted)} of ${counted(asked, unit.slice(0, -1))}`,
                  "number",
                ],
                [
                  "Nodes",
                  ({ nodes, nodeCount }) =>
                    nodes.length === 0
                      ? "–"
                      : `${nodes[0]}${nodeCount > 1 ? ` and ${count(nodeCount - 1)} more` : ""}`,
                ],
              ]}
            />
            <TurnPages place={place} next={next} titles={{ first: "First page", next: "Next page" }} />
          </>
        )}
      </Shown>
    </>
  );
}

function Explained(props: { readonly place: Place; readonly cluster: string; readonly job: string }) {
  const { place, cluster, job } = props;
  const { source = "" } = place.options;
  const path = (of: string, options = {}) =>
    addressOf(pathOf("clusters", cluster, "jobs", job, of), { source, ...options });
  const polled = usePolled<ExplainAnswer>(path("explain", { raise: "false" }));
  // Which limits have to be raised takes the service several plans: that comes later, and again when it waits for something else.
  const { causes = [], granted } = polled.answer ?? {};
  // With the job: the page of another one may wait for the same.
  const reason = JSON.stringify([path("explain"), granted, causes.map(({ kind, limit }) => [kind, limit])]);
  const raisedFor = useRef<string>(undefined);
  const whole = usePolled<ExplainAnswer>(causes.length > 0 ? path("explain") : null, {
    ask: async (before, { signal }) => {
      if (raisedFor.current === reason) return { answer: undefined, etag: before.etag };
      const called = await askAgain<ExplainAnswer>(path("explain"), before, signal);
      raisedFor.current = reason;
      return called;
    },
  });
  const raise = whole.answer?.raise ?? null;
  return (
    <>
      <AllOf cluster={cluster} view="jobs" />
      <h1>Job {job}</h1>
      <Shown polled={polled}>
        {(answer) => (
          <Explanation answer={{ ...answer, raise }}>
            <WhatIf key={`${answer.source} ${job}`} place={place} explained={{ ...answer, raise }} />
          </Explanation>
        )}
      </Shown>
      <Timeline cluster={cluster} job={job} address={path("cost")} explained={polled.answer} />
      <p class="quiet">
        In a terminal: <code>{commandLine(["ccscale", "explain", "--cluster", cluster, job])}</code>
      </p>
    </>
  );
}

/**
 * What happened to it, oldest first: when it was submitted, what the planner did, where it ran, and what that cost. Of a job
 * that is done, its runs are left, and what happened to the nodes of the newest one.
 */
function Timeline(props: {
  readonly cluster: string;
  readonly job: string;
  readonly address: string;
  readonly explained: ExplainAnswer | undefined;
}) {
  const { cluster, job, address, explained } = props;
  const { answer } = usePolled<JobCostAnswer>(address, rarely);
  const runs = answer?.runs ?? [];
  const [newest] = runs;
  const ended = newest?.isRunning === false ? newest : undefined;
  const { events = [] } =
    usePolled<EventsAnswer>(ended ? aroundOf(ended, cluster) : null, rarely).answer ?? {};
  const asked = Math.floor(Date.parse(String(explained?.request?.submittedAt)) / 1_000);
  const submissions = new Set([
    ...(Number.isNaN(asked) ? [] : [asked]),
    ...runs.flatMap(({ submittedSeconds }) => submittedSeconds ?? []),
  ]);
  const steps: readonly Step[] = [
    ...[...submissions].map((at) => ({ at, text: "Submitted" })),
    ...(explained?.planner ?? []).map(({ atSeconds, text }) => ({ at: atSeconds, text })),
    ...events.flatMap(({ atSeconds, text, nodes, nodeCount, loss }) => {
      const own = nodes.filter((node) => ended?.nodes.includes(node));
      if (own.length === 0 && !loss?.jobs?.includes(job)) return [];
      return [{ at: atSeconds, text: own.length < nodeCount ? `With others: ${text}` : text }];
    }),
    ...runs.flatMap((run) => [
      {
        at: run.fromSeconds,
        text: (
          <>
            Started on {whereOf(run, cluster)}
            <Waited run={run} cluster={cluster} />
          </>
        ),
      },
      {
        at: run.untilSeconds,
        text: `${run.isRunning ? "Runs until now" : "Ended"}: ${duration(run.untilSeconds - run.fromSeconds)}, ${usd(run.usd)}`,
      },
    ]),
  ].toSorted((a, b) => a.at - b.at);
  const [first, last] = [steps[0]?.at ?? 0, steps.at(-1)?.at ?? 0];
  if (steps.length === 0) return null;
  const left = (at: number) => `${((at - first) / (last - first || 1)) * 100}%`;
  return (
    <section>
      <h2>
        What happened to it
        {runs.length === 0 ? "" : `: ${counted(runs.length, "run")}, ${usd(answer?.total.usd ?? null)}`}
      </h2>
      {runs.length === 0 ? null : (
        <div class="life" aria-hidden="true">
          {runs.map(({ fromSeconds, untilSeconds }) => (
            <i
              key={fromSeconds}
              class="use-jobs"
              style={{ left: left(fromSeconds), right: `calc(100% - ${left(untilSeconds)})` }}
            />
          ))}
        </div>
      )}
      <Steps caption="Timeline" steps={steps} />
      {ended === undefined || explained !== undefined ? null : (
        <p class="quiet">
          Runs are kept for thirteen months, plans for thirty days, boots of nodes for seven.
        </p>
      )}
    </section>
  );
}

/** Boots and losses around a run. */
function aroundOf({ fromSeconds, untilSeconds }: JobRun, cluster: string): string {
  return addressOf(pathOf("clusters", cluster, "events"), {
    kind: "node-joined,node-failed,node-lost",
    from: String(Math.floor(fromSeconds) - longestBootSeconds),
    until: String(Math.ceil(untilSeconds) + lossSeconds),
    limit: "1000",
  });
}

/** Why it waited is in the plans of that time: they are kept for thirty days, and nothing is kept of each job that waits. */
function Waited(props: { readonly run: JobRun; readonly cluster: string }) {
  const { submittedSeconds: from, fromSeconds: until } = props.run;
  if (from === null || until <= from) return null;
  const options = { kind: "plan", from: String(from), until: String(until) };
  return (
    <>
      , {duration(until - from)} after it was submitted (
      <a href={linkTo({ cluster: props.cluster, view: "events", options })}>plans until then</a>)
    </>
  );
}

function whereOf({ nodes, array, size }: JobRun, cluster: string): ComponentChildren {
  if (nodes.length === 0) return array === "" ? "no node of the cluster" : `${array}, ${size}`;
  return <NodeLinks cluster={cluster} names={nodes} />;
}

function Explanation(props: { readonly answer: ExplainAnswer; readonly children: ComponentChildren }) {
  const { answer, children } = props;
  const { cluster, headline, causes, raise, sizes, places, placeCount } = answer;
  return (
    <>
      <p class="headline">{headline}</p>
      <Causes causes={causes} />
      {raise === null ? null : (
        <section>
          <h2>Which limits keep it waiting</h2>
          <p>{raise.text}</p>
        </section>
      )}
      {children}
      {sizes.length === 0 ? null : (
        <section>
          <h2>Why these sizes</h2>
          {sizes.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </section>
      )}
      <section>
        <h2>Places: {counted(placeCount, "node")}</h2>
        <Places cluster={cluster} caption="Places" places={places} />
      </section>
      <Refusals refusals={answer.refusals} />
    </>
  );
}
