import { foldedName } from "../../../../shared/api/index.ts";
import type { Column, Expression } from "./column.ts";

/** Columns of them all: `resources` itself, or `available.ncpus`, which leads through it. */
const wholes: ReadonlySet<string> = new Set(["resources", "available"]);

/** What may be a resource's name of all that columns show; undefined where they show all resources. */
export function resourcesShown(columns: readonly Column[]): readonly string[] | undefined {
  const paths = columns.map(({ expression }) => nameOf(expression));
  const names = new Set(paths.flatMap((path) => [path, path.split(".", 1)[0] ?? path]));
  return [...names].some((name) => wholes.has(foldedName(name))) ? undefined : [...names];
}

function nameOf(expression: Expression): string {
  return expression.kind === "slice" ? nameOf(expression.of) : expression.name;
}
