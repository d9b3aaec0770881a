import { duration } from "../../../shared/durations.ts";

/** A moment in UTC, to the second. */
export function moment(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace(".000", "");
}

/** How long ago; of a moment to come, in how long. */
export function ago(seconds: number, nowSeconds: number): string {
  const past = nowSeconds - seconds;
  return past >= 0 ? `${duration(past)} ago` : `in ${duration(-past)}`;
}
