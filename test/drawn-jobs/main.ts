/**
 * Does a real slurmctld use what is bought for it? Draws submissions, gives the controller the nodes that the engine would make for
 * them, and lists those of which it leaves a node idle, or that start only with more nodes. With `--waves 3` more are submitted twice,
 * beside what runs: after each wave a part of the jobs ends. By hand, because each is to be judged: the engine packs jobs otherwise than
 * Slurm, and a node array has a few nodes here. What is wrong becomes a row of `slurm-job-kinds.ts`, or a test of the driver.
 * `--memory` is DefMemPerCPU, or `none`, and `--only` shows these alone. Scenarios that are given as
 * `"htc&smt: -n 2 ; -n 5 / -N 2 -n 4"` stand for those that are drawn: `/` is between waves, none of whose jobs ends.
 */
import { expandHostlist } from "../../clients/agent/drivers/slurm/hostlist.ts";
import { DrivenSlurm } from "../clients/agent/drivers/driven-slurm.ts";
import {
  boughtFor,
  nodesOfKinds,
  nodesPerPartition,
  partitionsOf,
  sbatchArgs,
} from "../clients/agent/drivers/slurm-job-kinds.ts";
import { whileItMoves } from "../support/machines/agent.ts";
import { type Slurm, startSlurm } from "../support/machines/slurm.ts";
import { drawKinds } from "./draw-kinds.ts";
import { optionsOf } from "./options.ts";

/** The scheduler runs every second: after so many it starts no other job. */
const readsAlike = 10;

const command =
  "npm run drawn-jobs -- [--select CR_Core_Memory] [--type cons_tres] [--memory 3500] [--waves 3] [--usual] [--seed 1] [--count 100] [--only 5,7] [SCENARIO…]";
const { values, positionals } = optionsOf(command, {
  allowPositionals: true,
  options: {
    select: { type: "string", default: "CR_Core_Memory" },
    type: { type: "string", default: "cons_tres" },
    memory: { type: "string", default: "3500" },
    waves: { type: "string", default: "1" },
    usual: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100" },
    only: { type: "string" },
  },
});
const given = positionals.map((text) => {
  const [where = "", options = ""] = text.split(": ");
  return options.split(" / ").map((wave) => ({ on: where.split("+"), options: wave, nodes: 0 }));
});
const drawn =
  given.length > 0
    ? given
    : drawKinds({
        seed: Number(values.seed),
        count: Number(values.count),
        waves: Number(values.waves),
        usual: values.usual,
      }).filter((_, index) => values.only === undefined || values.only.split(",").includes(String(index)));
const waves = Math.max(...drawn.map((own) => own.length));
/** Nodes of each node array: there are more where jobs come again. */
const available = waves > 1 ? 2 * nodesPerPartition : nodesPerPartition;
const kinds = drawn.flatMap(([first]) => first ?? []);
const { conf, gres, toCome } = nodesOfKinds(kinds, "cons_tres", available);
const controller = await startSlurm({
  conf: conf
    .replace(/^SelectType=.*/m, `SelectType=select/${values.type}`)
    .replace(/^SelectTypeParameters=.*/m, `SelectTypeParameters=${values.select}`)
    .replace(/^DefMemPerCPU=.*\n/m, values.memory === "none" ? "" : `DefMemPerCPU=${values.memory}\n`)
    // As `ccscale slurm config` writes it: Slurm takes the nodes first that are bought first.
    .replace(/^NodeName=k\d+[ab]x-.*$/gm, "$& Weight=2")
    // The backfill scheduler leaves weights aside: as usual, the main one comes first.
    .replace(
      "SelectType=",
      "SchedulerParameters=bf_interval=4,sched_interval=1,batch_sched_delay=1\nSelectType=",
    )
    .concat("PartitionName=boot Nodes=ALL PriorityTier=9 MaxTime=INFINITE State=UP\n")
    // Jobs of a partition share two licences of its name.
    .replace(
      "ansys:2",
      kinds
        .flatMap(partitionsOf)
        .map(({ name }) => `${name}:2`)
        .join(","),
    ),
  gres,
});
const driven = new DrivenSlurm({ run: asBooted(controller) }, { ignore_partitions: ["boot"] });
const there: string[] = [];
/** The ids of the jobs of each kind. */
const ids: number[][] = kinds.map(() => []);
const lines: string[][] = kinds.map(() => []);
try {
  await controller.run("scontrol", "update", `NodeName=${toCome}`, "State=DOWN", "Reason=cyclecloud");
  let taken = 0;
  for (const [wave] of Array.from({ length: waves }).entries()) {
    if (wave > 0 && given.length === 0) await endSome(wave);
    for (const [index, own] of drawn.entries()) {
      const kind = own[wave];
      const jobs = kind === undefined ? [] : await submitted(sbatchArgs(kind, index));
      ids[index]?.push(...jobs.map(({ id }) => id));
      taken += jobs.length;
      lines[index]?.push(
        `  wave ${wave + 1}: ${jobs.map(({ id, options }) => `${id} ${options}`).join(" ; ")}`,
      );
    }
    await buy();
    for (const [index, { waiting, running }] of (await settled()).entries())
      lines[index]?.push(`    runs: ${running}${waiting > 0 ? ` (${waiting} wait)` : ""}`);
  }
  const before = await settled();
  await resume(toCome);
  const after = await settled();
  for (const [index, { waiting }] of before.entries()) {
    const left = after[index]?.waiting ?? 0;
    if (waiting > left)
      lines[index]?.push(`    STUCK: ${waiting} wait, ${left} with all nodes: ${after[index]?.running}`);
  }
  const having = (word: RegExp) => lines.filter((own) => own.some((line) => word.test(line)));
  const [idle, late, stuck] = [/IDLE/, /LATE/, /STUCK/].map((word) => having(word).length);
  const differ = having(/IDLE|LATE|STUCK/);
  console.log(
    `${kinds.length} drawn, ${taken} jobs taken by sbatch, ${differ.length} differ: ${idle} leave a node idle, ${late} buy in a second pass, ${stuck} wait for ever`,
  );
  for (const [index, own] of lines.entries()) {
    if (!differ.includes(own) && values.only === undefined && given.length === 0) continue;
    console.log(`${index}: ${kinds[index]?.on.join("+")}`);
    for (const line of own) console.log(line);
  }
} finally {
  await controller.stop();
}

