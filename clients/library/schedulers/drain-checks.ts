import { shortHostname } from "../../../shared/engine/index.ts";
import type { Command, Context, Driver, NodeEvent } from "../../agent/drivers/driver.ts";
import { isSame } from "./plain-data.ts";
import {
  type Check,
  hostsOf,
  type KnownReading,
  type Recorded,
  readingIn,
  readingOf,
  readingsWhenBroken,
} from "./recorded.ts";

/** So many hosts of a situation are told to drain, one after the other. */
const mostTrials = 20;

/** Rules about hosts that leave: whoever breaks one of these deletes a node under a job, or keeps it for ever. */
export const drainChecks = {
  "a drained host runs nothing": (recorded) => {
    const whole = readingOf(recorded);
    const busy = shortNames(hostsOf(whole));
    const drainedIn = (reading: KnownReading) =>
      reading.nodes
        .filter(({ hostname, state }) => state === "drained" && busy.has(shortHostname(hostname)))
        .map(({ hostname }) => hostname);
    const whileBroken = readingsWhenBroken(recorded).flatMap(({ what, reading }) =>
      reading.known ? drainedIn(reading).map((host) => `"${host}" is drained when ${what}`) : [],
    );
    return [...drainedIn(whole).map((host) => `"${host}" is drained, and a job runs there`), ...whileBroken];
  },
  "a host that was told to drain takes no work, or is told again": (recorded) => [
    ...notTold(recorded, recorded.context, [...recorded.context.draining.keys()]),
    ...trials(recorded).flatMap(({ host, context }) => notTold(recorded, context, [shortHostname(host)])),
  ],
  "a host that is told again to drain is not drained yet": (recorded) => {
    const drains = [...recorded.context.draining.keys()].map((host) => ({ host, context: recorded.context }));
    return [...drains, ...trials(recorded)].flatMap(({ host, context }) => {
      const short = shortHostname(host);
      const told = readingIn(recorded, context);
      const untold = readingIn(recorded, {
        ...context,
        draining: new Map([...context.draining].filter(([each]) => each !== short)),
      });
      const node = told?.nodes.find((each) => shortHostname(each.hostname) === short);
      if (told === undefined || untold === undefined || node?.state !== "drained") return [];
      if (node.isOutByOthers === true || !hasMore(told.corrections, untold.corrections)) return [];
      return [`"${host}" is drained, and a correction tells it to drain: it takes work`];
    });
  },
  "corrections drain and open only what was asked for": (recorded) => {
    const { driver, context } = recorded;
    const { corrections, nodes } = readingOf(recorded);
    return nodes.flatMap(({ hostname }) => {
      const isDraining = context.draining.has(shortHostname(hostname));
      const kind = isDraining ? "undrain" : "drain";
      const commands = commandsOf(driver, kind, hostname, context);
      if (commands.length === 0 || hasMore(commands, corrections)) return [];
      return [`"${hostname}" was ${isDraining ? "" : "not "}told to drain, and a correction does "${kind}"`];
    });
  },
} as const satisfies Readonly<Record<string, Check>>;

/** Hosts that are up, each told to drain: the output is the same, because the scheduler has not heard of it. */
function trials(recorded: Recorded): readonly { readonly host: string; readonly context: Context }[] {
  const { context } = recorded;
  return readingOf(recorded)
    .nodes.filter(({ hostname, state }) => state === "up" && !context.draining.has(shortHostname(hostname)))
    .slice(0, mostTrials)
    .map(({ hostname }) => {
      const draining = new Map([...context.draining, [shortHostname(hostname), context.nowSeconds] as const]);
      return { host: hostname, context: { ...context, draining } };
    });
}

/** Hosts that are open although they were told to drain, and for which nothing is done. */
function notTold(recorded: Recorded, context: Context, hosts: readonly string[]): readonly string[] {
  const reading = readingIn(recorded, context);
  if (reading === undefined) return [];
  const busy = shortNames(hostsOf(reading));
  return hosts.flatMap((host) => {
    const node = reading.nodes.find(({ hostname }) => shortHostname(hostname) === host);
    if (node === undefined)
      return busy.has(host) ? [`"${host}" was told to drain and runs a job, and is not among the nodes`] : [];
    if (node.state === "drained" && busy.has(host)) return [`"${host}" is drained, and a job runs there`];
    const others = new Map([...context.draining].filter(([each]) => each !== host));
    const untold = readingIn(recorded, { ...context, draining: others });
    if (node.state !== "up" || untold === undefined) return [];
    return hasMore(reading.corrections, untold.corrections)
      ? []
      : [`"${host}" was told to drain and is up, and no correction tells it again`];
  });
}

function hasMore(commands: readonly Command[], than: readonly Command[]): boolean {
  return commands.some((command) => !than.some((each) => isSame(each, command)));
}

function commandsOf(
  driver: Driver,
  kind: NodeEvent["kind"],
  hostname: string,
  context: Context,
): readonly Command[] {
  return driver.commandsFor({ kind, nodes: [{ name: hostname, hostname }] }, context).commands;
}

function shortNames(hosts: Iterable<string>): ReadonlySet<string> {
  return new Set([...hosts].map(shortHostname));
}
