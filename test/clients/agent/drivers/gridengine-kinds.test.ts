import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gridengine } from "../../../../clients/agent/drivers/gridengine/gridengine.ts";

/** What one waiting job becomes, in the recorded cell: queues all.q and long.q with 4 slots each on nodes of one array. */
const definitions = readFileSync(
  join(import.meta.dirname, "fixtures/gridengine/no-hosts/definitions.txt"),
  "utf8",
);

interface Asked {
  readonly state?: string;
  readonly slots?: number;
  readonly tasks?: string;
  readonly priority?: number;
  readonly pe?: readonly [name: string, slots: string];
  readonly requests?: Readonly<Record<string, string>>;
  readonly queues?: readonly string[];
  readonly masterQueue?: string;
  readonly details?: Readonly<Record<string, number | string | boolean>>;
  /** What an administrator has in place of what was recorded. */
  readonly cell?: Readonly<Record<string, string>>;
  /** Queue instances, with their states. */
  readonly instances?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

const nowSeconds = 1_000;

function read(asked: Asked) {
  const { state = "qw", slots = 1, tasks, priority = 0.5, pe, requests = {}, queues = [], details } = asked;
  const job = [
    `<JB_job_number>7</JB_job_number><JAT_prio>${priority}</JAT_prio><JB_owner>ann</JB_owner><state>${state}</state><slots>${slots}</slots>`,
    tasks === undefined ? "" : `<tasks>${tasks}</tasks>`,
    pe === undefined ? "" : `<requested_pe name="${pe[0]}">${pe[1]}</requested_pe>`,
    ...Object.entries(requests).map(
      ([name, value]) => `<hard_request name="${name}">${value}</hard_request>`,
    ),
    ...queues.map((queue) => `<hard_req_queue>${queue}</hard_req_queue>`),
    asked.masterQueue === undefined
      ? ""
      : `<master_hard_req_queue>${asked.masterQueue}</master_hard_req_queue>`,
  ].join("");
  const hosts = Object.entries(asked.instances ?? {}).map(
    ([name, its]) =>
      `<Queue-List><name>${name}</name><slots_used>0</slots_used><slots_total>${name.endsWith("head") ? 0 : 4}</slots_total><state>${its}</state></Queue-List>`,
  );
  const text = `<?xml version='1.0'?><job_info><queue_info>${hosts.join("")}</queue_info><job_info><job_list state="pending">${job}</job_list></job_info></job_info>`;
  const cell = Object.entries(asked.cell ?? {}).reduce(
    (all, [from, to]) => all.replaceAll(from, to),
    definitions,
  );
  const node_arrays = { htc: { slots: 4, complex_values: { gpus: 2, exclusive: true, nodearray: "htc" } } };
  const configured = gridengine.configure({ node_arrays, ...asked.settings });
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const known = { most: 0, notBefore: 0, reservation: 0, reason: "", ...details };
  const memory = details === undefined ? {} : { details: { 7: known } };
  const answers = { qstat: { text, exitCode: 0 }, definitions: { text: cell, exitCode: 0 } };
  const reading = configured.driver.interpret(answers, { nowSeconds, draining: new Map(), memory });
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

const on = { "node.nodearray": "htc" };

const quotaOf = (limit: string) => `=== quotas\n{\nname q\nenabled TRUE\nlimit to ${limit}\n}\n`;

test.each([
  ["long.q", "hpc"],
  ["all.q", "htc"],
  ["on-the-head.q", ["htc", "hpc"]],
])("-masterq %s: nodes of %s", (masterQueue, array) => {
  const node_arrays = { htc: { slots: 4, queues: ["all.q"] }, hpc: { slots: 4, queues: ["long.q"] } };
  const { jobs } = read({ pe: ["smp", "2"], masterQueue, settings: { node_arrays } });
  expect(jobs).toMatchObject([{ constraints: { "node.nodearray": array } }]);
});

describe("a job becomes", () => {
  test.each<readonly [string, Asked, Readonly<Record<string, unknown>>]>([
    ["one slot", {}, { constraints: { ...on, slots: 1 }, iterations: 1 }],
    ["one that runs again", { state: "Rq" }, { constraints: { ...on, slots: 1 }, iterations: 1 }],
    ["-pe smp 4", { pe: ["smp", "4"] }, { constraints: { ...on, slots: 4 }, iterations: 1 }],
    ["-pe smp 8, in both queues", { pe: ["smp", "8"] }, { constraints: { ...on, slots: 8 }, iterations: 1 }],
    ["-pe smp 2-8", { pe: ["smp", "2-8"] }, { constraints: { ...on, slots: 2 }, iterations: 1 }],
    ["-pe mpi 16", { pe: ["mpi", "16"] }, { constraints: { ...on, slots: 1 }, iterations: 16 }],
    ["-pe mpi 4-", { pe: ["mpi", "4-"] }, { constraints: { ...on, slots: 1 }, iterations: 4 }],
    ["-pe mpi 6,4", { pe: ["mpi", "6,4"] }, { constraints: { ...on, slots: 1 }, iterations: 4 }],
    ["-pe rr 8", { pe: ["rr", "8"] }, { constraints: { ...on, slots: 1 }, iterations: 8 }],
    ["-pe 'm*' 8", { pe: ["m*", "8"] }, { constraints: { ...on, slots: 1 }, iterations: 8 }],
    [
      "-pe two 8, on hosts of whichever arrays",
      { pe: ["two", "8"] },
      { constraints: { ...on, slots: 2 }, nodeCount: 4, gang: "7", gangApart: true },
    ],
    ["-pe two 2", { pe: ["two", "2"] }, { constraints: { ...on, slots: 2 }, iterations: 1 }],
    ["-pe two 3-5", { pe: ["two", "3-5"] }, { constraints: { ...on, slots: 2 }, nodeCount: 2 }],
    ["-t 1-100", { tasks: "1-100:1", details: {} }, { name: "7.*", iterations: 100 }],
    ["-t 1-49:2", { tasks: "1-49:2", details: {} }, { iterations: 25 }],
    ["tasks that are left", { tasks: "3,5,7-9:1", details: {} }, { iterations: 5 }],
    ["-t 1-100 -tc 3", { tasks: "1-100:1", details: { most: 3 } }, { iterations: 3 }],
    [
      "-t 1-3 -pe smp 2",
      { tasks: "1-3:1", pe: ["smp", "2"], details: {} },
      { constraints: { ...on, slots: 2 }, iterations: 3 },
    ],
    [
      "-t 1-3 -pe mpi 6",
      { tasks: "1-3:1", pe: ["mpi", "6"], details: {} },
      { constraints: { ...on, slots: 1 }, iterations: 18, gangSize: 6 },
    ],
    ["-l gpus=1", { requests: { gpus: "1" } }, { constraints: { ...on, slots: 1, gpus: 1 } }],
    [
      "-l gpus=1 -pe smp 2",
      { requests: { gpus: "1" }, pe: ["smp", "2"] },
      { constraints: { ...on, slots: 2, gpus: 2 } },
    ],
    [
      "-l gpus=2 -pe mpi 3",
      { requests: { gpus: "2" }, pe: ["mpi", "3"] },
      { constraints: { ...on, slots: 1, gpus: 2 }, iterations: 3 },
    ],
    [
      "-l h_vmem=8G -pe smp 2: hosts have it, and what the queue says is the limit of each slot",
      {
        requests: { h_vmem: "8G" },
        pe: ["smp", "2"],
        cell: {
          "h_vmem       MEMORY    <=      YES         NO": "h_vmem       MEMORY    <=      YES         YES",
          "h_vmem                INFINITY": "h_vmem                8G",
        },
        settings: { node_arrays: { htc: { slots: 4, complex_values: { h_vmem: "16G" } } } },
      },
      { constraints: { ...on, slots: 2, h_vmem: 16 * 1024 ** 3 } },
    ],
    [
      "-l gpus=2 -pe smp 2, where a job takes it once on each host",
      {
        requests: { gpus: "2" },
        pe: ["smp", "2"],
        cell: { "<=      YES         YES        0        0": "<=      YES         HOST        0        0" },
      },
      { constraints: { ...on, slots: 2, gpus: 2 } },
    ],
    ["-l excl=true", { requests: { excl: "true" } }, { constraints: { ...on, slots: 1 }, exclusive: true }],
    [
      "-l exclusive=true -pe mpi 16",
      { requests: { exclusive: "true" }, pe: ["mpi", "16"] },
      { constraints: { ...on, slots: 8 }, nodeCount: 2, exclusive: true },
    ],
    ["-l nodearray=h*", { requests: { nodearray: "h*" } }, { constraints: { ...on, slots: 1 } }],
    ["-l nodearray=a|htc", { requests: { nodearray: "a|htc" } }, { constraints: { ...on, slots: 1 } }],
    ["-l h_rt=1:00:00", { requests: { h_rt: "1:00:00" } }, { runtimeSeconds: 3600 }],
    [
      "-l h_vmem=2G, which no host counts",
      { requests: { h_vmem: "2G" } },
      { constraints: { ...on, slots: 1 } },
    ],
    [
      "-q long.q",
      { queues: ["long.q"] },
      { constraints: { ...on, slots: 1, "slots:long.q": 1 }, queue: "long.q" },
    ],
    ["-q '*@@allhosts'", { queues: ["*@@allhosts"] }, { constraints: { ...on, slots: 1 } }],
    ["-q all.q,long.q", { queues: ["all.q", "long.q"] }, { constraints: { ...on, slots: 1 } }],
    ["-q 'a*'", { queues: ["a*"] }, { constraints: { ...on, slots: 1, "slots:all.q": 1 } }],
    ["-l exclusive=false", { requests: { exclusive: "false" } }, { constraints: { ...on, slots: 1 } }],
    ["-l slots=1", { requests: { slots: "1" } }, { constraints: { ...on, slots: 1 } }],
    [
      "-l mem_free=4G, which nobody knows of a node to come",
      { requests: { mem_free: "4G" } },
      { notes: ["mem_free=4G is not planned for: it is not known of nodes to come"] },
    ],
    [
      "-l h=!ip-9",
      { requests: { hostname: "!ip-9" } },
      { constraints: { ...on, slots: 1, not: { "node.hostname": ["ip-9"] } } },
    ],
    [
      "-l h=!(ip-8|ip-9)",
      { requests: { hostname: "!(ip-8|ip-9)" } },
      { constraints: { ...on, slots: 1, not: { "node.hostname": ["ip-8", "ip-9"] } } },
    ],
    [
      "-l h=ip-*, as CycleCloud calls its nodes: any but hosts of other names",
      { requests: { hostname: "ip-*" }, instances: { "all.q@node-1": "", "all.q@ip-0a000001": "" } },
      { constraints: { ...on, slots: 1, not: { "node.hostname": ["node-1"] } } },
    ],
    ["-q all.q@ip-*", { queues: ["all.q@ip-*"] }, { constraints: { ...on, slots: 1, "slots:all.q": 1 } }],
    [
      "-l h=node-*, where the host that is there is called so",
      {
        requests: { hostname: "node-*" },
        instances: { "all.q@node-1": "" },
        cell: { "hostlist NONE": "hostlist node-1" },
      },
      { constraints: { ...on, slots: 1 } },
    ],
    [
      "-q all.q@ip-1,long.q: one queue on one host, the other on any",
      { queues: ["all.q@ip-1", "long.q"] },
      { constraints: { ...on, slots: 1, "slots:long.q": 1 } },
    ],
    [
      "-q all.q@ip-*,long.q@ip-1: nodes to come are of the first queue",
      { queues: ["all.q@ip-*", "long.q@ip-1"] },
      { constraints: { ...on, slots: 1, "slots:all.q": 1 } },
    ],
    [
      "-l h_rt=1800, as a quota allows",
      { requests: { h_rt: "1800" }, cell: { "=== quotas\n": quotaOf("h_rt=3600") } },
      { constraints: { ...on, slots: 1 } },
    ],
    [
      "no -l h_rt where a quota limits it",
      { cell: { "=== quotas\n": quotaOf("h_rt=3600") } },
      { constraints: { ...on, slots: 1 } },
    ],
    [
      "-t 1-100 where max_aj_instances is 3",
      {
        tasks: "1-100:1",
        details: {},
        cell: { "=== quotas\n": "=== configuration\nmax_aj_instances             3\n=== quotas\n" },
      },
      { iterations: 3 },
    ],
    [
      "-ckpt that a queue has",
      {
        details: { checkpoint: "dmtcp" },
        cell: { "ckpt_list             NONE": "ckpt_list             dmtcp" },
      },
      { constraints: { ...on, slots: 1 } },
    ],
    [
      "qrsh -now n, in a queue for that",
      { details: { isInteractive: true }, cell: { "BATCH INTERACTIVE": "INTERACTIVE" } },
      { constraints: { ...on, slots: 1 } },
    ],
    [
      "one whose queue is in error on one host, which may be that host's fault",
      { instances: { "all.q@ip-1": "E", "long.q@ip-1": "E" } },
      { iterations: 1 },
    ],
    ["one that the scheduler has not seen", { priority: 0, details: {} }, { behindOthers: true }],
    ["-a that has come", { priority: 0, details: { notBefore: nowSeconds } }, { iterations: 1 }],
    [
      "a colocated parallel environment",
      { pe: ["mpi", "8"], settings: { parallel_environments: { mpi: { colocated: true } } } },
      { iterations: 8, colocated: true },
    ],
  ])("%s", (_, asked, expected) => {
    const { jobs } = read(asked);
    expect(jobs).toHaveLength(1);
    expect(jobs[0]).toMatchObject(expected);
    if (expected.constraints !== undefined) expect(jobs[0]?.constraints).toEqual(expected.constraints);
  });

  test("-l lic=2 -pe mpi 2, of five that all hosts share", () => {
    const [job] = read({ requests: { lic: "2" }, pe: ["mpi", "2"] }).jobs;
    expect(job?.constraints).toMatchObject({
      "shared-consumable-constraint": [
        { "resource-name": "lic", requested: 2, "initial-value": 5, "current-value": 5 },
      ],
    });
  });
});

const threeJobs = { "=== quotas\n": "=== scheduler\nmaxujobs                         3\n=== quotas\n" };

test("maxujobs: a job of several hosts is one, and no slot of a spread one is a job by itself", () => {
  const [gang] = read({ pe: ["two", "8"], cell: threeJobs }).jobs;
  expect(gang?.constraints).toMatchObject({
    "shared-consumable-constraint": [{ requested: 1, "current-value": 3, "decrement-once": true }],
  });
  const [spread] = read({ pe: ["mpi", "16"], cell: threeJobs }).jobs;
  expect(spread).toMatchObject({ constraints: { ...on, slots: 1 }, iterations: 16 });
  expect(spread?.constraints).not.toHaveProperty("shared-consumable-constraint");
});

test("maxujobs: jobs of a user share what is left", () => {
  const [job] = read({ cell: threeJobs }).jobs;
  expect(job?.constraints).toMatchObject({
    "shared-consumable-constraint": [
      { "resource-name": "maxujobs of ann", requested: 1, "initial-value": 3, "current-value": 3 },
    ],
  });
});

describe("nothing is bought for", () => {
  test.each<readonly [string, Asked, RegExp | undefined]>([
    ["a held job", { state: "hqw" }, undefined],
    ["a job that is being deleted", { state: "dqw" }, undefined],
    ["a job in error", { state: "Eqw" }, undefined],
    ["a state that nobody knows", { state: "Zqw" }, /state "Zqw" is not known/],
    ["an array of which -tc is not known yet", { tasks: "1-10:1" }, undefined],
    [
      "a job of which -ckpt is not known yet, where a queue has one",
      { cell: { "ckpt_list             NONE": "ckpt_list             dmtcp" } },
      undefined,
    ],
    ["a job of which -a is not known yet", { priority: 0 }, undefined],
    ["-a in the future", { priority: 0, details: { notBefore: nowSeconds + 1 } }, undefined],
    ["an advance reservation", { details: { reservation: 3 } }, /advance reservation 3/],
    ["tasks that are no list", { tasks: "many", details: {} }, /tasks "many"/],
    ["-pe smp 9", { pe: ["smp", "9"] }, /9 slots on a host, and nodes of "htc" have 8/],
    ["-pe two 3", { pe: ["two", "3"] }, /no multiple of 2/],
    ["-pe mpi 10000", { pe: ["mpi", "10000"] }, /has 9999 slots/],
    ["-pe gone 2", { pe: ["gone", "2"] }, /"gone" is not defined/],
    ["-l gpus=3", { requests: { gpus: "3" } }, /has gpus=3/],
    ["-l gpus=1 -pe smp 4", { requests: { gpus: "1" }, pe: ["smp", "4"] }, /4 slots on a host/],
    ["-l nodearray=gpu", { requests: { nodearray: "gpu" } }, /has nodearray=gpu/],
    ["-l nosuch=1", { requests: { nosuch: "1" } }, /"nosuch" is not defined/],
    [
      "-l lic=2 -pe mpi 3, of five that all hosts share",
      { requests: { lic: "2" }, pe: ["mpi", "3"] },
      /lic: 6 wanted, at most 5/,
    ],
    ["-l lic=6", { requests: { lic: "6" } }, /has lic=6/],
    [
      "-l h=ip-*, where the host that is there is called otherwise",
      {
        requests: { hostname: "ip-*" },
        instances: { "all.q@node-1": "" },
        cell: { "hostlist NONE": "hostlist node-1" },
      },
      /asks for hosts "ip-\*": not all nodes to come would fit/,
    ],
    [
      "-l h=ip-0*: some of the names to come",
      { requests: { hostname: "ip-0*" } },
      /not all nodes to come would fit/,
    ],
    ...["node-1*", "node-?", "node-[1-9]*"].map(
      (hostname) =>
        [
          `-l h=${hostname}, which the host that is there fits, and not all that may follow`,
          {
            requests: { hostname },
            instances: { "all.q@node-1": "" },
            cell: { "hostlist NONE": "hostlist node-1" },
          },
          /not all nodes to come would fit/,
        ] as const,
    ),
    [
      "-l h=ip-0*|ip-f*: the first and the last name to come, not those between",
      { requests: { hostname: "ip-0*|ip-f*" } },
      /not all nodes to come would fit/,
    ],
    ["-l hostname=ip-1", { requests: { hostname: "ip-1" } }, /cannot be ordered by name/],
    [
      "-l gpus=2 where the queue has one of the host's two",
      { requests: { gpus: "2" }, cell: { "complex_values        NONE": "complex_values        gpus=1" } },
      /has gpus=2/,
    ],
    [
      "a job that does not ask for what its queue wants to be asked for",
      {
        cell: {
          "=== queues\n": "big big BOOL == FORCED NO FALSE 0\n=== queues\n",
          "complex_values        NONE": "complex_values        big=true",
        },
      },
      /takes only jobs that ask for big/,
    ],
    [
      "a job that does not ask for what hosts want to be asked for",
      {
        cell: { "=== queues\n": "big big BOOL == FORCED NO FALSE 0\n=== queues\n" },
        settings: { node_arrays: { htc: { slots: 4, complex_values: { big: true } } } },
      },
      /takes only jobs that ask for big/,
    ],
    [
      "-pe rr 2 where queues have other parallel environments on hosts of the group",
      {
        pe: ["rr", "2"],
        cell: { "pe_list               ": "pe_list               rr,[@allhosts=mpi smp],[@gone=rr] " },
      },
      /has no parallel environment rr/,
    ],
    ["-l nodearray=HTC: a STRING counts its case", { requests: { nodearray: "HTC" } }, /has nodearray=HTC/],
    [
      "a batch job where queues take interactive ones",
      { cell: { "BATCH INTERACTIVE": "INTERACTIVE" } },
      /takes no batch jobs/,
    ],
    ["-ckpt that no queue has", { details: { checkpoint: "dmtcp" } }, /no checkpointing environment dmtcp/],
    [
      "-l mem_free of more than a node has",
      {
        requests: { mem_free: "64G" },
        settings: { node_arrays: { htc: { slots: 4, complex_values: { mem_total: "16G" } } } },
      },
      /has mem_free=64G/,
    ],
    [
      "-l h_rt=7200, of which a quota allows half",
      { requests: { h_rt: "7200" }, cell: { "=== quotas\n": quotaOf("h_rt=3600") } },
      /h_rt: 7200 wanted, at most 3600/,
    ],
    [
      "a queue that its calendar has closed",
      { queues: ["all.q"], instances: { "all.q@ge-head": "Du" } },
      /all\.q is closed by its calendar/,
    ],
    [
      "a queue that is in error on all its hosts",
      { queues: ["all.q"], instances: { "all.q@ge-head": "u", "all.q@ip-1": "E", "all.q@ip-2": "E" } },
      /all\.q is in error on all its hosts/,
    ],
    ["-q all.q@ip-1", { queues: ["all.q@ip-1"] }, /cannot be ordered by name/],
    ["-q gone.q", { queues: ["gone.q"] }, /no node array has a queue of gone\.q/],
    ["a queue that is ignored", { queues: ["long.q"], settings: { ignore_queues: ["long.q"] } }, undefined],
  ])("%s", (_, asked, reason) => {
    const { jobs, setAside } = read(asked);
    expect(jobs).toEqual([]);
    const reasons = setAside.map((each) => each.reason);
    if (reason === undefined) expect(reasons).toEqual([]);
    else expect(reasons).toEqual([expect.stringMatching(reason)]);
  });
});
