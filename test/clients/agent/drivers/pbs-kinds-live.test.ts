import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Answers } from "../../../../clients/agent/drivers/driver.ts";
import { pbs as driver } from "../../../../clients/agent/drivers/pbs/pbs.ts";
import { isAll } from "../../../support/cases.ts";
import { type OpenPbs, openPbsIsMissing, startOpenPbs } from "../../../support/machines/openpbs.ts";
import { Driven } from "./driven.ts";
import { argumentsOf, expectedOf, nameOfKind, rowsOf } from "./job-kind.ts";
import {
  type Bought,
  boughtFor,
  type JobKind,
  pbsJobKinds,
  queueLines,
  scheduledResources,
  settingsOf,
  siteResources,
} from "./pbs-job-kinds.ts";

const describeHere = openPbsIsMissing === undefined ? describe : describe.skip;
const reason = openPbsIsMissing === undefined ? "" : ` (skipped: ${openPbsIsMissing})`;
/** One of nine, with twenty nodes: no burden beside other tests. */
const usualKinds = pbsJobKinds.filter((_, index) => index % 9 === 4);
/** Set to write what PBS printed where `pbs-kinds.test.ts` reads it. */
const recordTo =
  process.env.RECORD_PBS_KINDS === "1" ? join(import.meta.dirname, "fixtures/pbs-kinds") : undefined;
/** So long without any progress is a fault on any machine. */
const standstillMilliseconds = 120_000;

describeHere(`a real OpenPBS uses what is bought${reason}`, { timeout: 600_000 }, () => {
  // Every night: a hundred machines beside other tests leave the node daemons no time; jobs fail to start there, and PBS holds them.
  test.runIf(isAll)(`${pbsJobKinds.length} kinds of jobs: bought, joined, run, drained, deleted`, () =>
    check(pbsJobKinds),
  );
  test(`${usualKinds.length} kinds of jobs: bought, joined, run, drained, deleted`, () => check(usualKinds));
});

async function check(kinds: readonly JobKind[]): Promise<void> {
  const server = await startOpenPbs();
  try {
    await setUp(server, kinds);
    await submitAll(server, kinds);
    const driven = new Driven(driver, settingsOf(kinds), server.run);
    if (recordTo !== undefined) await record(recordTo, await driven.answers());
    const first = await driven.read();
    const bought = boughtFor(kinds, first);
    const all = bought.flat();
    for (const [index, { hostname }] of all.entries())
      await server.bootNode(hostname, `10.1.${Math.floor(index / 200)}.${(index % 200) + 1}`);
    await driven.send("node-joined", all);
    const used = await usedBy(server, driven, bought);
    const rows = rowsOf(
      kinds,
      bought.map(({ length }) => length),
      used,
    );
    expect(rows).toEqual(expectedOf(kinds));
    // Nothing more is bought while all that may run does.
    expect((await driven.read()).nodes.every(({ state }) => state === "up")).toBe(true);
    await drainAll(server, driven, all);
  } finally {
    await server.stop();
  }
}

async function setUp(server: OpenPbs, kinds: readonly JobKind[]): Promise<void> {
  const lines = [
    ...siteResources.map((resource) => `create resource ${resource}`),
    "set server scheduling = false",
    ...kinds.flatMap(queueLines),
  ];
  const file = join(server.network.folder, "set-up.qmgr");
  await writeFile(file, `${lines.join("\n")}\n`);
  await server.run("sh", "-c", 'exec qmgr <"$0"', file);
  await server.scheduleBy(scheduledResources);
  // The first job, on which one of them depends.
  await server.submit(["-h", "-q", nameOfKind(0), "-l", "select=1:ncpus=1"]);
}

async function submitAll(server: OpenPbs, kinds: readonly JobKind[]): Promise<void> {
  for (const [index, kind] of kinds.entries())
    for (let time = 0; time < kind.times; time++)
      await server.submit(["-q", nameOfKind(index), ...argumentsOf(kind, index, "@")], "ann", 3_000);
  await server.run("qmgr", "-c", "set server scheduling = true");
}

