import type { EventsAnswer, EventView } from "../../../shared/api/index.ts";
import { useAnnounced } from "../parts/announce.tsx";
import { Choice, spans } from "../parts/choice.tsx";
import { Days } from "../parts/days.tsx";
import { eventGroups, groupOf } from "../parts/event-groups.ts";
import { FieldFilter } from "../parts/field-filter.tsx";
import { NodeLinks } from "../parts/links.tsx";
import { ListTable } from "../parts/list-table.tsx";
import { Shown, Time } from "../parts/state.tsx";
import { byAge, TurnPages } from "../parts/turn-pages.tsx";
import { choose, linkTo, type Place } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { askAgain, usePolled } from "../service/polled.ts";
import { counted } from "../words.ts";

const mostNodes = 3;

export function Events({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { hours = "24", from, until, kind = "", node = "", cursor = "" } = place.options;
  const asked = { limit: "200", kind, node, cursor, until: until ?? "" };
  const address = addressOf(pathOf("clusters", cluster, "events"), asked);
  const polled = usePolled<EventsAnswer>(`${address}&since=${from ?? hours}`, {
    everyMs: 5_000,
    ask: (before, { signal }) => {
      // To the minute: within it, only what happened is new.
      const since = from ?? String(Math.floor(Date.now() / 60_000) * 60 - Number(hours) * 3_600);
      return askAgain(`${address}&from=${encodeURIComponent(since)}`, before, signal);
    },
  });
  const { answer } = polled;
  useAnnounced(address, answer && counted(answer.events.length, "event"));
  return (
    <>
      <h1>Events</h1>
      <Choice
        legend="Time shown"
        options={spans}
        value={from === undefined ? hours : ""}
        onChoose={(value) => choose(place, { hours: value, from: "", until: "", cursor: "" })}
      />
      <Days place={place} />
      <Filter place={place} />
      {from === undefined ? null : (
        <p>
          From <Time at={Number(from)} />{" "}
          {until === undefined ? null : (
            <>
              to <Time at={Number(until)} />
            </>
          )}
        </p>
      )}
      <Shown polled={polled}>
        {({ events, next }) => (
          <>
            <ListTable
              caption="Events, newest first"
              rows={events}
              rowKey={({ id }) => id}
              none="Nothing of that kind happened then."
              columns={[
                ["Time", ({ atSeconds }) => <Time at={atSeconds} />],
                ["Kind", (event) => <Kind event={event} />],
                ["What", ({ text }) => text, "long"],
                ["By", ({ by }) => by ?? "–"],
                [
                  "Nodes",
                  ({ nodes, nodeCount }) =>
                    nodes.length === 0 ? (
                      "–"
                    ) : (
                      <NodeLinks cluster={cluster} names={nodes} nodeCount={nodeCount} most={mostNodes} />
                    ),
                ],
                [
                  "See",
                  ({ planId, actionId }) => [
                    planId === null ? null : (
                      <a key="plan" href={linkTo({ cluster, view: "plans", subject: planId })}>
                        plan
                      </a>
                    ),
                    planId === null || actionId === null ? null : " ",
                    actionId === null ? null : (
                      <a key="operation" href={linkTo({ cluster, view: "operations", subject: actionId })}>
                        operation
                      </a>
                    ),
                  ],
                ],
              ]}
            />
            <TurnPages place={place} next={next} titles={byAge} />
          </>
        )}
      </Shown>
    </>
  );
}

/** The kind alone does not show who decided. */
function allTitle(title: string): string {
  return `All: ${title}${title === "Decisions" ? ", also of the autoscaler" : ""}`;
}

function Kind({ event }: { readonly event: EventView }) {
  const group = groupOf(event);
  return (
    <>
      <i class={`swatch sign ${group?.color}`} aria-hidden="true">
        {group?.sign}
      </i>{" "}
      {event.kind}
    </>
  );
}

function Filter({ place }: { readonly place: Place }) {
  const { kind = "" } = place.options;
  return (
    <FieldFilter place={place} name="node" title="Node" placeholder="htc-1">
      <label>
        Kind
        <select
          value={kind}
          onChange={({ currentTarget }) => choose(place, { kind: currentTarget.value, cursor: "" })}
        >
          <option value="">All</option>
          {eventGroups.map(({ title, kinds }) => (
            <optgroup key={title} label={title}>
              {kinds.length > 1 ? <option value={kinds.join()}>{allTitle(title)}</option> : null}
              {kinds.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
    </FieldFilter>
  );
}
