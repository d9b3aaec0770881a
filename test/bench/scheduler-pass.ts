/**
 * How long a pass of the agent takes beside a large Grid Engine or PBS: read what its programs print, make demand of it, check it
 * and post what changed (Azurite). The programs are scripts that print files, so that the time is the agent's and that of pipes; what
 * a real scheduler needs to answer comes on top. In each round one job in a hundred has ended and as many are new.
 * Run it with `npm run bench -- schedulers [--jobs 10000] [--hosts 2000] [--passes 9] [--check]`.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Read } from "../../clients/agent/drivers/driver.ts";
import { execute } from "../../clients/agent/execute.ts";
import { Outbox } from "../../clients/agent/outbox.ts";
import { type PassPorts, runPass } from "../../clients/agent/pass.ts";
import { StateFolder } from "../../clients/agent/state.ts";
import { startAzurite } from "../../infra/local/environment/azurite.ts";
import { jobDemandQueue } from "../../shared/app/names.ts";
import { sendDemand } from "../../shared/queues/storage-queue/index.ts";
import { connectStorage } from "../../shared/stores/azure/index.ts";
import type { Cell, CellSize } from "./scheduler-pass/cell.ts";
import { gridengineCell } from "./scheduler-pass/gridengine.ts";
import { pbsCell } from "./scheduler-pass/pbs.ts";

/** What is promised of a pass at one pass a minute. */
const most = { wallSeconds: 2, shareOfCore: 0.05, commands: 6 };
const secondsBetweenPasses = 60;

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000" },
    hosts: { type: "string", default: "2000" },
    passes: { type: "string", default: "9" },
    check: { type: "boolean", default: false },
  },
});
const size: CellSize = { jobs: Number(values.jobs), hosts: Number(values.hosts) };
const folder = await mkdtemp(join(tmpdir(), "schedulers-"));
const azurite = await startAzurite({ logFile: join(folder, "azurite.log") });
console.log(`${size.jobs} jobs, ${size.hosts} hosts; seconds of a pass, the first of a process apart`);
console.log("scheduler     MB read  commands  first: wall, cpu    then: wall, most, cpu");
try {
  for (const cellOf of [gridengineCell, pbsCell]) {
    const own = join(folder, cellOf.name);
    await mkdir(own);
    await measure(cellOf(own, size), own);
  }
} finally {
  await azurite.stop();
  await rm(folder, { recursive: true, force: true });
}

interface Pass {
  readonly wall: number;
  readonly cpu: number;
  readonly bytes: number;
  readonly commands: number;
}

async function measure(cell: Cell, own: string): Promise<void> {
  const configured = cell.kind.configure(cell.section);
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const storage = connectStorage({ connectionString: azurite.connectionString });
  const queue = storage.queue.getQueueClient(jobDemandQueue);
  await queue.createIfNotExists();
  const stateFolder = new StateFolder(own, { cluster: "hpc", source: cell.kind.name });
  const outbox = new Outbox(
    {
      cluster: "hpc",
      source: cell.kind.name,
      sender: "bench",
      ttlSeconds: 3600,
      destination: { queue, uploads: storage.blob },
      folder: stateFolder,
      send: sendDemand,
    },
    0,
  );
  let { state } = await stateFolder.load();
  const passes: Pass[] = [];
  for (let round = 0; round <= Number(values.passes); round += 1) {
    cell.print(round);
    let [bytes, commands] = [0, 0];
    const ports: PassPorts = {
      driver: configured.driver,
      nowSeconds: () => Date.now() / 1000,
      read: async (read: Read) => {
        if (read.kind !== "command") throw new Error(`Cannot read "${read.name}": expected a command`);
        const answer = await execute(read, 60);
        commands += 1;
        bytes += answer.text.length;
        return answer;
      },
      run: async () => {
        commands += 1;
      },
      takeEvents: async () => ({ events: [], refusals: [], problems: [] }),
      post: (demand, now) => outbox.post(demand, now),
      postKept: (now) => outbox.postKept(now),
      startOver: () => outbox.startOver(),
      save: (next) => stateFolder.save(next),
    };
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const { state: after, report } = await runPass(state, ports);
    const { user, system } = process.cpuUsage(cpu);
    const wall = (performance.now() - began) / 1000;
    state = after;
    const jobs = report.demand?.jobs.length ?? 0;
    const nodes = report.demand?.nodes.length ?? 0;
    if (
      !report.reading.known ||
      report.posted?.outcome !== "sent" ||
      nodes !== size.hosts ||
      jobs < size.jobs / 2
    )
      throw new Error(
        `Cannot believe the pass: ${JSON.stringify({ ...report, reading: undefined, demand: { jobs, nodes } }).slice(0, 2_000)}`,
      );
    passes.push({ wall, cpu: (user + system) / 1e6, bytes, commands });
  }
  const [first, ...others] = passes;
  if (first === undefined) return;
  const wall = median(others.map((pass) => pass.wall));
  const longest = Math.max(...others.map((pass) => pass.wall));
  const cpu = median(others.map((pass) => pass.cpu));
  const commands = Math.max(...others.map((pass) => pass.commands));
  const seconds = (value: number) => value.toFixed(2).padStart(5);
  console.log(
    `${cell.kind.name.padEnd(14)}${((others[0]?.bytes ?? 0) / 1e6).toFixed(1).padStart(7)}${String(commands).padStart(10)}  ${seconds(first.wall)} ${seconds(first.cpu)}        ${seconds(wall)} ${seconds(longest)} ${seconds(cpu)}`,
  );
  const isKept =
    wall < most.wallSeconds && cpu / secondsBetweenPasses < most.shareOfCore && commands <= most.commands;
  if (values.check && !isKept) process.exitCode = 1;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
