import { describe, expect, test } from "vitest";
import { expandHostlist } from "../../../clients/agent/drivers/slurm/hostlist.ts";
import type { Child } from "../../../infra/local/environment/child.ts";
import { isAll, some } from "../../support/cases.ts";
import type { LocalStack } from "../../support/local-stack.ts";
import { morePasses, whileItMoves } from "../../support/machines/agent.ts";
import { onCluster } from "../../support/machines/cluster-of-arrays.ts";
import { followCycleCloud } from "../../support/machines/follow-cyclecloud.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../support/machines/slurm.ts";
import { startSlurmAgent, usedBy, watched } from "../../support/machines/slurm-agent.ts";
import {
  type JobKind,
  jobKinds,
  linearKinds,
  nodesOfKinds,
  nodesPerPartition,
  partitionsOf,
  type Selection,
  sbatchArgs,
} from "./drivers/slurm-job-kinds.ts";

const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;

/** VM sizes whose nodes are those of slurm.conf. */
const machineTypes = {
  htc: "Standard_D4s_v5",
  hpc: "Standard_HC44rs",
  smt: "Standard_D8s_v5",
  gpu1: "Standard_NC4as_T4_v3",
  spec: "Standard_D4s_v5",
  cores: "Standard_D4s_v5",
  nvme: "Standard_D4s_v5",
  disk: "Standard_D4s_v5",
  gpu: "Standard_NC24s_v3",
};

/** One job, one node array a partition, all of its nodes for jobs. The others have a controller without node daemons (`slurm-kinds-live.test.ts`). */
const isPlain = ({ on, options }: JobKind) =>
  on.every((each) => /^(htc|hpc|smt|gpu)(!\S+)?$/.test(each)) && !options.includes(" ; ");
const plainKinds = jobKinds.filter(isPlain);
/**
 * Every night all of them, on two hundred machines; every day every twelfth: the table goes from subject to subject. Jobs that want the
 * same licences stay together.
 */
const isTried = ({ options }: JobKind, place: number) =>
  isAll || place % 12 === 0 || options.startsWith("-L ");
const tried = plainKinds.filter(isTried);
const plainLinearKinds = some(linearKinds.filter(isPlain));

describeHere(`Slurm, its machines and the whole service${reason}`, { timeout: 600_000 }, () => {
  test(`${tried.length} kinds of jobs on hosts with names of their own: what is bought is used`, () =>
    check({ kinds: tried, select: "cons_tres", likeNodes: false }));
  test(`${plainLinearKinds.length} kinds of jobs with select/linear on hosts called like their nodes: what is bought is used`, () =>
    check({ kinds: plainLinearKinds, select: "linear", likeNodes: true }));
  test.runIf(isAll)(
    `${plainKinds.length} kinds of jobs whose nodes Slurm powers up by name: each node is created once, used, and goes`,
    { timeout: 1_800_000 },
    () => check({ kinds: plainKinds, select: "cons_tres", likeNodes: false, isSaving: true }),
  );
});

/** As many nodes a minute as it likes. */
const savingKeys = "\nResumeRate=0\nSuspendRate=0\nSlurmctldParameters=cloud_reg_addrs";
const savingTimes = "MaxTime=INFINITE SuspendTime=10 ResumeTimeout=1800 SuspendTimeout=10";

interface Case {
  readonly kinds: readonly JobKind[];
  readonly select: Selection;
  /** Both habits of CycleCloud. */
  readonly likeNodes: boolean;
  /** Slurm chooses the nodes by itself. */
  readonly isSaving?: boolean;
}

async function check({ kinds, select, likeNodes, isSaving = false }: Case): Promise<void> {
  const { conf, gres } = nodesOfKinds(kinds, select);
  // As docs/slurm.md has it; the recordings of kinds need nodes that Slurm takes for coming.
  const asOnThePage = conf.replace(
    /SuspendTime=\d+\nResumeTimeout=\d+/,
    `SuspendTime=-1\nCommunicationParameters=NoAddrCache${isSaving ? savingKeys : ""}`,
  );
  const slurm = await startSlurm({
    conf: isSaving ? asOnThePage.replaceAll("MaxTime=INFINITE", savingTimes) : asOnThePage,
    gres,
  });
  try {
    const nodearrays = kinds.flatMap(arraysOf).map(({ name, node }) => ({
      name,
      machineTypes: [machineTypes[node]],
      maxCount: nodesPerPartition,
      configuration: {
        autoscale: { enabled: true, is_hpc: node === "hpc" },
        ...(likeNodes ? { slurm: { use_nodename_as_hostname: true } } : {}),
      },
    }));
    const vmSizes = { Standard_NC24s_v3: { memoryGiB: 220 } };
    await onCluster(
      { nodearrays, vmSizes },
      { config: { idle_timeout: 600, boot_timeout: 1200 } },
      (stack) => (isSaving ? checkSaving(slurm, stack, kinds) : checkOn(slurm, stack, kinds)),
    );
  } finally {
    await slurm.stop();
  }
}

