import { hostname } from "node:os";
import { jobDemandQueue } from "../../shared/app/names.ts";
import { ConfigurationError } from "../../shared/errors/errors.ts";
import { sendDemand } from "../../shared/queues/storage-queue/index.ts";
import type { StorageClients } from "../../shared/stores/azure/index.ts";
import { brokerProblem, readBacklog } from "./broker/read-backlog.ts";
import { checkReading } from "./check-reading.ts";
import { type AgentConfig, usualBrokerSetting } from "./config.ts";
import type { ClusterParts, Command, Read } from "./drivers/driver.ts";
import { EventQueue } from "./event-queue.ts";
import { execute } from "./execute.ts";
import { KeptAlive } from "./kept-alive.ts";
import { KeptFiles, readKeptState } from "./kept-files.ts";
import type { HeldLock } from "./lock.ts";
import { NamedNodeKeeper, type NamedNodesService } from "./named-nodes.ts";
import { Outbox } from "./outbox.ts";
import { collect, type PassPorts, readingOnly } from "./pass.ts";
import { runLoop } from "./run.ts";
import { type AgentState, StateFolder } from "./state.ts";
import { WakeUp } from "./wake-up.ts";

/** Demand goes to a queue, or as an upload; events come from a queue. */
export type AgentStorage = Pick<StorageClients, "queue" | "blob">;

export interface AgentOptions {
  readonly config: AgentConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly once: boolean;
  /** Posts, and changes nothing of the scheduler. */
  readonly readOnly?: boolean;
  /** Of the service; asked only where the driver keeps files in step with the cluster. */
  readonly cluster?: () => Promise<ClusterParts>;
  /** The same, for nodes that the scheduler names; undefined: nobody has said where it is. */
  readonly namedNodes?: (() => Promise<NamedNodesService>) | undefined;
  readonly log: (line: string) => void;
}

const nowSeconds = () => Date.now() / 1000;

/** Runs until a signal stops it. Throws ConfigurationError when it cannot begin. */
export async function startAgent(
  options: AgentOptions,
  storage: AgentStorage,
): Promise<{ lastWasFine: boolean }> {
  const { config } = options;
  const read = reader(options);
  if (config.driver.namesNodes === true && options.readOnly !== true && options.namedNodes === undefined)
    throw new ConfigurationError("the environment", [
      "CCSCALE_URL: not set, expected the address of the service, which creates the nodes that the scheduler names",
    ]);
  const folder = new StateFolder(config.stateFolder, config);
  const lock = await folder.lock();
  try {
    return await runLocked(options, { storage, folder, read, lock });
  } finally {
    await lock.release();
  }
}

async function runLocked(
  { config, once, readOnly, cluster, namedNodes, log }: AgentOptions,
  parts: Parts & { readonly lock: HeldLock },
): Promise<{ lastWasFine: boolean }> {
  const { folder, lock } = parts;
  const { state, isDamaged } = await folder.load();
  // Also a trial: a folder without rights shows now, and not with the first event.
  await folder.save(state);
  if (isDamaged) log(JSON.stringify({ event: "state-damaged", level: "warning", source: config.source }));
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const wakeUp = new WakeUp(config.wakeFile);
  try {
    const whole = await portsOf(config, { ...parts, cluster, namedNodes: await namedNodes?.() });
    const ports = readOnly === true ? readingOnly(whole) : whole;
    const stop = AbortSignal.any([stopping.signal, lock.lost]);
    const ended = await runLoop(state, { config, ports, wakeUp, stop, once, log });
    if (!lock.lost.aborted) return ended;
    throw new ConfigurationError(`state folder "${config.stateFolder}"`, [
      `another agent of source "${config.source}" has taken it over; this one stops`,
    ]);
  } finally {
    wakeUp.close();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
  }
}

/** One reading, as it would be posted, without touching the queue, the state or the scheduler. */
export async function lookOnce(
  options: AgentOptions,
): Promise<{ readonly known: boolean; readonly reason?: string; readonly [key: string]: unknown }> {
  const { config } = options;
  const { state } = await new StateFolder(config.stateFolder, config).load();
  const contextOf = () => ({ nowSeconds: nowSeconds(), draining: new Map(), memory: state.memory });
  const reading = await collect(config.driver, contextOf, reader(options));
  const { cluster, source } = config;
  if (!reading.known) return { cluster, source, ...reading };
  const { silent, corrections } = reading;
  return { cluster, source, known: true, ...checkReading(reading), silent, corrections };
}

