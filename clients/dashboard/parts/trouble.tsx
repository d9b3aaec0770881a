import { useEffect, useRef } from "preact/hooks";
import { connection, useTrouble } from "../service/connection.ts";
import { localClock } from "../words.ts";
import { announce } from "./announce.tsx";

/** Says once for the whole page that the service is out of reach, and when it is back. */
export function TroubleBanner() {
  const trouble = useTrouble();
  const had = useRef(false);
  useEffect(() => {
    if (had.current && trouble === undefined) announce("The service answers again.");
    had.current = trouble !== undefined;
  }, [trouble]);
  if (trouble === undefined) return null;
  return (
    <div class="page">
      <div role="alert" class="problem degraded banner">
        <p>
          <strong>{trouble.text}.</strong>{" "}
          {trouble.heardMs === undefined
            ? "It is asked again and again."
            : `What you see is as of ${localClock(trouble.heardMs / 1_000)}, and goes on by itself.`}
        </p>
        <button type="button" onClick={() => connection.retry()}>
          Try again now
        </button>
      </div>
    </div>
  );
}
