import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { childrenOf, parseXml, textOf } from "../../../clients/agent/drivers/gridengine/xml.ts";
import type { Child } from "../../../infra/local/environment/child.ts";
import { isAll } from "../../support/cases.ts";
import { builtCcscale, type LocalStack } from "../../support/local-stack.ts";
import { morePasses, startAgent, whileItMoves } from "../../support/machines/agent.ts";
import { onCluster } from "../../support/machines/cluster-of-arrays.ts";
import { type Followed, followCycleCloud } from "../../support/machines/follow-cyclecloud.ts";
import { type GridEngine, gridengineIsMissing, startGridEngine } from "../../support/machines/gridengine.ts";
import {
  globalValues,
  gridengineJobKinds,
  type JobKind,
  parallelEnvironments,
  queuesOf,
  quotaOf,
  settingsOf,
  siteComplexes,
} from "./drivers/gridengine-job-kinds.ts";
import { argumentsOf, expectedOf, nameOfKind, rowsOf } from "./drivers/job-kind.ts";

const describeHere = gridengineIsMissing === undefined ? describe : describe.skip;
const reason = gridengineIsMissing === undefined ? "" : ` (skipped: ${gridengineIsMissing})`;

const usualKinds = gridengineJobKinds.filter(({ isUsual }) => isUsual);

describeHere(`Grid Engine, its machines and the whole service${reason}`, { timeout: 600_000 }, () => {
  // A hundred machines: every night.
  test.runIf(isAll)(
    `${gridengineJobKinds.length} kinds of jobs: what is bought is used, and goes again`,
    { timeout: 3_600_000 },
    () => check(gridengineJobKinds),
  );
  test(`${usualKinds.length} kinds of jobs: what is bought is used, and goes again, whatever the qmaster does meanwhile`, () =>
    check(usualKinds));
});

async function check(kinds: readonly JobKind[]): Promise<void> {
  const gridEngine = await startGridEngine();
  try {
    await setUp(gridEngine, kinds);
    const nodearrays = kinds.map((_, index) => ({
      name: nameOfKind(index),
      machineTypes: ["Standard_D4s_v5"],
      maxCount: 8,
      configuration: { autoscale: { enabled: true } },
    }));
    await onCluster({ nodearrays }, { config: { idle_timeout: 30, boot_timeout: 1200 } }, (stack) =>
      checkOn(gridEngine, stack, kinds),
    );
  } finally {
    await gridEngine.stop();
  }
}

/** What an administrator defines. */
async function setUp(gridEngine: GridEngine, kinds: readonly JobKind[]): Promise<void> {
  const { run, define } = gridEngine;
  await define("-Mc", `${await run("qconf", "-sc")}${siteComplexes.join("\n")}\n`);
  await run("qconf", "-mattr", "exechost", "complex_values", globalValues, "global");
  await define("-Aprj", "name proj\noticket 0\nfshare 0\nacl NONE\nxacl NONE\n");
  await define("-Acal", "calendar_name never\nyear NONE\nweek mon-sun=0-24=off\n");
  await define("-Ackpt", `ckpt_name cp\n${checkpointing}`);
  await run("qconf", "-au", "ann", "chemists");
  await run("qconf", "-au", "bob", "physicists");
  for (const [name, rule, slots] of parallelEnvironments)
    await define("-Ap", parallelEnvironment(name, rule, slots));
  const queue = await run("qconf", "-sq");
  for (const [index, kind] of kinds.entries()) {
    // A host without slots: jobs may ask for its queues and its group while no node is there.
    const { headName } = gridEngine.network;
    await define("-Ahgrp", `group_name @${nameOfKind(index)}\nhostlist ${headName}\n`);
    for (const fields of queuesOf(kind, index, headName)) await define("-Aq", changed(queue, fields));
    const quota = quotaOf(kind, index);
    if (quota !== undefined) await define("-Arqs", quota);
  }
  // One on which others wait.
  await gridEngine.submit(["-h", "-N", "first", "-q", nameOfKind(0)]);
}

const checkpointing = `interface userdefined
ckpt_command none
migr_command none
restart_command none
clean_command none
ckpt_dir /tmp
signal none
when sx
`;

function parallelEnvironment(name: string, rule: string, slots: number): string {
  return `pe_name ${name}
slots ${slots}
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule ${rule}
control_slaves TRUE
job_is_first_task TRUE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
`;
}

/** What qconf shows, with other values. */
function changed(text: string, fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields).reduce(
    (all, [key, value]) => all.replace(new RegExp(`^${key} .*$`, "m"), () => `${key} ${value}`),
    text,
  );
}

