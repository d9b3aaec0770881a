import { describe, expect, test } from "vitest";
import type { Reading } from "../../../../clients/agent/drivers/driver.ts";
import { helpWith, isBehindOthers } from "../../../../clients/agent/drivers/pbs/comments.ts";
import { pbs } from "../../../../clients/agent/drivers/pbs/pbs.ts";
import { readPbsJson } from "../../../../clients/agent/drivers/pbs/pbs-json.ts";
import { amountIn, secondsIn } from "../../../../clients/agent/drivers/pbs/pbs-resources.ts";
import { merged, parsePlace, parseSelect } from "../../../../clients/agent/drivers/pbs/select.ts";

const list = (name: string, records: object) => ({
  exitCode: 0,
  text: JSON.stringify({ timestamp: 1, pbs_version: "23", pbs_server: "head", [name]: records }),
});
const plain = pbs.configure({});
if (!plain.ok) throw new Error(plain.problems.join("; "));
const { driver: pbsDriver } = plain;
const waits = {
  job_state: "Q",
  queue: "q",
  euser: "ann",
  egroup: "lab",
  project: "_pbs_project_default",
  Hold_Types: "n",
  Resource_List: { ncpus: 4, place: "free" },
  schedselect: "1:ncpus=4",
};

function read(
  jobs: Readonly<Record<string, object>>,
  {
    queue = {},
    queues = { q: { queue_type: "Execution", started: "True", ...queue } },
    server = {},
    settings = {},
    sched = "",
    scheduler,
  }: {
    queue?: object;
    queues?: Readonly<Record<string, object>>;
    server?: object;
    settings?: object;
    sched?: string;
    scheduler?: string | undefined;
  } = {},
): Extract<Reading, { known: true }> {
  const configured = pbs.configure(settings);
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const reading = configured.driver.interpret(
    {
      nodes: { text: "", exitCode: 1 },
      jobs: list(
        "Jobs",
        Object.fromEntries(Object.entries(jobs).map(([id, job]) => [id, { ...waits, ...job }])),
      ),
      queues: list("Queue", queues),
      server: list("Server", { head: { scheduling: "True", ...server } }),
      resources: {
        text: "Resource ngpus\n    type = long\n    flag = hn\n\nResource ungrouped\n    type = boolean\n    flag = h\n\nResource disk\n    type = string\n    flag = h\n\n",
        exitCode: 0,
      },
      ...(scheduler === undefined ? {} : { scheduler: { text: scheduler, exitCode: 0 } }),
      scheduled: { text: sched, exitCode: sched === "" ? 1 : 0 },
    },
    { nowSeconds: 1_800_000_000, draining: new Map(), memory: {} },
  );
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

describe("what the scheduler's comment means", () => {
  test.each([
    ["", "may-help"],
    ["submitted from the portal", "may-help"],
    ["Not Running: Insufficient amount of resource: ncpus (R: 8 A: 2 T: 4)", "may-help"],
    ["Can Never Run: Insufficient amount of resource: ngpus (R: 2 A: 0 T: 0)", "may-help"],
    ["Not Running: Not enough free nodes available", "may-help"],
    ["Not Running: No available resources on nodes", "may-help"],
    ["Not Running: Job would conflict with reservation or top job", "may-help"],
    ["Not Running: Draining system to allow starving job to run", "may-help"],
    ["Not Running: Insufficient amount of server resource: ansys (R: 3 A: 0 T: 2)", "does-not-help"],
    ["Not Running: Insufficient amount of queue resource: ncpus", "does-not-help"],
    ["Not Running: User has reached queue q running job limit.", "does-not-help"],
    ["Not Running: would exceed overall limit on resource ncpus in queue q", "does-not-help"],
    ["Not Running: Queue not started.", "does-not-help"],
    ["Not Running: Job would cross dedicated time boundary", "does-not-help"],
    ["Not Running: Job will run in nonprimetime only", "does-not-help"],
    ["Not Running: PBS Error: request rejected by filter hook", "does-not-help"],
    ["Not Running: the moon is full", undefined],
  ])("%s", (comment, help) => {
    expect(helpWith(comment)).toBe(help);
  });

  test("a job without a comment has not been looked at", () => {
    expect(
      [
        "",
        "Not Running: Job would break strict sorted order",
        "Not Running: Not enough free nodes available",
      ].map(isBehindOthers),
    ).toEqual([true, true, false]);
  });

  test("a comment of another release buys nothing, and is named", () => {
    const { jobs, setAside } = read({ "1.head": { comment: "Not Running: the moon is full" } });
    expect(jobs).toEqual([]);
    expect(setAside).toMatchObject([{ record: "job 1" }]);
  });
});

test("-W depend=runone: the first, since PBS holds the others once it runs", () => {
  const depend = (...others: readonly string[]) => ({
    depend: `afterany:9.head@head,runone:${others.map((id) => `${id}.head@head`).join(":")}`,
  });
  const { jobs } = read({
    "1.head": depend("2", "3"),
    "2.head": depend("1", "3"),
    "3.head": depend("1", "2"),
    "4.head": {},
  });
  expect(jobs.map(({ name }) => name)).toEqual(["1", "4"]);
});

test("-W depend=runone: the next one, where PBS starts the first on no node", () => {
  const { jobs } = read({
    "1.head": { depend: "runone:2.head@head", comment: "Not Running: PBS Error: rejected by a hook" },
    "2.head": { depend: "runone:1.head@head" },
  });
  expect(jobs.map(({ name }) => name)).toEqual(["2"]);
});

test.each([
  ["nobody", "", {}, 0],
  ["sched_config", 'job_sort_key: "job_priority HIGH"\tALL', {}, 7],
  ["a comment in sched_config", '#job_sort_key: "job_priority HIGH"\tALL', {}, 0],
  ["the formula", "", { job_sort_formula: "2 * job_priority + ncpus" }, 7],
])("the priority of a job counts where %s says so", (_, line, server, priority) => {
  const sched = line === "" ? "" : `resources: "ncpus"\n${line}\n`;
  const { jobs } = read({ "1.head": { Priority: 7 } }, { server, sched });
  expect(jobs).toMatchObject([{ priority }]);
});

// OpenPBS 23.06 looked at jobs of such queues in this order.
test.each([
  ["queue by queue, then as the server lists them", "by_queue: True\t\tprime", [0, 10_000, 50_000_000]],
  ["in turn among equals", "round_robin: True\tall\nby_queue: True", [0, 0, 50_000_000]],
  ["all in one order", "round_robin: False\tall\nby_queue: False\t\tprime", [0, 0, 0]],
])("jobs are planned %s, as sched_config says", (_, lines, expected) => {
  const own = { queue_type: "Execution", started: "True" };
  const { jobs } = read(
    { "0.head": { queue: "aa" }, "1.head": { queue: "zz" }, "2.head": { queue: "mm" } },
    {
      queues: { zz: own, mm: { ...own, Priority: 5 }, aa: own },
      sched: `resources: "ncpus"\n${lines}\n`,
    },
  );
  expect(jobs.map(({ priority }) => priority)).toEqual(expected);
});

test.each([
  ["everything", "", {}],
  ["some of it", "(ip-1:ncpus=1)", { ncpus: 3 }],
])("a suspended job gives back %s", (_, resources_released, constraints) => {
  const suspended = { job_state: "S", exec_host: "ip-1/0", exec_vnode: "(ip-1:ncpus=4)", resources_released };
  expect(read({ "1.head": suspended }).jobs).toMatchObject([{ constraints }]);
});

test.each([
  ["17", 17],
  ["1.5", 1.5],
  ["3b", 3],
  ["1048576kb", 2 ** 30],
  ["2MW", 2 ** 24],
  ["16gb", 2 ** 34],
  ["1tb", 2 ** 40],
  ["2p", 2 ** 51],
  ["123456789012345", 123_456_789_012_345],
  ["1234567890123456", undefined],
  ["many", undefined],
])("PBS counts %s as %j", (text, amount) => {
  expect(amountIn(text)).toBe(amount);
});

test.each([
  ["90", 90],
  ["02:03", 123],
  ["1:02:03", 3_723],
  ["1:02:03:04", undefined],
  ["a day", undefined],
])("a time of %s is %j seconds", (text, seconds) => {
  expect(secondsIn(text)).toBe(seconds);
});

describe("what is known of a job", () => {
  const known = (job: object) => read({ "1.head": job }).jobs[0];

  test.each([
    [{ soft_walltime: "00:10:00", walltime: "01:00:00" }, 600],
    [{ walltime: "01:00:30", max_walltime: "02:00:00" }, 3_630],
    [{ max_walltime: "90" }, 90],
    [{ walltime: "for long" }, undefined],
  ])("%j: it runs for %j seconds", (times, seconds) => {
    const Resource_List = { ...waits.Resource_List, ...times };
    expect(known({ Resource_List })?.runtimeSeconds).toBe(seconds);
  });

  test.each([
    [{ Account_Name: "geo", project: "p1" }, "geo"],
    [{ project: "p1" }, "p1"],
    [{}, undefined],
  ])("%j: it is of account %j", (names, account) => {
    expect(known(names)?.account).toBe(account);
  });

  test("who submitted it, and when; whether it may be interrupted", () => {
    const qtime = "Tue Nov  3 04:05:06 2026";
    const job = known({ qtime, euser: "", Job_Owner: "ben@head", Rerunable: "False", stime: qtime });
    expect(job).toMatchObject({ user: "ben", interruptible: false, submittedAt: "2026-11-03T04:05:06.000Z" });
    expect(job).not.toHaveProperty("startedAtSeconds");
    const running = { job_state: "R", exec_host: "ip-1/0", exec_vnode: "(ip-1:ncpus=4)", stime: qtime };
    expect(known(running)?.startedAtSeconds).toBe(Date.UTC(2026, 10, 3, 4, 5, 6) / 1_000);
    const other = known({ qtime: "Tue Foo  3 04:05:06 2026", Rerunable: "True" });
    expect(other).not.toHaveProperty("submittedAt");
    expect(other).not.toHaveProperty("interruptible");
  });
});

describe("limits", () => {
  const running = { job_state: "R", exec_host: "ip-1/0", exec_vnode: "(ip-1:ncpus=4)" };
  test.each<readonly [string, object, object, number | string]>([
    ["max_running", { max_running: 3 }, {}, 2],
    ["max_user_run", { max_user_run: "2" }, {}, 1],
    ["max_group_run of the server", {}, { max_group_run: 1 }, 0],
    ["max_user_res", { max_user_res: { ncpus: 8 } }, {}, 4],
    ["a user's own limit before everybody's", { max_run: "[u:PBS_GENERIC=1], [u:ann=3]" }, {}, 2],
    ["a quoted name", { max_run: '[u:"ann"=4]' }, {}, 3],
    [
      "more than the limit",
      { max_run_res: { ncpus: "[o:PBS_ALL=3]" } },
      {},
      "max_run_res.ncpus of all jobs, queue q: 4 wanted, at most 3",
    ],
  ])("%s", (_, queue, server, expected) => {
    const { jobs, setAside } = read({ "1.head": running, "2.head": {} }, { queue, server });
    const draws = jobs
      .filter(({ executingHostnames }) => executingHostnames === undefined)
      .flatMap(({ constraints }) => [constraints].flat())
      .flatMap((each) => (each["shared-consumable-constraint"] ?? []) as readonly object[]);
    if (typeof expected === "string") expect(setAside).toMatchObject([{ reason: expected }]);
    else expect(draws).toMatchObject([{ "current-value": expected }]);
  });

  test("nothing starts while scheduling is off", () => {
    expect(read({ "1.head": {} }, { server: { scheduling: "False" } }).jobs).toEqual([]);
  });
});

describe("select and place", () => {
  test.each([
    ["2:ncpus=4:mem=8gb+1:ncpus=1", [2, 1]],
    ["ncpus=1", [1]],
    ["1:ncpus=1+2:ncpus=1", [3]],
    // First the two, then the larger ones, then one where it fits beside them.
    ["2:ncpus=2+1:ncpus=3+1:ncpus=2", [2, 1, 1]],
    ['1:ncpus=1:tag="a+b:c"', [1]],
    ["1:ncpus", undefined],
    ["0:ncpus=1", undefined],
    ["", undefined],
  ])("%s", (text, counts) => {
    const chunks = parseSelect(text);
    expect(chunks && merged(chunks).map(({ count }) => count)).toEqual(counts);
  });

  test("a host that a job has to itself takes no chunk behind another +, not even one that is alike", () => {
    const asked = { Resource_List: { place: "free:excl" }, schedselect: "6:ncpus=1+1:ncpus=1" };
    expect(read({ "1.head": asked }).jobs).toMatchObject([
      { name: "1.1", iterations: 6, gang: "1" },
      { name: "1.2", iterations: 1, gang: "1" },
    ]);
  });

  test("of an array whose jobs have many parts fewer tasks are told at once, and a job of too many is named", () => {
    const asked = (parts: number) => ({
      Resource_List: { place: "free:excl" },
      schedselect: Array.from({ length: parts }, () => "1:ncpus=1").join("+"),
    });
    const array = (parts: number) =>
      read(
        Object.fromEntries(
          Array.from({ length: 100 }, (_, task) => [
            `1[${task}].head`,
            { ...asked(parts), array_id: "1[].head" },
          ]),
        ),
      ).jobs;
    expect(new Set(array(10).map(({ gang }) => gang)).size).toBe(100);
    expect(array(400)).toHaveLength(800);
    const { jobs, setAside } = read({ "2.head": asked(1001) });
    expect(jobs).toEqual([]);
    expect(setAside).toMatchObject([{ record: "job 2", reason: expect.stringContaining("1001 kinds") }]);
  });

  test("chunks of several kinds that have hosts to themselves are on several: PBS passes over that group", () => {
    const asked = { Resource_List: { place: "free:excl:group=host" }, schedselect: "1:ncpus=2+1:ncpus=1" };
    expect(read({ "1.head": asked }).jobs).toMatchObject([{ name: "1.1" }, { name: "1.2" }]);
  });

  test("scattered chunks of one host get different nodes: PBS passes over that group", () => {
    const asked = { Resource_List: { place: "scatter:group=host" }, schedselect: "2:ncpus=2" };
    expect(read({ "1.head": asked }).jobs).toMatchObject([{ constraints: [{ ncpus: 2 }], nodeCount: 2 }]);
  });

  const spans = "Sched default\n    do_not_span_psets = False\n";
  test.each([
    ["scatter", spans, [true, undefined, undefined]],
    ["vscatter:excl:group=host", spans, [true, undefined, undefined]],
    // PBS prefers nodes with one value, such as those of one array, and passes over that where no value has enough of them.
    ["scatter:group=nodearray", spans, [undefined, undefined, true]],
    ["scatter:group=group_id", spans, [undefined, true, true]],
    ["free:group=group_id", spans, [undefined, true, true]],
    ["scatter:group=group_id", undefined, [undefined, true, undefined]],
    ["scatter:group=group_id", "Sched default\n    do_not_span_psets = True\n", [undefined, true, undefined]],
    ["scatter:group=group_id", spans, [undefined, true, undefined], ":ungrouped=false"],
    ["scatter:group=group_id", spans, [true, true, true], "+1:ncpus=1"],
    // Chunks of several kinds are in one group.
    ["scatter:group=group_id", undefined, [true, true, false], "+1:ncpus=1"],
    ["free:group=group_id", undefined, [undefined, true, false], "+1:ncpus=1"],
  ])("place=%s, %s: nodes of several arrays do, or not: %j", (place, scheduler, expected, more = "") => {
    const asked = { Resource_List: { place }, schedselect: `2:ncpus=2${more}` };
    const { jobs, memory } = read({ "1.head": asked }, { scheduler });
    const [found] = jobs;
    const names = pbsDriver.reads({ nowSeconds: 0, draining: new Map(), memory }).flat();
    expect(names.some(({ name }) => name === "scheduler")).toBe(place.includes("group"));
    expect([found?.gangApart, found?.colocated || undefined, found?.mayDivide]).toEqual(expected);
  });

  test.each([
    ["free:group=host", {}, {}, "1:ncpus=4", { constraints: [{ ncpus: 4 }], iterations: 1 }],
    ["free:group=host", {}, {}, "5:ncpus=1", { iterations: 5, gangSize: 5 }],
    // Without the flag q a resource is no reason to pass over the group: such a job never starts.
    ["free:group=host", {}, {}, "3:ncpus=1:ngpus=1", { constraints: [{ ncpus: 3, ngpus: 3 }] }],
    ["free", { node_group_key: "host" }, {}, "3:ncpus=1", { constraints: [{ ncpus: 3 }], iterations: 1 }],
    ["free", { node_group_key: "host" }, {}, "5:ncpus=1", { iterations: 5, gangSize: 5 }],
    ["free", {}, { node_group_key: "host" }, "2:ncpus=2", { constraints: [{ ncpus: 4 }] }],
    ["free", {}, { node_group_enable: false, node_group_key: "host" }, "2:ncpus=2", { gangSize: 2 }],
    // The nodes of that array are smaller than others.
    ["free:group=host", {}, {}, "5:ncpus=1:disk=slow", { constraints: [{ disk: "slow" }, { ncpus: 1 }] }],
  ])(
    "%s of %j and %j, %s: one host where one is large enough, else several",
    (place, queue, own, schedselect, expected) => {
      const { jobs } = read(
        { "1.head": { Resource_List: { place }, schedselect } },
        {
          queue,
          server: { node_group_enable: true, ...own },
          settings: {
            node_arrays: {
              htc: { resources: { ncpus: 4, ngpus: 2, disk: "slow" } },
              ...(schedselect.includes("disk") ? { big: { resources: { ncpus: 8, disk: "fast" } } } : {}),
            },
          },
        },
      );
      expect(jobs).toMatchObject([expected]);
    },
  );

  test("places", () => {
    expect(parsePlace("scatter:excl:group=switch")).toEqual({
      arrangement: "scatter",
      sharing: "excl",
      group: "switch",
    });
    expect(parsePlace("sideways")).toBeUndefined();
  });
});

describe("JSON that is not escaped", () => {
  const text = [
    "{",
    '    "timestamp":1,',
    '    "pbs_server":"head",',
    '    "Jobs":{',
    '        "1.head":{',
    '            "Job_Name":"a"b\\c",',
    '            "Variable_List":{',
    '                "X":"one',
    'two",',
    '                "N":007',
    "            },",
    '            "job_state":"R",',
    '            "exec_host":"ip-1/0"',
    "        },",
    '        "2.head":{',
    '            "job_state":"Q" "lost"',
    "            ]",
    "        }",
    "    }",
    "}",
  ].join("\n");

  test("is repaired, or the job is named", () => {
    const { records, broken } = readPbsJson(text, "Jobs") ?? {};
    expect(records?.get("1.head")).toEqual({
      Job_Name: 'a"b\\c',
      Variable_List: { X: "one\ntwo", N: "007" },
      job_state: "R",
      exec_host: "ip-1/0",
    });
    expect([...(broken?.keys() ?? [])]).toEqual(["2.head"]);
  });

  test.each([
    ['"exec_host":"ip-2/0"', { executingHostnames: ["ip-2"] }],
    ['"exec_host":""', {}],
  ])("a job that cannot be repaired, with %s, is set aside with its hosts", (host, hosts) => {
    const jobs = text.replace(
      /"job_state":"Q" "lost"\s+\]/,
      `"job_state":"R" "lost"\n            ${host}\n            ]`,
    );
    const reading = pbsDriver.interpret(
      {
        nodes: { text: "", exitCode: 1 },
        jobs: { text: jobs, exitCode: 0 },
        queues: list("Queue", {}),
        server: list("Server", { head: { scheduling: "True" } }),
        resources: { text: "", exitCode: 0 },
      },
      { nowSeconds: 1_800_000_000, draining: new Map(), memory: {} },
    );
    const reason = "no JSON: its values cannot be told apart";
    expect(reading.known ? reading.setAside : reading.reason).toContainEqual({
      record: "job 2.head",
      reason,
      ...hosts,
    });
  });

  test("is unknown where it was cut short", () => {
    const lines = text.split("\n");
    for (let length = 0; length < lines.length - 1; length++)
      expect(readPbsJson(lines.slice(0, length).join("\n"), "Jobs")).toBeUndefined();
  });
});
