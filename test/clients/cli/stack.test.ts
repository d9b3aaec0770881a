import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { ClusterStatus } from "../../../shared/api/index.ts";
import { eventually, type LocalStack } from "../../support/local-stack.ts";
import {
  asks,
  files,
  jobsOf,
  lsfDemand,
  moving,
  oneMore,
  settled,
  slurmOf,
  startScene,
  wants,
} from "./stack/scene.ts";
import { inProcessOfItsOwn, inShort, openSession, type Session } from "./stack/session.ts";
import { standIn } from "./stack/steady.ts";

// A command and what it leads to, also on a machine that does much else.

const printed = join(import.meta.dirname, "../../../clients/cli/reference/printed");
let stack: LocalStack;
let session: Session;

beforeAll(async () => {
  stack = await startScene();
  session = openSession(stack, files);
  await stack.withSnapshots(async () => {
    await eventually(stack.readStatus, ({ plans }) => plans.length > 0);
    await settled(stack);
  });
}, 400_000);

afterAll(() => stack?.stop());
afterEach(() => vi.unstubAllEnvs());

type Step = string | (() => Promise<unknown>);

/** When the newest line that asks for something was typed: its plan may be made before the command has returned. */
let askedSeconds = 0;
const views = /^(nodes|status|plans|demand|jobs|explain|operations)\b|--dry-run\b/;

/** Types lines one after the other, does what stands between them, and compares what is seen with the committed transcript. */
async function shows(name: string, steps: readonly Step[]): Promise<void> {
  const transcripts: string[] = [];
  for (const step of steps) {
    if (typeof step !== "string") await stack.withSnapshots(step);
    else {
      if (!views.test(step)) askedSeconds = Date.now() / 1000;
      const type = () => session.ccscale(step);
      transcripts.push(await (step.includes(" --wait") ? stack.withSnapshots(type) : type()));
    }
  }
  await expect(transcripts.join("\n")).toMatchFileSnapshot(join(printed, `${name}.txt`));
}

/** Nodes, operations and plans that have not changed for so long do not change by themselves any more. */
const quietMs = 120_000;

/** Reads the status until it is so. Fails when nothing moves any more, with what was read last. */
async function statusThat(isSo: (status: ClusterStatus) => boolean, wanted: unknown): Promise<void> {
  let before = "";
  let movedAt = Date.now();
  const isStuck = ({ nodes, openOperations, plans }: ClusterStatus): boolean => {
    const now = JSON.stringify([nodes, openOperations, plans[0]?.planId]);
    if (now !== before) movedAt = Date.now();
    before = now;
    return Date.now() - movedAt > quietMs;
  };
  const { nodes, plans, ...last } = await eventually(
    stack.readStatus,
    (status) => isSo(status) || isStuck(status),
  );
  expect([nodes, plans[0]?.atSeconds, wanted]).toSatisfy(() => isSo({ ...last, nodes, plans }));
}

/** Waits until so many nodes are in each of these states. */
const until = (counts: Readonly<Record<string, number>>) => () =>
  statusThat(
    ({ nodes }) => Object.entries(counts).every(([state, count]) => (nodes[state] ?? 0) === count),
    counts,
  );

/** Waits until a plan knows of what was asked last. */
const planned = () => statusThat(({ plans }) => (plans[0]?.atSeconds ?? 0) > askedSeconds, askedSeconds);

/** Waits until nothing is on its way, and the nodes are as before. */
const done = () =>
  statusThat(
    ({ openOperations, nodes }) =>
      openOperations === 0 && Object.keys(nodes).every((state) => !moving.includes(state)),
    "no operation that is open",
  );

