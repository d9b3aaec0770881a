import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import getPort from "get-port";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Child, startChild } from "../../../infra/local/environment/child.ts";
import { builtCcscale, type LocalStack, startStack } from "../../support/local-stack.ts";
import { missingForCelery } from "./celery/installed.ts";
import { type Journal, readJournal } from "./celery/journal.ts";
import { Nodes } from "./celery/nodes.ts";
import { Outage } from "./celery/outage.ts";
import { RedisProcess } from "./celery/redis.ts";

const missing = missingForCelery();
const cluster = "celery";
/** A minute in the long variant; else an outage ends when the agent has noticed. */
const outageSeconds = Number(process.env.CELERY_OUTAGE_SECONDS ?? 0);
/** A task takes seconds, a node boots in seconds: so long without a change is a fault on any machine. */
const standstillMs = 240_000;
/** Demand outlives an outage, as with the usual 300 s and a minute. */
const ttlSeconds = 120 + 2 * outageSeconds;
const waveTasks = 100;
const here = join(import.meta.dirname, "celery");
const run = promisify(execFile);

let stack: LocalStack;
let journalFile: string;
let redis: RedisProcess;
let outage: Outage;
let nodes: Nodes;
let agent: Child;

function workEnv(): Record<string, string> {
  return { CELERY_BROKER_URL: redis.url, WORK_JOURNAL: journalFile, PYTHONDONTWRITEBYTECODE: "1" };
}

async function startAgent(): Promise<Child> {
  return startChild({
    name: "agent",
    args: [builtCcscale, ...["agent", "--config", join(stack.folder, "agent.json")]],
    env: { ...workEnv(), PYTHONPATH: here, AutoscaleStorage: await throughTheOutage() },
    isReady: (line) => line.includes('"event":"pass"'),
    logFile: join(stack.folder, "agent.log"),
  });
}

let outagePort: number;
async function throughTheOutage(): Promise<string> {
  return stack.environment.storageConnectionString.replace(
    /QueueEndpoint=http:\/\/127\.0\.0\.1:\d+/,
    `QueueEndpoint=http://127.0.0.1:${outagePort}`,
  );
}

async function sendTasks(count: number): Promise<void> {
  await run("/usr/bin/python3", ["send.py", `${count}`], {
    cwd: here,
    env: { ...process.env, ...workEnv() },
  });
}

/** Waits as long as something moves: tasks, nodes or passes of the agent. How long it takes in all is the machine's business. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  let seen = "";
  let movedAt = Date.now();
  while (!(await isSo())) {
    const now = await progress();
    if (now !== seen) movedAt = Date.now();
    seen = now;
    if (Date.now() - movedAt > standstillMs) throw new Error(`Nothing moves, and not yet: ${what}; ${now}`);
    await sleep(200);
  }
}

async function progress(): Promise<string> {
  const { ended } = readJournal(journalFile);
  const { nodes: known } = await stack.simulator.ledger(cluster);
  const gone = known.filter((node) => node.terminatedAt !== null).length;
  return `${ended} tasks done, ${nodes.workersStarted} workers started, ${gone} of ${known.length} nodes gone`;
}

/** Passes of the agent whose log line matches. */
async function passes(words: RegExp = /"event":"pass"/): Promise<number> {
  const log = (await readFile(join(stack.folder, "agent.log"), "utf8")).split("\n");
  return log.filter((line) => line.includes('"event":"pass"') && words.test(line)).length;
}

/** Takes the agent's queue away until it has noticed, and for as long as the long variant wants. */
async function queueIsAway(meanwhile: () => Promise<void>): Promise<void> {
  const before = await passes(/"sent":"kept"/);
  outage.begin();
  await meanwhile();
  await sleep(outageSeconds * 1000);
  await until("the agent keeps what it cannot send", async () => (await passes(/"sent":"kept"/)) > before);
  outage.end();
}

const isEmpty = async () =>
  (await stack.simulator.ledger(cluster)).nodes.every((node) => node.terminatedAt !== null);

