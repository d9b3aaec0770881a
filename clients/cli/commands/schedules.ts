import { Command, InvalidArgumentError } from "commander";
import { parseConfig } from "../../../shared/config/index.ts";
import { windowsIn } from "../../../shared/cycle/index.ts";
import { type Config, readSetting } from "../../../shared/json/config-path.ts";
import { isDictionary } from "../../../shared/json/json.ts";
import { amountInWords } from "../../../shared/messages/index.ts";
import type { Schedule } from "../../../shared/ports/index.ts";
import { joined, printable } from "../../../shared/text/text.ts";
import { isAlwaysOpen, windowsAt } from "../../../shared/time/recurring.ts";
import { TimeZone } from "../../../shared/time/time-zone.ts";
import { type EndFlags, endOf, endOptions } from "../act/end-options.ts";
import { unusable } from "../config-file.ts";
import { CommandFailure } from "../exit-code.ts";
import { moment } from "../output/moments.ts";
import { pageOn } from "../output/report.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { lengthOption } from "../time-values.ts";
import { change, changeOptions, stored } from "./config-change.ts";
import type { ChangeFlags } from "./config-push.ts";

const usualSeconds = 7 * 86_400;

export function schedulesCommand(terminal: Terminal): Command {
  return new Command("schedules")
    .description("Shows what schedules keep and when, adds and removes them, and pauses them.")
    .addCommand(listCommand(terminal), { isDefault: true })
    .addCommand(nextCommand(terminal))
    .addCommand(addCommand(terminal))
    .addCommand(removeCommand(terminal))
    .addCommand(pauseCommand(terminal));
}

function listCommand(terminal: Terminal): Command {
  const command = new Command("list")
    .description(
      "Lists the schedules: what each keeps or sets, and its window that is open, or else the next one.",
    )
    .action(async (flags: ServiceFlags) => {
      const { schedules, paused } = await configured(flags);
      const now = Date.now() / 1_000;
      if (schedules.length === 0) return pageOn(terminal).line("There are no schedules.");
      pageOn(terminal).table(
        ["SCHEDULE", "KEEPS", "START", "TIME ZONE", "WINDOW"],
        schedules.map((schedule) => [
          schedule.name,
          keptBy(schedule),
          isAlwaysOpen(schedule) ? "always" : schedule.start,
          schedule.timeZone,
          paused.has(schedule.name) ? "paused" : windowOf(schedule, now),
        ]),
      );
    });
  return serviceOrStorageOptions(command);
}

function windowOf(schedule: Schedule, now: number): string {
  const { open, next } = windowsAt(schedule, now);
  if (open !== null) return isAlwaysOpen(schedule) ? "open" : `open until ${moment(open.endSeconds)}`;
  return next === null
    ? "none any more"
    : `from ${moment(next.startSeconds)} until ${moment(next.endSeconds)}`;
}

function nextCommand(terminal: Terminal): Command {
  const command = new Command("next")
    .description("Lists the windows of the coming days, in the order in which they begin.")
    .option("--for <length>", "so far ahead, such as 2d", lengthOption, usualSeconds)
    .action(async (flags: ServiceFlags & { readonly for: number }) => {
      const { schedules, paused } = await configured(flags);
      const now = Date.now() / 1_000;
      const windows = schedules
        .filter(({ name }) => !paused.has(name))
        .flatMap((schedule) =>
          windowsIn(schedule, now, now + flags.for).map((each) => ({ ...each, schedule })),
        )
        .toSorted((a, b) => a.startSeconds - b.startSeconds);
      const page = pageOn(terminal);
      for (const schedule of schedules.filter((each) => !paused.has(each.name) && isAlwaysOpen(each))) {
        const { open, next } = windowsAt(schedule, now);
        const from = open === null && next !== null ? ` from ${moment(next.startSeconds)}` : "";
        page.line(`Always${from}: ${keptBy(schedule)} (${schedule.name}).`);
      }
      if (windows.length === 0) return page.line("No window begins in this time.");
      page.table(
        ["FROM", "UNTIL", "SCHEDULE", "KEEPS"],
        windows.map(({ startSeconds, endSeconds, schedule }) => [
          moment(startSeconds),
          moment(endSeconds),
          schedule.name,
          keptBy(schedule),
        ]),
      );
    });
  return serviceOrStorageOptions(command);
}

interface AddFlags extends ChangeFlags {
  readonly start?: string;
  readonly end?: string;
  readonly duration?: string;
  readonly timeZone?: string;
  readonly keep: readonly unknown[];
}

