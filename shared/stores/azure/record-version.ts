import { InvariantError } from "../../errors.ts";

/**
 * The form in which records are written. Fields may be added to it without another number: readers take those that they
 * do not know for absent. A larger number is for a change that an older program would misread.
 */
export const recordVersion = 1;

/**
 * Throws InvariantError for a record of a newer program, which a rollback can leave behind: it must not be misread. One
 * without a version was written before there were any, in the first form.
 */
export function checkVersion(
  version: string | number | undefined,
  record: string,
  newest: number = recordVersion,
): void {
  const number = Number(version ?? recordVersion);
  if (Number.isInteger(number) && number >= 1 && number <= newest) return;
  throw new InvariantError(
    `Cannot read ${record}: version "${version}" of records, expected at most ${newest}; deploy the newer program again`,
  );
}