/** As often as the agent would read before everything is bought: usually once. */
async function buy(): Promise<void> {
  await settled();
  for (const word of ["", "LATE: ", "LATE: "]) {
    const bought = boughtFor(kinds, await driven.read(), available, there);
    const names = bought.flat();
    if (names.length === 0) return;
    there.push(...names);
    await resume(names.join(","));
    const now = await settled();
    for (const [index, own] of bought.entries()) {
      if (own.length === 0) continue;
      const idle = own.filter((name) => !now[index]?.used.has(name));
      const outcome = idle.length === 0 ? "all used" : `IDLE ${idle.join(" ")}`;
      lines[index]?.push(`    ${word}bought ${own.join(" ")}, ${outcome}`);
    }
  }
}

/** What Slurm prints, as if its nodes had booted: no daemon runs on them. */
function asBooted({ run }: Pick<Slurm, "run">): Slurm["run"] {
  return async (program, ...args) => {
    const text = await run(program, ...args);
    if (!args.includes("--json")) return text;
    const printed = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const isThere = new Set(there);
    const booted = { state_flags: ["CLOUD"], address: "10.0.0.1", slurmd_version: "22.05" };
    const each = (name: string, change: (record: Readonly<Record<string, unknown>>) => object) => {
      const records = printed[name];
      return Array.isArray(records) ? { [name]: records.map(change) } : {};
    };
    return JSON.stringify({
      ...printed,
      ...each("jobs", (job) => (job.job_state === "CONFIGURING" ? { ...job, job_state: "RUNNING" } : job)),
      ...each("nodes", (node) =>
        isThere.has(String(node.name)) ? { ...node, ...booted, hostname: node.name } : node,
      ),
    });
  };
}

/** Those that sbatch does not refuse. */
async function submitted(all: readonly (readonly string[])[]) {
  const taken: { readonly id: number; readonly options: string }[] = [];
  for (const options of all) {
    try {
      for (const id of await controller.submitAll([options], 3600))
        taken.push({ id, options: options.join(" ") });
    } catch {
      // Many that are drawn make no sense.
    }
  }
  return taken;
}

/** A third of the jobs that run. */
async function endSome(wave: number): Promise<void> {
  const rows = (
    await controller.run("squeue", "--noheader", "--array", "--states=RUNNING,CONFIGURING", "--format=%i %A")
  )
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" ")[0] ?? "");
  const ended = rows.filter((id, at) => (at * 7 + wave) % 3 === 0 && !id.includes("+"));
  if (ended.length > 0) await controller.run("scancel", ...ended);
}

/**
 * These have booted: a job that comes before all others powers them up, since Slurm takes one that is powered down after all others,
 * whatever its weight. Those that are there and may be in use are left alone.
 */
async function resume(nodes: string): Promise<void> {
  const down = await controller.run(
    "sinfo",
    "--noheader",
    "--Node",
    "--states=down",
    "--format=%N",
    `--nodes=${nodes}`,
  );
  const names = [...new Set(down.split("\n").filter((name) => name !== ""))];
  if (names.length === 0) return;
  const first = ["-p", "boot", "-w", names.join(","), "-N", `${names.length}`, "--exclusive", "--mem=1"];
  const [id] = await controller.submitAll([first], 3600);
  await controller.run("scontrol", "update", `NodeName=${names.join(",")}`, "State=RESUME");
  await whileItMoves(
    () => controller.run("squeue", "--noheader", "--states=CONFIGURING", `--jobs=${id}`),
    (text) => text !== "",
  );
  await controller.run("scancel", `${id}`);
}

/** The nodes that each kind uses, and how many of its jobs wait, when no more starts. */
async function settled() {
  let before = "";
  let same = 0;
  const read = () =>
    controller.run(
      "squeue",
      "--noheader",
      "--array",
      "--states=PENDING,RUNNING,CONFIGURING,COMPLETING",
      "--Format=ArrayJobID:20,HetJobID:20,ArrayTaskID:20,StateCompact:20,NodeList:500",
    );
  await whileItMoves(read, (text) => {
    same = text === before ? same + 1 : 0;
    before = text;
    return same >= readsAlike;
  });
  const rows = before
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [0, 20, 40, 60].map((at) => line.slice(at, at + 20).trim()).concat(line.slice(80).trim()));
  return ids.map((own) => {
    const known = new Set(own.map(String));
    const ownRows = rows.filter(([array = "", het = ""]) => known.has(array) || known.has(het));
    const used = new Set(ownRows.flatMap((row) => expandHostlist(row[4] ?? "") ?? []));
    const waiting = ownRows.filter((row) => row[3] === "PD").length;
    const running = ownRows
      .filter((row) => row[4] !== "" && row[3] !== "CG")
      .map(([array, , task, , nodes]) => `${array}${task === "N/A" ? "" : `_${task}`} on ${nodes}`)
      .join(", ");
    return { used, waiting, running };
  });
}
