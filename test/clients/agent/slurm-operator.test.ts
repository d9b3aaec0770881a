import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Child } from "../../../infra/local/environment/child.ts";
import type { LocalStack } from "../../support/local-stack.ts";
import { passesOf, whileItMoves } from "../../support/machines/agent.ts";
import { onCluster } from "../../support/machines/cluster-of-arrays.ts";
import { followCycleCloud } from "../../support/machines/follow-cyclecloud.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../support/machines/slurm.ts";
import { accountingIsMissing } from "../../support/machines/slurm-accounting.ts";
import { startSlurmAgent, usedBy, watched } from "../../support/machines/slurm-agent.ts";

/** What a new operator does by docs/slurm.md, and the jobs with which two models of one node cost money or the job. */

const missing = slurmIsMissing ?? accountingIsMissing;
const describeHere = missing === undefined ? describe : describe.skip;
const reason = missing === undefined ? "" : ` (skipped: ${missing})`;

/** Jobs of one kind, in a partition of their own. */
interface Row {
  readonly partition: string;
  /** Its node arrays: what slurm.conf says of their nodes, and the VM that CycleCloud makes. None: the page has it. */
  readonly arrays: Readonly<Record<string, { readonly line: string; readonly vmSize: string }>>;
  readonly partitionOptions?: string;
  /** Of each job. */
  readonly options: string;
  readonly jobs: number;
  /** Nodes that the jobs need now. */
  readonly nodes: number;
}

const plainLine = "CPUs=4 RealMemory=15000";
const four = "Standard_D4s_v5";
const arrayOf = (name: string, line = plainLine, vmSize = four) => ({ [name]: { line, vmSize } });

const rows: readonly Row[] = [
  { partition: "htc", arrays: {}, options: "-n 1 --mem=1G", jobs: 1, nodes: 1 },
  { partition: "mem", arrays: arrayOf("mem"), options: "--mem=7600M", jobs: 2, nodes: 2 },
  { partition: "percpu", arrays: arrayOf("percpu"), options: "-n 8 --mem-per-cpu=3800M", jobs: 1, nodes: 3 },
  {
    partition: "spec",
    arrays: arrayOf("spec", `${plainLine} CoreSpecCount=1`),
    options: "-n 4 --mem-per-cpu=1G",
    jobs: 1,
    nodes: 2,
  },
  {
    partition: "cores",
    arrays: arrayOf("cores", "CPUs=2 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15000"),
    options: "-n 2",
    jobs: 4,
    nodes: 4,
  },
  {
    partition: "most",
    arrays: arrayOf("most"),
    partitionOptions: "MaxCPUsPerNode=2",
    options: "-n 4 --mem-per-cpu=1G",
    jobs: 1,
    nodes: 2,
  },
  { partition: "qos", arrays: arrayOf("qos"), options: "-n 4 --qos=two", jobs: 6, nodes: 2 },
  { partition: "reserved", arrays: arrayOf("reserved"), options: "-n 4 -t 60", jobs: 2, nodes: 0 },
  {
    partition: "both",
    arrays: { ...arrayOf("small"), ...arrayOf("large", "CPUs=44 RealMemory=340000", "Standard_HC44rs") },
    options: "-N1 -n 44 --mem-per-cpu=1G",
    jobs: 1,
    nodes: 1,
  },
  {
    partition: "disk",
    arrays: { ...arrayOf("bare"), ...arrayOf("fast", `${plainLine} Gres=nvme:1`) },
    options: "-n 1 --mem=1G --gres=nvme:1",
    jobs: 1,
    nodes: 1,
  },
];
const nodesOfEach = 8;
const range = `[1-${nodesOfEach}]`;
const arraysOf = ({ partition, arrays }: Row) =>
  Object.keys(arrays).length === 0 ? [partition] : Object.keys(arrays);

/** The slurm.conf of the page, word for word, and the same lines again for each row. */
async function confOfThePage(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, "../../../docs/slurm.md"), "utf8");
  const block = /## slurm\.conf[\s\S]*?```\n([\s\S]*?)```/.exec(page)?.[1];
  if (block === undefined) throw new Error("docs/slurm.md has no slurm.conf");
  const own = rows
    .filter(({ arrays }) => Object.keys(arrays).length > 0)
    .flatMap((row) => [
      ...Object.entries(row.arrays).map(
        ([name, { line }]) => `NodeName=${name}-${range} ${line} State=CLOUD Feature=cloud`,
      ),
      `PartitionName=${row.partition} Nodes=${arraysOf(row)
        .map((name) => `${name}-${range}`)
        .join(",")} ${row.partitionOptions ?? ""}`,
    ]);
  return `${block}${own.join("\n")}\n`;
}

