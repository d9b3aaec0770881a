import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Paths in a folder that the tests around have for themselves: made when first used, and gone after all of them, or after each. */
export function ownFolder(
  after: (end: () => Promise<void>) => void = afterAll,
): (...names: string[]) => string {
  let path: string | undefined;
  after(async () => {
    if (path !== undefined) await rm(path, { recursive: true, force: true });
    path = undefined;
  });
  return (...names) => {
    path ??= mkdtempSync(join(tmpdir(), "own-"));
    return join(path, ...names);
  };
}
