/**
 * Does a real Grid Engine use what is bought for it? As `main.ts` for Slurm and `pbs.ts`. The qmaster simulates its hosts: no daemon
 * runs on them.
 */
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gridengine as driver } from "../../clients/agent/drivers/gridengine/gridengine.ts";
import { Driven } from "../clients/agent/drivers/driven.ts";
import { parallelEnvironments, siteComplexes } from "../clients/agent/drivers/gridengine-job-kinds.ts";
import { planReading } from "../clients/agent/drivers/plan-reading.ts";
import { array, bucket, node as nodeOf } from "../shared/engine/tiny.ts";
import { type GridEngine, startGridEngine } from "../support/machines/gridengine.ts";
import { type Drawn, drawGeKinds, type NodeKind, sizes } from "./draw-ge-kinds.ts";
import { drawnFor, submitInWaves } from "./waves.ts";

const trial = drawnFor<NodeKind, Drawn>({ command: "npm run drawn-jobs:gridengine" }, drawGeKinds);
const { drawn, arrays, nodes: all } = trial;
const hostOf = new Map(all.map(({ name, hostname }) => [name, hostname]));
const nameOf = new Map(all.map(({ name, hostname }) => [hostname, name]));
const settings = {
  node_arrays: Object.fromEntries(
    arrays.map(({ node, name }) => {
      const { slots, values: own } = sizes[node];
      return [
        name,
        { host_groups: [`@${name}`], slots, complex_values: { nodearray: name, num_proc: slots, ...own } },
      ];
    }),
  ),
};
const there: string[] = [];
/** The numbers of the jobs of each kind. */
const numbers: number[][] = drawn.map(() => []);

const cell = await startGridEngine();
try {
  await setUp(cell);
  const driven = new Driven(driver, settings, cell.run);
  const scheduler = {
    submit: submitted,
    endSome,
    settled: () => settled(driven),
    join: (names: readonly string[]) => joinAll(driven, names),
    wanted: async () => {
      // The agent knows of some jobs a pass later.
      await driven.read();
      return boughtFor(await driven.read());
    },
  };
  const titleOf = ({ nodes, queue, quota = "" }: Drawn) =>
    `${nodes.join("+")} ${JSON.stringify(queue)} ${quota}`;
  await submitInWaves(trial, scheduler, titleOf);
} finally {
  await cell.stop();
}

async function setUp({ network, run, define }: GridEngine): Promise<void> {
  const names = [...hostOf.values()].map(
    (host, at) => `10.1.${Math.floor(at / 200)}.${(at % 200) + 1} ${host}`,
  );
  await appendFile(join(network.folder, "hosts"), `${names.join("\n")}\n`);
  const conf = await run("qconf", "-sconf");
  await writeFile(
    join(network.folder, "global"),
    conf.replace(/^qmaster_params .*$/m, "qmaster_params SIMULATE_EXECDS=TRUE"),
  );
  await run("qconf", "-Mconf", join(network.folder, "global"));
  const complexes = [...siteComplexes, "perjob perjob INT <= YES JOB 0 0", "ports ports INT <= YES YES 0 0"];
  await define("-Mc", `${await run("qconf", "-sc")}${complexes.join("\n")}\n`);
  await run("qconf", "-mattr", "exechost", "complex_values", "lic=5,perjob=5", "global");
  await define("-Aprj", "name proj\noticket 0\nfshare 0\nacl NONE\nxacl NONE\n");
  await run("qconf", "-au", "ann", "chemists");
  await run("qconf", "-au", "bob", "physicists");
  await define("-Au", "name dept\ntype ACL DEPT\nfshare 0\noticket 0\nentries bob\n");
  await define("-Au", "name unixgroup\ntype ACL\nfshare 0\noticket 0\nentries @ann\n");
  for (const [name, rule, slots] of parallelEnvironments)
    await define(
      "-Ap",
      `pe_name ${name}\nslots ${slots}\nuser_lists NONE\nxuser_lists NONE\nstart_proc_args NONE\nstop_proc_args NONE\nallocation_rule ${rule}\ncontrol_slaves FALSE\njob_is_first_task TRUE\nurgency_slots min\naccounting_summary FALSE\nqsort_args NONE\n`,
    );
  const usual = await run("qconf", "-sq");
  for (const [index, { nodes, queue, quota }] of drawn.entries()) {
    const name = `k${index}`;
    const groups = nodes.map((_, at) => `@${name}${"ab"[at]}`);
    for (const group of groups) await define("-Ahgrp", `group_name ${group}\nhostlist ${network.headName}\n`);
    const { slots = "1", ...others } = Object.fromEntries(
      Object.entries(queue).map(([key, value]) => [key, value.replaceAll("%", name)]),
    );
    const fields = {
      qname: name,
      hostlist: groups.join(" "),
      slots: `${slots},[${network.headName}=0]`,
      pe_list: parallelEnvironments.map(([pe]) => pe).join(" "),
      load_thresholds: "NONE",
      // The driver enables all nodes at the end, so that they come at once.
      initial_state: `disabled,[${network.headName}=enabled]`,
      ...others,
    };
    await define(
      "-Aq",
      Object.entries(fields).reduce(
        (text, [key, value]) => text.replace(new RegExp(`^${key} .*$`, "m"), () => `${key} ${value}`),
        usual,
      ),
    );
    const rule = quota?.replaceAll("%", name);
    if (rule !== undefined && !(rule.includes("b}") && nodes.length < 2))
      await define("-Arqs", `{\nname ${name}\ndescription NONE\nenabled TRUE\nlimit ${rule}\n}\n`);
  }
}

