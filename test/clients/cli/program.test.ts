import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandGroups, commandNames } from "../../../clients/cli/command-table.ts";
import { ccscale, jsonLines } from "./in-process.ts";
import { fixture, line, scenario } from "./scenarios.ts";

test.each([
  ["no command", [], "Usage: ccscale"],
  ["an unknown command", ["plant"], "unknown command 'plant'"],
  ["an unknown option", ["plan", "--json"], "unknown option '--json'"],
  [
    "plan without input",
    ["plan"],
    "nothing to plan, expected --json-lines, --scenario <file> or --example <name>",
  ],
  ["plan with two inputs", ["plan", "--json-lines", "--scenario", "x"], "cannot be used with"],
  [
    "autoscale without a wish",
    ["autoscale", "--name", "htc"],
    "expected --name with --corecount, --gpucount or",
  ],
  ["autoscale of two kinds", ["autoscale", "-n", "a", "--corecount", "1", "-i", "1"], "cannot be used with"],
  [
    "autoscale of GPUs and nodes",
    ["autoscale", "-n", "a", "--gpucount", "1", "-i", "1"],
    "cannot be used with",
  ],
  [
    "autoscale of less than nothing",
    ["autoscale", "-n", "a", "--corecount", "-1"],
    "expected a whole number",
  ],
  ["replay without input", ["replay"], "expected --plan <id> or --json-lines"],
  ["a compatibility nobody knows", ["plan", "--compatibility", "x"], "Allowed choices are scalelib, none"],
])("usage: %s ends with 2 and says what is wanted", async (_, argv, words) => {
  const { code, stdout, stderr } = await ccscale(argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(words);
});

test("usage: help is no mistake", async () => {
  const { code, stdout } = await ccscale(["plan", "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("--scenario <file>");
});

test.each([[["--help"]], [["help"]], [[]]])("usage: %j lists every command, each in a line", async (argv) => {
  const { stdout, stderr } = await ccscale(argv);
  for (const { name, summary } of commandGroups.flatMap(({ commands }) => commands))
    expect(stdout + stderr).toMatch(
      new RegExp(`^ {2}${name} +${summary.slice(0, 20).replace(/[()]/g, ".")}`, "m"),
    );
});

test("usage: help names the service and the commands of a day first, and a command's help its examples", async () => {
  const { stdout } = await ccscale(["--help"]);
  expect(stdout.split("\n")[0]).toMatch(/^(No service is set|Service: )/);
  expect(stdout.indexOf("Every day:")).toBeGreaterThan(0);
  expect(stdout.indexOf("Every day:")).toBeLessThan(stdout.indexOf("Usage:"));
  const daily = stdout.slice(stdout.indexOf("Every day:"), stdout.indexOf("Usage:"));
  const names = [...daily.matchAll(/^ {2}ccscale (\S+)/gm)].map((match) => match[1] ?? "");
  expect(names).toHaveLength(10);
  for (const name of names) expect(commandNames).toContain(name);
  const { stdout: explain } = await ccscale(["help", "explain"]);
  expect(explain).toContain(
    "\nEXAMPLES\n  why it waits, and what would make it fit:\n    $ ccscale explain 1202\n",
  );
  expect((await ccscale(["config", "set", "--help"])).stdout).toContain(
    "ccscale config set idle_timeout.htc 600",
  );
});

test("usage: help with a command is that command's page", async () => {
  const { code, stdout } = await ccscale(["help", "drain"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^NAME\n {2}ccscale drain - /) });
});

test("usage: a mistyped command is answered with the one that is meant", async () => {
  const { code, stderr } = await ccscale(["statsu"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Did you mean status?") });
});

test.each([
  ["is missing", "no-such.json", "ENOENT"],
  ["is no JSON", "../scenarios.ts", "it is not JSON"],
  ["is no scenario", "slots.json", "clusterStatus: "],
])("failure: a scenario's file that %s ends with 1", async (_, file, words) => {
  const { code, stdout, stderr } = await ccscale(["plan", "--scenario", fixture(file)]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`error: Cannot plan "${fixture(file)}": `);
  expect(stderr).toContain(words);
});

test("main: works as a process of its own", async () => {
  const main = fileURLToPath(new URL("../../../clients/cli/main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, "plan", "--json-lines"]);
  child.stdin.end(line(scenario()) + line({ name: "bad" }));
  const ended = once(child, "exit");
  const answers = jsonLines(await text(child.stdout));
  expect(answers).toMatchObject([{ name: "two-sizes" }, { name: "bad", error: expect.any(String) }]);
  expect(await ended).toEqual([1, null]);
});

test.each([
  ["pause", "--reason <words> [options]"],
  ["push", "--source <name> [options]"],
  ["nodes", "[options]"],
])("the usage of %s names the options that it requires", async (name, usage) => {
  const { stdout } = await ccscale([name, "--help"]);
  expect(stdout).toContain(`Usage: ccscale ${name} ${usage}`);
});
