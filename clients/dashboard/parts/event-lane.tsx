import type { EventView } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { localClock, localTime } from "../words.ts";
import { eventGroups, eventWords, groupOf } from "./event-groups.ts";
import { useWidth } from "./use-width.ts";

/** A mark and the space around it: large enough for a finger. */
const markPixels = 28;

export interface Marked {
  readonly cluster: string;
  readonly events: readonly EventView[];
  /** Unix seconds. */
  readonly span: readonly [from: number, until: number];
}

/** What happened, on the time axis of the curves below: events that lie close together are one mark. */
export function EventLane({ cluster, events, span: [from, until] }: Marked) {
  const { box, width } = useWidth();
  const slots = Math.max(1, Math.floor(width / markPixels));
  const seconds = (until - from) / slots;
  const bySlot = Map.groupBy(events, ({ atSeconds }) =>
    Math.min(slots - 1, Math.max(0, Math.floor((atSeconds - from) / seconds))),
  );
  return (
    <>
      <div class="legend" aria-hidden="true">
        {eventGroups.map(({ title, sign, color }) => (
          <span key={title}>
            <i class={`swatch sign ${color}`}>{sign}</i> {title}
          </span>
        ))}
      </div>
      <div ref={box} class="lane">
        {[...bySlot]
          .toSorted(([a], [b]) => a - b)
          .map(([slot, there]) => {
            const group = eventGroups.find((each) => there.some((event) => groupOf(event) === each));
            const start = Math.floor(from + slot * seconds);
            const end = Math.ceil(start + seconds);
            const words = `${localTime(start)} to ${localClock(end)}. ${eventWords(there)}`;
            return (
              <a
                key={slot}
                class={`mark ${group?.color}`}
                style={{ left: `${((slot + 0.5) / slots) * 100}%` }}
                href={linkTo({
                  cluster,
                  view: "events",
                  options: { from: String(start), until: String(end) },
                })}
                title={words}
              >
                <span aria-hidden="true">
                  {group?.sign}
                  {there.length > 1 ? Math.min(99, there.length) : ""}
                </span>
                <span class="hidden">{words}</span>
              </a>
            );
          })}
      </div>
    </>
  );
}