/** What qsub takes; it refuses many that make no sense. */
async function submitted(jobs: readonly string[], index: number): Promise<readonly string[]> {
  const taken: string[] = [];
  for (const [at, job] of jobs.entries()) {
    const args = job.replaceAll("%", `k${index}`).split(" ");
    try {
      const number = await cell.submit(args, at % 3 === 2 ? "bob" : "ann", 36_000);
      numbers[index]?.push(number);
      taken.push(`${number}${at % 3 === 2 ? " of bob" : ""} ${args.join(" ")}`);
    } catch {
      // Not taken.
    }
  }
  return taken;
}

function boughtFor(reading: Awaited<ReturnType<Driven["read"]>>): readonly string[] {
  const nodeArrays = arrays.map(({ name, node }) => {
    const own = there.filter((each) => each.startsWith(`${name}-`)).length;
    const { slots: vcpus } = sizes[node];
    return array({
      name,
      buckets: [bucket({ vmSize: `Standard_${node}`, vcpus, available: trial.available - own })],
    });
  });
  const nodes = there.map((name) => {
    const { nodeArray = "", node = "htc" as NodeKind } = all.find((each) => each.name === name) ?? {};
    return nodeOf(name, { nodeArray, vmSize: `Standard_${node}`, hostname: hostOf.get(name) ?? "" });
  });
  return planReading("gridengine", reading, nodeArrays, nodes).create.flatMap(({ names }) => names);
}

async function joinAll(driven: Driven, names: readonly string[]): Promise<void> {
  const nodes = names.flatMap((name) => {
    const { nodeArray, node } = all.find((each) => each.name === name) ?? {};
    const hostname = hostOf.get(name);
    if (nodeArray === undefined || hostname === undefined) throw new Error(`no node ${name}`);
    there.push(name);
    return [
      { name, nodeId: `id-${name}`, hostname, nodeArray, vmSize: `Standard_${node}`, placementGroup: null },
    ];
  });
  if (nodes.length > 0) await driven.send("node-joined", nodes);
}

/** A third of the jobs that run. */
async function endSome(wave: number): Promise<void> {
  const text = await cell.run("qstat", "-s", "r", "-u", "*");
  const running = [...new Set([...text.matchAll(/^\s*(\d+) /gm)].map(([, number = ""]) => number))];
  const ended = running.filter((_, at) => (at * 7 + wave) % 3 === 0);
  if (ended.length > 0) await cell.run("qdel", "-f", ...ended);
}

/** What uses nodes and what waits, once the scheduler starts nothing more. */
async function settled(driven: Driven) {
  let before = "";
  for (let same = 0; same < 3; ) {
    await sleep(1_500);
    const text = await cell.run("qstat", "-g", "t", "-u", "*");
    same = text === before ? same + 1 : 0;
    before = text;
  }
  const { jobs } = await driven.read();
  const numberOf = (name: string) => Number(/^\d+/.exec(name)?.[0]);
  const rows = jobs.flatMap(({ name, executingHostnames = [] }) =>
    executingHostnames.length === 0
      ? []
      : [{ name, at: [...new Set(executingHostnames.map((host) => nameOf.get(host) ?? host))] }],
  );
  const waits = [...before.matchAll(/^\s*(\d+) \S+ +\S+ +\S+ +(?:qw|hqw) .* (\d+) +(\S*)\s*$/gm)];
  const isOwn = (index: number) => new Set(numbers[index]);
  const waiting = (index: number) => {
    const own = isOwn(index);
    return waits
      .filter(([line, number]) => own.has(Number(number)) && !line.includes("hqw"))
      .reduce((sum, [, , , tasks = ""]) => sum + countOf(tasks), 0);
  };
  return {
    used: new Set(rows.flatMap(({ at }) => at)),
    waiting,
    runs: (index: number) => {
      const own = isOwn(index);
      const lists = rows
        .filter(({ name }) => own.has(numberOf(name)))
        .map(({ name, at }) => `${name} on ${at.join(" ")}`);
      return `${lists.join(", ")}${waiting(index) > 0 ? ` (${waiting(index)} wait)` : ""}`;
    },
  };
}

/** `1-5:1` are five tasks, nothing is one job. */
function countOf(tasks: string): number {
  return tasks
    .split(",")
    .map((each) => {
      const [, first, last = first, step = "1"] = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(each) ?? [];
      return first === undefined ? 1 : Math.floor((Number(last) - Number(first)) / Number(step)) + 1;
    })
    .reduce((sum, each) => sum + each, 0);
}
