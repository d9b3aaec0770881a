/**
 * The files and the agent's passes of a large Slurm cluster, beside a real slurmctld (Debian 12 has 22.05.8) without a machine: all
 * its nodes are cloud nodes that are not there. Seconds of the agent stand apart from those of Slurm's own programs.
 * Run it with `npm run bench -- slurm-scale [--nodes 10000] [--jobs 100000] [--passes 5] [--check]`.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { drawUpFiles } from "../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { slurm as kind } from "../../clients/agent/drivers/slurm/slurm.ts";
import { slurmSettingsSchema } from "../../clients/agent/drivers/slurm/slurm-settings.ts";
import { startAzurite } from "../../infra/local/environment/azurite.ts";
import { bucket } from "../clients/agent/drivers/cluster-parts.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../support/machines/slurm.ts";
import { checked, median, type Pass, passesOf } from "./scheduler-pass/measure-passes.ts";

/** What is promised at one pass a minute. */
const most = { configSeconds: 2, wallSeconds: 2, shareOfCore: 0.05, calls: 10 };
const secondsBetweenPasses = 60;
const arrays = ["htc", "hpc", "gpu", "mem", "viz"];
/** Tasks of one `sbatch --array`; the shapes of those arrays, which differ in what a task asks for. */
const tasksOfArray = 200;
const joinedAtOnce = 1_000;

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "10000" },
    jobs: { type: "string", default: "100000" },
    passes: { type: "string", default: "5" },
    check: { type: "boolean", default: false },
  },
});
if (slurmIsMissing !== undefined) {
  console.error(`Cannot run it here: ${slurmIsMissing}.`);
  process.exit(1);
}
const [nodeCount, jobCount] = [Number(values.nodes), Number(values.jobs)];
const rounds = Array.from({ length: Number(values.passes) });

const cluster = {
  buckets: arrays.map((nodeArray) => bucket({ nodeArray, most: nodeCount / arrays.length })),
  nodes: [],
  unread: [],
};
const settings = slurmSettingsSchema.parse({});
const drawUp = () => {
  const drawn = drawUpFiles(cluster, settings);
  if ("refused" in drawn) throw new Error(drawn.refused);
  return drawn.files;
};
const timed = async <T>(work: () => T | Promise<T>): Promise<readonly [seconds: number, result: T]> => {
  const began = performance.now();
  const result = await work();
  return [(performance.now() - began) / 1000, result];
};