/** Different hosts of the jobs of each kind; asked until all that were bought are used, or nothing changes any more. */
async function usedBy(
  server: OpenPbs,
  driven: Driven,
  bought: readonly (readonly Bought[])[],
): Promise<readonly number[]> {
  let before = "";
  let movedAt = Date.now();
  for (;;) {
    const { jobs, nodes } = await driven.read();
    const counts = bought.map((_, index) => {
      const own = jobs.filter(({ queue }) => queue === nameOfKind(index));
      return new Set(own.flatMap(({ executingHostnames = [] }) => executingHostnames)).size;
    });
    if (JSON.stringify(counts) !== before) movedAt = Date.now();
    before = JSON.stringify(counts);
    const isDone = bought.every((nodes, index) => nodes.length === counts[index]);
    if (isDone) return counts;
    if (Date.now() - movedAt > standstillMilliseconds) {
      const states = nodes.map(
        ({ hostname, state, stateReason }) => `${hostname} ${state} ${stateReason ?? ""}`,
      );
      const waits = jobs.flatMap(({ name, queue, waitingReason, executingHostnames }) =>
        executingHostnames === undefined ? [`${name} of ${queue}: ${waitingReason}`] : [],
      );
      console.log([...states.filter((line) => !line.includes(" up ")), ...waits].join("\n"));
      return counts;
    }
    await server.schedule();
    await sleep(500);
  }
}

async function drainAll(server: OpenPbs, driven: Driven, nodes: readonly Bought[]): Promise<void> {
  await driven.send("drain", nodes);
  const busy = await driven.read();
  expect(busy.nodes.map(({ state }) => state)).toEqual(nodes.map(() => "draining"));
  // A machine that goes with its jobs: PBS keeps the node as long as it has them.
  const [lost, ...rest] = nodes;
  if (lost === undefined) throw new Error("nothing was bought");
  server.network.switchOff(lost.hostname);
  await driven.send("node-deleted", [lost]);
  const running = (await server.run("qselect", "-s", "BRQHW")).split("\n").filter((id) => id !== "");
  await server.run("qdel", "-W", "force", ...running);
  await driven.until(({ nodes: left }) => left.every(({ state }) => state === "drained"));
  for (const { hostname } of rest) server.network.switchOff(hostname);
  await driven.send("node-deleted", rest);
  await driven.until(({ corrections }) => corrections.length === 0);
  const left = await driven.read();
  expect([left.nodes, left.jobs, left.corrections]).toEqual([[], [], []]);
  await expect(server.run("pbsnodes", "-a")).rejects.toThrow("Server has no node list");
}

async function record(folder: string, answers: Answers): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, { text }] of Object.entries(answers))
    await writeFile(join(folder, `${name}.txt`), shortened(name, text));
}

const jobFields =
  /^(?:job_state|queue|Resource_List|schedselect|Hold_Types|array|max_run_subjobs|comment|euser|egroup|project|qtime|Priority|Rerunable|Job_Name)$/;

/** A record a line, with what the driver reads of it. */
function shortened(name: string, text: string): string {
  if (name === "scheduled") return `${/^resources:.*$/m.exec(text)?.[0]}\n`;
  if (!text.startsWith("{")) return text;
  const { timestamp, pbs_version, pbs_server, ...lists } = JSON.parse(text) as Readonly<
    Record<string, object>
  >;
  const [[list, records] = [name, {}]] = Object.entries(lists);
  const lines = Object.entries(records as Readonly<Record<string, object>>).map(([id, fields]) => {
    const kept = Object.entries(fields).filter(([field]) => name !== "jobs" || jobFields.test(field));
    return `${JSON.stringify(id)}: ${JSON.stringify(Object.fromEntries(kept))}`;
  });
  const head = JSON.stringify({ timestamp, pbs_version, pbs_server }).slice(0, -1);
  return `${head}, ${JSON.stringify(list)}: {\n${lines.join(",\n")}\n}}\n`;
}
