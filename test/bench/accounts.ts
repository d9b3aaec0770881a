/**
 * What the accounts of a large cluster take: processor time beside the rest of a snapshot's run, bytes and writes in a storage
 * account (Azurite), and how long a report of a month takes. Every minute one running job in a hundred ends and another begins.
 * Processor time of the main thread, as `npm run bench -- cycle` has it, medians of some minutes after the first.
 * Run it with `npm run bench -- accounts [--nodes 10000] [--jobs 100000] [--running 10000] [--minutes 7] [--days 31]`.
 */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startAzurite } from "../../infra/local/environment/azurite.ts";
import type { DayPage, Line } from "../../shared/accounting/index.ts";
import { costQuery } from "../../shared/api/index.ts";
import { readConfig } from "../../shared/config/index.ts";
import { countTime, keepAccounts, seeCluster, snapshotCluster } from "../../shared/cycle/index.ts";
import { defaultSettings } from "../../shared/engine/index.ts";
import { smallestLimits } from "../../shared/json/json-limits.ts";
import type { DemandJob } from "../../shared/messages/index.ts";
import type { ClusterControl, Ports } from "../../shared/ports/index.ts";
import { connectStorage, createAzureStores } from "../../shared/stores/azure/index.ts";
import { drawUpCost } from "../../shared/views/index.ts";
import { clusterOf } from "../support/cluster.ts";
import { FakeCycleCloud } from "../support/fake-cyclecloud.ts";
import { configOf, createWorld } from "../support/world.ts";
import { monthOfPages, runsOfDay } from "./accounts-month.ts";
import { wireCluster } from "./wire-cluster.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "10000" },
    jobs: { type: "string", default: "100000" },
    minutes: { type: "string", default: "7" },
    days: { type: "string", default: "31" },
    running: { type: "string", default: "10000" },
  },
});
const [nodeCount, jobCount] = [Number(values.nodes), Number(values.jobs)];
const runningCount = Math.min(jobCount, Number(values.running));
const arrays = ["htc", "hpc", "gpu"];
const cluster = "hpc";
const noControl = { drainedNodes: [], keptNodes: [] } as unknown as ClusterControl;
const azurite = await startAzurite({
  logFile: join(await mkdtemp(join(tmpdir(), "accounts-")), "azurite.log"),
});
try {
  await measureRuns();
  await measureMonth();
} finally {
  await azurite.stop();
}

function storesOf() {
  const storage = connectStorage({ connectionString: azurite.connectionString });
  return createAzureStores({
    blob: storage.blob,
    table: storage.table,
    parseConfig: readConfig,
    jsonLimits: { ...smallestLimits, bytes: 1e9, values: 1e9 },
    log: { warn: console.warn } as Ports["log"],
  });
}

async function measureRuns(): Promise<void> {
  const wire = wireCluster(cluster, { nodes: nodeCount, arrays });
  const hosts = wire.read().cluster.nodes.map(({ hostname }) => hostname ?? "");
  const cycleCloud = new FakeCycleCloud(clusterOf());
  cycleCloud.readCluster = async () => wire.read();
  const world = createWorld(cycleCloud);
  const [stores, reading] = [storesOf(), storesOf()].map((each) => ({
    ...each,
    configs: world.ports.configs,
  }));
  if (stores === undefined || reading === undefined) return;
  const config = configOf({ facts: { overrides: { Standard_F4s_v2: { pricePerHourUsd: 0.2 } } } });
  const ports: Ports = { ...world.ports, ...stores, configs: world.ports.configs };
  world.ports.configs.put(config);
  const shadow = `${cluster}-shadow`;
  const rounds: { readonly accountsMs: number; readonly runMs: number }[] = [];
  let first = 0;
  for (let minute = 0; minute <= Number(values.minutes); minute += 1) {
    await stores.demand.save(
      {
        cluster,
        source: "slurm",
        sequence: minute + 1,
        ignoredMessages: 0,
        jobs: jobsFrom(first, hosts),
        nodes: [],
        receivedAtSeconds: world.now(),
        expiresAtSeconds: world.now() + 300,
      },
      (await stores.demand.load(cluster, "slurm"))?.etag,
    );
    // What this process has just written it remembers: the run reads what another one wrote.
    const demand = await stores.demand.list(cluster);
    const { cluster: seen } = await world.cycleCloud.readCluster();
    const count = async () => {
      const known = { demand, control: noControl, settings: defaultSettings, takenAtSeconds: world.now() };
      const counted = await countTime(ports, shadow, {
        sight: seeCluster({ ...known, cluster: seen }),
        before: undefined,
        hasNodes: true,
      });
      await keepAccounts(ports, shadow, counted);
    };
    const run = () => snapshotCluster({ ...ports, ...reading }, cluster);
    // Whoever is second finds the code warm and less to collect: they take turns.
    const isCountFirst = minute % 2 === 0;
    const one = await took(isCountFirst ? count : run);
    const other = await took(isCountFirst ? run : count);
    const [accountsMs, runMs] = isCountFirst ? [one, other] : [other, one];
    if (minute > 0) rounds.push({ accountsMs, runMs });
    world.ports.planRequests.takeDue(Number.POSITIVE_INFINITY);
    first += Math.ceil(runningCount / 100);
    world.advance(60);
  }
  const accountsMs = median(rounds.map((round) => round.accountsMs));
  const runMs = median(rounds.map((round) => round.runMs));
  const added = median(rounds.map((round) => round.accountsMs / (round.runMs - round.accountsMs)));
  console.log(`${nodeCount} nodes, ${jobCount} jobs of which ${runningCount} run, ${rounds.length} minutes`);
  console.log(`a snapshot's run       ${runMs.toFixed(0)} ms of processor time`);
  console.log(
    `of these, the accounts ${accountsMs.toFixed(0)} ms: they add ${(added * 100).toFixed(1)} % to the rest`,
  );
  const { blob } = connectStorage({ connectionString: azurite.connectionString });
  const open = await blob
    .getContainerClient("accounts")
    .getBlobClient(`${cluster}/open.json.gz`)
    .getProperties();
  console.log(`the open record        ${((open.contentLength ?? 0) / 1e6).toFixed(2)} MB`);
}

