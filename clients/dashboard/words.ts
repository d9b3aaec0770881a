export { duration } from "../../shared/text/durations.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

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

/** Words of the service as a sentence of their own. */
export function sentence(words: string): string {
  const text = `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}`;
  return text.endsWith(".") ? text : `${text}.`;
}

/** What is more than nothing is never 0 %, and what is not all never 100 %. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return "< 1 %";
  if (share > 0.99 && share < 1) return "> 99 %";
  return `${Math.round(share * 100)} %`;
}
