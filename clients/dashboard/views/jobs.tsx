import type { ExplainAnswer, JobState, JobsAnswer } from "../../../shared/api/index.ts";
import { useAnnounced } from "../parts/announce.tsx";
import { Prose } from "../parts/prose.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { choose, goTo, linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted } from "../words.ts";

const states: readonly JobState[] = ["waiting", "partly", "booting", "placed", "running", "set-aside"];
const pageSize = "200";

/** Jobs, a page at a time; each opens its explanation. */
export function Jobs({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  if (place.subject !== undefined) return <Explained place={place} cluster={cluster} job={place.subject} />;
  return <List place={place} cluster={cluster} />;
}

function List({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { state = "", cursor = "" } = place.options;
  const query = new URLSearchParams({
    limit: pageSize,
    ...(state === "" ? {} : { state }),
    ...(cursor === "" ? {} : { cursor }),
  });
  const polled = usePolled<JobsAnswer>(`${pathOf("clusters", cluster, "jobs")}?${query}`);
  const { answer } = polled;
  // The browser's way back leads to the page before.
  const turn = (to: string) => goTo({ ...place, options: { ...place.options, cursor: to } });
  useAnnounced(
    String(query),
    answer && `${count(answer.jobs.length)} of ${counted(answer.total ?? answer.jobs.length, "job")} shown.`,
  );
  return (
    <>
      <h1>Jobs</h1>
      <Shown polled={polled}>
        {({ counts, jobs, next, total }) => (
          <>
            <fieldset class="choice">
              <legend class="hidden">State of jobs shown</legend>
              {["", ...states].map((each) => (
                <button
                  key={each}
                  type="button"
                  class="plain"
                  aria-pressed={each === state}
                  onClick={() => choose(place, { state: each, cursor: "" })}
                >
                  {each === "" ? "All" : `${each} ${count(counts[each as JobState] ?? 0)}`}
                </button>
              ))}
            </fieldset>
            <p class="quiet">
              {cursor === "" ? "The first" : "The next"} {count(jobs.length)} of{" "}
              {counted(total ?? jobs.length, "job")}.
            </p>
            <Table
              caption="Jobs"
              rows={jobs}
              keyOf={({ source, job }) => `${source} ${job}`}
              none="No such job."
              columns={[
                {
                  title: "Job",
                  cell: ({ job, source }) => (
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
                },
                { title: "State", cell: ({ state: each }) => <span class={`state ${each}`}>{each}</span> },
                { title: "User", cell: ({ user }) => user ?? "–" },
                {
                  title: "Has",
                  isNumber: true,
                  cell: ({ granted, asked, unit }) => `${count(granted)} of ${count(asked)} ${unit}`,
                },
                {
                  title: "Nodes",
                  cell: ({ nodes, nodeCount }) =>
                    nodes.length === 0
                      ? "–"
                      : `${nodes[0]}${nodeCount > 1 ? ` and ${count(nodeCount - 1)} more` : ""}`,
                },
                { title: "Why", cell: ({ reason }) => reason ?? "" },
              ]}
            />
            <div class="acts">
              {cursor === "" ? null : (
                <button type="button" onClick={() => turn("")}>
                  First page
                </button>
              )}
              {next === null ? null : (
                <button type="button" onClick={() => turn(next)}>
                  Next page
                </button>
              )}
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

function Explained({
  place,
  cluster,
  job,
}: {
  readonly place: Place;
  readonly cluster: string;
  readonly job: string;
}) {
  const { source = "" } = place.options;
  const query = source === "" ? "" : `?${new URLSearchParams({ source })}`;
  const polled = usePolled<ExplainAnswer>(`${pathOf("clusters", cluster, "jobs", job, "explain")}${query}`);
  return (
    <>
      <p>
        <a href={linkTo({ cluster, view: "jobs" })}>All jobs</a>
      </p>
      <h1>Job {job}</h1>
      <Shown polled={polled}>{(answer) => <Explanation answer={answer} />}</Shown>
      <p class="quiet">
        In a terminal: <code>{`ccscale explain --cluster ${quoted(cluster)} ${quoted(job)}`}</code>
      </p>
    </>
  );
}

function Explanation({ answer }: { readonly answer: ExplainAnswer }) {
  const { headline, causes, raise, sizes, places, placeCount, refusals, planner } = answer;
  return (
    <>
      <p class="headline">{headline}</p>
      {causes.length === 0 ? null : (
        <section>
          <h2>Why it waits</h2>
          <ul class="problems">
            {causes.map(({ kind, text, next, untilSeconds }, index) => (
              <li key={`${kind} ${index}`} class="problem degraded">
                <p>
                  <Prose text={text} />
                </p>
                <p>
                  <Prose text={next} />
                  {untilSeconds === null ? null : (
                    <>
                      {" "}
                      (<Time at={untilSeconds} />)
                    </>
                  )}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      {raise === null ? null : (
        <section>
          <h2>Which limits keep it waiting</h2>
          <p>{raise.text}</p>
        </section>
      )}
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
        <Table
          caption="Places"
          rows={places}
          keyOf={({ node }) => node}
          none="It has no place."
          columns={[
            { title: "Node", cell: ({ node }) => node },
            { title: "Slots", isNumber: true, cell: ({ slots }) => count(slots) },
            { title: "State", cell: ({ state, origin }) => state ?? origin },
            {
              title: "Ready",
              cell: ({ expectedReadySeconds }) =>
                expectedReadySeconds === null ? "–" : <Time at={expectedReadySeconds} />,
            },
          ]}
        />
      </section>
      <section>
        <h2>Bucket by bucket</h2>
        <Table
          caption="Refusals"
          rows={refusals.map((refusal, index) => ({ ...refusal, index }))}
          keyOf={({ index }) => String(index)}
          none="No bucket refuses it."
          columns={[
            {
              title: "Bucket",
              cell: ({ bucket }) =>
                bucket === null
                  ? "cluster"
                  : `${bucket.nodeArray} ${bucket.vmSize} ${bucket.placementGroup ?? ""}`,
            },
            { title: "Why not", cell: ({ text }) => text },
          ]}
        />
      </section>
      <section>
        <h2>What the planner did</h2>
        <Table
          caption="Steps of the planner"
          rows={planner.map((step, index) => ({ ...step, index }))}
          keyOf={({ index }) => String(index)}
          none="Nothing yet."
          columns={[
            { title: "Time", cell: ({ atSeconds }) => <Time at={atSeconds} /> },
            { title: "What", cell: ({ text }) => text },
          ]}
        />
      </section>
    </>
  );
}

/** A word for a shell. */
function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
