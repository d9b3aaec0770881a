import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  Answers,
  Command,
  Context,
  Driver,
  NodeEvent,
  Reading,
} from "../../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { type SlurmController, slurmIsMissing, startSlurm } from "./slurm-controller.ts";

const waitingJobs = 1_000;
const arrayTasks = 10_000;
const mostCpuSeconds = 2;
/** The new host is this machine: its address has to be one that can be found. */
const node = { name: "htc-1", hostname: "localhost" };

const title = "a live Slurm controller";
const describeHere = slurmIsMissing === undefined ? describe : describe.skip;
const reason = slurmIsMissing === undefined ? "" : ` (skipped: ${slurmIsMissing})`;

describeHere(`${title}${reason}`, { timeout: 300_000 }, () => {
  let controller: SlurmController;
  let memory: Context["memory"] = {};
  const driver = configured();
  let draining: Context["draining"] = new Map();

  beforeAll(async () => {
    controller = await startSlurm();
  });
  afterAll(() => controller?.stop());

  const contextNow = (): Context => ({ nowSeconds: Date.now() / 1000, draining, memory });

  async function answers(): Promise<Answers> {
    const all: Record<string, Answers[string]> = {};
    for (const step of driver.reads(contextNow())) {
      for (const read of step) {
        if (read.kind === "command") all[read.name] = await runAnswer(read);
      }
    }
    return all;
  }
  async function runAnswer({ program, args, exitCodes = [] }: Command): Promise<Answers[string]> {
    try {
      return { text: await controller.run(program, ...args), exitCode: 0 };
    } catch (error) {
      const { code, stdout } = error as { code?: number; stdout?: string };
      if (code === undefined || !exitCodes.includes(code)) throw error;
      return { text: stdout ?? "", exitCode: code };
    }
  }
  async function reading(): Promise<Extract<Reading, { known: true }>> {
    const read = driver.interpret(await answers(), contextNow());
    if (!read.known) throw new Error(read.reason);
    memory = read.memory;
    return read;
  }
  async function send(kind: NodeEvent["kind"]): Promise<void> {
    for (const command of driver.commandsFor({ kind, nodes: [node] }, contextNow()).commands)
      await runAnswer(command);
  }
  async function until(what: (read: Extract<Reading, { known: true }>) => boolean) {
    for (let tries = 0; ; tries++) {
      const read = await reading();
      if (what(read) || tries > 40) return read;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  test("a job waits, its node joins and runs it, drains, comes back, drains again and goes", async () => {
    await controller.run("sbatch", "-p", "htc", "-n", "2", "--mem=1G", "--wrap", "sleep 4");
    const waiting = await reading();
    expect(waiting.jobs).toMatchObject([
      { name: "1", iterations: 1, constraints: { ncpus: 2, memmb: 1024 } },
    ]);
    expect(waiting.nodes).toEqual([]);

    controller.startNode(node.name);
    await send("node-joined");
    const started = await until(({ jobs }) => jobs[0]?.executingHostnames !== undefined);
    expect(started.jobs).toMatchObject([{ name: "1", executingHostnames: [node.hostname] }]);
    expect(started.nodes).toMatchObject([{ hostname: node.hostname, state: "up" }]);

    draining = new Map([[node.hostname, 0]]);
    await send("drain");
    expect((await reading()).nodes).toMatchObject([{ state: "draining" }]);
    const done = await until(({ nodes }) => nodes[0]?.state === "drained");
    expect(done).toMatchObject({ jobs: [], nodes: [{ state: "drained" }], corrections: [] });

    draining = new Map();
    await send("undrain");
    // For a moment Slurm does not know whether it still answers.
    const back = await until(({ nodes }) => nodes.length > 0);
    expect(back.nodes).toMatchObject([{ state: "up" }]);

    await send("drain");
    await send("node-deleted");
    const gone = await reading();
    expect(gone).toMatchObject({ jobs: [], nodes: [], corrections: [] });
  });

  test(`${waitingJobs} waiting jobs and an array of ${arrayTasks} tasks: one pass within ${mostCpuSeconds} s of cpu`, async () => {
    const submit = () =>
      controller.run("sbatch", "-p", "hpc", "-n", "4", "--mem-per-cpu=1G", "--wrap", "true");
    await controller.run(
      "sbatch",
      "-p",
      "htc",
      `--array=1-${arrayTasks}`,
      "-c",
      "2",
      "--mem=2G",
      "--wrap",
      "true",
    );
    for (let sent = 0; sent < waitingJobs; sent += 8) await Promise.all(Array.from({ length: 8 }, submit));

    const before = process.cpuUsage();
    const read = await reading();
    const { user, system } = process.cpuUsage(before);
    console.info(`one pass: ${((user + system) / 1e6).toFixed(2)} s of cpu, ${read.jobs.length} jobs`);
    expect(read.jobs).toHaveLength(waitingJobs + 1);
    expect(read.jobs.find(({ name }) => name.endsWith("_*"))?.iterations).toBe(arrayTasks);
    expect(read.setAside).toEqual([]);
    expect((user + system) / 1e6).toBeLessThan(mostCpuSeconds);
  });
});

function configured(): Driver {
  const result = slurm.configure({ ignore_partitions: ["local"] });
  if (!result.ok) throw new Error(result.problems.join("; "));
  return result.driver;
}