async function checkOn(slurm: Slurm, stack: LocalStack, kinds: readonly JobKind[]): Promise<void> {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address),
  );
  let agent: Child | undefined;
  try {
    agent = await startSlurmAgent(slurm, stack);
    const ids = await slurm.submitAll(
      kinds.map((kind, index) => sbatchArgs(kind, index).flat()),
      3600,
    );
    const total = kinds.reduce((sum, { nodes }) => sum + nodes, 0);
    const state = async () => {
      const used = await usedBy(slurm, ids);
      return { used, machines: followed.machines.size };
    };
    await whileItMoves(
      state,
      ({ used }) => used.every((count, index) => count >= (kinds[index]?.nodes ?? 0)),
      watched(slurm, stack),
    );
    // What is bought too much comes after the reading that shows all jobs on their nodes.
    await morePasses(stack, 4, watched(slurm, stack));
    const { used } = await state();
    const { nodes: created } = await stack.simulator.ledger(stack.cluster);
    const rows = kinds.map((kind, index) => {
      const own = arraysOf(kind, index).map(({ name }) => `${name}-`);
      const bought = created.filter(({ name }) => own.some((beginning) => name.startsWith(beginning)));
      return { job: titleOf(kind), bought: bought.length, used: used[index] };
    });
    expect(rows).toEqual(kinds.map((kind) => ({ job: titleOf(kind), bought: kind.nodes, used: kind.nodes })));
    expect(followed.problems).toEqual([]);
    expect(await slurm.log()).not.toContain("Requeuing JobId");
    console.info(`${kinds.length} jobs: ${total} nodes bought, ${total} used`);
  } finally {
    await agent?.stop();
    await followed.stop();
  }
}

/** Slurm may take more nodes than the planner buys: those that it powers up are created, and no others. */
async function checkSaving(slurm: Slurm, stack: LocalStack, kinds: readonly JobKind[]): Promise<void> {
  const followed = followCycleCloud(stack, slurm.network, ({ Name }, host, address) =>
    slurm.bootNode(Name, host, address, "-b"),
  );
  const named = kinds.flatMap(partitionsOf).map(({ name, arrays }) => {
    const node_array = arrays.map((each) => each.name);
    return [name, { mode: "power-saving", node_array }] as const;
  });
  let agent: Child | undefined;
  try {
    agent = await startSlurmAgent(slurm, stack, {
      section: { partitions: Object.fromEntries(named) },
      env: { CCSCALE_URL: stack.environment.functionsUrl },
    });
    const ids = await slurm.submitAll(
      kinds.map((kind, index) => sbatchArgs(kind, index).flat()),
      3600,
    );
    const states = async () => {
      const format = "--format=%F %T %N %r";
      return (await slurm.run("squeue", "--noheader", format)).split("\n").filter(Boolean).toSorted();
    };
    const startsByName = (kind: JobKind) => kind.nodes > 0 || /^-[wx] /.test(kind.options);
    await whileItMoves(
      states,
      (lines) =>
        ids.every((id, index) => {
          const own = kinds[index];
          return (
            own !== undefined &&
            (!startsByName(own) || lines.some((line) => line.startsWith(`${id} RUNNING `))) &&
            !lines.some((line) => line.startsWith(`${id} CONFIGURING `))
          );
        }),
      watched(slurm, stack),
    );
    await morePasses(stack, 4, watched(slurm, stack));
    const lines = await states();
    const { nodes: created } = await stack.simulator.ledger(stack.cluster);
    const used = lines.flatMap((line) => expandHostlist(line.split(" ")[2] ?? "") ?? []);
    const rows = kinds.map((kind, index) => {
      const own = arraysOf(kind, index).map(({ name }) => `${name}-`);
      const isOwn = (name: string) => own.some((beginning) => name.startsWith(beginning));
      const bought = created.map(({ name }) => name).filter(isOwn);
      return {
        job: titleOf(kind),
        bought: bought.toSorted(),
        used: [...new Set(used.filter(isOwn))].toSorted(),
      };
    });
    expect(rows.map(({ job, bought }) => ({ job, bought }))).toEqual(
      rows.map(({ job, used: bought }) => ({ job, bought })),
    );
    expect(
      rows.filter(({ used: some }, index) => some.length === 0 && startsByName(kinds[index] as JobKind)),
    ).toEqual([]);
    expect(followed.problems).toEqual([]);
    expect(await slurm.log()).not.toContain("Requeuing JobId");
    await slurm.run("scancel", "--user=root");
    await whileItMoves(
      () => stack.nodes(),
      (nodes) => nodes.length === 0,
      watched(slurm, stack),
    );
    const { nodes: all } = await stack.simulator.ledger(stack.cluster);
    expect(all.length).toBe(created.length);
    console.info(`${kinds.length} jobs: ${created.length} nodes powered up by Slurm, used, and gone`);
  } finally {
    await agent?.stop();
    await followed.stop();
  }
}

const arraysOf = (kind: JobKind, index: number) => partitionsOf(kind, index).flatMap(({ arrays }) => arrays);

const titleOf = ({ on, options }: JobKind) => `${on.join(",")} ${options}`;
