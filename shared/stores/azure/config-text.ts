import { ConfigurationError } from "../../errors/errors.ts";
import { excessOfJson, smallestLimits, tooManyBytes } from "../../json/json-limits.ts";
import type { Blob, Container, TooLarge } from "./container.ts";

/** The most bytes of one file, the same as in the API. People write some kilobytes. */
const limits = { ...smallestLimits, bytes: 1024 * 1024 };
/** The most bytes of a configuration with all its includes. */
const mostBytesInAll = 4 * 1024 * 1024;

export interface ConfigText {
  readonly text: string;
  readonly bytes: number;
  readonly etag: string;
}

/** A configuration file, or one that is included. Throws ConfigurationError for one that is too large to be one. */
export async function readConfigText(container: Container, path: string): Promise<ConfigText | undefined> {
  const blob = await container.readAtMost(path, limits.bytes);
  return blob && textOf(path, blob);
}

/** "unchanged" when the file still has this ETag. */
export async function readChangedConfigText(
  container: Container,
  path: string,
  etag: string,
): Promise<ConfigText | "unchanged" | undefined> {
  const blob = await container.readUnlessAtMost(path, etag, limits.bytes);
  return blob === undefined || blob === "unchanged" ? blob : textOf(path, blob);
}

function textOf(path: string, blob: Blob | TooLarge): ConfigText {
  if ("tooLarge" in blob) throw tooLarge(path, tooManyBytes(blob.tooLarge, limits));
  const excess = excessOfJson(blob.bytes, limits);
  if (excess !== undefined) throw tooLarge(path, excess);
  return { text: blob.bytes.toString("utf8"), bytes: blob.bytes.length, etag: blob.etag };
}

/** Reads what a configuration includes; throws ConfigurationError when all of it is too much. */
export function includesReader(container: Container): (path: string) => Promise<string | undefined> {
  let bytes = 0;
  return async (path) => {
    const file = await readConfigText(container, path);
    bytes += file?.bytes ?? 0;
    if (bytes > mostBytesInAll)
      throw tooLarge(path, `with the includes before it more than ${mostBytesInAll} bytes`);
    return file?.text;
  };
}

function tooLarge(path: string, why: string): ConfigurationError {
  return new ConfigurationError(`"${path}"`, [why]);
}
