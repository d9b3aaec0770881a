import { duration } from "../../../shared/text/durations.ts";
import { moment } from "../../../shared/text/moment.ts";

export { moment };

/** A moment by the clock of this machine, with its distance from UTC: `2026-11-23T05:10:00+01:00`. */
export function localMoment(
  seconds: number,
  offsetMinutes: number = -new Date(seconds * 1000).getTimezoneOffset(),
): string {
  const local = moment(seconds + offsetMinutes * 60).slice(0, -"Z".length);
  const distance = Math.abs(Math.round(offsetMinutes));
  const parts = [Math.floor(distance / 60), distance % 60].map((part) => String(part).padStart(2, "0"));
  return `${local}${offsetMinutes < 0 ? "-" : "+"}${parts.join(":")}`;
}

/** How long ago; of a moment to come, in how long. */
export function ago(seconds: number, nowSeconds: number): string {
  const past = nowSeconds - seconds;
  return past >= 0 ? `${duration(past)} ago` : `in ${duration(-past)}`;
}
