import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Answers, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { whileItMoves } from "../../../support/machines/agent.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../../../support/machines/slurm.ts";
import {
  boughtFor,
  type JobKind,
  kindsBySelection,
  nodesOfKinds,
  type Selection,
  sbatchArgs,
  selections,
  usedBy,
} from "./slurm-job-kinds.ts";

const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;
/** Set to write what the controller printed where `slurm-kinds.test.ts` reads it. */
const recordTo =
  process.env.RECORD_SLURM_KINDS === "1" ? join(import.meta.dirname, "fixtures/slurm-kinds") : undefined;

describeHere(`a live Slurm controller uses what is bought${reason}`, { timeout: 300_000 }, () => {
  const rows = selections.map((select) => [kindsBySelection[select].length, select] as const);
  test.each(rows)("%i kinds of jobs, %s", (_, select) => check(kindsBySelection[select], select));
});

/** Submits a job of each kind, gives the controller the nodes that the engine would make, and no others, and looks what it uses. */
async function check(kinds: readonly JobKind[], select: Selection): Promise<void> {
  const { conf, gres, toCome } = nodesOfKinds(kinds, select);
  const controller = await startSlurm({ conf, gres });
  try {
    await controller.run("scontrol", "update", `NodeName=${toCome}`, "State=DOWN", "Reason=cyclecloud");
    const jobs = kinds.map(sbatchArgs);
    const submitted = [...(await controller.submitAll(jobs.flat()))];
    const ids = jobs.map((own) => submitted.splice(0, own.length));
    const bought = boughtFor(kinds, await read(controller, select));
    const names = bought.flat();
    await controller.run("scontrol", "update", `NodeName=${names.join(",")}`, "State=RESUME");
    await whileItMoves(
      () => usedBy(controller, ids),
      (counts) => bought.every((nodes, index) => (counts[index] ?? 0) >= nodes.length),
    );
    const used = await usedBy(controller, ids);
    const outcome = kinds.map(({ on, options }, index) => ({
      job: `${on.join(",")} ${options}`,
      bought: bought[index]?.length,
      used: used[index],
    }));
    const expected = kinds.map(({ on, options, nodes }) => ({
      job: `${on.join(",")} ${options}`,
      bought: nodes,
      used: nodes,
    }));
    expect(outcome).toEqual(expected);
  } finally {
    await controller.stop();
  }
}

async function read(controller: Slurm, select: string): Promise<Extract<Reading, { known: true }>> {
  const configured = slurm.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const context = { nowSeconds: Date.now() / 1000, draining: new Map(), memory: { nodesFrom: "sinfo" } };
  const answers: Record<string, Answers[string]> = {};
  for (const each of configured.driver.reads(context).flat()) {
    if (each.kind !== "command") continue;
    answers[each.name] = { text: await controller.run(each.program, ...each.args), exitCode: 0 };
  }
  if (recordTo !== undefined) await record(join(recordTo, select), answers);
  const reading = configured.driver.interpret(answers, context);
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

/** A record a line, with what the driver reads of it. */
async function record(folder: string, answers: Answers): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, { text }] of Object.entries(answers)) {
    await writeFile(join(folder, `${name}.txt`), shortened(name, text));
  }
}

function linesRead(config: string): string {
  return `${config.match(/^(?:AccountingStorageEnforce|DefMemPerCPU|SelectType).*$/gm)?.join("\n") ?? ""}\n`;
}

function shortened(name: string, text: string): string {
  if (name === "partitions")
    return text.replace(
      / (?!OverSubscribe|State|MaxNodes|MinNodes|MaxTime|DefMemPerCPU|MaxMemPer\w+|RootOnly|Select|MaxCPUsPerNode|Nodes)\w+=\S*/g,
      "",
    );
  if (name === "config") return linesRead(text);
  // Behind "State=" stands what people wrote, with blanks in it.
  return name === "specs"
    ? text
        .replace(/ State=.*/g, " State=DOWN")
        .replace(/ +(?!CPU(?:Efctv|Tot)|RealMemory|\w+Spec\w+|State)\w+=\S*/g, "")
    : shortRecords(text);
}

const uninteresting = [null, "", 0, false];
const notRead =
  /^(time(?!_minimum)|start|last|accrue|end|standard|current_work|show_flags|user_id|group|account|association|batch|cluster|requeue|job_resources|port|address|architecture|operating|boot|burst|cpu_|free_memory|mcs|next_state|owner|slurmd_start|tres_used|tres_weighted|weight|idle|boards|active|billable|name_|partition_|comment|gres_)/;

function shortRecords(text: string): string {
  if (!text.startsWith("{")) return text;
  const answer = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const short = Object.entries(answer).flatMap(([list, records]) =>
    Array.isArray(records) && (list === "jobs" || list === "nodes")
      ? [`"${list}": [\n${records.map(shortRecord).join(",\n")}\n]`]
      : [],
  );
  return `{${short.join(",\n")}}\n`;
}

function shortRecord(record: Readonly<Record<string, unknown>>): string {
  const kept = Object.entries(record).filter(
    ([name, value]) =>
      !notRead.test(name) &&
      !uninteresting.some((each) => each === value) &&
      !(Array.isArray(value) && value.length === 0),
  );
  return JSON.stringify(Object.fromEntries(kept));
}
