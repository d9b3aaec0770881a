import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Slurm, slurmIsMissing, startSlurm } from "../../../support/machines/slurm.ts";
import { accountingIsMissing } from "../../../support/machines/slurm-accounting.ts";
import { DrivenSlurm } from "./driven-slurm.ts";
import { boughtFrom } from "./slurm-job-kinds.ts";

const missing = slurmIsMissing ?? accountingIsMissing;
const describeHere = missing === undefined ? describe : describe.skip;
const reason = missing === undefined ? "" : ` (skipped: ${missing})`;

/** A class of limit, on accounts and QOS of its own, and what six jobs of four CPUs may have of it. */
interface Row {
  readonly limit: string;
  /** What sacctmgr is told about the account and the QOS of the row, which both have its name. */
  readonly account?: string;
  readonly qos?: string;
  /** A user alone. */
  readonly user?: string;
  /** Of the partition. */
  readonly partitionQos?: string;
  readonly submit?: string;
  readonly jobs?: number;
  /** Nodes of four CPUs that Slurm uses when it has more than enough. */
  readonly nodes: number;
}

const rows: readonly Row[] = [
  { limit: "none", nodes: 6 },
  { limit: "MaxJobsPerUser of the QOS", qos: "MaxJobsPerUser=2", nodes: 2 },
  { limit: "MaxJobsPerAccount of the QOS", qos: "MaxJobsPerAccount=3", nodes: 3 },
  { limit: "GrpJobs of the QOS", qos: "GrpJobs=1", nodes: 1 },
  { limit: "MaxTRESPerUser of the QOS", qos: "MaxTRESPerUser=cpu=9", nodes: 2 },
  { limit: "MaxTRESPerAccount of the QOS", qos: "MaxTRESPerAccount=mem=9000", nodes: 2 },
  { limit: "MaxNodesPerUser of the QOS", qos: "MaxTRESPerUser=node=3", nodes: 3 },
  { limit: "GrpTRES of the QOS", qos: "GrpTRES=cpu=12", nodes: 3 },
  { limit: "GrpTRESRunMins of the QOS", qos: "GrpTRESRunMins=cpu=500", submit: "-t 60", nodes: 2 },
  { limit: "MaxTRESPerJob of the QOS", qos: "MaxTRESPerJob=cpu=2", nodes: 0 },
  { limit: "MaxTRESPerNode of the QOS", qos: "MaxTRESPerNode=cpu=2", nodes: 0 },
  { limit: "MaxWall of the QOS", qos: "MaxWall=10", submit: "-t 60", nodes: 0 },
  { limit: "MinTRESPerJob of the QOS", qos: "MinTRESPerJob=cpu=8", nodes: 0 },
  { limit: "GrpJobs of the account", account: "GrpJobs=2", nodes: 2 },
  { limit: "GrpTRES of the account", account: "GrpTRES=cpu=8", nodes: 2 },
  { limit: "GrpTRES in nodes of the account", account: "GrpTRES=node=4", nodes: 4 },
  { limit: "GrpTRESRunMins of the account", account: "GrpTRESRunMins=cpu=250", submit: "-t 60", nodes: 1 },
  { limit: "MaxJobs of the association", user: "MaxJobs=3", nodes: 3 },
  { limit: "MaxTRESPerJob of the association", user: "MaxTRESPerJob=cpu=2", nodes: 0 },
  { limit: "GrpTRES of the association", user: "GrpTRES=cpu=16", nodes: 4 },
  { limit: "a QOS that allows more than the account", qos: "GrpJobs=4", account: "GrpJobs=1", nodes: 4 },
  { limit: "a QOS that allows less than the account", qos: "GrpJobs=1", account: "GrpJobs=4", nodes: 1 },
  { limit: "two kinds at once", qos: "MaxJobsPerUser=5", account: "GrpTRES=cpu=12", nodes: 3 },
  { limit: "an array", qos: "MaxJobsPerUser=2", submit: "--array=1-6", jobs: 1, nodes: 2 },
  { limit: "whole nodes", qos: "GrpTRES=cpu=12", submit: "--exclusive -n 1", nodes: 3 },
  { limit: "jobs of two nodes", qos: "MaxTRESPerUser=node=5", submit: "-N 2 -n 8", nodes: 4 },
  {
    limit: "jobs that share nodes",
    qos: "MaxTRESPerUser=node=2",
    submit: "-n 1 --mem=1G",
    jobs: 9,
    nodes: 2,
  },
  { limit: "nodes, for jobs whose slots start at once", submit: "-n 20", jobs: 2, nodes: 5 },
  { limit: "GPUs", qos: "MaxTRESPerUser=gres/gpu=3", submit: "--gres=gpu:1", nodes: 3 },
];
const nodesOfEach = 8;
const partitionOf = (index: number) => `p${index}`;
const nodesOf = (index: number) => `p${index}-[1-${nodesOfEach}]`;

const partitions = rows.map((_, index) => ({ name: partitionOf(index), node: "gpu1" as const }));