describe("a cluster at work", () => {
  beforeAll(() =>
    stack.withSnapshots(async () => {
      const jobs = jobsOf(Date.now());
      await asks(stack, jobs);
      await until({ Ready: 10 })();
      await session.ccscale("create-nodes --count 2 --nodearray viz");
      await settled(stack);
      await wants(stack, jobs);
      await stack.send(lsfDemand(-4));
      await eventually(stack.readStatus, ({ rejections }) => rejections.length === 1);
    }),
  );

  test.each<[name: string, ...lines: string[]]>([
    ["status", "status"],
    ["clusters", "clusters"],
    ["top", "top"],
    ["migrate-compare", "migrate compare --since 7d"],
    [
      "nodes",
      "nodes",
      "nodes --nodearray htc --state 'Ready,Fail*'",
      "nodes -o 'name,vm@vm_size[9:],/ncpus,*memgb,job_ids[:20]:idle'",
      "nodes -a htc -o name,running_job_ids:-,planned_job_ids:-",
      "nodes -C 'node.vm_size=Standard_D*' --format csv",
      "nodes --idle --sort -idle --limit 20",
      "nodes --held",
      "nodes --summary",
    ],
    [
      "buckets",
      "buckets",
      "buckets -o 'nodearray,vm_size,available_count,binding,*family'",
      "buckets --boots",
    ],
    ["limits", "limits", "limits -C 'node.vm_size=Standard_F*'", "limits --format jsonl"],
    ["prices", "prices", "prices -o nodearray,vm_size,usd,source"],
    ["jobs", "jobs", "jobs --state waiting --limit 20", "jobs --summary", "jobs -N htc-1"],
    ["demand", "demand", "demand --nodearray htc"],
    ["plans", "plans --limit 1", "plans --at 1s", "plans last"],
    ["history", "history htc-1", "history -N 'viz-*'"],
    ["operations", "operations", "operations --since 2h", "operations --open", "operations -N 'htc-[5-8]'"],
    ["explain", "explain 1202", "explain 1203", "explain 1200", "explain 1204"],
    ["validate-constraint", "validate-constraint 'node.vm_size=Standard_F*' memgb=4"],
    ["what-if", `what-if --job '{"constraints": {"ncpus": 2}, "iterations": 10}'`],
    [
      "quote",
      `quote --job '{"constraints": {"ncpus": 2, "node.nodearray": "viz"}, "iterations": 8, "runtimeSeconds": 3600}'`,
    ],
    ["config-show", "config show"],
  ])("%s", (name, ...lines) => shows(name, lines));
});

