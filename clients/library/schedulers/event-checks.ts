import type { Command, Context, Driver, NodeEvent } from "../../agent/drivers/driver.ts";
import { isSame, written } from "./plain-data.ts";
import type { Check } from "./recorded.ts";

const eventKinds = ["node-joined", "drain", "undrain", "node-deleted", "boot-timeout"] as const;
const opening = ["node-joined", "undrain"] as const;
const closing = ["drain", "node-deleted", "boot-timeout"] as const;
/** Nothing of a name may become an option, a second argument or a command. */
const hostileNames = ["--help", "-rf", "a; reboot", "$(reboot)", "a b", "a\nb", "'", '"', "a,b", "ALL"];
const host = "ip-0A000005";
const otherHost = "ip-0B000007";
/** Programs that take apart what they are given. */
const shells = ["sh", "bash", "dash", "ash", "ksh", "zsh", "csh", "tcsh", "su", "ssh", "eval", "xargs"];

/** Rules about the commands for events. */
export const eventChecks = {
  "an event that comes twice gives the same commands, and the reading goes on": ({
    driver,
    answers,
    context,
  }) =>
    eventKinds.flatMap((kind) => {
      const event = eventOf(kind, host);
      const { commands, memory } = driver.commandsFor(event, context);
      const after = { ...context, memory: written(memory) };
      return [
        ...(isSame(driver.commandsFor(event, after).commands, commands)
          ? []
          : [`${kind}: other commands the second time`]),
        ...(driver.interpret(answers, after).known ? [] : [`${kind}: the reading after it is unknown`]),
      ];
    }),
  "each event has commands, for each of its nodes": ({ driver, context, withoutCommand = [] }) =>
    eventKinds.flatMap((kind) => {
      const [one, two] = [host, otherHost].map((each) => commandsOf(driver, context, eventOf(kind, each)));
      const both = textOf(commandsOf(driver, context, eventOf(kind, host, otherHost)));
      if (withoutCommand.includes(kind))
        return one?.length === 0 ? [] : [`${kind}: commands, and it is said to need none`];
      if (one?.length === 0) return [`${kind}: no command for a host`];
      const left = [[host, one ?? []] as const, [otherHost, two ?? []] as const].filter(
        ([name, commands]) => textOf(commands).includes(name) && !both.includes(name),
      );
      return left.map(([name]) => `${kind}: of two nodes "${name}" gets no command`);
    }),
  "what opens a host is not what closes it": ({ driver, context }) =>
    opening.flatMap((opens) =>
      closing.flatMap((closes) => {
        const [open, close] = [opens, closes].map((kind) => commandsOf(driver, context, eventOf(kind, host)));
        if (open === undefined || close === undefined || open.length === 0 || close.length === 0) return [];
        const isWithin = close.every((command) => open.some((each) => isSame(each, command)));
        return isWithin ? [`${opens} has the commands of ${closes}`] : [];
      }),
    ),
  "no host name becomes an option, a further argument or a part of a shell's command": ({
    driver,
    context,
  }) =>
    eventKinds.flatMap((kind) => {
      const usual = commandsOf(driver, context, eventOf(kind, host));
      const lengths = new Set(usual.map(({ args }) => args.length));
      return hostileNames.flatMap((hostname) => {
        const commands = commandsOf(driver, context, eventOf(kind, hostname));
        const shown = JSON.stringify(hostname);
        return [
          ...(commands.some(({ args }) => args.includes(hostname))
            ? [`${kind}: ${shown} is an argument of a command`]
            : []),
          ...(commands.some(({ args }) => !lengths.has(args.length))
            ? [`${kind}: with the host ${shown} a command has more or fewer arguments`]
            : []),
          ...(commands.some((command) => isShell(command) && textOf([command]).includes(hostname))
            ? [`${kind}: ${shown} is in what a shell runs`]
            : []),
        ];
      });
    }),
} as const satisfies Readonly<Record<string, Check>>;

function isShell({ program, args }: Command): boolean {
  return [program, ...args].some((word) => shells.includes(word.slice(word.lastIndexOf("/") + 1)));
}

function commandsOf(driver: Driver, context: Context, event: NodeEvent): readonly Command[] {
  return driver.commandsFor(event, context).commands;
}

function textOf(commands: readonly Command[]): string {
  return commands.map(({ program, args }) => [program, ...args].join("\n")).join("\n");
}

function eventOf(kind: NodeEvent["kind"], ...hosts: readonly string[]): NodeEvent {
  return { kind, nodes: hosts.map((hostname) => ({ name: hostname, hostname })) };
}
