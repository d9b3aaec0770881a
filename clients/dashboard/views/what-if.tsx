import type { ExplainAnswer, WhatIfAnswer } from "../../../shared/api/index.ts";
import { askedIn } from "../parts/asked-in.ts";
import { AskingForm } from "../parts/asking-form.tsx";
import type { Place } from "../place.ts";
import { pathOf } from "../service/call.ts";
import { count } from "../words.ts";
import {
  type Asked as AskedFor,
  amountOf,
  bodyOf,
  commandOf,
  type Request,
  split,
} from "./what-if-request.ts";
import { WhatIfResult } from "./what-if-result.tsx";

/** What would become of a job that asks for something else, or under higher limits. The address has what was asked. */
export function WhatIf(props: { readonly place: Place; readonly explained: ExplainAnswer }) {
  const { place, explained } = props;
  const { cluster, job, source, state, request } = explained;
  const asked = askedIn<AskedFor>(place.options.try);
  if (request === null || state === "running" || state === "set-aside") return null;
  const shownRequest = { ...request, ...asked?.change?.with };
  return (
    <section>
      <h2>What if it asked for something else?</h2>
      <AskingForm<AskedFor, WhatIfAnswer>
        class="beside"
        place={place}
        path={pathOf("clusters", cluster, "what-if")}
        asked={asked}
        fields={
          <>
            <Fields
              key={asked && JSON.stringify(asked)}
              request={shownRequest}
              asked={asked}
              raise={explained.raise}
            />
            <LeftOut names={split(request.constraints).secret} />
          </>
        }
        read={(fields) => bodyOf(fields, explained, request)}
        beside={{ brief: true }}
        button="Plan with that"
        end="Back to what it asks for"
        command={(each) => commandOf(cluster, each, { job, source })}
      >
        {(answer) => <WhatIfResult answer={answer} />}
      </AskingForm>
    </section>
  );
}

function Fields(props: {
  readonly request: Request;
  readonly asked: AskedFor | undefined;
  readonly raise: ExplainAnswer["raise"];
}) {
  const { request, asked, raise } = props;
  const { cpus, nodeArray, rest } = split(request.constraints);
  const amount = amountOf(request);
  return (
    <>
      <div class="filter">
        <label>
          {amount === "nodeCount" ? "Nodes" : "Slots"}
          <input type="number" name={amount} min={1} defaultValue={String(request[amount] ?? 1)} />
        </label>
        <label>
          CPUs each
          <input type="number" name="cpus" min={0} step="any" defaultValue={cpus} />
        </label>
        <label>
          Node array
          <input name="nodeArray" placeholder="any" defaultValue={nodeArray} />
        </label>
        <label>
          Placement
          <select name="placement" defaultValue={asked?.placement ?? ""}>
            <option value="">as configured</option>
            {["order", "reuse", "cost"].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      <label>
        Other constraints (JSON)
        <textarea name="rest" rows={2} spellcheck={false} defaultValue={rest} />
      </label>
      {[
        { name: "colocated", title: "All its nodes in one placement group" },
        { name: "exclusive", title: "Nodes to itself" },
      ].map(({ name, title }) => (
        <label key={name} class="check">
          <input type="checkbox" name={name} defaultChecked={request[name] === true} /> {title}
        </label>
      ))}
      {(asked?.limits ?? raise?.limits ?? []).map(({ limit, scope, unit, more }) =>
        more === null ? null : (
          <label key={`${limit} ${scope} ${unit}`} class="check">
            <input
              type="checkbox"
              name="limit"
              value={JSON.stringify({ limit, scope, unit, more })}
              defaultChecked={asked?.limits !== undefined}
            />{" "}
            {count(more)} {unit === "usd" ? "USD" : more === 1 ? unit.replace(/s$/, "") : unit} more of{" "}
            {limit} {scope}
          </label>
        ),
      )}
    </>
  );
}

/** Constraints that the page cannot show, and what that means for the plan. */
function LeftOut({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p class="quiet">
      Left out, because {names.length === 1 ? "its value is a secret" : "their values are secrets"}:{" "}
      {names.join(", ")}. The plan has {names.length === 1 ? "it" : "them"}, unless you change CPUs, node
      array or other constraints.
    </p>
  );
}
