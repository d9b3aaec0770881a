import { sleep } from "./clock.ts";
import { parseSchedule, type TimerSchedule } from "./timer-schedule.ts";
import { requireOption, type Trigger, type TriggerContext } from "./trigger.ts";

/** What a timer's function gets: no run is made up for, so none is late. */
export const timerInput = JSON.stringify({
  Schedule: { AdjustForDST: true },
  ScheduleStatus: null,
  IsPastDue: false,
});

/**
 * Runs a function on its schedule, never twice at once: the next occurrence is looked for after a run has ended, so
 * occurrences during a long run are skipped, as in Azure. One that was missed while the host was down is not made up for.
 */
export function startTimerTrigger(context: TriggerContext): Trigger {
  const schedule = parseSchedule(requireOption(context.target, "schedule"));
  // A day that never comes (30 February) shows itself now, not in the loop.
  schedule.next(context.clock.now());
  const stopped = new AbortController();
  runAtOccurrences(context, schedule, stopped.signal).catch((error: unknown) => {
    context.log("critical", `timer ended: ${String(error)}`);
  });
  return { stop: async () => stopped.abort(), close: async () => {} };
}

async function runAtOccurrences(
  { target, invoke, clock }: TriggerContext,
  schedule: TimerSchedule,
  signal: AbortSignal,
): Promise<void> {
  let after = clock.now();
  while (!signal.aborted) {
    const occurrence = schedule.next(after);
    await sleep(clock, occurrence - clock.now(), signal);
    if (signal.aborted) return;
    await invoke(target, { data: { json: timerInput }, reason: "timer fired" });
    // A timer may fire a little early: never look for the same occurrence twice.
    after = Math.max(occurrence, clock.now());
  }
}
