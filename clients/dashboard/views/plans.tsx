import { useState } from "preact/hooks";
import type { PlansAnswer } from "../../../shared/api/index.ts";
import { ListTable } from "../parts/list-table.tsx";
import { planColumns } from "../parts/plan-columns.tsx";
import { Ago, Shown } from "../parts/state.tsx";
import { linkTo, type Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { usePolled } from "../service/polled.ts";
import { Plan } from "./plan.tsx";
import { PlanDifference } from "./plan-difference.tsx";

export function Plans({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { subject, options } = place;
  if (subject === undefined) return <List cluster={cluster} />;
  if (options.against !== undefined)
    return <PlanDifference cluster={cluster} before={options.against} after={subject} />;
  return <Plan cluster={cluster} planId={subject} />;
}

function List({ cluster }: { readonly cluster: string }) {
  const polled = usePolled<PlansAnswer>(`${pathOf("clusters", cluster, "plans")}?limit=100`);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = (planId: string) =>
    setChosen(chosen.includes(planId) ? chosen.filter((id) => id !== planId) : [...chosen, planId].slice(-2));
  return (
    <>
      <h1>Plans</h1>
      <Shown polled={polled}>
        {({ plans, atSeconds }) => {
          // Newest first, as they are listed.
          const [after, before] = plans.map(({ planId }) => planId).filter((id) => chosen.includes(id));
          return (
            <>
              <p class="acts" aria-live="polite">
                {before === undefined || after === undefined ? (
                  <span class="quiet">Choose two plans to see what the second decided otherwise.</span>
                ) : (
                  <a
                    class="button"
                    href={linkTo({ cluster, view: "plans", subject: after, options: { against: before } })}
                  >
                    Compare the two
                  </a>
                )}
              </p>
              <ListTable
                caption="Plans, newest first"
                rows={plans}
                rowKey={({ planId }) => planId}
                none="No plan was made yet."
                columns={[
                  [
                    "Compare",
                    ({ planId }) => (
                      <input
                        type="checkbox"
                        aria-label={`Compare ${planId}`}
                        checked={chosen.includes(planId)}
                        onChange={() => toggle(planId)}
                      />
                    ),
                    "tight",
                  ],
                  ["Made", (plan) => <Ago at={plan.atSeconds} now={atSeconds} />],
                  [
                    "Plan",
                    ({ planId }) => (
                      <a class="name plan" href={linkTo({ cluster, view: "plans", subject: planId })}>
                        {planId}
                      </a>
                    ),
                  ],
                  ...planColumns,
                  ["Held", ({ held, readOnly }) => held ?? (readOnly ? "read-only" : "")],
                ]}
              />
            </>
          );
        }}
      </Shown>
    </>
  );
}
