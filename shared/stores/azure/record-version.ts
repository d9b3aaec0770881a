import { InvariantError } from "../../errors/errors.ts";

/**
 * The form in which records are written. Adding a field needs no new number: an older program ignores it. Take the next
 * number for a change that an older program would misread, and convert older records where they are read, by the number
 * that `checkVersion` returns.
 */
export const recordVersion = 1;

/**
 * The version of a stored record. Throws InvariantError for a version newer than `newest`, which a rollback can leave
 * behind: it must not be misread. Rows that only point to others, and blobs that senders or operators wrote, have none.
 */
export function checkVersion(
  version: string | number | undefined,
  record: string,
  newest: number = recordVersion,
): number {
  const number = Number(version ?? recordVersion);
  if (Number.isInteger(number) && number >= 1 && number <= newest) return number;
  throw new InvariantError(
    `Cannot read ${record}: version "${version}" of records, expected at most ${newest}; deploy the newer program again`,
  );
}
