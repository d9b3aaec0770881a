import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { type Node, parse } from "acorn";
import { globSync } from "tinyglobby";
import { z } from "zod";

const root = join(import.meta.dirname, "../..");

/** A regular expression of the product, where it is written. */
export interface Expression {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

export interface Found {
  readonly expressions: readonly Expression[];
  /** Calls of `RegExp`: what they are made of is known only at run time. */
  readonly made: readonly string[];
}

/** Every regular expression of the product, read off its syntax trees: a new one is found without being listed anywhere. */
export function findExpressions(): Found {
  const files = globSync(["{shared,functions,clients,infra}/**/*.{ts,js,mjs}"], { cwd: root }).sort();
  const expressions: Expression[] = [];
  const made: string[] = [];
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    // Types become blanks: what is left stands where it stood.
    const code = file.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
    const placeOf = (node: Node) => `${file}:${code.slice(0, node.start).split("\n").length}`;
    for (const node of nodesOf(parse(code, { ecmaVersion: "latest", sourceType: "module" }))) {
      const found = literalOf(node) ?? formatOf(node);
      if (found !== undefined) expressions.push({ place: placeOf(node), ...found });
      if (makesExpression(node)) made.push(placeOf(node));
    }
  }
  return { expressions, made };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const member of value) yield* nodesOf(member);
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function literalOf(node: Node): { source: string; flags: string } | undefined {
  if (!("regex" in node)) return undefined;
  const { pattern, flags } = node.regex as { pattern: string; flags: string };
  return { source: pattern, flags };
}

/** zod's own formats are regular expressions too: `z.iso.datetime()`, `z.email()`. */
function formatOf(node: Node): { source: string; flags: string } | undefined {
  const [owner, name] = memberOf(node);
  const formats: Readonly<Record<string, unknown>> = z.regexes;
  if (name === undefined || !/^z(\.iso)?$/.test(owner ?? "") || !Object.hasOwn(formats, name))
    return undefined;
  const format = formats[name];
  const made: unknown = typeof format === "function" ? format({ offset: true, local: true }) : format;
  return made instanceof RegExp ? { source: made.source, flags: made.flags } : undefined;
}

/** `["z.iso", "datetime"]` of `z.iso.datetime`. */
function memberOf(node: Node): readonly (string | undefined)[] {
  if (node.type !== "MemberExpression" || !("object" in node) || !("property" in node)) return [];
  const owner = node.object as Node;
  const [above, own] = memberOf(owner);
  return [own === undefined ? nameOf(owner) : `${above}.${own}`, nameOf(node.property as Node)];
}

function nameOf(node: Node): string | undefined {
  return "name" in node && typeof node.name === "string" ? node.name : undefined;
}

function makesExpression(node: Node): boolean {
  const isCall = node.type === "NewExpression" || node.type === "CallExpression";
  return isCall && "callee" in node && nameOf(node.callee as Node) === "RegExp";
}
