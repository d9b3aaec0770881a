import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createProgram } from "../../../clients/cli/program.ts";
import { type Example, examples, wordsOf } from "../../../clients/cli/reference/examples.ts";
import { commandPage } from "../../../clients/cli/reference/page.ts";
import { serve, stopServing } from "./acting-service.ts";
import { archiveOf, busyWorld } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";
import { screen } from "./output/screen.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "reference-"));
  const world = await busyWorld();
  await world.receive({
    ...{ version: 1, kind: "targets", cluster: "hpc", source: "cron", sequence: 1 },
    sentAt: new Date(world.now() * 1000).toISOString(),
    arrays: [{ Name: "htc", TargetCount: 2 }],
  });
  await archiveOf(world, folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(stopServing);

const all: readonly Example[] = Object.values(examples).flat();
const on = (what: Example["on"]) => all.filter((example) => example.on === what).map(({ line }) => line);

test("the command page is what the commands say (npm run commands writes it)", async () => {
  const page = await readFile(new URL("../../../clients/cli/COMMANDS.md", import.meta.url), "utf8");
  expect(commandPage(await createProgram(screen()))).toBe(page);
});

test("each command is found by its name alone", async () => {
  const names = (await createProgram(screen())).commands.map((each) => each.name());
  for (const name of names.filter((each) => each !== "complete"))
    expect((await createProgram(screen(), name)).commands.map((each) => each.name())).toEqual([name]);
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

describe("examples", () => {
  test.each(on("files"))("ccscale %s", async (line) => {
    const { code, stdout, stderr } = await ccscale([...wordsOf(line), "--offline", folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toBe("");
  });

  test.each(on("service"))("ccscale %s", async (line) => {
    const bodies = await serve();
    const { code, stderr } = await ccscale(wordsOf(line));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(bodies).toHaveLength(1);
  });

  test.each(on("nothing").filter((line) => !line.startsWith("completion")))("ccscale %s", async (line) => {
    expect(await ccscale(wordsOf(line))).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("completion", () => {
  async function printed(argv: readonly string[]): Promise<string> {
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    await ccscale(argv);
    log.mockRestore();
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

test("every command that acts can say what it would do instead", async () => {
  const program = await createProgram(screen());
  const leaves = (command: Command): readonly Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
  const acting = program.commands.filter((command) => command.helpGroup() === "Act:").flatMap(leaves);
  const without = acting.filter(({ options }) => !options.some(({ long }) => long === "--dry-run"));
  expect(acting.length).toBeGreaterThan(15);
  expect(without.map((command) => command.name())).toEqual([]);
});
