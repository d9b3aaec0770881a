import { Command, Option } from "commander";
import { chooseIdleTimeouts } from "../../../shared/cycle/index.ts";
import { type Plan, plan, type Retirement } from "../../../shared/engine/index.ts";
import { packPlan, unpackPlan, type WholePlan } from "../../../shared/ports/index.ts";
import { counted, printable } from "../../../shared/text/text.ts";
import { planDifference } from "../../../shared/views/index.ts";
import { CommandFailure } from "../exit-code.ts";
import { changeLine } from "../output/change-line.ts";
import { answerJsonLines } from "../output/json-lines.ts";
import { warn } from "../output/print.ts";
import { archivedPlan } from "../scenario/archived-plan.ts";
import { type Compatibility, compatibilityOption, fromStandardInput } from "../scenario/case-rules.ts";
import { type OtherSetting, otherSetting, withOthers } from "../scenario/other-settings.ts";
import { replaySequence } from "../scenario/sequence.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrFilesOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";

interface Flags extends ServiceFlags {
  readonly jsonLines?: true;
  readonly plan?: string;
  readonly set?: readonly OtherSetting[];
  readonly compatibility?: Compatibility;
}

export function replayCommand(terminal: Terminal): Command {
  const command = new Command("replay");
  command
    .description("Makes an archived plan again from its input, or plans recorded sequences of passes.")
    .addOption(new Option("--plan <id>", "the archived plan, or how its id begins").conflicts("jsonLines"))
    .option(
      "--json-lines",
      "reads one sequence a line from standard input and answers one line each: the nodes that were matched and timed out",
    )
    .option(
      "--set <key=value>",
      "with --plan: with another setting, such as placement=cost or idle_timeout.htc=600, and says what differs",
      otherSetting,
    )
    .addOption(compatibilityOption())
    .action((flags: Flags) => {
      if (flags.set !== undefined && flags.plan === undefined)
        return command.error("error: --set, expected with --plan");
      if (flags.plan !== undefined) return replayPlan(terminal, flags.plan, flags);
      if (flags.jsonLines === true) return replaySequences(terminal, flags.compatibility);
      return command.error("error: expected --plan <id> or --json-lines");
    });
  return serviceOrFilesOptions(command);
}

async function replayPlan(terminal: Terminal, planId: string, flags: Flags): Promise<void> {
  const { service } = await reach(flags);
  const { plan: archived, secretsRemoved } = await archivedPlan(
    service,
    planId,
    `make plan "${planId}" again`,
  );
  const { cluster, atSeconds } = archived.summary;
  if (flags.set !== undefined) return showOther(terminal, archived, flags.set);
  const difference = differenceOf(archived);
  const when = new Date(atSeconds * 1000).toISOString();
  const subject = `plan "${planId}" of cluster "${cluster}", made ${when}`;
  if (difference !== undefined)
    throw new CommandFailure(
      `Cannot make ${subject}, again: ${difference}`,
      secretsRemoved
        ? "Secrets were removed from its input, which may be the cause, or another version of this program made it."
        : "Another version of this program made it, or its archive was changed since.",
    );
  const { jobs, create, start, retire } = archived.plan;
  const nodes = create.reduce((total, set) => total + set.count, 0);
  const counts = `${counted(jobs.length, "jobs")}, ${counted(nodes, "nodes")} to create, ${start.length} to start, ${retire.length} to retire`;
  terminal.stdout.write(`Same: ${subject}: ${counts}.\n`);
}

/** What the same input gives under other settings, beside what it gives under its own. */
function showOther(
  terminal: Terminal,
  { summary: { planId, cluster }, input }: WholePlan,
  others: readonly OtherSetting[],
): void {
  const { settings } = chooseIdleTimeouts(withOthers(input.settings, others), input);
  const sources = input.jobs.map(({ source }) => source);
  const lines = planDifference(
    { ...plan(input), settings: input.settings, sources },
    { ...plan({ ...input, settings }), settings, sources },
  ).map(changeLine);
  const title = `Plan "${planId}" of cluster "${cluster}", made again with other settings`;
  terminal.stdout.write(printable(`${title}: ${lines.length === 0 ? "nothing differs." : "what differs:"}`));
  terminal.stdout.write(`\n${lines.map((line) => `  ${line}\n`).join("")}`);
}

/** The plan as the engine made it. Caps, back-offs and earlier requests are part of its input. */
function differenceOf(archived: WholePlan): string | undefined {
  const { plan: before, ...rest } = archived;
  // Packed as the archive was: reasons that were left out there are not compared.
  const again = packPlan({ ...rest, plan: plan(archived.input) });
  const now = unpackPlan(JSON.parse(JSON.stringify(again)));
  const difference = firstDifference(now.plan, before);
  return (
    difference &&
    `${printable(difference.path)} is ${shown(difference.now)} now, was ${shown(difference.before)} then`
  );
}

const mostShown = 200;

function shown(value: unknown): string {
  const text = value === undefined ? "missing" : printable(JSON.stringify(value));
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}

function replaySequences(terminal: Terminal, compatibility: Compatibility | undefined): Promise<void> {
  return answerJsonLines(terminal, async (value) => {
    const { name, plans, warnings } = await replaySequence(value, fromStandardInput(compatibility));
    warn(terminal, name, warnings);
    return { name, steps: plans.map(toStepAnswer) };
  });
}

/** One step of a replayed sequence in the form of the recorded ones; all names sorted. */
function toStepAnswer(plan: Plan): object {
  return {
    matchedNodes: plan.matched.toSorted(),
    idleTimedOut: timedOut(plan, "idle-timeout"),
    bootTimedOut: timedOut(plan, "boot-timeout"),
  };
}

function timedOut(plan: Plan, cause: Retirement["cause"]): readonly string[] {
  const nodes = plan.timedOut.filter((retirement) => retirement.cause === cause);
  return nodes.map(({ name }) => name).toSorted();
}

/** Where two JSON values differ first, in the order of the second. Undefined stands for "not there". */
export interface Difference {
  /** Such as `create[0].count`. */
  readonly path: string;
  readonly now: unknown;
  readonly before: unknown;
}

/** Undefined when they are the same; the order of an object's keys does not matter. */
export function firstDifference(now: unknown, before: unknown, path = ""): Difference | undefined {
  if (!isContainer(now) || !isContainer(before) || Array.isArray(now) !== Array.isArray(before))
    return Object.is(now, before) ? undefined : { path, now, before };
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const step = Array.isArray(before) ? `[${key}]` : `${path === "" ? "" : "."}${key}`;
    const difference = firstDifference(now[key], before[key], `${path}${step}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
