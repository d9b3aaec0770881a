import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { Command, Option } from "commander";
import { plan } from "../../../shared/engine/index.ts";
import { messageOf } from "../../../shared/errors/errors.ts";
import { isDictionary, parseJson } from "../../../shared/json/json.ts";
import { CommandFailure } from "../exit-code.ts";
import { answerJsonLines } from "../output/json-lines.ts";
import { toPlanAnswer } from "../output/plan-answer.ts";
import { planReport } from "../output/plan-report.ts";
import { warn } from "../output/print.ts";
import {
  type Compatibility,
  compatibilityOption,
  fromStandardInput,
  type Reading,
} from "../scenario/case-rules.ts";
import { readScenario, type Scenario } from "../scenario/scenario.ts";
import type { Terminal } from "../terminal.ts";
import { packagedFile } from "../version.ts";

interface Options {
  readonly jsonLines?: true;
  readonly scenario?: string;
  readonly example?: string;
  readonly compatibility?: Compatibility;
}

export function planCommand(terminal: Terminal): Command {
  const jsonLines = "reads one scenario a line from standard input, answers one line each";
  const command = new Command("plan")
    .description("Plans recorded scenarios. Sends nothing.")
    .addOption(new Option("--json-lines", jsonLines).conflicts("scenario"))
    .option("--scenario <file>", "prints the plan of a scenario in a JSON file, with reasons")
    .addOption(
      new Option(
        "--example <name>",
        "the same for a scenario of examples/scenarios, such as tiny-gang",
      ).conflicts(["jsonLines", "scenario"]),
    )
    .addOption(compatibilityOption())
    .action(async ({ jsonLines, scenario, example, compatibility }: Options) => {
      if (jsonLines) return answerLines(terminal, fromStandardInput(compatibility));
      const path = example === undefined ? scenario && resolve(scenario) : await exampleFile(example);
      if (!path)
        return command.error(
          "error: nothing to plan, expected --json-lines, --scenario <file> or --example <name>",
        );
      return show(terminal, { path, compatibility: compatibility ?? "none" });
    });
  return command;
}

function answerLines(terminal: Terminal, reading: Reading): Promise<void> {
  return answerJsonLines(terminal, async (value) => {
    const { name, input, warnings } = await readScenario(value, reading);
    warn(terminal, name, warnings);
    return toPlanAnswer(name, input, plan(input));
  });
}

async function show(terminal: Terminal, reading: Reading): Promise<void> {
  const { name, input, warnings } = await load(reading);
  const planned = plan(input);
  warn(terminal, name, [...warnings, ...planned.warnings.map(({ message }) => message)]);
  terminal.stdout.write(planReport(planned));
}

async function load(reading: Reading): Promise<Scenario> {
  const { path } = reading;
  try {
    const json: unknown = parseJson(await readFile(path, "utf8"));
    // A file without a name gets that of the file.
    const named = isDictionary(json) ? { name: basename(path, ".json"), ...json } : json;
    return await readScenario(named, reading);
  } catch (error) {
    throw new CommandFailure(`Cannot plan "${path}": ${messageOf(error)}`, "Fix it, then try again.");
  }
}

const folder = "examples/scenarios";

/** The file of an example scenario that comes with this package. Throws CommandFailure with the names that there are. */
async function exampleFile(name: string): Promise<string> {
  const path = packagedFile(folder);
  const files = path === undefined ? [] : await readdir(path).catch(() => []);
  const names = files.filter((file) => file.endsWith(".json")).map((file) => basename(file, ".json"));
  if (path !== undefined && names.includes(name)) return join(path, `${name}.json`);
  throw new CommandFailure(
    `There is no example "${name}"`,
    names.length === 0 ? "No examples are installed." : `Examples: ${names.toSorted().join(", ")}.`,
  );
}
