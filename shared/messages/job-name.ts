import { createHash } from "node:crypto";
import { z } from "zod";

const longestJobName = 256;
const digestLength = 16;

/** Any text. A longer name is cut, and told from others that begin alike by a digest: the job counts like any other. */
export const jobName = z.string().min(1).transform(cutName);

/** The name under which a job is kept: the name that was sent, unless that is too long. */
export function cutName(name: string): string {
  if (name.length <= longestJobName) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, digestLength);
  return `${wellCut(name, longestJobName - digestLength - 1)}~${digest}`;
}

/** The start of a text, without half of a character at its end. */
export function wellCut(text: string, longest: number): string {
  const start = text.slice(0, longest);
  return /[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start;
}
