import type { OperationsAnswer } from "../../../shared/api/index.ts";
import { Ago, Shown } from "../parts/state.tsx";
import { Table } from "../parts/table.tsx";
import { linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { count } from "../words.ts";

/** Requests to CycleCloud and their fate, newest first. */
export function Operations({ cluster }: { readonly place: Place; readonly cluster: string }) {
  const polled = usePolled<OperationsAnswer>(`${pathOf("clusters", cluster, "operations")}?limit=200`);
  return (
    <>
      <h1>Operations</h1>
      <Shown polled={polled}>
        {({ operations, atSeconds }) => (
          <Table
            caption="Operations, newest first"
            rows={operations}
            keyOf={({ actionId }) => actionId}
            none="Nothing was asked of CycleCloud yet."
            columns={[
              {
                title: "Changed",
                cell: ({ updatedAtSeconds }) => <Ago at={updatedAtSeconds} now={atSeconds} />,
              },
              { title: "Kind", cell: ({ kind }) => kind },
              { title: "State", cell: ({ state }) => <span class={`state ${state}`}>{state}</span> },
              { title: "Nodes", isNumber: true, cell: ({ nodeCount }) => count(nodeCount) },
              { title: "Because", cell: ({ reason }) => reason },
              {
                title: "Asked by",
                cell: ({ requestedBy, planId }) =>
                  requestedBy !== null
                    ? `${requestedBy.who}: ${requestedBy.why}`
                    : planId !== null && (
                        <a href={linkTo({ cluster, view: "plans", subject: planId })}>a plan</a>
                      ),
              },
              { title: "Messages", cell: ({ messages }) => messages.join(" ") },
            ]}
          />
        )}
      </Shown>
    </>
  );
}
