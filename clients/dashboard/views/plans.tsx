import type { PlanAnswer, PlansAnswer } from "../../../shared/api/index.ts";
import { Ago, Shown, Time } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { WaitingJobs } from "../parts/waiting-jobs.tsx";
import { linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count, counted } from "../words.ts";

/** What each plan decided, and why. */
export function Plans({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  if (place.subject !== undefined) return <Plan cluster={cluster} planId={place.subject} />;
  return <List cluster={cluster} />;
}

function List({ cluster }: { readonly cluster: string }) {
  const polled = usePolled<PlansAnswer>(`${pathOf("clusters", cluster, "plans")}?limit=100`);
  return (
    <>
      <h1>Plans</h1>
      <Shown polled={polled}>
        {({ plans, atSeconds }) => (
          <Table
            caption="Plans, newest first"
            rows={plans}
            keyOf={({ planId }) => planId}
            none="No plan was made yet."
            columns={[
              { title: "Made", cell: (plan) => <Ago at={plan.atSeconds} now={atSeconds} /> },
              {
                title: "Plan",
                cell: ({ planId }) => (
                  <a href={linkTo({ cluster, view: "plans", subject: planId })}>{planId}</a>
                ),
              },
              { title: "Because", cell: ({ reason }) => reason },
              {
                title: "Jobs placed",
                isNumber: true,
                cell: ({ placedJobs, jobs }) => `${count(placedJobs)} of ${count(jobs)}`,
              },
              { title: "Create", isNumber: true, cell: ({ create }) => count(create) },
              { title: "Start", isNumber: true, cell: ({ start }) => count(start) },
              { title: "Delete", isNumber: true, cell: ({ retire }) => count(retire) },
              { title: "Held", cell: ({ held, readOnly }) => held ?? (readOnly ? "read-only" : "") },
            ]}
          />
        )}
      </Shown>
    </>
  );
}

function Plan({ cluster, planId }: { readonly cluster: string; readonly planId: string }) {
  const polled = usePolled<PlanAnswer>(pathOf("clusters", cluster, "plans", planId));
  return (
    <>
      <p>
        <a href={linkTo({ cluster, view: "plans" })}>All plans</a>
      </p>
      <h1>Plan {planId}</h1>
      <Shown polled={polled}>
        {({ summary, create, retire, sizes, waiting, waitingCount, operations }) => (
          <>
            <p class="headline">
              Made <Time at={summary.atSeconds} /> because of {summary.reason}:{" "}
              {counted(summary.create, "node")} to create, {count(summary.retire)} to delete,{" "}
              {count(waitingCount)} jobs wait.
            </p>
            <h2>New nodes</h2>
            <Table
              caption="New nodes"
              rows={create}
              keyOf={({ names }) => names.join()}
              none="None."
              columns={[
                { title: "Node array", cell: ({ nodeArray }) => nodeArray },
                { title: "VM size", cell: ({ vmSize }) => vmSize },
                { title: "Nodes", isNumber: true, cell: (set) => count(set.count) },
                { title: "Placement group", cell: ({ placementGroup }) => placementGroup ?? "–" },
              ]}
            />
            {sizes.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
            <h2>Nodes that go</h2>
            <Table
              caption="Nodes that go"
              rows={retire}
              keyOf={({ nodeId }) => nodeId}
              none="None."
              columns={[
                { title: "Node", cell: ({ name }) => name },
                { title: "Because", cell: ({ cause }) => cause },
                { title: "Since", cell: ({ sinceSeconds }) => <Time at={sinceSeconds} /> },
              ]}
            />
            <h2>Jobs that wait</h2>
            <WaitingJobs cluster={cluster} waiting={waiting} none="None." whyOf={(why) => why.join(" ")} />
            <h2>What became of it</h2>
            <Table
              caption="Operations"
              rows={operations}
              keyOf={({ actionId }) => actionId}
              none="It asked for nothing, or that is no longer recorded."
              columns={[
                { title: "Kind", cell: ({ kind }) => kind },
                { title: "State", cell: ({ state }) => state },
                { title: "Nodes", isNumber: true, cell: ({ nodeCount }) => count(nodeCount) },
                { title: "Messages", cell: ({ messages }) => messages.join(" ") },
              ]}
            />
          </>
        )}
      </Shown>
    </>
  );
}