interface Parts {
  readonly storage: AgentStorage;
  readonly folder: StateFolder;
  readonly read: PassPorts["read"];
  readonly cluster?: AgentOptions["cluster"] | undefined;
  readonly namedNodes?: NamedNodesService | undefined;
}

/** Tells the service which process speaks: a host name may hold what a message may not. */
function senderName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9.-]/g, "-")
    .slice(0, 40);
  return `${host}:${process.pid}:${Math.floor(nowSeconds()).toString(36)}`;
}

async function portsOf(config: AgentConfig, parts: Parts): Promise<PassPorts> {
  const { storage, folder } = parts;
  const destination = { queue: storage.queue.getQueueClient(jobDemandQueue), uploads: storage.blob };
  const { cluster, source, ttlSeconds } = config;
  const outbox = new Outbox(
    { cluster, source, sender: senderName(), ttlSeconds, destination, folder, send: sendDemand },
    await folder.loadSequence(),
  );
  const events = new EventQueue(storage.queue, config);
  const run = (command: Command) => execute(command, config.commandTimeoutSeconds);
  const { files } = config.driver;
  const kept =
    files === undefined || parts.cluster === undefined
      ? undefined
      : new KeptFiles({
          files,
          cluster: parts.cluster,
          run,
          load: async () => readKeptState(await folder.read("files-to-apply")),
          save: (state) => folder.write("files-to-apply", JSON.stringify(state)),
        });
  const named = parts.namedNodes === undefined ? undefined : keepersOf(parts.namedNodes, folder, run);
  return {
    driver: config.driver,
    nowSeconds,
    read: parts.read,
    run,
    takeEvents: () => events.take(),
    post: (demand, now) => outbox.post(demand, now),
    postKept: (now) => outbox.postKept(now),
    startOver: () => outbox.startOver(),
    save: (state: AgentState) => folder.save(state),
    ...(named === undefined
      ? {}
      : {
          keepAlive: (nodes, now) => named.alive.tend(nodes, now),
          tendNamed: (nodes, now) => named.keeper.tend(nodes, now),
        }),
    ...(kept === undefined ? {} : { keepFiles: (now) => kept.keep(now) }),
    notices: (now) => [...(kept?.notices(now) ?? []), ...(named?.alive.notices ?? [])],
  };
}

function keepersOf(
  service: NamedNodesService,
  folder: StateFolder,
  run: (command: Command) => Promise<unknown>,
) {
  const portsOf = (file: string) => ({
    service,
    run,
    load: () => folder.read(file),
    save: (text: string) => folder.write(file, text),
  });
  return {
    keeper: new NamedNodeKeeper(portsOf("named-nodes")),
    alive: new KeptAlive(portsOf("kept-alive")),
  };
}

/** A name that is not ours is not quoted: it may be the address itself, with its password. */
function missing(setting: string): string {
  return setting === usualBrokerSetting
    ? `${setting}: not set, expected the address of the broker`
    : "broker_setting: the environment has no setting of that name, expected one that holds the address of the broker";
}

/** Throws ConfigurationError when the driver needs a broker and its address is not there. */
function reader({ config, env }: AgentOptions): PassPorts["read"] {
  const context = { nowSeconds: nowSeconds(), draining: new Map(), memory: {} };
  const needsBroker = config.driver
    .reads(context)
    .flat()
    .some(({ kind }) => kind === "backlog");
  const url = env[config.brokerSetting] ?? "";
  const problem = needsBroker ? brokerProblem(url) : undefined;
  if (problem !== undefined) {
    throw new ConfigurationError("the environment", [
      url === "" ? missing(config.brokerSetting) : `${config.brokerSetting}: ${problem}`,
    ]);
  }
  const timeoutSeconds = config.commandTimeoutSeconds;
  return async (read: Read) => {
    if (read.kind === "command") return execute(read, timeoutSeconds);
    const limits = { mostMessages: config.backlogMessages, timeoutSeconds };
    return { text: JSON.stringify(await readBacklog(url, read.queues, limits)), exitCode: 0 };
  };
}
