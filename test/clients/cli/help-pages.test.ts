import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { commandGroups, commandNames } from "../../../clients/cli/command-table.ts";
import { markdownText } from "../../../clients/cli/help/markdown-text.ts";
import { pagersOf } from "../../../clients/cli/help/pager.ts";
import { textOf } from "../../../clients/cli/help/topic-text.ts";
import { topics } from "../../../clients/cli/help/topics.ts";
import { createProgram, run } from "../../../clients/cli/program.ts";
import { examples } from "../../../clients/cli/reference/examples.ts";
import { ccscale } from "./in-process.ts";
import { screen } from "./output/screen.ts";

const docs = join(import.meta.dirname, "../../../docs");
const rows = commandGroups.flatMap(({ commands }) => commands);
const headings = ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT CODES", "SEE ALSO"];

afterEach(() => vi.unstubAllEnvs());

/** Every command with its words, those of commands too. */
async function every(): Promise<readonly (readonly [name: string, command: Command])[]> {
  const within = (command: Command, name: string): (readonly [string, Command])[] => [
    [name, command],
    ...command.commands
      .filter((child) => child.name() !== "help")
      .flatMap((child) => within(child, `${name} ${child.name()}`)),
  ];
  return (await createProgram(screen())).commands.flatMap((command) => within(command, command.name()));
}

/** The lines below a heading. */
function sectionOf(page: string, heading: string): string {
  return page.split(new RegExp(`^${heading}\n`, "m"))[1]?.split(/^[A-Z][A-Z ]+$/m)[0] ?? "";
}

test("every command has a page with all of its options and examples", async () => {
  for (const [name, command] of await every()) {
    const { code, stdout } = await ccscale(["help", ...name.split(" ")]);
    expect([name, code]).toEqual([name, 0]);
    for (const heading of headings) expect(stdout).toMatch(new RegExp(`^${heading}$`, "m"));
    expect(sectionOf(stdout, "NAME")).toContain(`ccscale ${name} - `);
    const options = command.commands.length > 0 ? [] : command.options.filter(({ hidden }) => !hidden);
    for (const { flags } of options) expect(`\n${sectionOf(stdout, "OPTIONS")}`).toContain(`\n  ${flags}\n`);
    for (const { line } of examples[name] ?? []) expect(stdout).toContain(`    $ ccscale ${line}\n`);
  }
});

test("a page shows what an example printed", async () => {
  const { stdout } = await ccscale(["help", "config", "set"]);
  expect(stdout).toContain("$ ccscale config set idle_timeout.htc 600 --yes --by ann\n    Would store");
  expect((await ccscale(["help", "limits"])).stdout).toMatch(/^ {4}LIMIT +SCOPE +UNIT/m);
});

test.each([40, 80, 120])("on a screen of %i columns nothing is wider that can be broken", async (columns) => {
  for (const words of [["explain"], ["drain"], ["lab"], ["nodes"], ["exit-codes"], ["selection"]]) {
    const terminal = screen({ columns });
    expect(await run(["help", ...words], terminal)).toBe(0);
    const wide = terminal
      .text()
      .split("\n")
      .filter((line) => line.length > columns)
      // What is to be copied or typed stays whole, and so does a word that is wider than the room.
      .filter((line) => !/^ {4}|^ {2}(ccscale |-|docs\/)|\S{24,}/.test(line));
    expect(wide).toEqual([]);
  }
});

describe("see also", () => {
  test.each(rows.map((row) => [row.name, row] as const))(
    "of %s leads to what exists",
    (name, { seeAlso }) => {
      expect(seeAlso.commands.filter((each) => !commandNames.has(each))).toEqual([]);
      expect(new Set(seeAlso.commands).size).toBe(seeAlso.commands.length);
      expect(seeAlso.commands.filter((each) => each === name && !["nodes", "events"].includes(name))).toEqual(
        [],
      );
      for (const page of seeAlso.pages) {
        const [file = "", anchor] = page.split("#");
        expect([page, existsSync(join(docs, file))]).toEqual([page, true]);
        const anchors = readFileSync(join(docs, file), "utf8")
          .split("\n")
          .flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
          .map((heading) =>
            heading
              .toLowerCase()
              .replaceAll(/[^\w\s-]/g, "")
              .replaceAll(" ", "-"),
          );
        if (anchor !== undefined) expect(anchors).toContain(anchor);
      }
    },
  );
});

