import { expect, test } from "vitest";
import type { Driver, Job, Reading } from "../../../clients/agent/drivers/driver.ts";
import {
  brokenColumns,
  checkContract,
  type contractChecks,
} from "../../../clients/library/schedulers/contract.ts";

type Known = Extract<Reading, { known: true }>;

const nothing = { setAside: [], silent: [], corrections: [], memory: {} } as const;
/** `17 <tab> ip-1 <tab> ada`: the id of a job, its host, or `-`, and its user; the last line says how many there are. */
const text = "17\tip-0A000005\tada\n18\t-\tbob\n# 2\n";

function read(listing: string): Reading {
  const lines = listing.trimEnd().split("\n");
  if (lines.at(-1) !== `# ${lines.length - 1}`) return { known: false, reason: "not a whole list" };
  const rows = lines.slice(0, -1).map((line) => line.split("\t"));
  const jobs = rows.map(([id = "", host = "-", user], index): Job => {
    const name = /^\d+$/.test(id) ? id : `unreadable ${index}`;
    return {
      name,
      constraints: {},
      ...(host !== "-" && { executingHostnames: [host] }),
      ...(user !== undefined && { user }),
    };
  });
  return { known: true, jobs, nodes: [], ...nothing };
}

const good: Driver = {
  reads: () => [[{ kind: "command", name: "jobs", program: "lsq", args: [] }]],
  interpret: ({ jobs }) => read(jobs?.text ?? ""),
  commandsFor: ({ kind, nodes }) => ({
    commands: nodes.map(({ hostname }) => ({ program: "lsctl", args: [kind, `--host=${hostname}`] })),
    memory: {},
  }),
};

function problemsOf(driver: Driver, listing = text) {
  return checkContract({
    kind: { name: "mine", configure: () => ({ ok: true, driver }) },
    section: {},
    situations: [{ name: "two jobs", answers: { jobs: { text: listing, exitCode: 0 } }, nowSeconds: 0 }],
    broken: (answers) =>
      brokenColumns(answers, "jobs", {
        isRunning: (row) => row[1]?.startsWith("ip-") === true,
        without: [1],
      }),
    whose: ({ jobs }, job) => {
      const [, , user] =
        /^(\d+)\t.*\t(\w+)$/m.exec(
          (jobs?.text ?? "").split("\n").find((line) => line.startsWith(job)) ?? "",
        ) ?? [];
      return user === undefined ? undefined : { user };
    },
  });
}

const checksOf = (driver: Driver) => new Set(problemsOf(driver).map(({ check }) => check));
const changed = (change: (reading: Known, listing: string) => Reading): Driver => ({
  ...good,
  interpret: ({ jobs }) => {
    const reading = read(jobs?.text ?? "");
    return reading.known ? change(reading, jobs?.text ?? "") : reading;
  },
});

test("a driver that keeps to the contract has no problems", () => {
  expect(problemsOf(good)).toEqual([]);
});

let calls = 0;
/** For each rule a driver that breaks it. A new rule has to be added here to compile. */
const breaking: Readonly<Record<keyof typeof contractChecks, Driver>> = {
  "jobs, nodes and shapes are what the service takes, each job with a name of its own": changed(
    (reading) => ({
      ...reading,
      jobs: reading.jobs.map((job) => ({ ...job, name: "one" })),
    }),
  ),
  "each array and size has one shape, of amounts that are none below zero": changed((reading) => ({
    ...reading,
    shapes: [
      { nodeArray: "htc", vmSize: "Standard_F4", resources: { ncpus: 4 } },
      { nodeArray: "htc", vmSize: "standard_f4", resources: { ncpus: 2 } },
    ],
  })),
  "a node that has joined has all that shapes count, 0 where it has none": changed((reading) => ({
    ...reading,
    nodes: [{ hostname: "ip-0A000005", resources: { ncpus: 4 }, state: "up" }],
    shapes: [{ nodeArray: "htc", resources: { ncpus: 4, nvme: 1 } }],
  })),
  "the same answers give the same reading, also after its memory was written to disk": changed((reading) => {
    calls += 1;
    return { ...reading, jobs: reading.jobs.map((job) => ({ ...job, priority: calls })) };
  }),
  "it does without its memory, and with one of another version": {
    ...good,
    interpret: ({ jobs }, { memory }) =>
      "workers" in memory ? { known: false, reason: "an unknown memory" } : read(jobs?.text ?? ""),
  },
  "jobs have the user, account and queue that their scheduler names": changed((reading) => ({
    ...reading,
    jobs: reading.jobs.map(({ user: _, ...job }) => job),
  })),
  "output that was cut short is unknown, or nothing is missing from it": {
    ...good,
    interpret: ({ jobs }) => {
      const lines = (jobs?.text ?? "").split("\n").filter((line) => /^\d/.test(line));
      return read([...lines, `# ${lines.length}`].join("\n"));
    },
  },
  "nonsense throws nothing": {
    ...good,
    interpret: ({ jobs }) => {
      if (jobs?.text === "null") throw new TypeError("no list");
      return read(jobs?.text ?? "");
    },
  },
  "what runs and cannot be read keeps its host": changed((reading) => ({
    ...reading,
    jobs: reading.jobs.filter(({ name }) => !name.startsWith("unreadable")),
  })),
  "an event that comes twice gives the same commands, and the reading goes on": {
    ...good,
    commandsFor: (event, { memory }) => ({
      commands:
        "seen" in memory
          ? []
          : good.commandsFor(event, { nowSeconds: 0, draining: new Map(), memory }).commands,
      memory: { seen: true },
    }),
  },
  "no host name becomes an argument of its own": {
    ...good,
    commandsFor: ({ nodes }) => ({
      commands: nodes.map(({ hostname }) => ({ program: "lsctl", args: ["close", hostname] })),
      memory: {},
    }),
  },
};

test.each(Object.entries(breaking))("a driver that breaks the rule is found: %s", (rule, driver) => {
  expect(checksOf(driver)).toContain(rule);
});

test("a breach says whose the job is, and what the driver makes of it; an account that nobody named is one too", () => {
  const wrong = changed((reading) => ({
    ...reading,
    jobs: reading.jobs.map((job) => ({ ...job, user: "root", account: "all" })),
  }));
  expect(problemsOf(wrong).map(({ problem }) => problem)).toEqual([
    'user of job "17" is root, and its scheduler says ada',
    'account of job "17" is all, and its scheduler says nothing',
    'user of job "18" is root, and its scheduler says bob',
    'account of job "18" is all, and its scheduler says nothing',
  ]);
});

test("a driver without a function, and recordings in which nothing runs, are named", () => {
  const { interpret: _, ...half } = good;
  expect(problemsOf(half as Driver)).toEqual([
    {
      check: "is a driver",
      situation: "",
      problem: expect.stringMatching(/interpret: missing, expected a function/),
    },
  ]);
  expect(problemsOf(good, "18\t-\n# 1\n")).toEqual([
    { check: "is a driver", situation: "", problem: expect.stringMatching(/^nothing runs in any situation/) },
  ]);
});
