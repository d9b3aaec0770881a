/** A value of a query: a datetime is a Date, a dynamic value is what JSON has. Strings are never null there: "" and null are the same. */
export type Value = Date | Timespan | string | number | boolean | null | readonly unknown[] | object;

/** A row by its columns. */
export type Row = Readonly<Record<string, Value>>;

export class Timespan {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `15m` and the like; throws for other ways to write a timespan. */
export function parseTimespan(text: string): Timespan {
  const [, count, unit = ""] = /^(\d+)(d|h|ms|m|s)$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`Cannot evaluate the timespan "${text}"`);
  return new Timespan(Number(count) * (unitMs[unit] ?? Number.NaN));
}

/** For comparisons: a number for what has an order. */
export function ordered(value: Value): number | string | null {
  if (value instanceof Date) return value.getTime();
  if (value instanceof Timespan) return value.ms;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number" || typeof value === "string" || value === null) return value;
  throw new Error(`Cannot order ${JSON.stringify(value)}`);
}

export function text(value: Value): string {
  if (value === null) return "";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Timespan) return `${value.ms}ms`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
