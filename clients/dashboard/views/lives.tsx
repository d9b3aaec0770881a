import type { LivesAnswer } from "../../../shared/api/index.ts";
import { Choice, spans } from "../parts/choice.tsx";
import { idleSummary, LifeBars } from "../parts/life-bars.tsx";
import { Shown } from "../parts/state.tsx";
import { TurnPages } from "../parts/turn-pages.tsx";
import { choose, type Place } from "../place.ts";
import { addressOf, pathOf } from "../service/call.ts";
import { askAgain, usePolled } from "../service/polled.ts";

/** The history of nodes reaches back seven days. */
const mostHours = 168;

/** What the nodes of an array did over time, those that are gone too. */
export function Lives({ place, cluster }: { readonly place: Place; readonly cluster: string }) {
  const { hours = "24", nodeArray = "", cursor = "" } = place.options;
  const path = addressOf(pathOf("clusters", cluster, "lives"), { limit: "200", nodeArray, cursor });
  const polled = usePolled<LivesAnswer>(`${path}&hours=${hours}`, {
    everyMs: 30_000,
    ask: (before, { signal }) => {
      const from = Math.floor(Date.now() / 60_000) * 60 - Number(hours) * 3_600;
      return askAgain(`${path}&from=${from}`, before, signal);
    },
  });
  return (
    <>
      <Choice
        legend="Time shown"
        options={spans.filter(({ value }) => Number(value) <= mostHours)}
        value={hours}
        onChoose={(value) => choose(place, { hours: value, cursor: "" })}
      />
      <Shown polled={polled}>
        {({ lives, fromSeconds, untilSeconds, next }) =>
          lives.length === 0 ? (
            <p>No node was there in that time.</p>
          ) : (
            <>
              <p class="quiet">{idleSummary(lives, [fromSeconds, untilSeconds])}</p>
              <LifeBars cluster={cluster} lives={lives} span={[fromSeconds, untilSeconds]} />
              <TurnPages place={place} next={next} titles={{ first: "First nodes", next: "More nodes" }} />
            </>
          )
        }
      </Shown>
    </>
  );
}
