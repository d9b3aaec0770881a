import { expect, test } from "vitest";
import type { Driver, Job, SchedulerNode } from "../../../clients/agent/drivers/driver.ts";
import {
  brokenColumns,
  type ContractCase,
  checkContract,
  type Situation,
} from "../../../clients/library/schedulers/contract.ts";

/** `17 <tab> ip-1 <tab> ada`: the id of a job, its host, or `-`, and its user; `host` and its state; the last line counts. */
const text = "17\tip-0A000005\tada\n18\t-\tbob\nhost\tip-0A000005\tup\n# 3\n";

const good: Driver = {
  reads: () => [[{ kind: "command", name: "all", program: "lsq", args: [] }]],
  interpret: ({ all }) => {
    const lines = (all?.text ?? "").trimEnd().split("\n");
    if (lines.at(-1) !== `# ${lines.length - 1}`) return { known: false, reason: "not a whole list" };
    const rows = lines.slice(0, -1).map((line) => line.split("\t"));
    const jobs = rows
      .filter(([id]) => id !== "host")
      .map(([id = "", host = "-", user = ""], index): Job => {
        const name = /^\d+$/.test(id) ? id : `unreadable ${index}`;
        return { name, constraints: {}, user, ...(host !== "-" && { executingHostnames: [host] }) };
      });
    const nodes = rows
      .filter(([id]) => id === "host")
      .map(([, hostname = "", state = ""]) => ({ hostname, resources: {}, state }) as SchedulerNode);
    return { known: true, jobs, nodes, setAside: [], silent: [], corrections: [], memory: {} };
  },
  // Told again by the agent's events alone: this scheduler forgets nothing.
  commandsFor: ({ kind, nodes }) => ({
    commands: nodes.map(({ hostname }) => ({ program: "lsctl", args: [kind, `--host=${hostname}`] })),
    memory: {},
  }),
};

const running: Situation = {
  name: "two jobs",
  answers: { all: { text, exitCode: 0 } },
  nowSeconds: 0,
  expects: { waiting: ["18"], running: { "17": ["ip-0A000005"] }, drained: [] },
};

function problemsOf(driver: Driver, more: Partial<ContractCase> = {}) {
  return checkContract({
    kind: { name: "mine", configure: () => ({ ok: true, driver }) },
    section: {},
    situations: [running],
    broken: (answers) =>
      brokenColumns(answers, "all", {
        isRunning: (row) => /^\d/.test(row[0] ?? "") && row[1] !== "-",
        without: [1],
      }),
    ...more,
  }).map(({ check, situation, problem }) => `${situation}: ${check}: ${problem}`);
}

test("a breach names the situation, the rule, and what is wrong", () => {
  expect(problemsOf(good)).toEqual([
    ": the situations show what matters: no host that was told to drain (situation.draining) has the state draining in any situation",
    ": the situations show what matters: no host is drained in any situation",
    'two jobs: a host that was told to drain takes no work, or is told again: "ip-0a000005" was told to drain and is up, and no correction tells it again',
  ]);
});

test("whose a job is comes from its scheduler; an account that nobody named is a breach too", () => {
  const whose = (_: unknown, job: string) => ({ user: job === "17" ? "ada" : "eve", account: "all" });
  expect(problemsOf(good, { whose }).filter((problem) => problem.includes(" of job "))).toEqual([
    expect.stringContaining('account of job "17" is not given, and its scheduler says all'),
    expect.stringContaining('user of job "18" is bob, and its scheduler says eve'),
    expect.stringContaining('account of job "18" is not given, and its scheduler says all'),
  ]);
});

test("what is expected and not there is named, and what is there and not expected", () => {
  const expects = {
    waiting: ["19"],
    running: { "17": ["ip-0A000006"] },
    up: [],
    drained: ["IP-0a000005.internal"],
    gangs: { "18": 2 },
    jobs: { "17": { user: "eve" } },
  };
  const problems = problemsOf(good, { situations: [{ ...running, expects }] });
  const start = "two jobs: the reading has what is expected: ";
  expect(
    problems.filter((problem) => problem.startsWith(start)).map((each) => each.slice(start.length)),
  ).toEqual([
    '"19" is not waiting, and should be',
    '"18" is waiting, and should not be',
    '"17" runs on ip-0a000005, expected ip-0a000006',
    '"ip-0a000005" is up, and should not be',
    '"ip-0a000005" is not drained, and should be',
    '"18" needs 0 nodes at once, expected 2',
    'user of job "17" is "ada", expected "eve"',
  ]);
});

test("an event that is said to need no command has none", () => {
  const quiet: Driver = { ...good, commandsFor: (_, { memory }) => ({ commands: [], memory }) };
  const about = (problems: readonly string[]) => problems.filter((each) => each.includes("each event has"));
  expect(about(problemsOf(quiet))).toHaveLength(5);
  const withoutCommand = ["node-joined", "drain", "undrain", "node-deleted", "boot-timeout"] as const;
  expect(about(problemsOf(quiet, { withoutCommand }))).toEqual([]);
  expect(about(problemsOf(good, { withoutCommand: ["drain"] }))).toEqual([
    expect.stringContaining("drain: commands, and it is said to need none"),
  ]);
});

test("a driver without a function is named, and what throws is a problem", () => {
  const { interpret: _, ...half } = good;
  expect(problemsOf(half as Driver)).toEqual([
    expect.stringMatching(/interpret: missing, expected a function/),
  ]);
  const broken = () => {
    throw new Error("no such read");
  };
  expect(problemsOf(good, { broken })).toEqual([
    ": broken records can be made of the situations: no such read",
  ]);
});

test("situations that show nothing, or expect nothing, are named", () => {
  const empty = { name: "empty", answers: { all: { text: "# 0\n", exitCode: 0 } }, nowSeconds: 0 };
  const shown = problemsOf(good, { situations: [empty] });
  expect(shown.map((problem) => problem.replace(": the situations show what matters: ", ""))).toEqual([
    expect.stringMatching(/^nothing runs in any situation/),
    expect.stringMatching(/^no job runs on a host that is among the nodes/),
    "nothing waits in any situation",
    "no host is up in any situation",
    expect.stringMatching(/^no host that was told to drain/),
    "no host is drained in any situation",
    ...["waiting", "running", "drained"].map((key) =>
      expect.stringMatching(`^no situation has expects.${key}`),
    ),
  ]);
});
