import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Polled } from "../service/polled.ts";
import { duration, localTime, utc } from "../words.ts";
import { Refusal } from "./refusal.tsx";

/** From then on what is shown is called old. */
const oldMs = 15_000;

/** A moment in the viewer's zone, with UTC when pointed at. */
export function Time({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={utc(at)}>
      {localTime(at)}
    </time>
  );
}

/** "12m4s ago", or "in 12m4s". */
export function Ago({ at, now }: { readonly at: number; readonly now: number }) {
  const text = at <= now ? `${duration(now - at)} ago` : `in ${duration(at - now)}`;
  return (
    <time dateTime={new Date(at * 1_000).toISOString()} title={`${localTime(at)} · ${utc(at)}`}>
      {text}
    </time>
  );
}

/** What is polled, once it is known; how old it is, and what keeps it from being newer. */
export function Shown<T>({
  polled,
  children,
}: {
  readonly polled: Polled<T>;
  readonly children: (answer: T) => ComponentChildren;
}) {
  const { answer, error } = polled;
  return (
    <>
      <Freshness polled={polled} />
      {error === undefined ? null : (
        <Refusal error={error} gravity="degraded">
          <button type="button" onClick={polled.refresh}>
            Try again now
          </button>
        </Refusal>
      )}
      {answer === undefined ? error === undefined ? <p class="quiet">Loading…</p> : null : children(answer)}
    </>
  );
}

/** Says only when it is worth saying: what is new needs no words. */
function Freshness({ polled: { atMs, error } }: { readonly polled: Polled<unknown> }) {
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  if (atMs === undefined || (error === undefined && nowMs - atMs < oldMs)) return null;
  return <p class="quiet">Shown as of {duration((nowMs - atMs) / 1_000)} ago.</p>;
}
