import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { agentCommand } from "../../../clients/agent/command.ts";
import { shellWord } from "../../../shared/text/shell-word.ts";
import { ownFolder } from "../../support/own-folder.ts";

const folder = ownFolder(afterEach);

const recorded = join(import.meta.dirname, "drivers/fixtures/slurm/empty-queue");

/** Stands in for Slurm's programs: prints what it is given when it is asked for JSON, and else what was recorded. */
async function dryRun(printed: string) {
  const answers: readonly (readonly [asked: string, text: string])[] = [
    ["--json", printed],
    ["partitions", await readFile(join(recorded, "partitions.txt"), "utf8")],
    ["reservations", await readFile(join(recorded, "reservations.txt"), "utf8")],
    ["nodes", "No nodes in the system\n"],
    ["licenses", await readFile(join(recorded, "licenses.txt"), "utf8")],
  ];
  // In the shell's language: a Node.js for each thing that is read takes seconds.
  const program = folder("slurm.sh");
  const branches = answers.map(([asked, text]) => `*${asked}*) printf %s ${shellWord(text)};;`);
  await writeFile(program, `case "$*" in ${branches.join("\n")} esac`);
  const asks = ["/bin/sh", program];
  const config = { cluster: "hpc", source: "slurm", driver: "slurm", state_folder: folder() };
  const file = folder("agent.json");
  await writeFile(file, JSON.stringify({ ...config, slurm: { squeue: asks, scontrol: asks, sinfo: asks } }));
  const stdout = new PassThrough();
  const terminal = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  let failure: unknown;
  try {
    await agentCommand(terminal).parseAsync(["--config", file, "--dry-run"], { from: "user" });
  } catch (error) {
    failure = error;
  }
  stdout.end();
  return { printed: JSON.parse(await text(stdout)) as Record<string, unknown>, failure };
}

test("a reading is printed as it would be posted", async () => {
  const { printed, failure } = await dryRun('{"nodes":[],"jobs":[],"errors":[]}\n');
  expect(failure).toBeUndefined();
  expect(printed).toEqual({
    cluster: "hpc",
    source: "slurm",
    known: true,
    jobs: [],
    nodes: [],
    nodeShapes: [],
    setAside: [],
    leftOut: 0,
    silent: [],
    corrections: [],
  });
});

test.each(["", "<html>502 Bad Gateway</html>", '{"jobs": [{"job_'])(
  "a scheduler that printed %j could not be read: that is a failure, with the reason",
  async (printed) => {
    const { printed: reading, failure } = await dryRun(printed);
    expect(reading).toMatchObject({ known: false, reason: expect.stringMatching(/scontrol/) });
    expect(failure).toMatchObject({ name: "CommandFailure", message: "The scheduler could not be read" });
  },
);
