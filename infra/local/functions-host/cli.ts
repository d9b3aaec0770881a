import Table from "cli-table3";
import { Command, InvalidArgumentError, Option } from "commander";
import { type FunctionsHost, start } from "./host.ts";
import { describeError, type LogEntry, type Logger } from "./logger.ts";
import { type LogLevel, logLevels } from "./rpc.ts";

interface Flags {
  readonly app: string;
  readonly port: number;
  readonly main?: string;
  readonly logLevel?: LogLevel;
  readonly queueLeaseSeconds: number;
  readonly graceSeconds: number;
  readonly readyLine?: boolean;
}

const program = new Command("functions-host")
  .description("Runs a Node.js Azure Functions app on this machine, for development")
  .option("--app <folder>", "folder with host.json and package.json", ".")
  .option("--port <number>", "0 takes a free port", wholeNumber, 7071)
  .option("--main <glob>", "files to load in place of package.json main")
  .addOption(
    new Option("--log-level <level>", "least level to print, in place of host.json's default").choices(
      logLevels,
    ),
  )
  .option("--queue-lease-seconds <seconds>", "how long a killed host hides a queue message", wholeNumber, 30)
  .option("--grace-seconds <seconds>", "how long a stop waits for running invocations", wholeNumber, 10)
  .option("--ready-line", "print one JSON line when everything runs, and no table")
  .action(run);

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}", expected a whole number.`);
}

async function run(flags: Flags): Promise<void> {
  const { app, port, main, queueLeaseSeconds, logLevel } = flags;
  const host = await start({
    appDir: app,
    port,
    queueLeaseSeconds,
    graceMs: flags.graceSeconds * 1000,
    logger: print,
    // Azure's own way to override host.json from outside.
    ...(logLevel === undefined
      ? {}
      : { settings: { AzureFunctionsJobHost__logging__logLevel__default: logLevel } }),
    ...(main === undefined ? {} : { main }),
  });
  stopOnSignals(host);
  announce(host, flags.readyLine === true);
}

/** The first signal stops in order, the second at once. */
function stopOnSignals(host: FunctionsHost): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    // Azure SDK timers may outlive their clients: leave without waiting for them.
    host.stop().then(() => process.exit(0), fail);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal);
}

function announce({ url, functions }: FunctionsHost, isMachine: boolean): void {
  if (isMachine) {
    process.stdout.write(`${JSON.stringify({ ready: true, url, functions })}\n`);
    return;
  }
  const table = new Table({ head: ["function", "trigger"], style: { head: [], border: [], compact: true } });
  for (const { name, trigger, problem } of functions) table.push([name, problem ?? trigger]);
  process.stdout.write(`${table.toString()}\nlistening on ${url}\n`);
}

const print: Logger = ({ level, category, message, functionName, invocationId }: LogEntry): void => {
  const time = new Date().toISOString().slice(11, 23);
  const id = invocationId === undefined ? "" : ` [${invocationId.slice(0, 8)}]`;
  process.stdout.write(`${time} ${level.padEnd(11)} ${functionName ?? category}${id} ${message}\n`);
};

function fail(error: unknown): void {
  process.stderr.write(`${describeError(error)}\n`);
  process.exit(1);
}

program.parseAsync().catch(fail);
