import { z } from "zod";
import type { WhereKey } from "../names/where-keys.ts";
import { optional } from "./builders.ts";

/** In the query of a list. */
export function whereQuery(keys: Readonly<Record<string, WhereKey>>) {
  const names = Object.entries(keys).map(([key, { about }]) => `${key} (${about})`);
  return optional(
    z.string().max(2_000),
    `Terms with blanks between them, such as \`state:idle -user:ann\` or \`${"cost" in keys ? "cost>10" : "waits>1h"}\`: all must hold; of several values with commas, one. Keys: ${names.join("; ")}`,
  );
}
