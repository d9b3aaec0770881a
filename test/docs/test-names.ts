import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { parse } from "acorn";

/** A test by its title and the titles around it. */
export interface NamedTest {
  readonly group: string | null;
  readonly name: string;
}

type Syntax = Readonly<Record<string, unknown>> & { readonly type: string };

/** The tests of a file, in its order. Of a table each row counts, by the texts that its title shows; nothing is run. */
export function testsIn(path: string): readonly NamedTest[] {
  const code = stripTypeScriptTypes(readFileSync(path, "utf8"), { mode: "strip" });
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module" }) as unknown as Syntax;
  const tables = new Map<string, Syntax>();
  const found: NamedTest[] = [];
  visit(program, null, { tables, found });
  return found;
}

interface Finding {
  /** Lists by the names of their constants: a table may be declared before its test. */
  readonly tables: Map<string, Syntax>;
  readonly found: NamedTest[];
}

function visit(node: unknown, group: string | null, finding: Finding): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, group, finding);
    return;
  }
  if (!isSyntax(node)) return;
  if (node.type === "VariableDeclarator") noteTable(node, finding.tables);
  const call = node.type === "CallExpression" ? calledOf(node, finding.tables) : undefined;
  if (call?.word === "describe") {
    for (const name of call.names) visit(node.arguments, name, finding);
    return;
  }
  if (call !== undefined) {
    for (const name of call.names) finding.found.push({ group, name });
    return;
  }
  for (const child of Object.values(node)) visit(child, group, finding);
}

function noteTable({ id, init }: Syntax, tables: Finding["tables"]): void {
  if (isSyntax(id) && typeof id.name === "string" && isSyntax(init) && init.type === "ArrayExpression")
    tables.set(id.name, init);
}

/** `test("x", …)`, `describe("x", …)`, and both with `.each(table)`. */
function calledOf(
  { callee, arguments: given }: Syntax,
  tables: Finding["tables"],
): { readonly word: "test" | "describe"; readonly names: readonly string[] } | undefined {
  const [first] = given as readonly unknown[];
  const title = textOf(first);
  if (title === undefined || !isSyntax(callee)) return undefined;
  const word = wordOf(callee);
  if (word !== undefined) return { word, names: [title] };
  if (
    callee.type !== "CallExpression" ||
    !isSyntax(callee.callee) ||
    callee.callee.type !== "MemberExpression"
  )
    return undefined;
  const each = wordOf(callee.callee.object);
  const [table] = callee.arguments as readonly unknown[];
  if (each === undefined) return undefined;
  return { word: each, names: rowsOf(table, tables).map((row) => filled(title, row)) };
}

function wordOf(node: unknown): "test" | "describe" | undefined {
  if (!isSyntax(node) || node.type !== "Identifier") return undefined;
  return node.name === "test" || node.name === "describe" ? node.name : undefined;
}

/** Of a table that is worked out, nobody knows the rows: its title stands for all of them. */
function rowsOf(table: unknown, tables: Finding["tables"]): readonly (readonly unknown[])[] {
  const named = isSyntax(table) && table.type === "Identifier" ? tables.get(String(table.name)) : table;
  if (!isSyntax(named) || named.type !== "ArrayExpression") return [[]];
  return (named.elements as readonly unknown[]).map((row) =>
    isSyntax(row) && row.type === "ArrayExpression" ? (row.elements as readonly unknown[]) : [row],
  );
}

function filled(title: string, row: readonly unknown[]): string {
  const values = row.values();
  return title.replaceAll(/%[sdj]/g, (mark) => textOf(values.next().value) ?? mark);
}

function textOf(node: unknown): string | undefined {
  return isSyntax(node) && node.type === "Literal" && typeof node.value !== "object"
    ? String(node.value)
    : undefined;
}

function isSyntax(node: unknown): node is Syntax {
  return typeof node === "object" && node !== null && "type" in node;
}
