import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import type { DriverKind } from "../../../clients/agent/drivers/driver.ts";
import {
  brokenColumns,
  checkContract,
  type contractChecks,
  type Situation,
} from "../../../clients/library/schedulers/contract.ts";
import * as schedulers from "../../../clients/library/schedulers/index.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { toyDriver } from "./toy-driver.ts";

type Rule = keyof typeof contractChecks | "is a driver" | "the situations show what matters";

/** Mistakes that authors make, by the rule that finds them: what is wrong, the text of the toy driver, what stands there instead. */
const mistakes: Readonly<Record<Rule, readonly (readonly [what: string, from: string, to: string])[]>> = {
  "a drained host runs nothing": [
    [
      "a host that is busy and closed is drained",
      'return busy.has(host) || state === "mute"',
      'return state === "mute"',
    ],
    [
      "an open host is drained",
      'if (state === "open") return "up";',
      'if (state === "open") return "drained";',
    ],
    [
      "a host whose jobs cannot be read is drained",
      "...setAside.flatMap(({ executingHostnames = [] }) => executingHostnames),\n    ]);",
      "]);",
    ],
    ["the reading is a promise", "const interpret = (", "const interpret = async ("],
  ],
  "the reading has what is expected": [
    [
      "an open host is drained unless it is busy",
      'if (state === "open") return "up";',
      'if (state === "open" && busy.has(host)) return "up";',
    ],
    ["a closed host that is busy is up", '? "draining" : "drained"', '? "up" : "drained"'],
    ["a mute host is drained", ' || state === "mute" ?', " ?"],
    ["gangs are lost", "...(Number(nodes) > 1 && { nodeCount: Number(nodes) }),", ""],
    ["a gang has one node too many", "nodeCount: Number(nodes) }", "nodeCount: Number(nodes) + 1 }"],
    [
      "some waiting jobs are lost",
      "const jobs = [...read.records, ...kept];",
      "const jobs = [...read.records, ...kept].filter((job) => job.executingHostnames || job.priority);",
    ],
    [
      "a running job has its first host only",
      "executingHostnames: hosts.split",
      "executingHostnames: hosts.slice(0, 11).split",
    ],
    [
      "a job's host has another name than the node",
      "executingHostnames: hosts.split",
      'executingHostnames: ["slot1", hosts].join("@").split',
    ],
    ["the priority is lost", "      priority: Number(priority),\n", ""],
    ["the cpus are lost", "ncpus: Number(cpus) },\n      priority", "},\n      priority"],
    [
      "jobs of a host that does not answer are lost",
      "const jobs = [...read.records, ...kept];",
      "const jobs = [...read.records];",
    ],
  ],
  "a host that is told again to drain is not drained yet": [
    [
      "a host that was told to drain is drained, whatever the scheduler prints",
      'if (state === "open") return "up";',
      'if (state === "open" && !draining.has(shortHostname(host))) return "up";',
    ],
  ],
  "a host that was told to drain takes no work, or is told again": [
    ["no corrections", 'reopened.map(([host = ""]) => toyctl("close", host))', "[]"],
    [
      "hosts that drain are looked up by the name as it is printed",
      'state === "open" && draining.has(shortHostname(host)),',
      'state === "open" && draining.has(host),',
    ],
    [
      "a host that drains is left out",
      "const nodes = hosts.map(",
      'const nodes = hosts.filter(([host = "", state = ""]) => stateOf(host, state) !== "draining").map(',
    ],
  ],
  "corrections drain and open only what was asked for": [
    [
      "corrections close every open host",
      'state === "open" && draining.has(shortHostname(host)),',
      'state === "open",',
    ],
    [
      "corrections open what was told to drain",
      'reopened.map(([host = ""]) => toyctl("close", host))',
      'nodes.filter(({ hostname }) => draining.has(shortHostname(hostname))).flatMap(({ hostname }) => [toyctl("close", hostname), toyctl("open", hostname)])',
    ],
  ],
  "each host is one node with a state, and nothing of it is below zero": [
    ["two nodes for each host", "      nodes,\n", "      nodes: [...nodes, ...nodes],\n"],
    ["nodes without a state", "        state: stateOf(hostname, state),\n", ""],
    [
      "a node has less than nothing",
      'const nodes = hosts.map(\n      ([hostname = "", state = "", cpus = "", licences = ""]): SchedulerNode => ({\n        hostname,\n        resources: { ncpus: Number(cpus)',
      'const nodes = hosts.map(\n      ([hostname = "", state = "", cpus = "", licences = ""]): SchedulerNode => ({\n        hostname,\n        resources: { ncpus: Number(cpus) - 8',
    ],
  ],
  "what opens a host is not what closes it": [
    ["undrain drains", 'undrain: "open"', 'undrain: "close"'],
    ["a node that joins is removed", '"node-joined": "add"', '"node-joined": "remove"'],
  ],
  "each event has commands, for each of its nodes": [
    ["drain without a command", "commands: nodes.map(", 'commands: kind === "drain" ? [] : nodes.map('],
    [
      "a node that never came is not removed",
      "commands: nodes.map(",
      'commands: kind === "boot-timeout" ? [] : nodes.map(',
    ],
    ["only the first node of an event", "commands: nodes.map(", "commands: nodes.slice(0, 1).map("],
  ],
  "an event that comes twice gives the same commands, and the reading goes on": [
    [
      "an event that comes again has no commands",
      "          commands: nodes.map(({ hostname }) => toyctl(verbs[kind], hostname)),\n          memory,",
      "          commands: memory.done === kind ? [] : nodes.map(({ hostname }) => toyctl(verbs[kind], hostname)),\n          memory: { ...memory, done: kind },",
    ],
  ],
  "no host name becomes an option, a further argument or a part of a shell's command": [
    [
      "a host name is an argument of its own",
      'args: [verb, ["--host", hostname].join("=")]',
      "args: [verb, hostname]",
    ],
    [
      "a host name becomes several arguments",
      'args: [verb, ["--host", hostname].join("=")]',
      'args: [verb, ...["--host", hostname].join("=").split(" ")]',
    ],
    [
      "a host name is in what a shell runs",
      'program: "toyctl",\n    args: [verb, ["--host", hostname].join("=")]',
      'program: "/bin/sh",\n    args: ["-c", ["toyctl", verb, hostname].join(" ")]',
    ],
  ],
  "output that was cut short is unknown, or nothing is missing from it": [
    [
      "a list that was cut short is taken as whole",
      'end === "end" && Number(count) === rows.length ? rows : undefined',
      'end === "end" ? rows : [...rows, [end, count]].filter(([first]) => first)',
    ],
  ],
  "what is no list is unknown, or nothing is missing": [
    [
      "an error message is an empty list",
      "? rows : undefined",
      '? rows : text.startsWith("error") ? [] : undefined',
    ],
  ],
  "the situations show what matters": [
    [
      "waiting jobs are lost",
      "const jobs = [...read.records, ...kept];",
      "const jobs = [...read.records, ...kept].filter(({ executingHostnames }) => executingHostnames);",
    ],
    [
      "running jobs are lost",
      "const jobs = [...read.records, ...kept];",
      "const jobs = [...read.records, ...kept].filter(({ executingHostnames }) => !executingHostnames);",
    ],
  ],
  "jobs have the user, account and queue that their scheduler names": [
    ["the user is lost", "...(/^\\w{1,20}$/.test(user) && { user }),", ""],
  ],
  "jobs, nodes and shapes are what the service takes, each job with a name of its own": [
    [
      "a text becomes a number that is none",
      "priority: Number(priority),",
      'priority: Number(user === "bob" ? user : priority),',
    ],
    [
      "jobs are named after their users",
      "    const job: Job = {\n      name,",
      "    const job: Job = {\n      name: user,",
    ],
  ],
  "what runs and cannot be read keeps its host": [
    ["a job that cannot be read keeps no host", "      hostsOf: hostsOfRow,\n", ""],
    [
      "a job that cannot be read makes all unknown",
      "const setAside: readonly SetAside[] = read.setAside;",
      'const setAside = read.setAside; if (setAside.length > 0) return { known: false, reason: "a bad job" };',
    ],
  ],
  "a job that cannot be read is set aside, and costs no other job and no node": [
    [
      "a job that cannot be read is nowhere",
      "      setAside,\n      silent",
      "      setAside: [],\n      silent",
    ],
    [
      "a job that cannot be read costs its host",
      "const hosts = hostRows.filter(([what]) => what",
      "const hosts = hostRows.filter(([what]) => !setAside.some((each) => each.executingHostnames?.includes(what))).filter(([what]) => what",
    ],
  ],
  "a node that has joined has all that shapes count, 0 where it has none": [
    [
      "nodes lack what shapes have",
      "resources: { ncpus: Number(cpus), licences: Number(licences) },\n        state",
      "resources: { ncpus: Number(cpus) },\n        state",
    ],
  ],
  "each array and size has one shape, of amounts that are none below zero": [
    [
      "a shape for each VM size, of the same name",
      "      shapes,\n",
      "      shapes: [...shapes, ...shapes],\n",
    ],
  ],
  "its memory is plain JSON, and the next pass reads the same with it": [
    [
      "the memory is no JSON",
      "memory: { ran: Object.fromEntries(ran) }",
      "memory: { ran: Object.fromEntries(ran), seen: new Set(jobs) }",
    ],
    [
      "the memory grows",
      "memory: { ran: Object.fromEntries(ran) }",
      "memory: { ran: Object.fromEntries(ran), passes: [...(memory.passes ?? []), jobs.length] }",
    ],
    [
      "a job is new once only",
      "memory: { ran: Object.fromEntries(ran) }",
      "jobs: jobs.filter(({ name }) => !(Array.isArray(memory.told) && memory.told.includes(name))), memory: { ran: Object.fromEntries(ran), told: jobs.map(({ name }) => name) }",
    ],
  ],
  "it does without its memory, and with one of another version": [
    [
      "a memory of another release breaks it",
      'typeof ran === "object" && ran !== null',
      "ran !== undefined || memory.version < 0",
    ],
  ],
  "the same answers give the same reading, also after its memory was written to disk, and at any time of day":
    [
      [
        "it reads the clock",
        "const jobs = [...read.records, ...kept];",
        "const jobs = [...read.records, ...kept].map((job) => ({ ...job, submittedAt: new Date(Math.floor(Date.now() / 3.6e6) * 3.6e6).toISOString() }));",
      ],
      ["it draws lots", "priority: Number(priority)", "priority: Number(priority) + Math.random()"],
      [
        "it changes what it is given",
        "const jobs = [...read.records, ...kept];",
        "draining.clear(); const jobs = [...read.records, ...kept];",
      ],
    ],
  "the recorded answers are those of its reads": [
    ["it reads under another name than it interprets", 'name: "jobs", program', 'name: "job", program'],
  ],
  "nonsense throws nothing": [
    [
      "an answer of nothing breaks it",
      'const rowsOf = (text = "") => {',
      'const rowsOf = (text = "") => { if (text === "null") throw new TypeError("no list");',
    ],
  ],
  "is a driver": [["a driver without commands", "        commandsFor: (", "        commandFor: ("]],
};