describeHere(`an operator who follows docs/slurm.md${reason}`, { timeout: 600_000 }, () => {
  // Both habits of CycleCloud in one cluster: `drivers/slurm-live.test.ts` has all of the page with each.
  test("what is bought is what the jobs then use, whatever hosts are called", async () => {
    const slurm = await startSlurm({
      conf: await confOfThePage(),
      gres: `NodeName=fast-${range} Name=nvme Count=1\n`,
      accounting: true,
    });
    try {
      await addAccounts(slurm);
      const sizes = new Map(
        rows.flatMap(({ arrays }) =>
          Object.entries(arrays).map(([name, { vmSize }]) => [name, vmSize] as const),
        ),
      );
      const arrays = new Map([["htc", four], ["hpc", "Standard_HC44rs"], ...sizes]);
      const nodearrays = [...arrays].map(([name, vmSize], index) => ({
        name,
        machineTypes: [vmSize],
        maxCount: nodesOfEach,
        configuration: {
          autoscale: { enabled: true, is_hpc: name === "hpc" },
          ...(index % 2 === 1 ? { slurm: { use_nodename_as_hostname: true } } : {}),
        },
      }));
      await onCluster(
        { name: "operator", nodearrays },
        { config: { idle_timeout: 600, boot_timeout: 1200 } },
        (stack) => checkOn(slurm, stack),
      );
    } finally {
      await slurm.stop();
    }
  });
});

async function addAccounts(slurm: Slurm): Promise<void> {
  const add = (...args: readonly string[]) => slurm.run("sacctmgr", "--immediate", "add", ...args);
  await add("account", "proj");
  await add("qos", "two", "set", "MaxJobsPerUser=2");
  await add("user", "ann", "account=proj", "qos=normal,two", "defaultqos=normal");
}

async function checkOn(slurm: Slurm, stack: LocalStack): Promise<void> {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address),
  );
  let agent: Child | undefined;
  try {
    agent = await startSlurmAgent(slurm, stack);
    const reservation = ["ReservationName=maintenance", "StartTime=now+5minutes", "Duration=60"];
    const nodes = `Nodes=reserved-${range}`;
    await slurm.run("scontrol", "create", "reservation", ...reservation, "Users=root", "Flags=maint", nodes);
    const ids: number[][] = [];
    for (const { partition, options, jobs } of rows) {
      const own: number[] = [];
      for (let job = 0; job < jobs; job++)
        own.push(await slurm.submit(`-p ${partition} ${options}`, "ann", 3600));
      ids.push(own);
    }
    const used = () => Promise.all(ids.map((own) => nodesOf(slurm, own)));
    await whileItMoves(
      used,
      (counts) => counts.every((count, index) => count >= (rows[index]?.nodes ?? 0)),
      watched(slurm, stack),
    );
    // What is bought too much comes after the reading that shows all jobs on their nodes.
    const before = await passesOf(stack);
    await whileItMoves(
      () => passesOf(stack),
      (count) => count >= before + 8,
      watched(slurm, stack),
    );
    const { nodes: created } = await stack.simulator.ledger(stack.cluster);
    const counts = await used();
    const seen = rows.map((row, index) => {
      const bought = created.filter(({ name }) =>
        arraysOf(row).some((array) => name.startsWith(`${array}-`)),
      );
      return { partition: row.partition, bought: bought.length, used: counts[index] };
    });
    console.info(
      JSON.stringify(
        await Promise.all(ids.map(async (own, index) => [rows[index]?.partition, await waits(slurm, own)])),
      ),
    );
    expect(seen).toEqual(rows.map(({ partition, nodes }) => ({ partition, bought: nodes, used: nodes })));
    expect(followed.problems).toEqual([]);
    expect(await slurm.log()).not.toContain("Requeuing JobId");
    const { problems } = await stack.readStatus();
    expect(problems.filter(({ kind }) => kind === "jobs-not-started")).toEqual([]);
  } finally {
    await agent?.stop();
    await followed.stop();
  }
}

/** Different nodes of all jobs of a row. */
async function nodesOf(slurm: Slurm, ids: readonly number[]): Promise<number> {
  return (await usedBy(slurm, ids)).reduce((sum, count) => sum + count, 0);
}

/** Seconds from sbatch to running, of the jobs that run. */
async function waits(slurm: Slurm, ids: readonly number[]): Promise<readonly number[]> {
  const format = "--Format=SubmitTime:30,StartTime:30";
  const lines = await slurm.run(
    "squeue",
    "--noheader",
    "--states=RUNNING",
    `--jobs=${ids.join(",")}`,
    format,
  );
  return lines
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [submitted = "", started = ""] = line.trim().split(/\s+/);
      return (Date.parse(started) - Date.parse(submitted)) / 1000;
    });
}
