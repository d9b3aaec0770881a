import { InvariantError } from "../errors/errors.ts";
import { excessOfJson, type JsonLimits, tooManyBytes } from "../json/json-limits.ts";
import type { ArchivedPlan, PlanRecord } from "../ports/index.ts";
import { azureLimits } from "../ports/index.ts";

/** Full string properties that an entity has room for, beside its keys, its columns and the names of all of them. */
const fullProperties = 15;

/** The longest JSON that a row of a table holds, in characters. */
export const longestRow = azureLimits.table.stringCharacters * fullProperties;

/** The JSON of a row's value. Throws InvariantError when it does not fit: the caller must split it. */
export function rowText(row: string, value: unknown): string {
  const text = JSON.stringify(value);
  if (text.length <= longestRow) return text;
  throw new InvariantError(
    `Cannot store row "${row}": ${text.length} characters of JSON, expected at most ${longestRow}`,
  );
}

/** Versions of a configuration that are kept. */
export const mostConfigVersions = 100;

/** The longest JSON text of a packed plan that is kept: every reader has to hold all of it in memory. */
export const largestPlanCharacters = 64 * 1024 * 1024;

export function planTooLarge(limitCharacters: number): string {
  return `the plan takes more than ${limitCharacters} characters, the most that is archived`;
}

/** The line of the index that leads to an archived plan. */
export function recordOf(plan: ArchivedPlan, archivedBytes: number): PlanRecord {
  return plan.archive === "whole"
    ? { ...plan.summary, archive: "whole", archivedBytes }
    : { ...plan.summary, archive: "summary", archiveReason: plan.archiveReason, archivedBytes };
}

export type ReadUpload = string | { readonly refused: string };

/** An upload as text, unless parsing it would take more memory than there is. */
export function textOfUpload(blob: string, bytes: Buffer, limits: JsonLimits): ReadUpload {
  const excess = excessOfJson(bytes, limits);
  return excess === undefined ? bytes.toString("utf8") : { refused: refusedUpload(blob, excess) };
}

/** The problem reported to the sender of a blob that is too large. */
export function tooLarge(blob: string, bytes: number, limits: JsonLimits): string {
  return refusedUpload(blob, tooManyBytes(bytes, limits));
}

function refusedUpload(blob: string, why: string): string {
  return `Cannot read upload "${blob}": ${why}`;
}

/** The problem reported to a sender that names an impossible blob. */
export function noSuchName(blob: string, problem: string): string {
  return `Cannot read upload "${blob.slice(0, 80).toWellFormed()}": ${problem}`;
}
