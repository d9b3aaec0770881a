import type { z } from "zod";

const mostProblems = 50;
const longestValue = 80;

/**
 * What is wrong with a value, one sentence a problem: `jobs[3].iterations: -2, too small: expected number to be
 * >=0`. Bounded in number and length, so that a hostile message cannot fill the rejections table.
 */
export function describeProblems(error: z.ZodError): string[] {
  const sentences = error.issues.flatMap((issue) => describe(issue, []));
  if (sentences.length <= mostProblems) return sentences;
  return [...sentences.slice(0, mostProblems), `and ${sentences.length - mostProblems} more problems`];
}

function describe(issue: z.core.$ZodIssue, parent: readonly PropertyKey[]): string[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best));
    return closest.flatMap((inner) => describe(inner, path));
  }
  const wanted = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  const where = pathText(path);
  return [issue.input === undefined ? `${where}: ${wanted}` : `${where}: ${shown(issue.input)}, ${wanted}`];
}

/** `jobs[3].constraints[0].ncpus`; the whole message is called "message". */
function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "message";
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index > 0 ? "." : ""}${String(step)}`))
    .join("");
}

/** A value as JSON, cut short: enough to find it in the sender's data. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}… (${text.length} characters)`;
}