describe("commands that act, and what is seen of it", () => {
  const viz = "nodes --nodearray viz -o name,state,job_ids,keep_alive";

  const two = "nodes -N 'htc-[78]' -o name,state,job_ids";

  test("drain", () =>
    shows("drain", [
      "drain -N 'htc-[78]' --reason 'disk test'",
      "drain htc-8 --for 2h --reason 'disk test' --dry-run",
      "drain --nodearray htc --rolling 10% --replace --reason 'new image' --dry-run",
      planned,
      two,
      "undrain -N 'htc-[78]'",
      planned,
      two,
    ]));

  test("a rolling drain waits where a job runs", () =>
    shows("rolling", [
      "drain --nodearray htc --rolling 10% --reason 'new image'",
      planned,
      "status",
      "stop-rolling --reason 'the image is bad'",
      "undrain -N htc-1",
      planned,
    ]));

  test("ignore", () =>
    shows("ignore", [
      "ignore -N htc-8 --reason 'disk test'",
      planned,
      two,
      "unignore -N htc-8",
      planned,
      two,
    ]));

  test("deallocate and start", () =>
    shows("deallocate", [
      "deallocate --nodearray viz --yes",
      until({ Deallocated: 2 }),
      viz,
      "start -N viz-1 --wait",
      until({ Ready: 11, Deallocated: 1 }),
      viz,
    ]));

  test("restart, reimage", () =>
    shows("restart", [
      "restart -N viz-1 --yes",
      done,
      "reimage -N viz-1 --yes",
      done,
      until({ Ready: 11 }),
      "operations --limit 3",
    ]));

  test("retry-failed", () =>
    shows("retry-failed", [
      // A job waits for room: a failed node goes with the next plan, unless somebody keeps it.
      () => session.ccscale("keep-alive on -N viz-1 --reason 'for a look'"),
      () =>
        stack.simulator.tell("fail", { cluster: "hpc", names: ["viz-1"], message: "Cluster-init failed" }),
      until({ Failed: 1 }),
      "nodes --nodearray viz -o name,state",
      "retry-failed",
      until({ Ready: 11 }),
      "nodes --nodearray viz -o name,state",
      () => session.ccscale("keep-alive off -N viz-1"),
    ]));

  test("keep-alive", () =>
    shows("keep-alive", [
      "keep-alive on -N viz-1 --reason 'licence server'",
      "keep-alive on viz-1 --for 2d --reason 'long debug' --dry-run",
      viz,
      "status",
      "delete-nodes -N 'viz-*' --dry-run",
      "keep-alive off -N viz-1",
      viz,
    ]));

  test("create-nodes", () =>
    shows("create-nodes", [
      "create-nodes --slots 100 -C ncpus=2 -C memgb=8 --dry-run",
      "create-nodes --count 2 --strategy scatter --name-format 'bench-%d' --dry-run",
      "create-nodes --count 1 --nodearray viz --name-format login-%d --keep-alive --wait",
      until({ Ready: 12 }),
      viz,
    ]));

  test("delete-nodes, remove-nodes", () =>
    shows("delete-nodes", [
      "delete-nodes -N 'htc-*' --dry-run",
      "delete-nodes -N login-1 --yes",
      "terminate -N viz-2 --dry-run",
      "remove-nodes -N viz-2 --yes --wait",
      until({ Ready: 12, Deallocated: 0, Terminating: 0 }),
      viz,
      "delete-nodes --hostname ip-0A00000F --force --yes",
      until({ Ready: 11, Deallocated: 1 }),
      viz,
    ]));

  test("autoscale", () =>
    shows("autoscale", [
      "autoscale --name viz --instancecount 9 --dry-run",
      "autoscale --name viz --corecount 16",
      until({ Ready: 12, Deallocated: 0, Terminating: 0 }),
      // Another plan follows the snapshot that shows the node.
      () => settled(stack),
      viz,
      "explain --target viz",
      "autoscale --name viz --corecount 0",
    ]));

  test("usage", () =>
    shows("usage", [
      "usage --timeframe lastMonth",
      "usage --granularity daily --from 2026-11-01T00:00:00Z --to 2026-11-03T00:00:00Z --format csv",
    ]));
});

describe("demand, pauses and messages", () => {
  test("push", () =>
    shows("push", [
      "push jobs.json --source sge --dry-run",
      "push jobs.json --source sge --cluster hpc --print",
      "push jobs.json --source sge",
      planned,
      () => settled(stack),
      "jobs --source sge",
    ]));

  test("pause and resume", () =>
    shows("pause", [
      "pause --reason 'the app is down' --storage --dry-run",
      "pause --for 1h --reason 'quota talks' --dry-run",
      "pause --reason 'quota talks'",
      async () => session.means(standIn.plan, (await stack.readStatus()).plans[0]?.planId ?? "none"),
      () => asks(stack, [...jobsOf(Date.now()), oneMore]),
      "status",
      "plans --limit 1",
      `plans diff ${standIn.plan} last`,
      "demand --nodearray viz",
      "resume --reason 'quota is here'",
      planned,
      () => settled(stack),
    ]));

  test("rejects", async () => {
    const { rejections } = await stack.readStatus();
    session.means(standIn.id, rejections[0]?.rejectionId ?? "none");
    await shows("rejects", [
      "rejects list",
      `rejects show ${standIn.id}`,
      `rejects replay ${standIn.id} --file fixed.json --dry-run`,
      `rejects replay ${standIn.id} --file fixed.json --yes`,
      "rejects list",
    ]);
  });

  test("replay", async () => {
    const { plans } = await stack.readStatus();
    session.means(standIn.plan, plans[0]?.planId ?? "none");
    await shows("replay", [
      `replay --plan ${standIn.plan}`,
      `replay --plan ${standIn.plan} --set placement=cost`,
    ]);
  });
});

