import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import getPort from "get-port";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually, type LocalStack, startStack } from "../../support/local-stack.ts";
import { missingForCelery } from "../agent/celery/installed.ts";
import { Nodes } from "../agent/celery/nodes.ts";
import { RedisProcess } from "../agent/celery/redis.ts";
import { python, type Ran, root, run } from "../python/python.ts";

const missing = missingForCelery();
const why = missing === undefined ? "" : `: skipped, ${missing}`;
const folder = join(root, "clients/celery/examples");
const project = join(root, "clients/celery/specs");
/** A task takes a second, a node boots in seconds: so long without a change is a fault on any machine. */
const standstillMs = 120_000;

let stack: LocalStack;
let redis: RedisProcess;
let nodes: Nodes;
let env: Readonly<Record<string, string>>;

function program(file: string, ...args: readonly string[]): Promise<Ran> {
  return run(python, [join(folder, file), ...args], { env });
}

/** What a program prints; it must succeed. */
async function printed(file: string, ...args: readonly string[]): Promise<string> {
  const { code, out, errors } = await program(file, ...args);
  expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  return out;
}

const counts = (out: string) => [...out.matchAll(/^\w+ Tasks: (\d+)$/gm)].map(([, count]) => Number(count));

/** Runs the autoscaler again and again, as cron does, as long as something moves. */
async function autoscaleUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  let seen = "";
  let movedAt = Date.now();
  while (!(await isSo())) {
    const { demand } = await stack.readStatus();
    const now = JSON.stringify([counts(await printed("check_tasks.py")), await stack.nodes(), demand.length]);
    if (now !== seen) movedAt = Date.now();
    seen = now;
    if (Date.now() - movedAt > standstillMs) throw new Error(`Nothing moves, and not yet: ${what}; ${now}`);
    await printed("autoscale.py");
    await sleep(200);
  }
}

describe.skipIf(missing !== undefined)(`the programs of the Celery page${why}`, { timeout: 300_000 }, () => {
  beforeAll(async () => {
    stack = await startStack({
      clusterFile: join(import.meta.dirname, "../agent/celery/cluster.json"),
      cluster: "celery",
      config: {
        idle_timeout: 3,
        boot_timeout: 600,
        demand_ttl: 600,
        default_resources: [{ select: {}, name: "slots", value: "node.vcpu_count" }],
      },
    });
    redis = new RedisProcess(await getPort(), stack.folder);
    await redis.start();
    env = {
      CELERY_BROKER_URL: redis.url,
      CCSCALE_URL: stack.environment.functionsUrl,
      CCSCALE_CLUSTER: "celery",
      CCSCALE_SETTINGS: join(stack.folder, "none.json"),
      PYTHONPATH: join(root, "clients/python"),
    };
    nodes = new Nodes({ stack, env, app: { folder, module: "tasks" } });
  });

  afterAll(async () => {
    await nodes?.stop();
    await redis?.stop();
    await stack?.stop();
  });

  test("add_task.py adds tasks, and check_tasks.py shows that they wait while there is no worker", async () => {
    const ids = (await printed("add_task.py", "11", "1")).trim().split("\n");
    const shown = await printed("check_tasks.py");
    expect(counts(shown)).toEqual([0, 11]);
    expect(ids.filter((id) => !shown.includes(`  ${id}\n`))).toEqual([]);
  });

  test("autoscale.py asks for a core each and the warm buffer, and prints the demand", async () => {
    // A busy machine may take longer to read the demand than one pass waits.
    const table = await eventually(
      () => printed("autoscale.py"),
      (text) => text.includes("pad-1"),
    );
    const [head = "", ...rows] = table.trimEnd().split("\n");
    expect(head.split(/ +/)).toEqual([
      "NAME",
      "HOSTNAME",
      "JOB_IDS",
      "REQUIRED",
      "SLOTS",
      "VM_SIZE",
      "VCPU_COUNT",
      "STATE",
    ]);
    // 11 tasks and a buffer of 2 are 13 cores: 4 nodes of 4.
    expect(rows.map((row) => /True +(\d) +(Standard_F4s_v2) +4\b/.exec(row)?.slice(1))).toEqual(
      Array(4).fill(["4", "Standard_F4s_v2"]),
    );
    const jobs = rows.flatMap((row) => /\S*(?:pad-\d|[0-9a-f-]{36})\S*/.exec(row)?.[0].split(",") ?? []);
    expect(jobs.filter((job) => job.startsWith("pad-")).toSorted()).toEqual(["pad-0", "pad-1"]);
    expect(new Set(jobs).size).toBe(13);
  });

  test("run again and again, it brings workers until all tasks are done, and leaves the fewest cores", async () => {
    await autoscaleUntil("all tasks are done", async () => {
      const [running, waiting] = counts(await printed("check_tasks.py"));
      return running === 0 && waiting === 0;
    });
    expect(nodes.workersStarted).toBeGreaterThan(0);
    // Four cores are kept for the tasks to come: one node of four.
    await autoscaleUntil("one node is left", async () => (await stack.nodes()).length === 1);
    expect((await printed("autoscale.py")).trimEnd().split("\n")).toHaveLength(2);
  });

  test("the smoke test for `jetpack test` passes, and says what to look at when no worker takes its task", async () => {
    const smoke = (seconds: string, queue: string) =>
      run(python, [join(project, "broker/cluster-init/tests/celery_test.py")], {
        env: {
          ...env,
          CELERY_BROKER_URL: redis.url.replace(/\/0$/, queue),
          CELERY_TEST_SECONDS: seconds,
          PYTHONPATH: join(project, "default/cluster-init/files"),
        },
      });
    const worker = new Nodes({
      stack,
      env: { ...env, CELERY_BROKER_URL: redis.url.replace(/\/0$/, "/1") },
      app: { folder: join(project, "default/cluster-init/files"), module: "work" },
    });
    expect(await smoke("300", "/1")).toMatchObject({ code: 0, errors: expect.stringMatching(/^OK$/m) });
    await worker.stop();
    const alone = await smoke("0", "/2");
    expect(alone).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/The task is PENDING after 0 s.*ccscale explain/s),
    });
  });

  test("a broker that does not answer is no empty queue: nothing is posted", async () => {
    const sequenceOf = async () => (await stack.readStatus()).demand.map(({ sequence }) => sequence);
    const before = await sequenceOf();
    await redis.stop();
    const { code, out, errors } = await program("autoscale.py");
    expect({ code, out, errors }).toEqual({
      code: 1,
      out: "",
      errors: expect.stringMatching(/^Nothing was posted: /),
    });
    expect(await sequenceOf()).toEqual(before);
  });
});
