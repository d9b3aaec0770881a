import { Command } from "commander";
import { checkCommand, exerciseCommand, hintCommand } from "../lab/exercise-commands.ts";
import { limitCommand, quotaCommand, sizesCommand } from "../lab/limit-commands.ts";
import {
  cancelCommand,
  outageCommand,
  queueCommand,
  resetCommand,
  silenceCommand,
  statusCommand,
  submitCommand,
} from "../lab/server-commands.ts";
import {
  accidentCommand,
  droughtCommand,
  evictCommand,
  failCommand,
  slowCommand,
} from "../lab/weather-commands.ts";
import type { Terminal } from "../terminal.ts";

export function labCommand(terminal: Terminal): Command {
  const command = new Command("lab").description(
    'Breaks the simulator of a local environment ("npm start"), for practice: no capacity, failing boots, evictions, outages, limits; five exercises. Never a real CycleCloud.',
  );
  for (const each of [exerciseCommand, hintCommand, checkCommand, statusCommand, resetCommand])
    command.addCommand(each(terminal).helpGroup("Exercises:"));
  for (const each of [droughtCommand, failCommand, slowCommand, evictCommand])
    command.addCommand(each(terminal).helpGroup("Break:"));
  for (const kind of ["crash", "kill"] as const)
    command.addCommand(accidentCommand(terminal, kind).helpGroup("Break:"));
  for (const each of [outageCommand, silenceCommand]) command.addCommand(each(terminal).helpGroup("Break:"));
  for (const each of [limitCommand, quotaCommand, sizesCommand])
    command.addCommand(each(terminal).helpGroup("What administrators change:"));
  for (const each of [submitCommand, cancelCommand, queueCommand])
    command.addCommand(each(terminal).helpGroup("The scheduler's own commands:"));
  return command;
}
