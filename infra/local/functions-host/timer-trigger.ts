import { sleep } from "./clock.ts";
import { parseSchedule, type TimerSchedule } from "./timer-schedule.ts";
import type { TimerStatus, TimerStatusStore } from "./timer-status.ts";
import { requireOption, type Trigger, type TriggerContext } from "./trigger.ts";
import { toTypedData } from "./typed-data.ts";

/** .NET's default(DateTime): the `Last` of a timer that never ran. */
const never = "0001-01-01T00:00:00.000Z";

interface TimerTriggerOptions extends TriggerContext {
  readonly statuses: TimerStatusStore;
}

/**
 * Runs a function on its schedule, never twice at once: the next occurrence is looked for after a run has ended, so
 * occurrences during a long run are skipped, as in Azure. For schedules of a minute and more, an occurrence that was missed while the host was down is made up for at start, marked past due.
 */
export async function startTimerTrigger(options: TimerTriggerOptions): Promise<Trigger> {
  const schedule = parseSchedule(requireOption(options.target, "schedule"));
  // A day that never comes (30 February) shows itself now, not in the loop.
  schedule.next(options.clock.now());
  const timer = new TimerTrigger(options, schedule);
  await timer.start();
  return timer;
}

class TimerTrigger implements Trigger {
  readonly #options: TimerTriggerOptions;
  readonly #schedule: TimerSchedule;
  readonly #monitored: boolean;
  readonly #stopped = new AbortController();
  #status: TimerStatus | undefined;

  constructor(options: TimerTriggerOptions, schedule: TimerSchedule) {
    this.#options = options;
    this.#schedule = schedule;
    this.#monitored = !schedule.isShorterThanMinute(options.clock.now());
  }

  async start(): Promise<void> {
    const { clock, target, statuses, log } = this.#options;
    const isPastDue = this.#monitored && (await this.#restoreStatus(await statuses.load(target.name)));
    this.#loop(isPastDue, clock.now()).catch((error: unknown) => {
      log("critical", `timer ended: ${String(error)}`);
    });
  }

  /** Restores the last status, follows a change of the schedule, and returns whether an occurrence was missed. */
  async #restoreStatus(stored: TimerStatus | undefined): Promise<boolean> {
    const now = this.#options.clock.now();
    if (stored === undefined) {
      const next = this.#schedule.next(now);
      await this.#save({ Last: never, Next: toIso(next), LastUpdated: toIso(now) });
      return false;
    }
    const from = Date.parse(stored.Last === never ? stored.LastUpdated : stored.Last);
    const next = this.#schedule.next(from);
    this.#status = { ...stored, Next: toIso(next) };
    return next < now;
  }

  async #loop(isPastDue: boolean, start: number): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopped;
    if (isPastDue) await this.#runOnce({ occurrence: start, isPastDue });
    let after = Math.max(start, clock.now());
    while (!signal.aborted) {
      const occurrence = this.#schedule.next(after);
      await sleep(clock, occurrence - clock.now(), signal);
      if (signal.aborted) return;
      await this.#runOnce({ occurrence, isPastDue: false });
      // A timer may fire a little early: never look for the same occurrence twice.
      after = Math.max(occurrence, clock.now());
    }
  }

  async #runOnce({ occurrence, isPastDue }: { occurrence: number; isPastDue: boolean }): Promise<void> {
    const { target, invoke } = this.#options;
    const data = toTypedData(this.#timerInfo(isPastDue)) ?? {};
    await invoke(target, { data, reason: isPastDue ? "timer past due" : "timer fired" });
    if (!this.#monitored) return;
    const [last, next] = [toIso(occurrence), toIso(this.#schedule.next(occurrence))];
    await this.#save({ Last: last, Next: next, LastUpdated: last });
  }

  #timerInfo(isPastDue: boolean): object {
    const Schedule = { AdjustForDST: true };
    return { Schedule, ScheduleStatus: this.#status ?? null, IsPastDue: isPastDue };
  }

  async #save(status: TimerStatus): Promise<void> {
    const { statuses, target, log } = this.#options;
    this.#status = status;
    await statuses.save(target.name, status).catch((error: unknown) => {
      log("warning", `cannot keep the timer's status, a missed run will go unnoticed: ${String(error)}`);
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
  }

  async close(): Promise<void> {}
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}
