import type { z } from "zod";
import { redactMember } from "./redact.ts";

const longestValue = 80;
const longestSentence = 1_000;
const mostSentences = 50;

/** So many and so long: names in a configuration may be of any length, and what is said of them goes to answers and logs. */
export function bounded(sentences: readonly string[]): readonly string[] {
  const shown = sentences
    .slice(0, mostSentences)
    .map((each) => (each.length <= longestSentence ? each : `${each.slice(0, longestSentence)}…`));
  const more = sentences.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

/** Every problem of a configuration: `nodearrays.htc.keep_alive: "yes", expected true or false`. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const params: { place?: string; secret?: boolean } = (issue.code === "custom" && issue.params) || {};
    const where = issue.path.length === 0 ? "configuration" : pathText(issue.path);
    const key = issue.path.findLast((step) => typeof step === "string") ?? "";
    if (params.place !== undefined) return `${where}${params.place}: ${issue.message}`;
    // The whole file is not quoted either: it may hold a password.
    const isSecret = params.secret === true || issue.path.length === 0;
    if (isSecret || issue.code === "unrecognized_keys") return `${where}: ${issue.message}`;
    return `${where}: ${issue.input === undefined ? "missing" : shown(issue.input, String(key))}, ${issue.message}`;
  });
}

/** `jobs[3].constraints[0].ncpus` */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("");
}

/** A value as JSON, without what is called or looks like a secret, and cut short. */
export function shown(value: unknown, key = ""): string {
  const json = JSON.stringify(redactMember(key, value)) ?? String(value);
  return json.length <= longestValue ? json : `${json.slice(0, longestValue)}…`;
}
