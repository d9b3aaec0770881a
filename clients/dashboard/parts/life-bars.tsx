import type { LivesAnswer, NodeLife } from "../../../shared/api/index.ts";
import { linkTo } from "../place.ts";
import { counted, duration, usd } from "../words.ts";
import { timeMarks } from "./plot-marks.ts";
import { timeMark } from "./time-axis.ts";

export type ShownLife = NodeLife & Partial<Pick<LivesAnswer["lives"][number], "usdPerHour">>;
type Use = NodeLife["spans"][number]["use"];

/** In colours of the curves, as far as the two mean the same. */
const uses: readonly { readonly use: Use; readonly title: string; readonly color: string }[] = [
  { use: "boot", title: "Booting", color: "use-boot" },
  { use: "used", title: "Used", color: "use-jobs" },
  { use: "idle", title: "Idle", color: "use-idle" },
  { use: "unknown", title: "Not known any more", color: "use-drained" },
];

/** A bar, or without an end a sign. In Unix seconds. */
export interface Mark {
  readonly at: number;
  readonly end?: number;
  readonly color?: string | undefined;
  readonly sign?: string;
  readonly text: string;
}

function markOf({ use, fromSeconds: at, untilSeconds: end }: NodeLife["spans"][number]): Mark {
  const color = uses.find((each) => each.use === use)?.color;
  return { at, end, color, text: `${use} for ${duration(end - at)}` };
}

/** As many marks of time as a phone has room for. */
const axisPixels = 320;

/** Nodes as bars over time: boots, use, and gaps, with what these cost. The figures say the same without the picture. */
export function LifeBars(props: {
  readonly cluster: string;
  readonly lives: readonly ShownLife[];
  /** Unix seconds. */
  readonly span: readonly [from: number, until: number];
  /** Drawn below the first node. */
  readonly lanes?: readonly (readonly Mark[])[];
}) {
  const { cluster, lives, span, lanes = [] } = props;
  const [from, until] = span;
  const left = (at: number) => `${((Math.min(until, Math.max(from, at)) - from) / (until - from)) * 100}%`;
  const marks = timeMarks(span, axisPixels);
  // The words of a mark at an edge would stick out.
  const edge = (until - from) / 20;
  return (
    <>
      <div class="legend" aria-hidden="true">
        {uses.map(({ use, title, color }) => (
          <span key={use}>
            <i class={`swatch ${color}`} /> {title}
          </span>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Nodes over time">
        <table class="lives">
          <caption class="hidden">Nodes over time</caption>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">
                <span class="hidden">Over time</span>
                <div class="life" aria-hidden="true">
                  {marks.times
                    .filter((at) => at > from + edge && at < until - edge)
                    .map((at) => (
                      <span key={at} style={{ left: left(at) }}>
                        {timeMark(at, marks.step)}
                      </span>
                    ))}
                </div>
              </th>
              <th scope="col">Booting</th>
              <th scope="col">Idle</th>
              <th scope="col">Idle USD</th>
            </tr>
          </thead>
          <tbody>
            {lives.map((life, index) => (
              <tr key={`${life.nodeId} ${life.firstSeenSeconds}`}>
                <th scope="row">
                  <a href={linkTo({ cluster, view: "nodes", subject: life.name })}>{life.name}</a>
                </th>
                <td>
                  {[life.spans.map(markOf), ...(index === 0 ? lanes : [])].map((lane, place) => (
                    <div key={place} class="life" aria-hidden="true">
                      {lane.map(({ at, end, color, sign, text }) =>
                        (end ?? at) < from || at > until ? null : (
                          <i
                            key={`${at} ${text}`}
                            class={end === undefined ? `sign ${color}` : color}
                            style={{ left: left(at), right: end && `calc(100% - ${left(end)})` }}
                            title={text}
                          >
                            {sign}
                          </i>
                        ),
                      )}
                    </div>
                  ))}
                </td>
                <td class="number">{duration(secondsOf(life, "boot", span))}</td>
                <td class="number">{idleWords(life, span)}</td>
                <td class="number">{usd(idleUsd(life, span))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

/** Seconds of a life in the time that is shown. */
function secondsOf({ spans }: ShownLife, use: Use, [from, until]: readonly [number, number]): number {
  return spans
    .filter((span) => span.use === use)
    .reduce(
      (sum, { fromSeconds, untilSeconds }) =>
        sum + Math.max(0, Math.min(until, untilSeconds) - Math.max(from, fromSeconds)),
      0,
    );
}

function idleWords(life: ShownLife, span: readonly [number, number]): string {
  const seconds = secondsOf(life, "idle", span);
  return seconds === 0 ? "–" : duration(seconds);
}

function idleUsd(life: ShownLife, span: readonly [number, number]): number | null {
  const { usdPerHour = null } = life;
  return usdPerHour === null ? null : (secondsOf(life, "idle", span) / 3_600) * usdPerHour;
}

/** What all gaps together cost, as far as prices are known. */
export function idleSummary(lives: readonly ShownLife[], span: readonly [number, number]): string {
  const idle = lives.reduce((sum, life) => sum + secondsOf(life, "idle", span), 0);
  const costs = lives.map((life) => idleUsd(life, span));
  const known = costs.filter((cost) => cost !== null);
  const money = known.length === 0 ? "" : `, ${usd(known.reduce((sum, cost) => sum + cost, 0))}`;
  const unknown = costs.length - known.length;
  const without = unknown === 0 ? "" : `, ${counted(unknown, "node")} without a known price`;
  return `${counted(lives.length, "node")} shown, idle for ${duration(idle)} together${money}${without}.`;
}
