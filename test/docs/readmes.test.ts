import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const ignore = ["**/node_modules/**", "dist/**", ".package/**", ".local/**"];
const readmes = globSync(["*/**/README.md"], { cwd: root, ignore: [...ignore, "docs/**", "examples/**"] });

const textOf = (file: string) => readFileSync(join(root, file), "utf8");

describe("READMEs of folders", () => {
  test("each part of shared, each client and each local part has one", () => {
    const parts = globSync(["shared/*/index.ts", "clients/*/*", "infra/local/*/index.ts"], {
      cwd: root,
      ignore,
    })
      .map((file) =>
        file
          .split("/")
          .slice(0, file.startsWith("infra") ? 3 : 2)
          .join("/"),
      )
      .filter((part) => part !== "shared/facts" || existsSync(join(root, part)));
    expect([...new Set(parts)].filter((part) => !readmes.includes(`${part}/README.md`)).toSorted()).toEqual(
      [],
    );
  });

  test.each(readmes)("%s has at most 60 lines: more is for docs", (file) => {
    expect(textOf(file).trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  });
});