async function measureMonth(): Promise<void> {
  const world = createWorld();
  const days = Number(values.days);
  const stores = storesOf();
  const pages: readonly DayPage[] = monthOfPages({
    untilSeconds: world.now(),
    days,
    nodes: nodeCount,
    jobs: jobCount,
  });
  const { accounts } = stores;
  for (const page of pages) await accounts.keep("month", { hours: [], days: [page], jobs: [] });
  const [firstPage] = pages;
  if (firstPage === undefined) return;
  const hour: { fromSeconds: number; untilSeconds: number; lines: readonly Line[] } = firstPage;
  await accounts.keep("month", { hours: [hour], days: [], jobs: [] });
  await accounts.keep("month", { hours: [], days: [], jobs: runsOfDay(firstPage, 1_000) });
  const { blob } = connectStorage({ connectionString: azurite.connectionString });
  const sizes = new Map<string, number[]>();
  for await (const { name, properties } of blob
    .getContainerClient("accounts")
    .listBlobsFlat({ prefix: "month/" })) {
    const kind = name.split("/")[1] ?? "";
    sizes.set(kind, [...(sizes.get(kind) ?? []), properties.contentLength ?? 0]);
  }
  for (const [kind, bytes] of sizes)
    console.log(`a page of ${kind.padEnd(12)} ${(median(bytes) / 1e3).toFixed(0)} KB`);
  world.ports.configs.put({ ...configOf({}), cluster: "month" });
  for (const by of [
    "array",
    "user",
    "account,array",
    "day,array,size,spot,user,account,queue,purpose",
    "job",
  ]) {
    const times: number[] = [];
    const cpu: number[] = [];
    let rows = 0;
    for (let round = 0; round < 5; round += 1) {
      // As a process that has read nothing yet.
      const cold = { ...world.ports, ...storesOf(), configs: world.ports.configs };
      const query = costQuery.parse({ by, from: String(pages[0]?.fromSeconds ?? 0) });
      const [begun, begunCpu] = [performance.now(), cpuMs()];
      const outcome = await drawUpCost(cold, "month", query);
      times.push(performance.now() - begun);
      cpu.push(cpuMs() - begunCpu);
      rows = outcome?.ok === true ? outcome.answer.rows.length : -1;
    }
    console.log(
      `a month by ${by.padEnd(48)} ${median(times).toFixed(0)} ms (${median(cpu).toFixed(0)} ms of processor time), ${rows} rows`,
    );
  }
}

/** The first of them run, the same share of each node; the others wait. */
function jobsFrom(first: number, hosts: readonly string[]): readonly DemandJob[] {
  return Array.from({ length: jobCount }, (_, place): DemandJob => {
    const index = first + place;
    return {
      name: String(100_000 + index),
      constraints: { ncpus: 0.4, memgb: 0.5 },
      iterations: 1,
      nodeCount: 0,
      colocated: false,
      exclusive: false,
      priority: 0,
      user: `user-${index % 500}`,
      account: `group-${index % 50}`,
      queue: arrays[index % 3],
      jobName: `run-${index % 500}`,
      startedAtSeconds: 1_799_990_000 + index,
      ...(place < runningCount
        ? { executingHostnames: [hosts[index % hosts.length] ?? ""] }
        : { executingHostnames: [] }),
    };
  });
}

async function took(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const begun = cpuMs();
  await work();
  return cpuMs() - begun;
}

/** Of this thread alone: what else the machine does, and how many cores it has, does not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
