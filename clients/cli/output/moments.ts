const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A length of time as people say it, two units at most: `45s`, `12m05s`, `3h20m`, `2d04h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < minute) return `${whole}s`;
  if (whole < hour) return pair(whole, [minute, "m"], [1, "s"]);
  if (whole < day) return pair(whole, [hour, "h"], [minute, "m"]);
  return pair(whole, [day, "d"], [hour, "h"]);
}

type Unit = readonly [seconds: number, letter: string];

function pair(seconds: number, [large, largeLetter]: Unit, [small, smallLetter]: Unit): string {
  const rest = Math.floor((seconds % large) / small);
  return `${Math.floor(seconds / large)}${largeLetter}${String(rest).padStart(2, "0")}${smallLetter}`;
}

/** A moment in UTC, to the second. */
export function moment(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace(".000", "");
}

/** How long ago; of a moment to come, in how long. */
export function ago(seconds: number, nowSeconds: number): string {
  const past = nowSeconds - seconds;
  return past >= 0 ? `${duration(past)} ago` : `in ${duration(-past)}`;
}
