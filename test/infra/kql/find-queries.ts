import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import type { Node } from "web-tree-sitter";
import { type BicepFile, propertyOf, readBicep, walk } from "../bicep/bicep-file.ts";
import type { Place } from "./check-query.ts";

const root = join(import.meta.dirname, "../../..");

/** A query, where it runs, and where it is written. */
export interface Query {
  readonly name: string;
  readonly place: Place;
  readonly text: string;
}

/** Every query of a Bicep file, as it is deployed: strings are put together, parameters have example values. */
export function queriesInBicep(path: string): readonly Query[] {
  const file = readBicep(join(root, path));
  return walk(file.root)
    .filter(({ type }) => type === "object")
    .flatMap((object) => {
      const query = propertyOf(object, "query");
      const name = propertyOf(object, "name");
      if (query === undefined || name === undefined) return [];
      const text = query.type === "identifier" ? exampleOf(query.text, file) : textOf(query, file);
      return [{ name: `${path}: ${textOf(name, file)}`, place: "workspace" as const, text }];
    });
}

/** Every query of the workbook. */
export function queriesInWorkbook(path: string): readonly Query[] {
  const { items } = JSON.parse(readFileSync(join(root, path), "utf8"));
  return items.flatMap(({ name, content }: { name: string; content: { query?: string } }) =>
    content.query === undefined
      ? []
      : [{ name: `${path}: ${name}`, place: "component", text: content.query }],
  );
}

/** Every block of a document that is marked as `kusto`. They are for the workspace's Logs. */
export function queriesInDocs(): readonly Query[] {
  const paths = globSync(["*.md", "docs/**/*.md", "infra/**/*.md", "clients/**/*.md"], { cwd: root });
  return paths.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/^ *```kusto\n([\s\S]*?)^ *```/gm)].map(
      ([, text = ""], index) => ({
        name: `${path}: query ${index + 1}`,
        place: "workspace" as const,
        text,
      }),
    ),
  );
}

/** A string with its interpolations filled in. Throws for one that is more than a variable or a parameter. */
function textOf(string: Node, file: BicepFile): string {
  return string.namedChildren
    .map((part) => {
      if (part?.type === "string_content") return part.text;
      if (part?.type === "escape_sequence") return part.text.slice(1);
      const [inner] = part?.namedChildren ?? [];
      if (inner?.type !== "identifier") throw new Error(`Cannot fill in ${part?.text} in ${file.path}`);
      return exampleOf(inner.text, file);
    })
    .join("");
}

function exampleOf(name: string, file: BicepFile): string {
  const parameter = file.parameters.find((each) => each.name === name);
  if (parameter !== undefined) return parameter.node.text.endsWith(" int") ? "15" : "func-example";
  const variable = file.variables.find((each) => each.name === name);
  const string = variable?.node.namedChildren.find((each) => each?.type === "string");
  if (!string) throw new Error(`Cannot fill in "${name}" in ${file.path}: no string variable of that name`);
  return textOf(string, file);
}
