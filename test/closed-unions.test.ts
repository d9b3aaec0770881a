import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { type CaseBlock, type Node, SyntaxKind } from "typescript/unstable/ast";
import { isCaseClause, isSwitchStatement } from "typescript/unstable/ast/is";
import { API, type Checker, type Type, TypeFlags } from "typescript/unstable/sync";
import { afterAll, beforeAll, expect, test } from "vitest";

/**
 * A `switch` on a closed union names every member and has no `default:`, but for one that only says `satisfies never`: the compiler, or
 * this test, then names each place that a new member has to be thought of. What is closed is asked of the compiler, so that no list of names or exceptions is kept here.
 */

const root = join(import.meta.dirname, "..");
const files = globSync(["{shared,functions,clients,infra,test}/**/*.{ts,tsx}"], {
  cwd: root,
  ignore: ["**/node_modules/**", "**/dist/**"],
}).filter((file) => readFileSync(join(root, file), "utf8").includes("switch ("));

interface Choice {
  readonly where: string;
  /** The members of a closed union; null: open, such as any text or number. */
  readonly members: readonly string[] | null;
  readonly named: readonly string[];
  readonly hasDefault: boolean;
}

let choices: readonly Choice[] = [];
let api: API | undefined;

beforeAll(() => {
  api = new API({ cwd: root });
  const projects = ["tsconfig.json", "clients/dashboard/tsconfig.json"].flatMap(
    (openProject) => api?.updateSnapshot({ openProject: join(root, openProject) }).getProjects() ?? [],
  );
  choices = files.flatMap((file) => {
    for (const { program, checker } of projects) {
      const source = program.getSourceFile(join(root, file));
      if (source !== undefined) return choicesIn(source, file, checker);
    }
    throw new Error(`Cannot check the switches of ${file}: it is in no project of TypeScript`);
  });
});

afterAll(() => api?.close());

function choicesIn(source: Node & { readonly text: string }, file: string, checker: Checker): Choice[] {
  const found: Choice[] = [];
  const walk = (node: Node): void => {
    if (isSwitchStatement(node)) {
      const line = source.text.slice(0, node.pos).split("\n").length + 1;
      const { expression, caseBlock } = node;
      // What `typeof` gives is the language's union, not one of ours.
      const isOfLanguage = expression.kind === SyntaxKind.TypeOfExpression;
      const type = isOfLanguage ? undefined : checker.getTypeAtLocation(expression);
      found.push({
        where: `${file}:${line} switch (${expression.getText()})`,
        members: type === undefined ? null : membersOf(type, checker),
        named: namedIn(caseBlock, checker),
        hasDefault: caseBlock.clauses.some(
          (clause) => !isCaseClause(clause) && !clause.getText().endsWith(" satisfies never;"),
        ),
      });
    }
    node.forEachChild(walk);
  };
  walk(source);
  return found;
}

function namedIn({ clauses }: CaseBlock, checker: Checker): string[] {
  return clauses.filter(isCaseClause).flatMap(({ expression }) => {
    const type = checker.getTypeAtLocation(expression);
    return type === undefined ? [] : [checker.typeToString(type)];
  });
}

const closed = TypeFlags.Literal | TypeFlags.Null | TypeFlags.Undefined;

function membersOf(type: Type, checker: Checker): readonly string[] | null {
  const members = type.isUnionType() ? type.getTypes() : [type];
  return members.every(({ flags }) => (flags & closed) !== 0)
    ? members.map((member) => checker.typeToString(member))
    : null;
}

test("switches are found, closed ones and open ones", () => {
  expect(choices.filter(({ members }) => members !== null).length).toBeGreaterThan(40);
  expect(choices.filter(({ members, hasDefault }) => members === null && hasDefault).length).toBeGreaterThan(
    5,
  );
  expect(
    choices.find(({ where }) => where.startsWith("shared/engine/ledger/shared-properties.ts"))?.members,
  ).toContain('"nodearray"');
});

test("no switch on a closed union has a default that takes what is not named", () => {
  const breaches = choices.filter(({ members, hasDefault }) => members !== null && hasDefault);
  expect(breaches.map(({ where }) => where)).toEqual([]);
});

// A test may pick some members of a union and leave the rest to the line below its switch.
test("a switch of the product on a closed union names every member", () => {
  const breaches = choices
    .filter(({ where }) => !where.startsWith("test/"))
    .flatMap(({ where, members, named }) => {
      const missing = (members ?? []).filter((member) => !named.includes(member));
      return missing.length === 0 ? [] : [`${where}: ${missing.join(", ")}`];
    });
  expect(breaches).toEqual([]);
});
