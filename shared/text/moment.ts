/** A moment in UTC, to the second, as sentences, tables and commands have it: `2026-11-22T14:00:05Z`. */
export function moment(seconds: number): string {
  return new Date(Math.round(seconds) * 1000).toISOString().replace(".000", "");
}
