import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { topics } from "../../../clients/cli/help/topics.ts";
import { ccscale } from "./in-process.ts";

const program = join(import.meta.dirname, "../../../dist/ccscale/main.js");
const run = (argv: readonly string[]) => promisify(execFile)(process.execPath, [program, ...argv]);

// Each loads other files of the build: all commands, one that looks, the column language and the engine, the storage account.
test.each([
  [["--help"]],
  [["--version"]],
  [["status", "--help"]],
  [["agent", "--help"]],
  [["completion", "zsh"]],
  [["help", "explain"]],
  [["help", "lab"]],
  ...topics.map(({ name }) => [["help", name]]),
])("what is built answers as the sources do: %j", async (argv) => {
  const { stdout, stderr } = await run(argv);
  const here = await ccscale(argv);
  expect(stderr).toBe("");
  // The completion library writes to the process itself.
  if (argv[0] === "completion") expect(stdout).toContain("compdef");
  else expect(stdout).toBe(here.stdout);
});

test("what is built validates a configuration, and says what is wrong", async () => {
  const refused = run(["config", "validate", join(import.meta.dirname, "../../../package.json")]);
  await expect(refused).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("url: missing") });
});
