import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { localTime } from "../words.ts";

const daySeconds = 86_400;
/** A whole day plays in half a minute, or in few large steps for who wants no motion. */
const play = { stepSeconds: 300, everyMs: 100 };
const calmPlay = { stepSeconds: 3_600, everyMs: 2_000 };

/** Goes back through the last day, by hand or by itself. */
export function Moments(props: {
  /** In Unix seconds. */
  readonly now: number;
  /** What is shown; undefined: now. */
  readonly moment: number | undefined;
  readonly onShow: (moment: number | undefined) => void;
  /** Where it stays, as an address keeps it; empty: now. */
  readonly onRest: (moment: string) => void;
}) {
  const { now, moment, onShow, onRest } = props;
  const [isPlaying, setPlaying] = useState(false);
  const until = Math.floor(now / 60) * 60;
  const from = until - daySeconds;
  const at = Math.max(from, Math.min(until, moment ?? until));
  const latest = useRef({ at, until, onShow, onRest });
  latest.current = { at, until, onShow, onRest };
  // Before the next event: after a pause no step comes any more.
  useLayoutEffect(() => {
    if (!isPlaying) return undefined;
    const { stepSeconds, everyMs } = matchMedia("(prefers-reduced-motion: reduce)").matches ? calmPlay : play;
    const timer = setInterval(() => {
      const { current } = latest;
      const next = current.at + stepSeconds;
      if (next < current.until) return current.onShow(next);
      setPlaying(false);
      current.onRest("");
    }, everyMs);
    return () => clearInterval(timer);
  }, [isPlaying]);
  const rest = (to: number) => {
    onShow(to >= until ? undefined : to);
    onRest(to >= until ? "" : String(to));
  };
  const toggle = () => {
    setPlaying(!isPlaying);
    if (isPlaying) return rest(at);
    // From now on there is nothing: the whole day.
    if (at >= until) onShow(from);
  };
  return (
    <div class="moments">
      <button type="button" onClick={toggle}>
        {isPlaying ? "Pause" : "Play"}
      </button>
      <input
        type="range"
        aria-label="Moment of the last day"
        aria-valuetext={moment === undefined ? "Now" : localTime(at)}
        min={from}
        max={until}
        step={60}
        value={at}
        onInput={({ currentTarget }) => {
          setPlaying(false);
          const to = Number(currentTarget.value);
          onShow(to >= until ? undefined : to);
        }}
        onChange={({ currentTarget }) => rest(Number(currentTarget.value))}
      />
      <span>{moment === undefined ? "Now" : localTime(at)}</span>
      <button type="button" class="plain" disabled={moment === undefined} onClick={() => rest(until)}>
        Back to now
      </button>
    </div>
  );
}
