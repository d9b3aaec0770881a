/**
 * How long a cluster waits for us: from a demand message to its actions on the queue, through receive-demand and plan-scale with
 * stores that hold texts, as a storage account does. Not counted: the network, and the window in which requests for plans are
 * gathered. Processor time of the main thread, which on a quiet machine is the time that passes. Medians of five worlds of a
 * process, after its first one (`cold`). Most jobs wait: the cluster is nearly full.
 * Run it with `npm run bench -- cycle [--jobs 1000,10000,100000] [--nodes 1000] [--only-cold]`. With `--clusters 8 --heap 300` so
 * many clusters go through at once in a process with so many MB of heap: what it cannot hold is `too much`.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import Table from "cli-table3";
import { z } from "zod";

const phases = z.object({
  /** The message is checked and merged, and the demand is stored. */
  receiveMs: z.number(),
  /** The world is read. */
  readMs: z.number(),
  /** The plan is made, its actions are recorded and its head is stored. */
  planMs: z.number(),
  /** From the message to the actions on the queue. */
  sentMs: z.number(),
  /** After that: reports and the archive. */
  archiveMs: z.number(),
});
export type Phases = z.output<typeof phases>;
const measured = z.object({
  cold: phases,
  warm: z.array(phases).readonly(),
  actions: z.int(),
  peakRssMb: z.number(),
});
export type MeasuredCycle = z.output<typeof measured>;

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "1000,10000,100000" },
    nodes: { type: "string", default: "1000" },
    "only-cold": { type: "boolean", default: false },
    clusters: { type: "string", default: "1" },
    heap: { type: "string" },
  },
});
const names = Object.keys(phases.shape) as readonly (keyof Phases)[];
const table = new Table({
  head: ["jobs", "", ...names.map((name) => name.replace("Ms", ", ms")), "actions", "peak, MB"],
  style: { head: [], border: [], compact: true },
});
const isForMemory = values.heap !== undefined;
const flags = isForMemory ? [`--max-old-space-size=${values.heap}`] : [];
const rounds = values["only-cold"] || isForMemory ? 0 : 5;
for (const jobs of values.jobs.split(",")) {
  const order = JSON.stringify({
    jobs: Number(jobs),
    nodes: Number(values.nodes),
    rounds,
    clusters: Number(values.clusters),
  });
  const processes = values["only-cold"] ? 5 : 1;
  const runs: MeasuredCycle[] = [];
  for (let run = 0; run < processes; run += 1) {
    const program = join(import.meta.dirname, "measure-cycle.ts");
    const ended = promisify(execFile)(process.execPath, [...flags, program, order]);
    const { stdout } = await (isForMemory ? ended.catch(nothingIfTooMuch) : ended);
    if (stdout !== "") runs.push(measured.parse(JSON.parse(stdout)));
  }
  const [first] = runs;
  if (first === undefined) {
    table.push([jobs, "too much"]);
    continue;
  }
  const row = (what: string, of: readonly Phases[]) =>
    table.push([
      jobs,
      what,
      ...names.map((name) => median(of.map((each) => each[name]))),
      first.actions,
      first.peakRssMb,
    ]);
  row(
    "cold",
    runs.map(({ cold }) => cold),
  );
  if (first.warm.length > 0) row("warm", first.warm);
}
console.log(table.toString());

function nothingIfTooMuch(error: { readonly stderr?: string }): { readonly stdout: string } {
  if (error.stderr?.includes("heap limit") !== true) throw error;
  return { stdout: "" };
}

function median(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(0);
}