function addCommand(terminal: Terminal): Command {
  const command = new Command("add")
    .description("Adds a schedule to the stored configuration. Without --start it holds always.")
    .argument("<name>", "a name of your choice")
    .option("--start <when>", 'a cron expression of five fields, such as "0 8 * * mon-fri", or one moment')
    .option("--end <when>", "the same, for its end")
    .option("--duration <length>", "how long each window lasts, in place of --end, such as 10h")
    .option("--time-zone <name>", "on whose clock, such as Europe/Berlin (default: UTC)")
    .requiredOption(
      "--keep <array=nodes>",
      'so many nodes of an array, such as htc=4, or a target as JSON, such as {"Name": "htc", "TargetGpuCount": 8}; again for more',
      keepOption,
    )
    .action((name: string, { start, end, duration, timeZone, keep, ...flags }: AddFlags) => {
      const given = { start, end, duration, time_zone: timeZone, targets: keep };
      const schedule = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      return changeSchedules(terminal, flags, `schedules add ${name}`, (schedules) => {
        if (Object.hasOwn(schedules, name))
          throw new CommandFailure(
            `There is a schedule "${printable(name)}" already`,
            `Change it with "ccscale config set schedules.${name}…", or remove it first.`,
          );
        return { ...schedules, [name]: schedule };
      });
    });
  return changeOptions(command);
}

function keepOption(text: string, before: readonly unknown[] = []): readonly unknown[] {
  const [, Name, count] = /^([^={]+)=(\d+)$/.exec(text) ?? [];
  const target = Name === undefined ? readSetting(text) : { Name, TargetCount: Number(count) };
  if (isDictionary(target)) return [...before, target];
  throw new InvalidArgumentError(
    `"${text}", expected an array and a number of nodes, such as htc=4, or a target as JSON.`,
  );
}

function removeCommand(terminal: Terminal): Command {
  const command = new Command("remove")
    .description("Removes a schedule from the stored configuration.")
    .argument("<name>", "its name")
    .action((name: string, flags: ChangeFlags) =>
      changeSchedules(terminal, flags, `schedules remove ${name}`, (schedules) => {
        scheduleNamed(schedules, name);
        const { [name]: _, ...others } = schedules;
        return others;
      }),
    );
  return changeOptions(command);
}

function pauseCommand(terminal: Terminal): Command {
  const command = new Command("pause")
    .description("Pauses a schedule until it is told otherwise, or until some time.")
    .argument("<name>", "its name")
    .option("--off", "ends the pause")
    .action((name: string, flags: ChangeFlags & EndFlags & { readonly off?: true }) =>
      changeSchedules(terminal, flags, `schedules pause ${name}`, (schedules) => {
        const { paused: _, ...schedule } = scheduleNamed(schedules, name);
        return {
          ...schedules,
          [name]: flags.off === true ? schedule : { ...schedule, paused: pauseOf(schedule, flags) },
        };
      }),
    );
  return changeOptions(endOptions(command));
}

/** As the configuration has it: on the clock of the schedule's own time zone, to the minute. */
function pauseOf({ time_zone: name = "UTC" }: Config, flags: EndFlags): true | string {
  const { untilSeconds } = endOf(flags, Date.now() / 1_000);
  if (untilSeconds === undefined) return true;
  const local = new TimeZone(String(name)).localAt(untilSeconds);
  return new Date(local * 1_000).toISOString().slice(0, "2026-12-01T08:00".length);
}

function scheduleNamed(schedules: Config, name: string): Config {
  const schedule = Object.hasOwn(schedules, name) ? schedules[name] : undefined;
  if (isDictionary(schedule)) return schedule;
  const names = Object.keys(schedules).map((each) => `"${printable(each)}"`);
  throw new CommandFailure(
    `There is no schedule "${printable(name)}"`,
    names.length === 0 ? 'Add one with "ccscale schedules add".' : `There is ${joined(names, "and")}.`,
  );
}

function changeSchedules(
  terminal: Terminal,
  flags: ChangeFlags,
  name: string,
  make: (schedules: Config) => Config,
): Promise<void> {
  return change(terminal, flags, {
    name,
    make: (config) => {
      const schedules = make(isDictionary(config.schedules) ? config.schedules : {});
      const { schedules: _, ...others } = config;
      return Object.keys(schedules).length === 0 ? others : { ...others, schedules };
    },
  });
}

/** All schedules of the stored configuration, and which of them are paused without an end. */
async function configured(flags: ServiceFlags) {
  const { service } = await reach(flags);
  const { config } = await stored(service);
  const written = Object.entries(isDictionary(config.schedules) ? config.schedules : {});
  const isPaused = (schedule: unknown) => isDictionary(schedule) && schedule.paused === true;
  const read = parseConfig({
    cluster: service.cluster,
    json: {
      ...config,
      // What is paused is not read otherwise.
      schedules: Object.fromEntries(
        written.map(([name, schedule]) => [
          name,
          isPaused(schedule) ? { ...Object(schedule), paused: false } : schedule,
        ]),
      ),
    },
  });
  if (!read.ok) throw unusable(`configuration of "${service.cluster}"`, read.problems);
  const paused = new Set(written.filter(([, schedule]) => isPaused(schedule)).map(([name]) => name));
  return { schedules: read.config.schedules ?? [], paused };
}

function keptBy({ targets, settings = {} }: Schedule): string {
  const kept = targets.map((target) => `${target.Name}: ${amountInWords(target)}`);
  return [...kept, ...Object.entries(settings).map(([key, value]) => `${key} ${JSON.stringify(value)}`)].join(
    ", ",
  );
}
