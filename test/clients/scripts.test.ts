import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";

const clients = join(import.meta.dirname, "../../clients");
const ignore = ["**/node_modules/**"];
const scripts = globSync(["**/*.sh", "**/specs/**/bin/jetpack"], { cwd: clients, ignore }).sort();
const programs = globSync("**/specs/**/*.py", { cwd: clients, ignore }).sort();

function run(program: string, ...args: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: clients, encoding: "utf8" });
  return { isThere: error === undefined, status, output: `${stdout}${stderr}` };
}

const noShellcheck = run("shellcheck", "--version").isThere ? "" : " (skipped: apt-get install shellcheck)";
const noPython = run("python3", "--version").isThere ? "" : " (skipped: python3 is not installed)";

describe("scripts of nodes and schedulers' hosts", () => {
  test("are found", () => {
    expect(scripts.length).toBeGreaterThan(12);
    expect(programs.length).toBeGreaterThan(8);
  });

  test.each(scripts)("%s can be read by bash", (script) => {
    expect(run("bash", "-n", script)).toMatchObject({ status: 0, output: "" });
  });

  test.skipIf(noShellcheck !== "").each(scripts)(`%s passes shellcheck${noShellcheck}`, (script) => {
    expect(run("shellcheck", script)).toMatchObject({ status: 0, output: "" });
  });

  // With pipefail, a program whose reader has gone fails by SIGPIPE: a manager that is listed first would be "no manager".
  test.each(scripts)("%s gives no pipe to a reader that stops early", (script) => {
    const lines = readFileSync(join(clients, script), "utf8").split("\n");
    const early = /[^|]\|\s*(grep\s+(-\w*[qlm]|--quiet|--max-count)|head\b|sed\s.*\bq\b|read\b)/;
    expect(lines.filter((line) => !/^\s*#/.test(line) && early.test(line))).toEqual([]);
  });

  test.skipIf(noPython !== "").each(programs)(`%s can be read by Python${noPython}`, (program) => {
    const check = "import ast, sys; ast.parse(open(sys.argv[1]).read())";
    expect(run("python3", "-c", check, program)).toMatchObject({ status: 0, output: "" });
  });
});
