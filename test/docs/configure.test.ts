import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { autostopSchema, configSchema, nodeArraySchema } from "../../shared/config/config-schema.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/configure.md"), "utf8");
/** What stands in the first column of the page's tables. */
const named = new Set(
  page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)),
);

describe("docs/configure.md", () => {
  /** Their own keys have rows. */
  const parents = ["autostop", "nodearrays"];
  const keys = Object.keys(configSchema.shape).filter((key) => !parents.includes(key));
  test.each(keys)("has a row for %s", (key) => {
    expect([...named]).toContain(key);
  });

  test.each(Object.keys(autostopSchema.shape))("has a row for autostop.%s", (key) => {
    expect([...named]).toContain(`autostop.${key}`);
  });

  test.each(Object.keys(nodeArraySchema.shape))("has a row for %s of a node array", (key) => {
    expect([...named].some((name) => name.endsWith(`.${key}`))).toBe(true);
  });
});