const source = join(import.meta.dirname, "toy-driver.ts");
const jobs = ["17\t4\t1\t5\tada\tip-0A000005", "18\t2\t3\t9\tbob\t-", "19\t1\t1\t0\tada\t-"];
const hosts = ["ip-0A000005\topen\t4\t0", "ip-0A000006\topen\t4\t1", "array\t4\t1"];
const since = 1_800_000_000;

/** What `toyjobs` and `toyhosts` printed in it. */
function situation(
  name: string,
  printed: { readonly jobs: readonly string[]; readonly hosts: readonly string[] },
  more: Omit<Situation, "name" | "answers" | "nowSeconds">,
): Situation {
  const answer = (lines: readonly string[]) => ({
    text: [...lines, `end\t${lines.length}`, ""].join("\n"),
    exitCode: 0,
  });
  return {
    name,
    nowSeconds: since + 60,
    answers: { jobs: answer(printed.jobs), hosts: answer(printed.hosts) },
    ...more,
  };
}

const situations: readonly Situation[] = [
  situation(
    "one runs, two wait",
    { jobs, hosts },
    {
      expects: {
        waiting: ["18", "19"],
        running: { "17": ["ip-0A000005"] },
        up: ["ip-0A000005", "ip-0A000006"],
        drained: [],
        gangs: { "18": 3 },
        jobs: { "18": { constraints: { ncpus: 2 }, priority: 9 } },
      },
    },
  ),
  situation(
    "a job of two hosts drains, one host is drained, one does not answer",
    {
      jobs: ["17\t4\t2\t5\tada\tip-0A000005,ip-0A000006", "19\t1\t1\t0\tbob\t-"],
      hosts: [
        ...[5, 6, 7].map((index) => `ip-0A00000${index}\tclosed\t4\t0`),
        "ip-0A000008\tmute\t4\t0",
        "ip-0A000009\tmute\t4\t0",
      ],
    },
    {
      draining: new Map(["ip-0a000005", "ip-0a000007", "ip-0a000009"].map((host) => [host, since])),
      memory: { ran: { "ip-0A000008": ["12"] } },
      expects: {
        waiting: ["19"],
        running: { "17": ["ip-0A000005", "ip-0A000006"], "12": ["ip-0A000008"] },
        up: [],
        draining: ["ip-0A000005", "ip-0A000006", "ip-0A000008", "ip-0A000009"],
        drained: ["ip-0A000007"],
        gangs: { "17": 2 },
      },
    },
  ),
  situation(
    "an idle host that drains is open again",
    { jobs: [], hosts: ["ip-0A000005\topen\t4\t0"] },
    { draining: new Map([["ip-0a000005", since]]), expects: { up: ["ip-0A000005"] } },
  ),
];

