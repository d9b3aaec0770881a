import { z } from "zod";
import { messageOf } from "../../shared/errors/errors.ts";
import { describeProblems } from "../../shared/messages/index.ts";
import type { Driver, DriverKind } from "./drivers/driver.ts";
import { builtInDriver, driverNames } from "./drivers/index.ts";

/** Where the broker's address is when nobody names a setting. */
export const usualBrokerSetting = "CELERY_BROKER_URL";

/** Never quoted where it is wrong: people write the address itself there, with its password. */
const settingName = z.custom<string>(
  (value) => typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(value),
  {
    error: "expected the name of a setting, the address itself does not belong here",
    params: { secret: true },
  },
);

/** What is said when a setting that must be there is not. */
function whenMissing(what: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? `missing, expected ${what}` : undefined,
  };
}

/** The agent's configuration file. What the command line says wins; the driver's own section has the driver's name. */
const configSchema = z.looseObject({
  cluster: z
    .string(
      whenMissing('CycleCloud\'s name of the cluster; give it with --cluster, or as "cluster" in the file'),
    )
    .min(1)
    .max(256),
  source: z
    .string(
      whenMissing(
        'what the scheduler is called in messages, such as "slurm"; give it with --source, or as "source" in the file',
      ),
    )
    .regex(
      /^[a-z0-9]+(-[a-z0-9]+)*$/,
      "expected lower-case letters and digits, with single dashes between them",
    )
    .max(50),
  driver: z
    .string(
      whenMissing(
        `one of ${driverNames.join(", ")}, or a file with a driver; give it with --driver, or as "driver" in the file`,
      ),
    )
    .min(1),
  interval_seconds: z.number().min(1).max(3_600).default(15),
  /** How long what was posted counts, should the agent fall silent. */
  ttl_seconds: z.int().min(10).max(86_400).default(300),
  /** Of one command of the scheduler. */
  command_timeout_seconds: z.number().min(1).max(600).default(60),
  /** What survives a restart is here. */
  state_folder: z.string().min(1).default("/var/lib/ccscale-agent"),
  /** A pass starts at once when this file is touched. */
  wake_file: z.string().min(1).optional(),
  /** The setting that holds the broker's address; its value is a secret, and not in this file. */
  broker_setting: settingName.default(usualBrokerSetting),
  /** Messages of a broker's queue that are looked at; more are counted only. */
  backlog_messages: z.int().min(0).max(1_000_000).default(10_000),
});

export interface AgentConfig {
  readonly cluster: string;
  readonly source: string;
  readonly driverName: string;
  readonly driver: Driver;
  readonly intervalSeconds: number;
  readonly ttlSeconds: number;
  readonly commandTimeoutSeconds: number;
  readonly stateFolder: string;
  readonly wakeFile: string | undefined;
  readonly brokerSetting: string;
  readonly backlogMessages: number;
}

export type ParsedAgentConfig =
  | { readonly ok: true; readonly config: AgentConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Checks the agent's and the driver's settings together, and names every problem at once. A driver from outside is loaded already
 * (`load-driver.ts`); its section has its own name.
 */
export function parseAgentConfig(json: unknown, outside?: DriverKind): ParsedAgentConfig {
  const parsed = configSchema.safeParse(json, { reportInput: true });
  if (!parsed.success) return { ok: false, problems: describeProblems(parsed.error) };
  const settings = parsed.data;
  const kind = outside ?? builtInDriver(settings.driver);
  if (kind === undefined)
    return {
      ok: false,
      problems: [
        `driver: "${settings.driver}", expected one of ${driverNames.join(", ")}, or a file with a driver`,
      ],
    };
  if (kind.name in configSchema.shape)
    return { ok: false, problems: [`driver: its name is "${kind.name}", which is a setting of the agent`] };
  const configured = configure(kind, settings[kind.name] ?? {});
  const problems = [
    ...unknownKeys(settings, kind).map((key) => `${key}: not a setting of the agent or a driver`),
    ...(configured.ok ? [] : configured.problems.map((problem) => `${kind.name}.${problem}`)),
    ...(settings.ttl_seconds < 2 * settings.interval_seconds
      ? [`ttl_seconds: ${settings.ttl_seconds}, expected at least twice interval_seconds`]
      : []),
  ];
  if (!configured.ok || problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    config: {
      cluster: settings.cluster,
      source: settings.source,
      driverName: kind.name,
      driver: configured.driver,
      intervalSeconds: settings.interval_seconds,
      ttlSeconds: settings.ttl_seconds,
      commandTimeoutSeconds: settings.command_timeout_seconds,
      stateFolder: settings.state_folder,
      wakeFile: settings.wake_file,
      brokerSetting: settings.broker_setting,
      backlogMessages: settings.backlog_messages,
    },
  };
}

/** What a driver from outside throws is a problem of its settings, with its words. */
function configure(kind: DriverKind, section: unknown): ReturnType<DriverKind["configure"]> {
  try {
    return kind.configure(section);
  } catch (error) {
    return { ok: false, problems: [messageOf(error)] };
  }
}

function unknownKeys(settings: Readonly<Record<string, unknown>>, { name }: DriverKind): string[] {
  const keys = new Set([...Object.keys(configSchema.shape), ...driverNames, name]);
  return Object.keys(settings).filter((key) => !keys.has(key));
}
