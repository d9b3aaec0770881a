import { type ErrorKind, kindOf, messageOf, UpstreamError } from "../../shared/errors/errors.ts";
import type { Log, LogFields } from "../../shared/ports/index.ts";

export type Trigger = "timer" | "storage-queue" | "service-bus" | "event-grid";

/** `complete`: the message is done with; something else will set things right. `retry`: the host offers it again. */
export type Settlement = "complete" | "retry";

/** An error that is none of ours comes from an SDK or from a bug: worth another try, and then the dead-letter queue. */
type Cause = ErrorKind | "upstream-final" | "unknown";

/**
 * What becomes of a message whose handling failed. The next timer beat retries what a timer did; a message that is
 * retried in vain ends in the poison or dead-letter queue, where it is seen. Event Grid offers an event again for a day;
 * whatever it wanted to say, the next snapshot shows.
 */
const settlements: Readonly<Record<Cause, Readonly<Record<Trigger, Settlement>>>> = {
  // Only the operator can correct it. A demand message must not be lost meanwhile, so it goes the way to the poison queue.
  configuration: {
    timer: "complete",
    "storage-queue": "retry",
    "service-bus": "complete",
    "event-grid": "complete",
  },
  upstream: { timer: "complete", "storage-queue": "retry", "service-bus": "retry", "event-grid": "retry" },
  "upstream-final": {
    timer: "complete",
    "storage-queue": "retry",
    "service-bus": "retry",
    "event-grid": "complete",
  },
  conflict: { timer: "complete", "storage-queue": "retry", "service-bus": "retry", "event-grid": "retry" },
  // The next snapshot asks for the plan again, because the demand is newer than the last plan.
  "stale-snapshot": {
    timer: "complete",
    "storage-queue": "retry",
    "service-bus": "complete",
    "event-grid": "complete",
  },
  invariant: { timer: "retry", "storage-queue": "retry", "service-bus": "retry", "event-grid": "retry" },
  unknown: { timer: "retry", "storage-queue": "retry", "service-bus": "retry", "event-grid": "retry" },
};

export function settlementOf(error: unknown, trigger: Trigger): Settlement {
  return settlements[causeOf(error)][trigger];
}

function causeOf(error: unknown): Cause {
  if (error instanceof UpstreamError && !error.retryable) return "upstream-final";
  return kindOf(error) ?? "unknown";
}

/**
 * Runs a use case and settles its trigger: a `complete` failure is logged and swallowed, every other is thrown to the host.
 * `about` is part of the line: with `cluster`, by which alerts tell clusters apart, where it is known.
 */
export async function settled<T>(
  run: { readonly trigger: Trigger; readonly log: Log; readonly about: LogFields },
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (settlementOf(error, run.trigger) === "retry") throw error;
    const fields = { ...run.about, trigger: run.trigger, kind: causeOf(error), message: messageOf(error) };
    // Waiting for a snapshot is how a cluster begins; it is no error unless the snapshots themselves fail.
    if (fields.kind === "stale-snapshot") run.log.warn("settled", fields);
    else run.log.error("settled", fields);
    return undefined;
  }
}
