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
import { drawGeKinds, type NodeKind, sizes } from "./draw-ge-kinds.ts";
import { optionsOf } from "./options.ts";

const command = "npm run drawn-jobs:gridengine -- [--waves 3] [--usual] [--seed 1] [--count 40] [--only 5,7]";
const { values } = optionsOf(command, {
  options: {
    waves: { type: "string", default: "1" },
    usual: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "40" },
    only: { type: "string" },
  },
});
const waves = Number(values.waves);
const drawn = drawGeKinds({
  seed: Number(values.seed),
  count: Number(values.count),
  waves,
  usual: values.usual,
}).filter((_, index) => values.only === undefined || values.only.split(",").includes(String(index)));
/** Of each node array. */
const available = waves > 1 ? 12 : 8;
const arrays = drawn.flatMap(({ nodes }, kind) =>
  nodes.map((node, index) => ({ kind, node, name: `k${kind}${"ab"[index]}` })),
);
const all = arrays.flatMap(({ node, name: nodeArray }) =>
  Array.from({ length: available }, (_, index) => ({ nodeArray, node, name: `${nodeArray}-${index + 1}` })),
);
const hostOf = new Map(all.map(({ name }, index) => [name, `ip-0a01${index.toString(16).padStart(4, "0")}`]));
const nameOf = new Map([...hostOf].map(([name, host]) => [host, name]));
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
const lines: string[][] = drawn.map(() => []);
/** The numbers of the jobs of each kind. */
const numbers: number[][] = drawn.map(() => []);

const cell = await startGridEngine();
try {
  await setUp(cell);
  const driven = new Driven(driver, settings, cell.run);
  let taken = 0;
  for (let wave = 0; wave < waves; wave++) {
    if (wave > 0) await endSome(wave);
    for (const [index, kind] of drawn.entries()) {
      const own = await submitted(kind.waves[wave] ?? [], index);
      taken += own.length;
      lines[index]?.push(`  wave ${wave + 1}: ${own.join(" ; ")}`);
    }
    await buy(driven);
    const now = await settled(driven);
    for (const [index, own] of lines.entries()) own.push(`    runs: ${now.runs(index)}`);
  }
  const before = await settled(driven);
  const left = all.filter(({ name }) => !there.includes(name) && before.waiting(kindOf(name)) > 0);
  await joinAll(
    driven,
    left.map(({ name }) => name),
  );
  const after = await settled(driven);
  for (const [index, own] of lines.entries()) {
    const [waited, waits] = [before.waiting(index), after.waiting(index)];
    if (waited > waits) own.push(`    STUCK: ${waited} wait, ${waits} with all nodes: ${after.runs(index)}`);
  }
  const having = (word: RegExp) => lines.filter((own) => own.some((line) => word.test(line)));
  const [idle, late, stuck] = [/IDLE/, /LATE/, /STUCK/].map((word) => having(word).length);
  const differ = having(/IDLE|LATE|STUCK/);
  console.log(
    `${drawn.length} drawn, ${taken} jobs taken by qsub, ${differ.length} differ: ${idle} leave a node idle, ${late} buy in a second pass, ${stuck} wait for ever`,
  );
  for (const [index, own] of lines.entries()) {
    if (!differ.includes(own) && values.only === undefined) continue;
    const kind = drawn[index];
    console.log(`${index}: ${kind?.nodes.join("+")} ${JSON.stringify(kind?.queue)} ${kind?.quota ?? ""}`);
    for (const line of own) console.log(line);
  }
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

/** As often as the agent would read before everything is bought: usually once, since it knows of some jobs a pass later. */
async function buy(driven: Driven): Promise<void> {
  await settled(driven);
  await driven.read();
  for (const word of ["", "LATE: ", "LATE: "]) {
    const bought = boughtFor(await driven.read());
    if (bought.length === 0) return;
    await joinAll(driven, bought);
    const now = await settled(driven);
    for (const [index, own] of lines.entries()) {
      const names = bought.filter((name) => kindOf(name) === index);
      if (names.length === 0) continue;
      const idle = names.filter((name) => !now.used.has(name));
      own.push(
        `    ${word}bought ${names.join(" ")}, ${idle.length === 0 ? "all used" : `IDLE ${idle.join(" ")}`}`,
      );
    }
  }
}

function kindOf(name: string): number {
  return Number(/^k(\d+)/.exec(name)?.[1]);
}

function boughtFor(reading: Awaited<ReturnType<Driven["read"]>>): readonly string[] {
  const nodeArrays = arrays.map(({ name, node }) => {
    const own = there.filter((each) => each.startsWith(`${name}-`)).length;
    const { slots: vcpus } = sizes[node];
    return array({
      name,
      buckets: [bucket({ vmSize: `Standard_${node}`, vcpus, available: available - own })],
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