async function checkOn(gridEngine: GridEngine, stack: LocalStack, kinds: readonly JobKind[]): Promise<void> {
  const { network, run } = gridEngine;
  const followed = followCycleCloud(stack, network, (_, host, address) => gridEngine.bootNode(host, address));
  const onHead = (program: string) => network.entering(network.headName, program, []);
  let agent: Child | undefined;
  try {
    const programs = { qstat: onHead("qstat"), qconf: onHead("qconf"), qmod: onHead("qmod") };
    agent = await startAgent(stack, "gridengine", { ...settingsOf(kinds), ...programs });
    const numbers: (readonly number[])[] = [];
    for (const [index, kind] of kinds.entries()) {
      const own: number[] = [];
      for (let time = 0; time < kind.times; time++)
        own.push(await gridEngine.submit(argumentsOf(kind, index, "%"), "ann", 3600));
      numbers.push(own);
    }
    const wanted = kinds.map(({ nodes }) => nodes);
    const state = async () => ({ used: await usedBy(gridEngine, numbers), machines: followed.machines.size });
    await whileItMoves(state, ({ used }) => used.every((count, index) => count >= (wanted[index] ?? 0)));
    // What is bought too much comes after the reading that shows all jobs on their nodes.
    await morePasses(stack, 4);
    const { used } = await state();
    const { nodes: created } = await stack.simulator.ledger(stack.cluster);
    const bought = kinds.map(
      (_, index) => created.filter(({ name }) => name.startsWith(`${nameOfKind(index)}-`)).length,
    );
    const rows = rowsOf(kinds, bought, used);
    const expected = expectedOf(kinds);
    if (JSON.stringify(rows) !== JSON.stringify(expected)) await show(gridEngine, stack, followed);
    expect(rows).toEqual(expected);
    await shrink(gridEngine, stack, followed);
    expect((await stack.simulator.ledger(stack.cluster)).nodes).toHaveLength(created.length);
    expect(followed.problems).toEqual([]);
    console.info(`${kinds.length} kinds of jobs: ${created.length} nodes bought, used and deleted`);
    expect(await run("qconf", "-sel")).not.toContain("ip-");
  } finally {
    await agent?.stop();
    await followed.stop();
  }
}

/** The qmaster goes and comes back, nodes keep their jobs; then jobs are deleted, and nodes go. */
async function shrink(gridEngine: GridEngine, stack: LocalStack, followed: Followed): Promise<void> {
  const before = followed.machines.size;
  await gridEngine.kill();
  await morePasses(stack, 4);
  expect((await stack.nodes()).length).toBe(before);
  await gridEngine.restart();
  await morePasses(stack, 4);
  expect((await stack.nodes()).length).toBe(before);
  // Long enough for a job to find its node before; now nothing is to come any more.
  const change = [builtCcscale, "config", "set", "idle_timeout", "5"];
  await promisify(execFile)(process.execPath, [...change, "--local", stack.local, "--yes"]);
  await gridEngine.run("qdel", "-u", "*");
  const left = async () => ({
    machines: [...followed.machines.keys()],
    hosts: await hostsOf(gridEngine),
  });
  await whileItMoves(left, ({ machines, hosts }) => machines.length + hosts.length === 0);
  const { machines, hosts } = await left();
  if (machines.length + hosts.length > 0) await show(gridEngine, stack, followed);
  expect({ machines, hosts }).toEqual({ machines: [], hosts: [] });
}

/** Execution hosts that Grid Engine has. */
async function hostsOf({ run, network }: GridEngine): Promise<readonly string[]> {
  return (await run("qconf", "-sel")).split("\n").filter((host) => host !== "" && host !== network.headName);
}

/** Different hosts of the jobs of each kind. */
async function usedBy(
  { run }: GridEngine,
  numbers: readonly (readonly number[])[],
): Promise<readonly number[]> {
  const root = parseXml(await run("qstat", "-xml", "-f", "-s", "r", "-u", "*"));
  const hosts = childrenOf(childrenOf(root, "queue_info")[0], "Queue-List").flatMap((each) => {
    const host = textOf(each, "name")?.split("@")[1] ?? "";
    return childrenOf(each, "job_list").map((job) => [Number(textOf(job, "JB_job_number")), host] as const);
  });
  return numbers.map(
    (own) => new Set(hosts.flatMap(([number, host]) => (own.includes(number) ? [host] : []))).size,
  );
}

/** What there is when nothing moves any more. */
async function show({ run, log }: GridEngine, stack: LocalStack, followed: Followed): Promise<void> {
  const agentLog = await readFile(join(stack.folder, "agent.log"), "utf8").catch(() => "");
  const parts = [
    await run("qstat", "-f", "-explain", "acE", "-u", "*").catch(String),
    await run("qstat", "-j", "*").then(
      (text) => text.split("scheduling info:").at(-1),
      (error: unknown) => String(error),
    ),
    (await log()).slice(-12_000),
    followed.problems.join("\n"),
    // Passes without an event or a problem say nothing of a host that did not join.
    agentLog
      .split("\n")
      .filter((line, index, all) => index > all.length - 5 || !/"events":0,.*"problems":\[\]/.test(line))
      .join("\n"),
    await stack.nodes().then((nodes) => JSON.stringify(nodes), String),
  ];
  console.log(parts.join("\n----\n"));
}
