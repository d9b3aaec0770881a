import { Argument, Command, InvalidArgumentError } from "commander";
import { CommandFailure } from "../exit-code.ts";
import { wholeNumber } from "../option-values.ts";
import { pageOn } from "../output/report.ts";
import { connectService } from "../service/http-client.ts";
import { progressOn, type Terminal } from "../terminal.ts";
import { type Exercise, jobsOf } from "./exercises/exercise.ts";
import { exercises } from "./exercises/index.ts";
import { labOptions } from "./lab-options.ts";
import { connectPanel, type PanelFlags } from "./panel.ts";
import { needsScheduler } from "./server-commands.ts";
import { setUp } from "./set-up.ts";

export function exerciseCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("exercise")
      .description(
        "Lists the exercises. With a number: resets the lab, breaks something, and shows what people complain about. docs/lab.md has the solutions.",
      )
      .addArgument(new Argument("[number]", "an exercise").argParser(exerciseNumber)),
  ).action(async (number: number | undefined, flags: PanelFlags) => {
    const page = pageOn(terminal);
    if (number === undefined) {
      page.table(
        ["EXERCISE", "WHAT PEOPLE SEE"],
        exercises.map(({ title }, index) => [index + 1, title]),
      );
      page.line("");
      page.line('"ccscale lab exercise 1" sets the first one up.');
      return;
    }
    const exercise = exerciseOf(number);
    const progress = await progressOn(terminal);
    try {
      await setUp({ panel: await connectPanel(flags), exercise, number, report: progress.report });
    } finally {
      progress.end();
    }
    page.line(`Exercise ${number}: ${exercise.title}`);
    page.line("");
    page.line(exercise.story);
    page.line("");
    page.line("Find out why, and put it right. Begin with: ccscale status");
    page.line(`Then: ccscale lab check ${number}. For help: ccscale lab hint ${number}.`);
  });
}

export function checkCommand(terminal: Terminal): Command {
  return labOptions(
    new Command("check")
      .description(
        "Shows whether an exercise is resolved, from the state of the simulator and the service. Exits with 1 if it is not.",
      )
      .addArgument(new Argument("<number>", "an exercise").argParser(exerciseNumber)),
  ).action(async (number: number, flags: PanelFlags) => {
    const exercise = exerciseOf(number);
    const panel = await connectPanel(flags);
    const { cluster } = await panel.read();
    needsScheduler(cluster);
    if (jobsOf(cluster, exercise).length === 0)
      throw new CommandFailure(
        `Exercise ${number} is not set up: its jobs are not there`,
        `Set it up with "ccscale lab exercise ${number}".`,
      );
    const service = connectService({ url: panel.functionsUrl }, panel.cluster);
    const findings = await exercise.check({ cluster, service });
    const page = pageOn(terminal);
    for (const { isMet, text } of findings) page.line(`${isMet ? "ok  " : "open"}  ${text}`);
    if (findings.some(({ isMet }) => !isMet))
      throw new CommandFailure(
        `Exercise ${number} is not resolved`,
        `Nodes may still boot: check again in a moment. For help: ccscale lab hint ${number}.`,
      );
    page.line(`Exercise ${number} is resolved. "ccscale lab reset" puts everything back.`);
  });
}

export function hintCommand(terminal: Terminal): Command {
  return new Command("hint")
    .description("Shows hints for an exercise: the first one, or as many as you ask for.")
    .addArgument(new Argument("<number>", "an exercise").argParser(exerciseNumber))
    .addArgument(new Argument("[count]", "how many hints").argParser(wholeNumber(1)).default(1))
    .action((number: number, count: number) => {
      const { hints } = exerciseOf(number);
      const page = pageOn(terminal);
      page.bullets(hints.slice(0, count));
      page.line(
        count < hints.length
          ? `More: ccscale lab hint ${number} ${count + 1}`
          : "docs/lab.md has the solution with what it prints.",
      );
    });
}

function exerciseNumber(text: string): number {
  const number = Number(text);
  if (exercises[number - 1] !== undefined) return number;
  throw new InvalidArgumentError(`"${text}", expected a number from 1 to ${exercises.length}.`);
}

function exerciseOf(number: number): Exercise {
  const exercise = exercises[number - 1];
  if (exercise === undefined)
    throw new RangeError(`No exercise ${number}, expected 1 to ${exercises.length}`);
  return exercise;
}
