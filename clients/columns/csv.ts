import { stringify } from "csv-stringify/sync";

/** Lines under a heading, as RFC 4180 has them. Formulas are escaped: a spreadsheet would run one that a job has as its name. */
export function csvOf(
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return stringify([head, ...rows], { escape_formulas: true });
}
