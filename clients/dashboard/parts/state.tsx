import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isOutOfReach } from "../service/connection.ts";
import type { Polled } from "../service/polled.ts";
import { duration, localClock, localTime, utc } from "../words.ts";
import { KnownClusters } from "./known-clusters.tsx";
import { Refusal } from "./refusal.tsx";

/** An answer is called old this long after it should have been asked for again. */
const oldMs = 12_000;
/** After this time the page says that the answer takes long. */
const slowMs = 4_000;

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
export function Shown<T>(props: {
  readonly polled: Polled<T>;
  readonly children: (answer: T) => ComponentChildren;
}) {
  const { polled, children } = props;
  const { answer, error } = polled;
  // Said once for the whole page.
  const isOut = error !== undefined && isOutOfReach(error);
  // A removed cluster shows no data and offers no acts.
  const isGone = error?.type?.endsWith(":unknown-cluster") === true;
  return (
    <>
      {isOut || isGone ? null : <Freshness polled={polled} />}
      {error === undefined || isOut ? null : (
        <Refusal error={error} problems={isGone ? [] : error.problems} gravity="degraded">
          {isGone ? <KnownClusters /> : null}
          <button type="button" onClick={polled.refresh}>
            Try again now
          </button>
        </Refusal>
      )}
      {isGone ? null : answer !== undefined ? (
        children(answer)
      ) : isOut ? (
        <p class="quiet">Nothing is known yet.</p>
      ) : error === undefined ? (
        <Loading />
      ) : null}
    </>
  );
}

function Loading() {
  const isSlow = useSince(undefined, slowMs);
  return <p class="quiet">{isSlow ? "Loading… The service takes long to answer." : "Loading…"}</p>;
}

/** Says only when it is worth saying: what is new needs no words. */
function Freshness({ polled: { atMs, everyMs } }: { readonly polled: Polled<unknown> }) {
  if (!useSince(atMs, oldMs + everyMs) || atMs === undefined) return null;
  return <p class="quiet">Shown as of {localClock(atMs / 1_000)}: no newer answer came.</p>;
}

/** Whether so long has passed since a moment; undefined: since this was first drawn. */
function useSince(atMs: number | undefined, ms: number): boolean {
  const [late, setLate] = useState<{ readonly atMs: number | undefined }>();
  useEffect(() => {
    const timer = setTimeout(() => setLate({ atMs }), Math.max(0, (atMs ?? Date.now()) + ms - Date.now()));
    return () => clearTimeout(timer);
  }, [atMs, ms]);
  return late !== undefined && late.atMs === atMs;
}
