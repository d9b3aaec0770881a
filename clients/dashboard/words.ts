const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export function count(value: number): string {
  return whole.format(value);
}

/** "1 node", "2 nodes". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** US dollars; what is not known is a dash, never zero. */
export function usd(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : dollars.format(value);
}

/** "45 s", "12 min", "3 h 20 min", "2 d 4 h". */
export function duration(seconds: number): string {
  const left = Math.max(0, Math.round(seconds));
  if (left < 2 * minute) return `${left} s`;
  if (left < 2 * hour) return `${Math.round(left / minute)} min`;
  const [large, small, names] =
    left < 2 * day ? ([hour, minute, ["h", "min"]] as const) : ([day, hour, ["d", "h"]] as const);
  const rest = Math.floor((left % large) / small);
  return `${Math.floor(left / large)} ${names[0]}${rest === 0 ? "" : ` ${rest} ${names[1]}`}`;
}

/** In the viewer's zone. */
export function localTime(seconds: number): string {
  return moment.format(seconds * 1_000);
}

export function localClock(seconds: number): string {
  return clock.format(seconds * 1_000);
}

export function utc(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