describe("topics", () => {
  test.each(topics.map(({ name }) => [name]))("%s is a page without marks of Markdown", async (name) => {
    const { code, stdout } = await ccscale(["help", name]);
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(5);
    // Code, which is four columns in, is as it is.
    const prose = stdout.split("\n").filter((line) => !line.startsWith("    "));
    expect(prose.filter((line) => /^#+ |\]\(|^\||`/.test(line))).toEqual([]);
  });

  test("are in the list of all commands, and no command has the name of one", async () => {
    const { stdout, stderr } = await ccscale(["help"]);
    for (const { name } of topics) {
      expect(stdout + stderr).toContain(name);
      expect(commandNames.has(name)).toBe(false);
    }
  });

  test("a heading that its page has no more is an error", () => {
    const gone = { name: "x", summary: "", file: "cli.md", headings: ["No such"] };
    expect(() => textOf(gone)).toThrow('"## No such"');
  });
});

test("markdownText: what our pages use", () => {
  const text = [
    "# Title",
    "",
    "A *word* and `a*b*c` of [a link](there.md), **bold**;",
    "the same paragraph.",
    "",
    "- one",
    "- two that",
    "  goes on",
    "",
    "1. first",
    "2. second:",
    "   - below",
    "",
    "<!-- for the tests -->",
    "> A note",
    "> of two lines.",
    "",
    "| key | default | meaning |",
    "|---|---|---|",
    "| `a\\|b` | 3 | what it means |",
    "| `c` | | nothing else |",
    "",
    "```",
    "code  here",
    "",
    "# no heading",
    "```",
    "",
    "![picture](x.svg)",
  ].join("\n");
  expect(markdownText(text, 40)).toEqual([
    "TITLE",
    "",
    "  A word and a*b*c of a link, bold; the",
    "  same paragraph.",
    "",
    "  - one",
    "  - two that goes on",
    "",
    "  1. first",
    "  2. second:",
    "     - below",
    "",
    "    A note of two lines.",
    "",
    "  a|b",
    "      default: 3",
    "      meaning: what it means",
    "  c",
    "      meaning: nothing else",
    "",
    "    code  here",
    "",
    "    # no heading",
  ]);
});

test.each<[env: Record<string, string>, pagers: readonly (readonly string[])[]]>([
  [{}, [["less"]]],
  [{ PAGER: "more" }, [["more"]]],
  [{ PAGER: " most  -s " }, [["most", "-s"]]],
  [{ PAGER: "" }, []],
  [{ PAGER: "cat" }, []],
])("pagersOf: %j", (env, pagers) => {
  expect(pagersOf(env)).toEqual(pagers);
});

describe("usage", () => {
  test.each([[["help", "drain"]], [["help", "--no-pager", "drain"]], [["help", "drain", "--no-pager"]]])(
    "%j: a screen that is not the process's own gets the page itself",
    async (argv) => {
      vi.stubEnv("PAGER", "no-such-program");
      const terminal = screen({ columns: 80 });
      expect(await run(argv, terminal)).toBe(0);
      expect(terminal.text()).toMatch(/^NAME\n/);
    },
  );

  test("peers' names of commands, and second names, have pages too", async () => {
    expect((await ccscale(["help", "delete_nodes"])).stdout).toContain("ccscale delete-nodes - ");
    expect((await ccscale(["help", "analyze"])).stdout).toContain("ccscale explain - ");
    expect((await ccscale(["help", "lab", "down"])).stdout).toContain("ccscale lab outage - ");
  });

  test.each([
    [["help", "statsu"], "Did you mean status?"],
    [["help", "config", "sett"], '"config" has no command "sett", expected one of init, validate'],
    [["help", "drain", "extra"], '"drain" has no command "extra"'],
  ])("%j is wrong usage", async (argv, words) => {
    const { code, stdout, stderr } = await ccscale(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
  });

  test("completion offers commands and topics after help", async () => {
    const lines: string[] = [];
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    await ccscale(["complete", "--", "help", ""]);
    expect(lines.join("\n")).toMatch(/^explain\b/m);
    expect(lines.join("\n")).toMatch(/^constraints\b/m);
  });
});
