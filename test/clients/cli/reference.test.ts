import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { describe, expect, test, vi } from "vitest";
import { createProgram } from "../../../clients/cli/program.ts";
import { commandPage } from "../../../clients/cli/reference/command-page.ts";
import { examples } from "../../../clients/cli/reference/examples.ts";
import { readPrinted } from "../../../clients/cli/reference/read-printed.ts";
import { ccscale } from "./in-process.ts";
import { screen } from "./output/screen.ts";

test("the command page is what the commands say (npm run commands writes it)", async () => {
  const page = await readFile(new URL("../../../docs/commands.md", import.meta.url), "utf8");
  expect(commandPage(await createProgram(screen()), readPrinted())).toBe(page);
});

test("each command is found by its name alone", async () => {
  const names = (await createProgram(screen())).commands.map((each) => each.name());
  for (const name of names)
    expect((await createProgram(screen(), { only: name })).commands.map((each) => each.name())).toEqual([
      name,
    ]);
});

test("every example is of a command that there is", async () => {
  const program = await createProgram(screen());
  for (const name of Object.keys(examples)) {
    const found = name
      .split(" ")
      .reduce<typeof program | undefined>(
        (at, word) => at?.commands.find((each) => each.name() === word),
        program,
      );
    expect(found?.name(), name).toBe(name.split(" ").at(-1));
  }
});

test("every command that acts can say what it would do instead", async () => {
  const program = await createProgram(screen());
  const leaves = (command: Command): readonly Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const acting = program.commands.filter((command) => command.helpGroup() === "Act:").flatMap(leaves);
  const without = acting.filter(({ options }) => !options.some(({ long }) => long === "--dry-run"));
  expect(acting.length).toBeGreaterThan(15);
  expect(without.map((command) => command.name())).toEqual([]);
});

test("every command that does something has an example", async () => {
  const leaves = (command: Command, path: readonly string[]): readonly string[] => {
    const children = command
      .createHelp()
      .visibleCommands(command)
      .filter((each) => each.name() !== "help");
    if (children.length === 0) return [path.join(" ")];
    return children.flatMap((child) => leaves(child, [...path, child.name()]));
  };
  expect(Object.keys(examples)).toEqual(
    expect.arrayContaining([...leaves(await createProgram(screen()), [])]),
  );
});

test("every example was run on the local environment", () => {
  const printed = readPrinted();
  const lines = Object.values(examples).flatMap((each) => each.map(({ line }) => line));
  expect(lines.filter((line) => !printed.has(line))).toEqual([]);
});

describe("completion", () => {
  async function printed(argv: readonly string[]): Promise<string> {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    await ccscale(argv);
    vi.restoreAllMocks();
    return lines.join("\n");
  }

  test.each([
    ["bash", "complete"],
    ["zsh", "compdef"],
    ["fish", "complete"],
  ])("a script for %s that asks this program", async (shell, word) => {
    const script = await printed(["completion", shell]);
    expect(script).toContain(word);
    expect(script).toContain("ccscale");
  });

  test.each([
    ["commands", ["sta"], "status\t"],
    ["commands of commands", ["config", ""], "push\t"],
    ["options", ["nodes", "--node"], "--nodearray\t"],
    ["choices of an option", ["jobs", "--state", ""], "waiting\t"],
  ])("%s", async (_, words, expected) => {
    expect(await printed(["complete", "--", ...words])).toContain(expected);
  });
});
