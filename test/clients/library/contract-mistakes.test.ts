import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DriverKind } from "../../../clients/agent/drivers/driver.ts";
import {
  brokenColumns,
  checkContract,
  contractChecks,
  type Situation,
} from "../../../clients/library/schedulers/contract.ts";
import * as schedulers from "../../../clients/library/schedulers/index.ts";
import { toyDriver } from "./toy-driver.ts";

/** Mistakes that authors make: what is wrong, the text of the toy driver, what stands there instead, and the rule that finds it. */
const mistakes: readonly {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly rule: keyof typeof contractChecks | "is a driver" | "the situations show what matters";
}[] = [
  // Hosts that leave.
  {
    what: "a host that is busy and closed is drained",
    from: 'return busy.has(host) || state === "mute"',
    to: 'return state === "mute"',
    rule: "a drained host runs nothing",
  },
  {
    what: "an open host is drained",
    from: 'if (state === "open") return "up";',
    to: 'if (state === "open") return "drained";',
    rule: "a drained host runs nothing",
  },
  {
    what: "an open host is drained unless it is busy",
    from: 'if (state === "open") return "up";',
    to: 'if (state === "open" && busy.has(host)) return "up";',
    rule: "the reading has what is expected",
  },
  {
    what: "a host that was told to drain is drained, whatever the scheduler prints",
    from: 'if (state === "open") return "up";',
    to: 'if (state === "open" && !draining.has(shortHostname(host))) return "up";',
    rule: "a host that is told again to drain is not drained yet",
  },
  {
    what: "no corrections",
    from: 'reopened.map(([host = ""]) => toyctl("close", host))',
    to: "[]",
    rule: "a host that was told to drain takes no work, or is told again",
  },
  {
    what: "hosts that drain are looked up by the name as it is printed",
    from: 'state === "open" && draining.has(shortHostname(host)),',
    to: 'state === "open" && draining.has(host),',
    rule: "a host that was told to drain takes no work, or is told again",
  },
  {
    what: "a closed host that is busy is up",
    from: '? "draining" : "drained"',
    to: '? "up" : "drained"',
    rule: "the reading has what is expected",
  },
  {
    what: "a host that drains is left out",
    from: "const nodes = hosts.map(",
    to: 'const nodes = hosts.filter(([host = "", state = ""]) => stateOf(host, state) !== "draining").map(',
    rule: "a host that was told to drain takes no work, or is told again",
  },
  {
    what: "corrections close every open host",
    from: 'state === "open" && draining.has(shortHostname(host)),',
    to: 'state === "open",',
    rule: "corrections drain and open only what was asked for",
  },
  {
    what: "corrections open what was told to drain",
    from: 'reopened.map(([host = ""]) => toyctl("close", host))',
    to: 'nodes.filter(({ hostname }) => draining.has(shortHostname(hostname))).flatMap(({ hostname }) => [toyctl("close", hostname), toyctl("open", hostname)])',
    rule: "corrections drain and open only what was asked for",
  },
  {
    what: "a host whose jobs cannot be read is drained",
    from: "...setAside.flatMap(({ executingHostnames = [] }) => executingHostnames),\n    ]);",
    to: "]);",
    rule: "a drained host runs nothing",
  },
  {
    what: "a mute host is drained",
    from: ' || state === "mute" ?',
    to: " ?",
    rule: "the reading has what is expected",
  },
  {
    what: "two nodes for each host",
    from: "      nodes,\n",
    to: "      nodes: [...nodes, ...nodes],\n",
    rule: "each host is one node with a state, and nothing of it is below zero",
  },
  {
    what: "nodes without a state",
    from: "        state: stateOf(hostname, state),\n",
    to: "",
    rule: "each host is one node with a state, and nothing of it is below zero",
  },
  // Events.
  {
    what: "undrain drains",
    from: 'undrain: "open"',
    to: 'undrain: "close"',
    rule: "what opens a host is not what closes it",
  },
  {
    what: "a node that joins is removed",
    from: '"node-joined": "add"',
    to: '"node-joined": "remove"',
    rule: "what opens a host is not what closes it",
  },
  {
    what: "drain without a command",
    from: "commands: nodes.map(",
    to: 'commands: kind === "drain" ? [] : nodes.map(',
    rule: "each event has commands, for each of its nodes",
  },
  {
    what: "a node that never came is not removed",
    from: "commands: nodes.map(",
    to: 'commands: kind === "boot-timeout" ? [] : nodes.map(',
    rule: "each event has commands, for each of its nodes",
  },
  {
    what: "only the first node of an event",
    from: "commands: nodes.map(",
    to: "commands: nodes.slice(0, 1).map(",
    rule: "each event has commands, for each of its nodes",
  },
  {
    what: "an event that comes again has no commands",
    from: "          commands: nodes.map(({ hostname }) => toyctl(verbs[kind], hostname)),\n          memory,",
    to: "          commands: memory.done === kind ? [] : nodes.map(({ hostname }) => toyctl(verbs[kind], hostname)),\n          memory: { ...memory, done: kind },",
    rule: "an event that comes twice gives the same commands, and the reading goes on",
  },
  {
    what: "a host name is an argument of its own",
    from: 'args: [verb, ["--host", hostname].join("=")]',
    to: "args: [verb, hostname]",
    rule: "no host name becomes an option, a further argument or a part of a shell's command",
  },
  {
    what: "a host name becomes several arguments",
    from: 'args: [verb, ["--host", hostname].join("=")]',
    to: 'args: [verb, ...["--host", hostname].join("=").split(" ")]',
    rule: "no host name becomes an option, a further argument or a part of a shell's command",
  },
  {
    what: "a host name is in what a shell runs",
    from: 'program: "toyctl",\n    args: [verb, ["--host", hostname].join("=")]',
    to: 'program: "/bin/sh",\n    args: ["-c", ["toyctl", verb, hostname].join(" ")]',
    rule: "no host name becomes an option, a further argument or a part of a shell's command",
  },
  // Jobs.
  {
    what: "a list that was cut short is taken as whole",
    from: 'end === "end" && Number(count) === rows.length ? rows : undefined',
    to: 'end === "end" ? rows : [...rows, [end, count]].filter(([first]) => first)',
    rule: "output that was cut short is unknown, or nothing is missing from it",
  },
  {
    what: "an error message is an empty list",
    from: "? rows : undefined",
    to: '? rows : text.startsWith("error") ? [] : undefined',
    rule: "what is no list is unknown, or nothing is missing",
  },
  {
    what: "gangs are lost",
    from: "...(Number(nodes) > 1 && { nodeCount: Number(nodes) }),",
    to: "",
    rule: "the reading has what is expected",
  },
  {
    what: "a gang has one node too many",
    from: "nodeCount: Number(nodes) }",
    to: "nodeCount: Number(nodes) + 1 }",
    rule: "the reading has what is expected",
  },
  {
    what: "waiting jobs are lost",
    from: "const jobs = [...read.records, ...kept];",
    to: "const jobs = [...read.records, ...kept].filter(({ executingHostnames }) => executingHostnames);",
    rule: "the situations show what matters",
  },
  {
    what: "some waiting jobs are lost",
    from: "const jobs = [...read.records, ...kept];",
    to: "const jobs = [...read.records, ...kept].filter((job) => job.executingHostnames || job.priority);",
    rule: "the reading has what is expected",
  },
  {
    what: "running jobs are lost",
    from: "const jobs = [...read.records, ...kept];",
    to: "const jobs = [...read.records, ...kept].filter(({ executingHostnames }) => !executingHostnames);",
    rule: "the situations show what matters",
  },
  {
    what: "a running job has its first host only",
    from: "executingHostnames: hosts.split",
    to: "executingHostnames: hosts.slice(0, 11).split",
    rule: "the reading has what is expected",
  },
  {
    what: "a job's host has another name than the node",
    from: "executingHostnames: hosts.split",
    to: 'executingHostnames: ["slot1", hosts].join("@").split',
    rule: "the reading has what is expected",
  },
  {
    what: "the priority is lost",
    from: "      priority: Number(priority),\n",
    to: "",
    rule: "the reading has what is expected",
  },
  {
    what: "the cpus are lost",
    from: "ncpus: Number(cpus) },\n      priority",
    to: "},\n      priority",
    rule: "the reading has what is expected",
  },
  {
    what: "the user is lost",
    from: "...(/^\\w{1,20}$/.test(user) && { user }),",
    to: "",
    rule: "jobs have the user, account and queue that their scheduler names",
  },
  {
    what: "a text becomes a number that is none",
    from: "priority: Number(priority),",
    to: 'priority: Number(user === "bob" ? user : priority),',
    rule: "jobs, nodes and shapes are what the service takes, each job with a name of its own",
  },
  {
    what: "jobs are named after their users",
    from: "    const job: Job = {\n      name,",
    to: "    const job: Job = {\n      name: user,",
    rule: "jobs, nodes and shapes are what the service takes, each job with a name of its own",
  },
  {
    what: "a job that cannot be read keeps no host",
    from: "      hostsOf: hostsOfRow,\n",
    to: "",
    rule: "what runs and cannot be read keeps its host",
  },
  {
    what: "a job that cannot be read is nowhere",
    from: "      setAside,\n      silent",
    to: "      setAside: [],\n      silent",
    rule: "a job that cannot be read is set aside, and costs no other job and no node",
  },
  {
    what: "a job that cannot be read makes all unknown",
    from: "const setAside: readonly SetAside[] = read.setAside;",
    to: 'const setAside = read.setAside; if (setAside.length > 0) return { known: false, reason: "a bad job" };',
    rule: "what runs and cannot be read keeps its host",
  },
  {
    what: "a job that cannot be read costs its host",
    from: "const hosts = hostRows.filter(([what]) => what",
    to: "const hosts = hostRows.filter(([what]) => !setAside.some((each) => each.executingHostnames?.includes(what))).filter(([what]) => what",
    rule: "a job that cannot be read is set aside, and costs no other job and no node",
  },
  {
    what: "jobs of a host that does not answer are lost",
    from: "const jobs = [...read.records, ...kept];",
    to: "const jobs = [...read.records];",
    rule: "the reading has what is expected",
  },
  // Shapes.
  {
    what: "nodes lack what shapes have",
    from: "resources: { ncpus: Number(cpus), licences: Number(licences) },\n        state",
    to: "resources: { ncpus: Number(cpus) },\n        state",
    rule: "a node that has joined has all that shapes count, 0 where it has none",
  },
  {
    what: "a shape for each VM size, of the same name",
    from: "      shapes,\n",
    to: "      shapes: [...shapes, ...shapes],\n",
    rule: "each array and size has one shape, of amounts that are none below zero",
  },
  {
    what: "a node has less than nothing",
    from: 'const nodes = hosts.map(\n      ([hostname = "", state = "", cpus = "", licences = ""]): SchedulerNode => ({\n        hostname,\n        resources: { ncpus: Number(cpus)',
    to: 'const nodes = hosts.map(\n      ([hostname = "", state = "", cpus = "", licences = ""]): SchedulerNode => ({\n        hostname,\n        resources: { ncpus: Number(cpus) - 8',
    rule: "each host is one node with a state, and nothing of it is below zero",
  },
  // Memory, and what else it must not use.
  {
    what: "the memory is no JSON",
    from: "memory: { ran: Object.fromEntries(ran) }",
    to: "memory: { ran: Object.fromEntries(ran), seen: new Set(jobs) }",
    rule: "its memory is plain JSON, and the next pass reads the same with it",
  },
  {
    what: "the memory grows",
    from: "memory: { ran: Object.fromEntries(ran) }",
    to: "memory: { ran: Object.fromEntries(ran), passes: [...(memory.passes ?? []), jobs.length] }",
    rule: "its memory is plain JSON, and the next pass reads the same with it",
  },
  {
    what: "a job is new once only",
    from: "memory: { ran: Object.fromEntries(ran) }",
    to: "jobs: jobs.filter(({ name }) => !(Array.isArray(memory.told) && memory.told.includes(name))), memory: { ran: Object.fromEntries(ran), told: jobs.map(({ name }) => name) }",
    rule: "its memory is plain JSON, and the next pass reads the same with it",
  },
  {
    what: "a memory of another release breaks it",
    from: 'typeof ran === "object" && ran !== null',
    to: "ran !== undefined || memory.version < 0",
    rule: "it does without its memory, and with one of another version",
  },
  {
    what: "it reads the clock",
    from: "const jobs = [...read.records, ...kept];",
    to: "const jobs = [...read.records, ...kept].map((job) => ({ ...job, submittedAt: new Date(Math.floor(Date.now() / 3.6e6) * 3.6e6).toISOString() }));",
    rule: "the same answers give the same reading, also after its memory was written to disk, and at any time of day",
  },
  {
    what: "it draws lots",
    from: "priority: Number(priority)",
    to: "priority: Number(priority) + Math.random()",
    rule: "the same answers give the same reading, also after its memory was written to disk, and at any time of day",
  },
  {
    what: "it changes what it is given",
    from: "const jobs = [...read.records, ...kept];",
    to: "draining.clear(); const jobs = [...read.records, ...kept];",
    rule: "the same answers give the same reading, also after its memory was written to disk, and at any time of day",
  },
  {
    what: "it reads under another name than it interprets",
    from: 'name: "jobs", program',
    to: 'name: "job", program',
    rule: "the recorded answers are those of its reads",
  },
  {
    what: "an answer of nothing breaks it",
    from: 'const rowsOf = (text = "") => {',
    to: 'const rowsOf = (text = "") => { if (text === "null") throw new TypeError("no list");',
    rule: "nonsense throws nothing",
  },
  {
    what: "the reading is a promise",
    from: "const interpret = (",
    to: "const interpret = async (",
    rule: "a drained host runs nothing",
  },
  {
    what: "a driver without commands",
    from: "        commandsFor: (",
    to: "        commandFor: (",
    rule: "is a driver",
  },
];

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

let folder: string;
let text: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mistakes-"));
  text = await readFile(source, "utf8");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function load(name: string, changed: string): Promise<DriverKind> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, stripTypeScriptTypes(changed));
  const changedToy: { readonly toyDriver: typeof toyDriver } = await import(pathToFileURL(file).href);
  return changedToy.toyDriver(schedulers);
}

test("the driver without a mistake keeps to the contract", () => {
  expect(problemsOf(toyDriver(schedulers))).toEqual([]);
});

test.each(mistakes.map((mistake, index) => ({ ...mistake, index })))(
  "is found: $what",
  async ({ from, to, rule, index }) => {
    expect(text.split(from)).toHaveLength(2);
    const found = problemsOf(
      await load(
        `wrong-${index}`,
        text.replace(from, () => to),
      ),
    );
    expect(found.map(({ check }) => check)).toContain(rule);
  },
);

test("each rule is the one that finds some mistake", () => {
  const found = new Set<string>(mistakes.map(({ rule }) => rule));
  expect(Object.keys(contractChecks).filter((rule) => !found.has(rule))).toEqual([]);
});
