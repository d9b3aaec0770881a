import { expect, test } from "vitest";
import { pbs } from "../../../../clients/agent/drivers/pbs/pbs.ts";

const nowSeconds = 1_800_000_000;
const list = (name: string, records: readonly (readonly [string, object])[]) => ({
  exitCode: 0,
  text: JSON.stringify({
    timestamp: nowSeconds,
    pbs_version: "23",
    pbs_server: "head",
    [name]: Object.fromEntries(records),
  }),
});

test("10,000 jobs and 2,000 hosts are read within 2 s of CPU time", () => {
  const hosts = Array.from({ length: 2_000 }, (_, index) => `ip-${index}`);
  const jobs = Array.from({ length: 10_000 }, (_, index): readonly [string, object] => {
    const host = hosts[index] ?? "";
    const runs =
      index < 2_000 ? { exec_host: `${host}/0`, exec_vnode: `(${host}:ncpus=2:mem=1048576kb)` } : {};
    return [
      `${index}.head`,
      {
        Job_Name: `job${index % 50}`,
        job_state: index < 2_000 ? "R" : "Q",
        queue: "q",
        euser: `user${index % 20}`,
        Hold_Types: "n",
        Resource_List: { ncpus: 2, mem: "1gb", place: "scatter:excl", select: `2:ncpus=${(index % 8) + 1}` },
        schedselect: `2:ncpus=${(index % 8) + 1}:mem=1gb:ungrouped=False`,
        Variable_List: { PBS_O_HOME: `/home/user${index % 20}`, PBS_O_PATH: "/usr/bin:".repeat(20) },
        ...runs,
      },
    ];
  });
  const nodes = hosts.map((name, index): readonly [string, object] => [
    name,
    {
      Mom: name,
      pbs_version: "23",
      state: "job-busy",
      jobs: [`${index}.head`],
      resources_available: {
        ncpus: 8,
        mem: "16gb",
        host: name,
        vnode: name,
        ccnodeid: name,
        nodearray: "hpc",
      },
      resources_assigned: { ncpus: 2 },
    },
  ]);
  const types = ["ccnodeid", "nodearray", "ungrouped"].map(
    (name) => `Resource ${name}\n    type = ${name === "ungrouped" ? "boolean" : "string"}\n    flag = h\n\n`,
  );
  const answers = {
    jobs: list("Jobs", jobs),
    nodes: list("nodes", nodes),
    queues: list("Queue", [
      ["q", { queue_type: "Execution", started: "True", max_run: "[u:PBS_GENERIC=400]" }],
    ]),
    server: list("Server", [["head", { scheduling: "True" }]]),
    resources: { exitCode: 0, text: types.join("") },
    scheduled: { exitCode: 1, text: "" },
  };
  const configured = pbs.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const before = process.cpuUsage();
  const reading = configured.driver.interpret(answers, { nowSeconds, draining: new Map(), memory: {} });
  const { user, system } = process.cpuUsage(before);
  if (!reading.known) throw new Error(reading.reason);
  expect([reading.jobs.length, reading.nodes.length]).toEqual([10_000, 2_000]);
  expect((user + system) / 1e6).toBeLessThan(2);
});
