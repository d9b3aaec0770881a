/** Hours, days and months of accounts and budgets: those of UTC, in Unix seconds. */
export const hourSeconds = 3_600;
export const daySeconds = 86_400;

export function startOf(atSeconds: number, lengthSeconds: number): number {
  return Math.floor(atSeconds / lengthSeconds) * lengthSeconds;
}

/** "2026-11" */
export function monthOf(atSeconds: number): string {
  return new Date(atSeconds * 1_000).toISOString().slice(0, "2026-11".length);
}

/** The start of the month, or of one so many months later. */
export function monthStart(atSeconds: number, later = 0): number {
  const date = new Date(atSeconds * 1_000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later) / 1_000;
}

/** What a budget is for. */
export type BudgetPeriod = "day" | "month";

/** The start of the hour, day or month. */
export function periodStart(period: BudgetPeriod | "hour", atSeconds: number): number {
  if (period === "month") return monthStart(atSeconds);
  return startOf(atSeconds, period === "hour" ? hourSeconds : daySeconds);
}

export function periodEnd(period: BudgetPeriod, atSeconds: number): number {
  return period === "month" ? monthStart(atSeconds, 1) : startOf(atSeconds, daySeconds) + daySeconds;
}
