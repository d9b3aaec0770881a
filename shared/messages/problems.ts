import type { z } from "zod";
import { pathText } from "../text/describe-issues.ts";
import { redactMember } from "../text/redact.ts";

const mostProblems = 50;
const longestValue = 80;
const longestPath = 200;
const longestWish = 500;

/**
 * What is wrong with a value, one sentence a problem: `part.index: -2, too small: expected number to be >=0`. Bounded in
 * number and length, so that a hostile message cannot fill the rejections table. `root` names the value itself.
 */
export function describeProblems(
  error: z.ZodError,
  { root = "message", most = mostProblems }: { readonly root?: string; readonly most?: number } = {},
): string[] {
  const sentences: string[] = [];
  for (const [index, issue] of error.issues.entries()) {
    sentences.push(...describe(issue, { root, parent: [] }));
    if (sentences.length < most) continue;
    const more = sentences.length - most + error.issues.length - index - 1;
    return [
      ...sentences.slice(0, most),
      ...(more > 0 ? [`and at least ${more} more ${more === 1 ? "problem" : "problems"}`] : []),
    ];
  }
  return sentences;
}

function describe(
  issue: z.core.$ZodIssue,
  { root, parent }: { readonly root: string; readonly parent: readonly PropertyKey[] },
): string[] {
  const path = [...parent, ...issue.path];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const closest = issue.errors.reduce((best, branch) => (branch.length < best.length ? branch : best));
    return closest.flatMap((inner) => describe(inner, { root, parent: path }));
  }
  const wanted = cut(issue.message.charAt(0).toLowerCase() + issue.message.slice(1), longestWish);
  const where = cut(path.length === 0 ? root : pathText(path), longestPath);
  const isSecret = issue.code === "custom" && issue.params?.secret === true;
  // The object that has such keys says nothing more.
  if (issue.input === undefined || isSecret || issue.code === "unrecognized_keys")
    return [`${where}: ${wanted}`];
  const key = path.findLast((step) => typeof step === "string") ?? "";
  return [`${where}: ${shown(redactMember(key, issue.input))}, ${wanted}`];
}

/** A value as JSON, cut short: enough to find it in the sender's data. */
export function shown(value: unknown): string {
  const text = textOf(value);
  return text.length <= longestValue ? text : `${cut(text, longestValue)} (${text.length} characters)`;
}

/** JSON.parse takes any depth; JSON.stringify runs out of stack at some thousand levels. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return "a value nested too deeply to be shown";
  }
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