function problemsOf(kind: DriverKind) {
  return checkContract({
    kind,
    section: {},
    situations,
    broken: (answers) =>
      brokenColumns(answers, "jobs", {
        isRunning: (row) => row[5]?.startsWith("ip-") === true,
        without: [5],
      }),
    whose: ({ jobs: printed }, job) => {
      const row = printed?.text.split("\n").find((line) => line.startsWith(`${job}\t`));
      return row === undefined ? undefined : { user: row.split("\t")[4] ?? "" };
    },
  });
}

const folder = ownFolder();
let text: string;
beforeAll(async () => {
  text = await readFile(source, "utf8");
});

async function load(changed: string): Promise<DriverKind> {
  const file = folder(`${randomUUID()}.mjs`);
  await writeFile(file, stripTypeScriptTypes(changed));
  const changedToy: { readonly toyDriver: typeof toyDriver } = await import(pathToFileURL(file).href);
  return changedToy.toyDriver(schedulers);
}

test("the driver without a mistake keeps to the contract", () => {
  expect(problemsOf(toyDriver(schedulers))).toEqual([]);
});

describe.each(Object.entries(mistakes))("%s", (rule, some) => {
  test.each(some)("finds: %s", async (_, from, to) => {
    expect(text.split(from)).toHaveLength(2);
    const found = problemsOf(await load(text.replace(from, () => to)));
    expect(found.map(({ check }) => check)).toContain(rule);
  });

  test("is the one that finds some mistake", () => {
    expect(some).not.toEqual([]);
  });
});
