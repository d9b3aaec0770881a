import type { PlanAnswer } from "../../../shared/api/index.ts";
import { AllOf } from "../parts/links.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { WaitingJobs } from "../parts/waiting-jobs.tsx";
import { linkTo } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted } from "../words.ts";

export function Plan({ cluster, planId }: { readonly cluster: string; readonly planId: string }) {
  const polled = usePolled<PlanAnswer>(pathOf("clusters", cluster, "plans", planId), { everyMs: 10_000 });
  return (
    <>
      <AllOf cluster={cluster} view="plans" />
      <h1>Plan {planId}</h1>
      <Shown polled={polled}>{(answer) => <Decided plan={answer} />}</Shown>
    </>
  );
}

function Decided({ plan }: { readonly plan: PlanAnswer }) {
  const { cluster, summary, create, start, retire, retry, sizes, waitingFor, waitingCount } = plan;
  const { warnings, operations } = plan;
  return (
    <>
      <p class="headline">
        Made <Time at={summary.atSeconds} /> in {summary.planSeconds.toFixed(2)} s because of {summary.reason}
        : {counted(summary.create, "node")} to create, {count(summary.start)} to start,{" "}
        {count(summary.retire)} to delete. {count(summary.placedJobs)} of {counted(summary.jobs, "job")}{" "}
        {summary.placedJobs === 1 ? "has" : "have"} all they asked for.
      </p>
      <Notes plan={plan} />
      <h2>New nodes</h2>
      <Table
        caption="New nodes"
        rows={create}
        rowKey={({ names }) => names.join()}
        none="None."
        columns={[
          ["Node array", ({ nodeArray }) => nodeArray],
          ["VM size", ({ vmSize }) => vmSize],
          ["Nodes", (set) => count(set.count), "number"],
          ["Placement group", ({ placementGroup }) => placementGroup ?? "–"],
          [
            "Names",
            ({ names }) => `${names.slice(0, mostNames).join(", ")}${names.length > mostNames ? ", …" : ""}`,
            "long",
          ],
        ]}
      />
      {sizes.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {[
        { title: "Nodes that are started", nodes: start },
        { title: "Failed nodes that are retried", nodes: retry },
      ].map(({ title, nodes }) =>
        nodes.length === 0 ? null : (
          <section key={title}>
            <h2>{title}</h2>
            <p>{nodes.map(({ name }) => name).join(", ")}</p>
          </section>
        ),
      )}
      <h2>Nodes that go</h2>
      <Table
        caption="Nodes that go"
        rows={retire}
        rowKey={({ nodeId }) => nodeId}
        none="None."
        columns={[
          ["Node", ({ name }) => name],
          ["Because", ({ cause }) => cause],
          ["Since", ({ sinceSeconds }) => <Time at={sinceSeconds} />],
        ]}
      />
      <h2>Jobs that wait: {count(waitingCount)}</h2>
      <WaitingJobs
        cluster={cluster}
        groups={waitingFor}
        allOf={(reason) => ({ where: `reason:${reason}` })}
      />
      <h2>What became of it</h2>
      <Table
        caption="Operations"
        rows={operations}
        rowKey={({ actionId }) => actionId}
        none="It asked for nothing, or that is no longer recorded."
        columns={[
          [
            "Kind",
            ({ kind, actionId }) => (
              <a href={linkTo({ cluster, view: "operations", subject: actionId })}>{kind}</a>
            ),
          ],
          ["State", ({ state }) => state],
          ["Nodes", ({ nodeCount }) => count(nodeCount), "number"],
          ["Messages", ({ messages }) => messages.join(" "), "long"],
        ]}
      />
      {warnings.length === 0 ? null : (
        <>
          <h2>Warnings</h2>
          <ul>
            {warnings.map(({ code, subject, message }) => (
              <li key={`${code} ${subject}`}>
                {subject}: {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const mostNames = 8;

/** What kept it from doing more, and what of it is not kept. */
function Notes({ plan: { summary, retire } }: { readonly plan: PlanAnswer }) {
  const { held, readOnly, clipped, heldBack = [], archive, archiveReason } = summary;
  const notes = [
    held === undefined
      ? readOnly && "Nothing of it was sent: the cluster is read-only."
      : `Nothing of it was sent: ${held}.`,
    summary.retire < retire.length &&
      `${count(summary.retire)} of the nodes that go are deleted at once; the others are drained first.`,
    clipped &&
      `Caps granted ${count(clipped.granted)} of ${counted(clipped.asked, "new node")}: ${clipped.by
        .map(({ cap, max, used }) => `${cap} (${used} of ${max} used)`)
        .join(", ")}.`,
    ...heldBack.map(
      ({ cap, limit, jobs, hosts, first }) =>
        `${cap} (at most ${count(limit)}) holds back ${counted(jobs, "job")} and ${counted(hosts, "host")}, first ${first}.`,
    ),
    archive !== "whole" && `It is not kept whole: ${archiveReason ?? "no reason was noted"}.`,
  ].filter((note) => typeof note === "string");
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="problem">
          {note}
        </p>
      ))}
    </>
  );
}
