import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { ConfigurationError, kindOf, messageOf } from "../../shared/errors/errors.ts";
import { parseJson } from "../../shared/json/json.ts";
import { parseDuration } from "../../shared/text/durations.ts";
import { storageOf } from "../cli/connect-storage.ts";
import { CommandFailure } from "../cli/exit-code.ts";
import { localOption, type PlaceFlags, placeOf } from "../cli/local-environment.ts";
import { readClusterParts } from "../cli/service/cluster-parts.ts";
import { namedNodesOf } from "../cli/service/named-nodes.ts";
import { reach } from "../cli/service/reach.ts";
import type { Terminal } from "../cli/terminal.ts";
import { type AgentConfig, parseAgentConfig } from "./config.ts";
import type { ClusterParts, DriverKind } from "./drivers/driver.ts";
import { driverNames } from "./drivers/index.ts";
import { isBuiltIn, loadDriver } from "./load-driver.ts";
import { lookOnce, startAgent } from "./start.ts";

interface Flags extends PlaceFlags {
  readonly config?: string;
  readonly driver?: string;
  readonly cluster?: string;
  readonly source?: string;
  readonly interval?: number;
  readonly stateFolder?: string;
  readonly once?: boolean;
  readonly dryRun?: boolean;
  readonly readOnly?: boolean;
}

/** `ccscale agent`: stands beside a scheduler and speaks for it. */
export function agentCommand(terminal: Terminal): Command {
  return new Command("agent")
    .description("Runs beside a scheduler: posts what it wants, and does there what the service asks for.")
    .option("--config <file>", "JSON file with the agent's and the driver's settings")
    .option(
      "--driver <name>",
      `which scheduler: ${driverNames.join(", ")}, a file such as ./my-driver.mjs, or an installed package`,
    )
    .option("--cluster <name>", "CycleCloud's name of the cluster")
    .option("--source <name>", "what the scheduler is called in messages; names its queue of events")
    .option("--interval <length>", "from one pass to the next, such as 30s", seconds)
    .option("--state-folder <folder>", "where to keep what survives a restart")
    .option("--once", "one pass; ends with 1 when nothing could be posted")
    .option(
      "--dry-run",
      "one reading, printed and not posted; does nothing else. Ends with 1 when it is unknown",
    )
    .option(
      "--read-only",
      "posts what the scheduler wants and changes nothing there, while another autoscaler acts",
    )
    .addOption(localOption())
    .addHelpText("after", "\nSIGHUP starts a pass at once. Settings: see docs/agent.md.")
    .action((flags: Flags) => run(flags, terminal));
}

async function run(flags: Flags, terminal: Terminal): Promise<void> {
  const config = await configOf(flags);
  const log = (line: string) => void terminal.stdout.write(`${line}\n`);
  const options = {
    config,
    env: process.env,
    once: flags.once === true,
    readOnly: flags.readOnly === true,
    log,
    cluster: () => clusterParts(config.cluster, flags),
    namedNodes: namedNodesAt(config, flags),
  };
  try {
    if (flags.dryRun === true) {
      const reading = await lookOnce(options);
      log(JSON.stringify(reading, null, 2));
      if (reading.known) return;
      throw new CommandFailure(
        "The scheduler could not be read",
        'The "reason" above says why; check the settings and the rights of this user.',
      );
    }
    const { lastWasFine } = await startAgent(options, await storageOf(placeOf(flags)));
    if (options.once && !lastWasFine)
      throw new CommandFailure(
        "Nothing was posted",
        "The line above says why; the last demand still counts.",
      );
  } catch (error) {
    if (kindOf(error) !== "configuration") throw error;
    throw new CommandFailure(messageOf(error), "See docs/agent.md for the settings.");
  }
}

/** By HTTP where CCSCALE_URL names the service, else from the storage account that the agent posts to. */
async function clusterParts(cluster: string, flags: Flags): Promise<ClusterParts> {
  const { CCSCALE_URL: url } = process.env;
  const place = flags.local === undefined ? {} : { local: flags.local };
  const { service } = await reach(
    url === undefined || flags.local !== undefined ? { cluster, storage: true, ...place } : { cluster, url },
  );
  return readClusterParts(service);
}

/** The service itself: nobody else asks CycleCloud for nodes. Undefined where nothing names it. */
function namedNodesAt({ cluster, source, driver }: AgentConfig, flags: Flags) {
  const { CCSCALE_URL: url } = process.env;
  const place = flags.local !== undefined ? { local: flags.local } : url === undefined ? undefined : { url };
  if (driver.namesNodes !== true || place === undefined) return undefined;
  return async () => namedNodesOf((await reach({ cluster, ...place })).service, `agent ${source}`);
}

async function configOf(flags: Flags): Promise<AgentConfig> {
  const file = flags.config === undefined ? {} : await readConfig(flags.config);
  const given = {
    driver: flags.driver,
    cluster: flags.cluster,
    source: flags.source,
    interval_seconds: flags.interval,
    state_folder: flags.stateFolder,
  };
  const said = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const settings: { readonly driver?: unknown } = { ...file, ...said };
  const parsed = parseAgentConfig(settings, await outsideDriver(settings, flags));
  if (parsed.ok) return parsed.config;
  throw wrongSettings(parsed.problems);
}

/** A driver that does not come with the agent. A path is seen from the file that names it, or from the current folder. */
async function outsideDriver(
  { driver }: { readonly driver?: unknown },
  flags: Flags,
): Promise<DriverKind | undefined> {
  if (typeof driver !== "string" || driver === "" || isBuiltIn(driver)) return undefined;
  const isOption = flags.driver !== undefined || flags.config === undefined;
  const loaded = await loadDriver(driver, isOption ? process.cwd() : dirname(resolve(flags.config)));
  if (loaded.ok) return loaded.kind;
  throw wrongSettings([loaded.problem]);
}

function wrongSettings(problems: readonly string[]): CommandFailure {
  const { message } = new ConfigurationError("the agent's settings", problems);
  return new CommandFailure(message, "Give them in the file or as options; see docs/agent.md.");
}

async function readConfig(file: string): Promise<object> {
  try {
    const json: unknown = parseJson(await readFile(file, "utf8"));
    if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
    throw new Error("expected a JSON object");
  } catch (error) {
    throw new CommandFailure(
      `Cannot read "${file}": ${messageOf(error)}`,
      "Write the agent's settings there.",
    );
  }
}

function seconds(text: string): number {
  const value = parseDuration(text, { isPlain: true });
  if (value !== undefined && value >= 1) return value;
  throw new InvalidArgumentError(`"${text}", expected a length of time such as 30s, 1s or more.`);
}