const [configSeconds, files] = await timed(drawUp);
const folder = await mkdtemp(join(tmpdir(), "slurm-scale-"));
const azurite = await startAzurite({ logFile: join(folder, "azurite.log") });
try {
  const conf = `SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=30
MaxJobCount=${4 * jobCount}
MaxNodeCount=${nodeCount}
${files.find(({ name }) => name === "cyclecloud.conf")?.text}`;
  const [loadSeconds, slurm] = await timed(() => startSlurm({ conf }));
  try {
    console.log(
      `${nodeCount} nodes: files drawn up in ${configSeconds.toFixed(2)} s, controller answers after ${loadSeconds.toFixed(2)} s`,
    );
    keep(configSeconds < most.configSeconds, "files");
    await measureAll(slurm);
  } finally {
    await slurm.stop();
  }
} finally {
  await azurite.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureAll(slurm: Slurm): Promise<void> {
  Object.assign(process.env, slurm.env);
  const onHead = (program: string) => slurm.network.entering(slurm.network.headName, program, []);
  const section = { squeue: onHead("squeue"), scontrol: onHead("scontrol"), sinfo: onHead("sinfo") };
  const own = join(folder, "agent");
  await mkdir(own);
  const pass = await passesOf({ kind, section }, own, azurite.connectionString);
  console.log(
    "situation                                     calls  commands  MB read    of agent: wall, cpu    of Slurm's programs",
  );
  const calls = () => callsSince(slurm);
  const show = async (situation: string, passes: readonly Pass[], isPromised: boolean) => {
    const wall = median(passes.map((each) => each.wallSeconds - each.waitedSeconds));
    const cpu = median(passes.map((each) => each.cpuSeconds));
    const waited = median(passes.map((each) => each.waitedSeconds));
    const made = (await calls()) / passes.length;
    const [first] = passes;
    console.log(
      `${situation.padEnd(44)}${made.toFixed(1).padStart(7)}${String(first?.commands).padStart(10)}${((first?.bytes ?? 0) / 1e6).toFixed(1).padStart(9)}${wall.toFixed(2).padStart(18)} ${cpu.toFixed(2).padStart(5)}${waited.toFixed(2).padStart(20)}`,
    );
    if (!isPromised) return;
    const isKept = wall < most.wallSeconds && cpu / secondsBetweenPasses < most.shareOfCore;
    keep(isKept && made <= most.calls, situation);
  };
  await calls();
  const hasJobs = (count: number) => (report: Pass["report"]) => waitingIn(report) === count;
  await show("first pass: no node is there", [checked(await pass(), hasJobs(0))], false);
  const repeated = async (count: number) => {
    const passes: Pass[] = [];
    for (const _ of rounds) passes.push(checked(await pass(), hasJobs(count)));
    return passes;
  };
  await show("nothing waits", await repeated(0), true);

  const joined = Array.from({ length: joinedAtOnce }, (_, index) => ({
    name: `htc-${index + 1}`,
    hostname: `ip-${index + 1}`,
    nodeId: `node-${index + 1}`,
  }));
  const event = {
    version: 1,
    kind: "node-joined",
    cluster: "hpc",
    atSeconds: Date.now() / 1000,
    nodes: joined,
  } as never;
  await show(`${joinedAtOnce} nodes joined`, [checked(await pass([event]), hasJobs(0))], false);

  const ids = await submitArrays(slurm);
  await calls();
  await show(`${jobCount} jobs in arrays of ${tasksOfArray}`, await repeated(jobCount), true);

  // Of an array, the tasks of a part that is changed become jobs of their own.
  for (const id of ids) await slurm.run("scontrol", "update", `JobId=${id}_[2-${tasksOfArray}]`, "Nice=1");
  await calls();
  await show(`${jobCount} jobs apart, first`, [checked(await pass(), hasJobs(jobCount))], false);
  await show(`${jobCount} jobs apart`, await repeated(jobCount), true);
}

/** Job arrays of all sizes that a node has, in each partition; gives their numbers. */
async function submitArrays(slurm: Slurm): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < jobCount / tasksOfArray; index += 1) {
    const where = ["-p", arrays[index % arrays.length] ?? "", `--array=1-${tasksOfArray}`];
    const amounts = [`--cpus-per-task=${1 + (index % 4)}`, `--mem-per-cpu=${500 + 100 * (index % 20)}`];
    const args = ["--parsable", ...where, ...amounts, "--output=/dev/null", "--wrap", "true"];
    ids.push((await slurm.run("sbatch", ...args)).trim());
  }
  return ids;
}

/** Also those for which a message has no room. */
function waitingIn({ demand, leftOut }: Pass["report"]): number {
  return (demand?.jobs ?? []).reduce((sum, { iterations = 1 }) => sum + iterations, leftOut);
}

/** Calls that slurmctld has answered since this was asked last, without those for this question. */
async function callsSince(slurm: Slurm): Promise<number> {
  const text = await slurm.run("sdiag");
  await slurm.run("sdiag", "--reset");
  const counts = [...text.matchAll(/^\t(REQUEST_\w+) .*?count:(\d+)/gm)];
  return counts
    .filter(([, name]) => name !== "REQUEST_STATS_INFO")
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}

function keep(isKept: boolean, what: string): void {
  if (isKept || !values.check) return;
  console.error(`${what}: not what is promised`);
  process.exitCode = 1;
}
