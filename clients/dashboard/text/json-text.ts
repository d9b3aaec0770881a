import { parseJson } from "../../../shared/json/json.ts";

/** Texts, which end with the text where their end is missing; marks of structure; all other words. */
const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Deeper than that, the indentation would be most of the text. */
const deepest = 50;

/** The same JSON, a value a line. Numbers and texts stay as they are written; what is no JSON stays as a whole. */
export function pretty(text: string): string {
  if (whyNoJson(text) !== undefined) return text;
  let made = "";
  let depth = 0;
  let before = "";
  for (const [token] of text.matchAll(tokens)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const opened = before === "{" || before === "[";
    if (before === ":") made += " ";
    else if (before === "," || (opened ? !closes : closes)) made += `\n${"  ".repeat(depth)}`;
    made += token;
    if (token === "{" || token === "[") depth += 1;
    if (depth > deepest) return text;
    before = token;
  }
  return made;
}

/** The same JSON without spaces between values; what is no JSON stays as it is. */
export function compact(text: string): string {
  return whyNoJson(text) === undefined
    ? Array.from(text.matchAll(tokens), ([token]) => token).join("")
    : text;
}

/** Why a text is no JSON, and where, as far as the browser says; undefined: it is JSON. */
export function whyNoJson(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Level {
  readonly path: string;
  readonly isList: boolean;
  /** Path step of the next value: its index in a list, or its key once read. */
  step: number | string | undefined;
}

/** The line, from 1, on which each value begins, by its path as problems of the service name it: `jobs[3].name`. */
export function linesIn(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  const levels: Level[] = [];
  let line = 1;
  let end = 0;
  const note = (path: string) => {
    if (!lines.has(path)) lines.set(path, line);
  };
  for (const { 0: token, index } of text.matchAll(tokens)) {
    line += breaksIn(text, end, index);
    end = index;
    const level = levels.at(-1);
    if (token === "}" || token === "]") levels.pop();
    else if (token === ",") {
      if (level !== undefined) level.step = typeof level.step === "number" ? level.step + 1 : undefined;
    } else if (token !== ":") {
      if (level !== undefined && level.step === undefined) level.step = token.replace(/^"|"$/g, "");
      const path = pathTo(level);
      note(path);
      if (token === "{" || token === "[") {
        if (levels.length === deepest) break;
        levels.push({ path, isList: token === "[", step: token === "[" ? 0 : undefined });
      }
    }
  }
  return lines;
}

function breaksIn(text: string, from: number, until: number): number {
  let breaks = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < until; at = text.indexOf("\n", at + 1)) breaks += 1;
  return breaks;
}

function pathTo(level: Level | undefined): string {
  if (level === undefined) return "";
  const { path, isList, step } = level;
  return isList ? `${path}[${step}]` : `${path}${path === "" ? "" : "."}${step}`;
}

/** The line that a problem is about: of the value at its head or, where that is missing, of what should hold it. */
export function lineOf(problem: string, lines: ReadonlyMap<string, number>): number | undefined {
  const named = /\bline (\d+) column/.exec(problem)?.[1];
  if (named !== undefined) return Number(named);
  let [path = ""] = problem.split(": ");
  while (path !== "" && !lines.has(path)) path = path.replace(/(?:^|\.|\[)[^.[]*$/, "");
  return path === "" ? undefined : lines.get(path);
}