const conf = `SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PrivateData=cloud
ReturnToService=1
SuspendTime=60000
ResumeTimeout=60000
SuspendProgram=/bin/true
ResumeProgram=/bin/true
${rows
  .map(
    (_, index) => `NodeName=${nodesOf(index)} CPUs=4 RealMemory=15000 Gres=gpu:1 State=CLOUD
PartitionName=${partitionOf(index)} Nodes=${nodesOf(index)} MaxTime=INFINITE State=UP${index === 0 ? " Default=YES" : ""}
`,
  )
  .join("")}`;

describeHere(`limits of accounts and QOS with a real slurmdbd${reason}`, { timeout: 300_000 }, () => {
  let slurm: Slurm;
  let driven: DrivenSlurm;
  const manage = (...args: readonly string[]) => slurm.run("sacctmgr", "--immediate", ...args);

  beforeAll(async () => {
    slurm = await startSlurm({
      conf,
      gres: `NodeName=p[0-${rows.length - 1}]-[1-8] Name=gpu Count=1\n`,
      accounting: true,
    });
    await slurm.run(
      "scontrol",
      "update",
      `NodeName=p[0-${rows.length - 1}]-[1-8]`,
      "State=DOWN",
      "Reason=cyclecloud",
    );
    driven = new DrivenSlurm(slurm, {});
  }, 300_000);
  afterAll(async () => {
    await slurm?.stop();
  });

  async function submit(isMeant: (limit: string) => boolean): Promise<void> {
    const jobs = rows.flatMap(({ limit, submit: more = "", jobs: count = 6 }, index) => {
      const options = `--uid=ann --chdir=/tmp -n 4 --mem=4G -p ${partitionOf(index)} -A a${index} --qos=q${index} ${more}`;
      return isMeant(limit) ? Array.from({ length: count }, () => options.trim().split(" ")) : [];
    });
    await slurm.submitAll(jobs);
  }

  test("before Slurm has looked at a job, as many nodes are bought as it then uses", async () => {
    for (const [index, { account = "", qos = "", user = "" }] of rows.entries()) {
      const set = (settings: string) => (settings === "" ? [] : ["set", ...settings.split(" ")]);
      await manage("add", "qos", `q${index}`, ...set(qos));
      await manage("add", "account", `a${index}`, ...set(account));
      await manage("add", "user", "ann", `account=a${index}`, `qos=normal,q${index}`, ...set(user).slice(1));
    }
    await submit(() => true);
    const reading = await driven.read();
    const { setAside } = reading;
    expect(setAside).toEqual([]);
    const bought = boughtFrom(partitions, reading, nodesOfEach);
    const counts = rows.map((_, index) => bought.filter((name) => name.startsWith(`p${index}-`)).length);
    await slurm.run("scontrol", "update", `NodeName=p[0-${rows.length - 1}]-[1-8]`, "State=RESUME");
    const used = async () => {
      const lines = await slurm.run(
        "squeue",
        "--noheader",
        "--states=RUNNING,CONFIGURING",
        "--Format=Partition:20,NodeList:500",
      );
      const hosts = await Promise.all(
        rows.map(async (_, index) => {
          const lists = lines
            .split("\n")
            .filter((line) => line.startsWith(`p${index} `))
            .map((line) => line.slice(20).trim());
          if (lists.length === 0) return 0;
          return new Set(
            (await slurm.run("scontrol", "show", "hostnames", lists.join(","))).trim().split("\n"),
          ).size;
        }),
      );
      return hosts;
    };
    // Without passes of the driver: these nodes have no machines, and it would take them down.
    const isEnough = async () => (await used()).every((count, index) => count >= (rows[index]?.nodes ?? 0));
    await expect.poll(isEnough, { interval: 500 }).toBe(true);
    const table = (numbers: readonly number[]) =>
      rows.map(({ limit }, index) => `${limit}: ${numbers[index]}`);
    expect(table(await used())).toEqual(rows.map(({ limit, nodes }) => `${limit}: ${nodes}`));
    expect(table(counts)).toEqual(rows.map(({ limit, nodes }) => `${limit}: ${nodes}`));
  });

  test("slurmdbd is away, also when the controller starts: the same limits count", async () => {
    await slurm.stopAccounting();
    await slurm.restart();
    await slurm.run("scancel", "--user=ann");
    await expect.poll(() => slurm.run("squeue", "--noheader"), { interval: 500 }).toBe("");
    const few = ["none", "MaxJobsPerUser of the QOS", "GrpTRES of the account"];
    await submit((limit) => few.includes(limit));
    const counts = async () => {
      const bought = boughtFrom(partitions, await driven.read(), nodesOfEach);
      const of = (index: number) => bought.filter((name) => name.startsWith(`p${index}-`)).length;
      return rows.flatMap(({ limit }, index) => (of(index) === 0 ? [] : [`${limit}: ${of(index)}`]));
    };
    // Slurm goes on counting a cancelled job for a while after squeue has left it out.
    await expect
      .poll(counts, { interval: 1_000 })
      .toEqual(["none: 6", "MaxJobsPerUser of the QOS: 2", "GrpTRES of the account: 2"]);
  });
});