beforeAll(async () => {
  if (missing !== undefined) return;
  const config = { idle_timeout: 5, boot_timeout: 90, demand_ttl: 60, operation_timeout: 30 };
  stack = await startStack({
    clusterFile: join(here, "cluster.json"),
    cluster,
    config: { ...config, drain_timeout: 300 },
  });
  const { environment, folder } = stack;
  journalFile = join(folder, "journal.jsonl");
  redis = new RedisProcess(await getPort(), folder);
  await redis.start();
  const queuePort = Number(
    /QueueEndpoint=http:\/\/127\.0\.0\.1:(\d+)/.exec(environment.storageConnectionString)?.[1],
  );
  outagePort = await getPort();
  outage = await Outage.before(queuePort, outagePort);
  nodes = new Nodes({ stack, env: workEnv() });
  const celery = {
    app: "work",
    command: ["/usr/bin/python3", "-m", "celery"],
    min_core_count: 0,
    warm_buffer: 0,
    reply_seconds: 0.5,
  };
  const settings = {
    cluster,
    source: "celery",
    driver: "celery",
    interval_seconds: 2,
    ttl_seconds: ttlSeconds,
  };
  await writeFile(
    join(stack.folder, "agent.json"),
    JSON.stringify({ ...settings, state_folder: join(stack.folder, "state"), celery }),
  );
  agent = await startAgent();
}, 300_000);

afterAll(async () => {
  await agent?.stop();
  await nodes?.stop();
  await outage?.close();
  await redis?.stop();
  await stack?.stop();
});

test.skipIf(missing !== undefined)(
  `200 Celery tasks scale a cluster up and down, each runs once, with agent, queue and broker failing${missing === undefined ? "" : `: skipped, ${missing}`}`,
  async () => {
    const journal = (): Journal => readJournal(journalFile);
    const started = Date.now() / 1000;
    await sendTasks(waveTasks);
    const sentAt = Date.now() / 1000;
    await until("a quarter of the first tasks is done", () => journal().ended >= waveTasks / 4);

    // Busy workers: the agent dies without a word, and its queue is away for a while.
    await agent.kill();
    await queueIsAway(async () => {
      agent = await startAgent();
    });
    await until("the first tasks are done", () => journal().ended >= waveTasks);

    // The queue is away again, the broker restarts meanwhile, and there is new work.
    await queueIsAway(async () => {
      await redis.stop();
      const before = await passes(/"reading":"unknown"/);
      await until("the agent cannot read", async () => (await passes(/"reading":"unknown"/)) > before);
      await redis.start();
      await sendTasks(waveTasks);
    });
    await until("all tasks are done", () => journal().ended >= 2 * waveTasks);
    const doneAt = Date.now() / 1000;
    await until("the cluster is empty again", isEmpty);

    const end = journal();
    const ledger = await stack.simulator.ledger(cluster);
    const creates = await stack.simulator.creates(cluster);
    const firstCreate = creates.find((call) => call.atSeconds >= started)?.atSeconds ?? Number.NaN;
    const busy = nodes.switchedOff.filter(({ hostname, atSeconds }) => end.ranOn(hostname, atSeconds));
    const all = await passes();
    const unknown = await passes(/"reading":"unknown"/);
    const drained = await passes(/"drained":[1-9]/);
    const unsent = await passes(/"sent":"kept"/);
    console.log(
      [
        `Celery: ${end.ended} of ${2 * waveTasks} tasks done, lost ${end.lost.length}, run twice ${end.twice.length}`,
        `first create call ${(firstCreate - sentAt).toFixed(1)} s after the last of the first ${waveTasks} tasks was sent`,
        `nodes created ${ledger.created}, workers started ${nodes.workersStarted}, switched off busy ${busy.length}`,
        `agent: ${all} passes, ${unknown} without a reading, ${unsent} kept because the queue was away, ${drained} with drained hosts`,
        `all done after ${(doneAt - started).toFixed(0)} s, empty after ${(Date.now() / 1000 - started).toFixed(0)} s, two outages of ${outageSeconds} s`,
      ].join("\n"),
    );
    expect({
      done: end.ended,
      lost: end.lost,
      twice: end.twice,
      switchedOffBusy: busy,
      scaledUp: ledger.created > 1,
      outageWasFelt: unsent > 0,
      wasDrained: drained > 0,
    }).toEqual({
      done: 2 * waveTasks,
      lost: [],
      twice: [],
      switchedOffBusy: [],
      scaledUp: true,
      outageWasFelt: true,
      wasDrained: true,
    });
  },
  900_000,
);
