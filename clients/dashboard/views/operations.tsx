import type { OperationsAnswer, OperationView } from "../../../shared/api/index.ts";
import { AllOf, NodeLinks } from "../parts/links.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { type Polled, usePolled } from "../service/polled.ts";
import { count } from "../words.ts";

export function Operations({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { subject } = place;
  const list = usePolled<OperationsAnswer>(
    subject === undefined ? `${pathOf("clusters", cluster, "operations")}?limit=200` : null,
  );
  const one = usePolled<OperationView>(
    subject === undefined ? null : pathOf("clusters", cluster, "operations", subject),
  );
  const polled: Polled<OperationsAnswer | OperationView> = subject === undefined ? list : one;
  const now = (polled.atMs ?? Date.now()) / 1_000;
  return (
    <>
      {subject === undefined ? (
        <h1>Operations</h1>
      ) : (
        <>
          <AllOf cluster={cluster} view="operations" />
          <h1>Operation {subject}</h1>
        </>
      )}
      <Shown polled={polled}>
        {(answer) => (
          <>
            <p class="quiet">
              An operation is planned, sent, accepted by CycleCloud, and visible once a snapshot shows its
              effect.
            </p>
            <ListTable
              caption="Operations, newest first"
              rows={"operations" in answer ? answer.operations : [answer]}
              rowKey={({ actionId }) => actionId}
              none="Nothing was asked of CycleCloud yet."
              columns={[
                ["Changed", ({ updatedAtSeconds }) => <Ago at={updatedAtSeconds} now={now} />],
                [
                  "Kind",
                  ({ kind, actionId }) =>
                    subject === undefined ? (
                      <a href={linkTo({ cluster, view: "operations", subject: actionId })}>{kind}</a>
                    ) : (
                      kind
                    ),
                ],
                ["State", ({ state }) => <span class={`state ${state}`}>{state}</span>],
                ["Nodes", ({ nodeCount }) => count(nodeCount), "number"],
                ["Because", ({ reason }) => reason],
                [
                  "Asked by",
                  ({ requestedBy, planId }) =>
                    requestedBy !== null
                      ? `${requestedBy.who}: ${requestedBy.why}`
                      : planId !== null && (
                          <a href={linkTo({ cluster, view: "plans", subject: planId })}>a plan</a>
                        ),
                ],
                ["Messages", ({ messages }) => messages.join(" "), "long"],
              ]}
            />
            {"operations" in answer ? null : <NodesOf operation={answer} cluster={cluster} />}
          </>
        )}
      </Shown>
    </>
  );
}

const mostNamed = 200;

/** The nodes that an operation made or is about, as far as they are known. */
function NodesOf(props: { readonly operation: OperationView; readonly cluster: string }) {
  const { operation, cluster } = props;
  const { nodes } = operation;
  if (nodes.length === 0) return null;
  return (
    <section>
      <h2>Nodes</h2>
      <p>
        <NodeLinks cluster={cluster} names={nodes.map(({ name }) => name)} most={mostNamed} />
      </p>
    </section>
  );
}
