import { Command, Option } from "commander";
import { duration } from "../../../shared/text/durations.ts";
import { byOption, reasonOption, requestOf } from "../act/act-options.ts";
import { reach } from "../service/reach.ts";
import { type ServiceFlags, serviceOrStorageOptions } from "../service/service-options.ts";
import type { Terminal } from "../terminal.ts";
import { secondsOption } from "../time-values.ts";
import { refuseWithoutScreen } from "../top/full-screen.ts";
import { runTop } from "../top/run-top.ts";
import { topCalls } from "../top/top-calls.ts";

interface Flags extends ServiceFlags {
  readonly every: number;
  readonly color: boolean;
  readonly by?: string;
  readonly reason?: string;
}

const usualSeconds = 3;
const shortestSeconds = 1;

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function topCommand(terminal: Terminal): Command {
  const command = new Command("top")
    .description(
      "Shows a cluster live on the whole terminal. Keys: q quits, Tab changes the list, arrows and page keys scroll, s sorts, f filters, e explains a job, d drains a node, m shows the nodes as a map.",
    )
    .addOption(
      new Option("--every <length>", "asks the service this often")
        .argParser(secondsOption(shortestSeconds))
        .default(usualSeconds, duration(usualSeconds)),
    )
    .option("--no-color", "without colour, as NO_COLOR does")
    .addOption(reasonOption())
    .addOption(byOption())
    .action((flags: Flags) => top(terminal, flags));
  return serviceOrStorageOptions(command);
}

async function top(terminal: Terminal, flags: Flags): Promise<void> {
  refuseWithoutScreen(terminal);
  const { service } = await reach({ ...flags, watch: flags.every });
  const { by, reason } = requestOf(flags, "top");
  const ending = new AbortController();
  let received: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    received = signal;
    ending.abort();
  };
  for (const signal of endingSignals) process.once(signal, onSignal);
  try {
    await runTop(terminal, topCalls(terminal, service, { by, reason }), {
      everySeconds: flags.every,
      isColoured: flags.color,
      signal: ending.signal,
      after(delaySeconds, run) {
        const timer = setTimeout(run, delaySeconds * 1000);
        return () => clearTimeout(timer);
      },
    });
  } finally {
    for (const signal of endingSignals) process.off(signal, onSignal);
  }
  // The exit status reports to the sender that the signal ended the process.
  if (received !== undefined) process.kill(process.pid, received);
}
