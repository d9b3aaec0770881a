import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { page } from "../../../clients/cli/help/pager.ts";
import { builtCcscale } from "../../support/local-stack.ts";
import { ownFolder } from "../../support/own-folder.ts";

// Whether a person sees a page through a pager depends on a terminal, so these tests have one.

const root = join(import.meta.dirname, "../../..");
const node = join(root, "node_modules/node/bin/node");
const hasTerminal = spawnSync("script", ["--version"]).error === undefined;

const folder = ownFolder();
/** What a terminal shows of a command line. */
async function onTerminal(words: string, env: Readonly<Record<string, string>>): Promise<string> {
  const line = `stty cols 80 rows 24; ${node} ${builtCcscale} ${words}`;
  const { stdout } = await promisify(execFile)("script", ["-qec", line, "/dev/null"], {
    env: { ...process.env, TERM: "xterm", ...env },
  });
  return stdout.replaceAll("\r\n", "\n");
}

describe.skipIf(!hasTerminal)('on a terminal (skipped without "script" of util-linux)', () => {
  test("PAGER gets the whole page", async () => {
    const file = folder("paged");
    const shown = await onTerminal("help explain", { PAGER: `tee ${file}` });
    const paged = await readFile(file, "utf8");
    expect(paged).toMatch(/^NAME\n {2}ccscale explain - /);
    expect(shown).toContain(paged);
  });

  test("--no-pager, an empty PAGER and one that is not there print the page", async () => {
    const file = folder("none");
    expect(await onTerminal("help explain --no-pager", { PAGER: `tee ${file}` })).toMatch(/^NAME\n/);
    expect(await onTerminal("help exit-codes", { PAGER: "" })).toMatch(/^EXIT CODES\n/);
    expect(await onTerminal("help exit-codes", { PAGER: "no-such-program" })).toMatch(/^EXIT CODES\n/);
    await expect(readFile(file)).rejects.toMatchObject({ code: "ENOENT" });
  });
});

test("in a pipe there is no pager", async () => {
  const file = folder("pipe");
  const { stdout } = await promisify(execFile)(node, [builtCcscale, "help", "explain"], {
    env: { ...process.env, PAGER: `tee ${file}` },
  });
  expect(stdout).toMatch(/^NAME\n/);
  await expect(readFile(file)).rejects.toMatchObject({ code: "ENOENT" });
});

test("page: a pager that is left before the end of the text is no mistake; what cannot be started shows nothing", async () => {
  expect(await page("line\n".repeat(100_000), [["true"]])).toBe(true);
  expect(await page("text", [["no-such-program"], ["true"]])).toBe(true);
  expect(await page("text", [["no-such-program"]])).toBe(false);
  expect(await page("text", [])).toBe(false);
});