describe("set-up and support", () => {
  test("config", () =>
    shows("config", [
      "config init --cluster-name hpc --server-url https://cyclecloud.example.com --username autoscale --slots node.vcpu_count",
      "config validate autoscale.json",
      "config push autoscale.json --dry-run",
      "config push autoscale.json --yes",
      "config show",
    ]));

  test("migrate", () =>
    shows("migrate", [
      "migrate azslurm etc-slurm",
      "migrate azpbs --autoscale autoscale.json",
      "migrate azge --autoscale autoscale.json -a htc memory",
    ]));
  test("slurm config", () => shows("slurm", ["slurm config --agent agent.json"]));
  test("support-archive", () =>
    shows("support-archive", ["support-archive --output hpc.zip", "explain 1202 --offline hpc.zip"]));

  test("the address and the only cluster are enough", async () => {
    const shown = await session.ccscale(`status --url ${stack.environment.functionsUrl}`);
    expect(shown).toMatch(/^cluster +hpc$/m);
  });

  test("backtest", () =>
    shows("backtest", ["backtest --trace tiny.swf --fixed-processors 4 --scheduler easy --print schedule"]));
  test("plan", () => shows("plan", ["plan --scenario two-sizes.json"]));

  test("agent", async () => {
    vi.stubEnv("PATH", `${slurmOf(stack.folder)}:${process.env.PATH}`);
    await shows("agent", ["agent --config agent.json --once --dry-run", "agent --config agent.json --once"]);
  });

  // Without input they end at once.
  test("mcp", () => shows("mcp", ["mcp", "mcp --allow-actions"]));

  test("doctor", () => shows("doctor", ["doctor", "doctor --format json"]));

  test("columns", () => shows("columns", ["columns limits"]));

  test("version", () => shows("version", ["version"]));

  test("completion", async () => {
    const transcript = inShort(await inProcessOfItsOwn("completion bash"));
    await expect(transcript).toMatchFileSnapshot(join(printed, "completion.txt"));
  });
});

test("what cannot be done", () =>
  shows("variants/errors", [
    "status --cluster elsewhere",
    "explain 9999",
    "plans 9999",
    "history nobody",
    "nodes -N nobody",
    "nodes -C node.vm_sise=x",
    "nodes --colour",
    "drain",
    "drain -N nobody",
    "ignore -N htc-8,nobody --dry-run",
    "start -N htc-8",
    `what-if --job '{"iterations": -1}'`,
    "push agent.json --source sge",
    "agent --driver slurm",
    "status --url http://127.0.0.1:9",
  ]));

test("a long list of jobs is pushed, and taken", async () => {
  const jobs = Array.from({ length: 5_000 }, (_, index) => ({
    name: `many-${index}`,
    constraints: { ncpus: 1 },
  }));
  await writeFile(join(stack.folder, "jobs.json"), JSON.stringify(jobs));
  const shown = await session.ccscale("push jobs.json --source many --ttl 600");
  expect(shown).toContain('Posted 5000 jobs of source "many"');
  const taken = ({ demand }: ClusterStatus) => demand.find(({ source }) => source === "many")?.jobs;
  const status = await eventually(stack.readStatus, (each) => taken(each) !== undefined);
  expect(taken(status)).toBe(5_000);
});

test("a service that is away", async () => {
  await stack.environment.stopHost("stop");
  await shows("variants/away", [
    "status",
    "drain -N htc-8",
    "rejects list",
    "rejects list --storage --cluster hpc",
  ]);
});
