/**
 * How long a pass of the agent takes beside a large Grid Engine or PBS: read what its programs print, make demand of it, check it
 * and post what changed (Azurite). The programs are scripts that print files, so that the time is the agent's and that of pipes; what
 * a real scheduler needs to answer comes on top. In each round one job in a hundred has ended and as many are new.
 * Run it with `npm run bench -- schedulers [--jobs 10000] [--hosts 2000] [--passes 9] [--check]`.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startAzurite } from "../../infra/local/environment/azurite.ts";
import type { Cell, CellSize } from "./scheduler-pass/cell.ts";
import { gridengineCell } from "./scheduler-pass/gridengine.ts";
import { checked, median, type Pass, passesOf } from "./scheduler-pass/measure-passes.ts";
import { pbsCell } from "./scheduler-pass/pbs.ts";

/** What is promised of a pass at one pass a minute. */
const most = { wallSeconds: 2, shareOfCore: 0.05, commands: 6 };
const secondsBetweenPasses = 60;

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "10000" },
    hosts: { type: "string", default: "2000" },
    passes: { type: "string", default: "9" },
    check: { type: "boolean", default: false },
  },
});
const size: CellSize = { jobs: Number(values.jobs), hosts: Number(values.hosts) };
const folder = await mkdtemp(join(tmpdir(), "schedulers-"));
const azurite = await startAzurite({ logFile: join(folder, "azurite.log") });
console.log(`${size.jobs} jobs, ${size.hosts} hosts; seconds of a pass, the first of a process apart`);
console.log("scheduler     MB read  commands  first: wall, cpu    then: wall, most, cpu");
try {
  for (const cellOf of [gridengineCell, pbsCell]) {
    const own = join(folder, cellOf.name);
    await mkdir(own);
    await measure(cellOf(own, size), own);
  }
} finally {
  await azurite.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(cell: Cell, own: string): Promise<void> {
  const pass = await passesOf(cell, own, azurite.connectionString);
  const passes: Pass[] = [];
  for (let round = 0; round <= Number(values.passes); round += 1) {
    cell.print(round);
    const isWhole = ({ demand }: Pass["report"]) =>
      demand?.nodes.length === size.hosts && demand.jobs.length >= size.jobs / 2;
    passes.push(checked(await pass(), isWhole));
  }
  const [first, ...others] = passes;
  if (first === undefined) return;
  const wall = median(others.map((each) => each.wallSeconds));
  const longest = Math.max(...others.map((each) => each.wallSeconds));
  const cpu = median(others.map((each) => each.cpuSeconds));
  const commands = Math.max(...others.map((each) => each.commands));
  const seconds = (value: number) => value.toFixed(2).padStart(5);
  console.log(
    `${cell.kind.name.padEnd(14)}${((others[0]?.bytes ?? 0) / 1e6).toFixed(1).padStart(7)}${String(commands).padStart(10)}  ${seconds(first.wallSeconds)} ${seconds(first.cpuSeconds)}        ${seconds(wall)} ${seconds(longest)} ${seconds(cpu)}`,
  );
  const isKept =
    wall < most.wallSeconds && cpu / secondsBetweenPasses < most.shareOfCore && commands <= most.commands;
  if (values.check && !isKept) process.exitCode = 1;
}
