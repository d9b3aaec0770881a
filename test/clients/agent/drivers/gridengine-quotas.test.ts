import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gridengine } from "../../../../clients/agent/drivers/gridengine/gridengine.ts";

/** Queues all.q and long.q, 4 slots each on nodes of one array in group @allhosts; ann runs 3 slots of 7 in all.q, in project p. */
const definitions = readFileSync(
  join(import.meta.dirname, "fixtures/gridengine/no-hosts/definitions.txt"),
  "utf8",
)
  .replace(/(group_name @allhosts\nhostlist) .*/, "$1 ip-0a000001")
  .replace("=== quotas", "name chem\ntype ACL\nfshare 0\noticket 0\nentries @chemists\n=== quotas");

interface Asked {
  readonly pe?: readonly [name: string, slots: string];
  readonly owner?: string;
  readonly queues?: readonly string[];
  readonly tasks?: string;
  readonly requests?: Readonly<Record<string, string>>;
}

function read(quotas: string, waiting: readonly Asked[], { hasJoinedSince = false } = {}) {
  const listed = waiting.map(({ pe, owner = "ann", queues = [], tasks, requests = {} }, index) =>
    [
      `<job_list state="pending"><JB_job_number>${100 + index}</JB_job_number><JAT_prio>0.5</JAT_prio>`,
      `<JB_owner>${owner}</JB_owner><JB_project>p</JB_project><state>qw</state><slots>1</slots>`,
      tasks === undefined ? "" : `<tasks>${tasks}</tasks>`,
      pe === undefined ? "" : `<requested_pe name="${pe[0]}">${pe[1]}</requested_pe>`,
      ...Object.entries(requests).map(
        ([name, value]) => `<hard_request name="${name}">${value}</hard_request>`,
      ),
      ...queues.map((queue) => `<hard_req_queue>${queue}</hard_req_queue>`),
      "</job_list>",
    ].join(""),
  );
  const running =
    '<job_list state="running"><JB_job_number>7</JB_job_number><JAT_prio>0.5</JAT_prio><JB_owner>ann</JB_owner><JB_project>p</JB_project><state>r</state><slots>3</slots></job_list>';
  const host = `<Queue-List><name>all.q@ip-0a000001</name><slots_used>3</slots_used><slots_total>4</slots_total>${running}</Queue-List>`;
  const text = `<?xml version='1.0'?><job_info><queue_info>${host}</queue_info><job_info>${listed.join("")}</job_info></job_info>`;
  const configured = gridengine.configure({
    node_arrays: { htc: { slots: 4, complex_values: { gpus: 2 } } },
  });
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const known = { most: 0, notBefore: 0, reservation: 0, reason: "" };
  const details = Object.fromEntries(waiting.map((_, index) => [String(100 + index), known]));
  const hosts = hasJoinedSince ? "@allhosts\nhostlist NONE" : "$&";
  const withQuotas = definitions
    .replace("=== quotas\n", `=== quotas\n${quotas}`)
    .replace("@allhosts\nhostlist ip-0a000001", hosts);
  const reading = configured.driver.interpret(
    { qstat: { text, exitCode: 0 }, definitions: { text: withQuotas, exitCode: 0 } },
    { nowSeconds: 1000, draining: new Map(), memory: { details, arrays: { "ip-0a000001": "htc" } } },
  );
  if (!reading.known) throw new Error(reading.reason);
  return {
    jobs: reading.jobs.filter(({ name }) => name !== "7"),
    running: reading.jobs.find(({ name }) => name === "7"),
    setAside: reading.setAside,
    nodes: reading.nodes,
    shapes: reading.shapes,
  };
}

function quotaSet(...limits: readonly string[]): string {
  const lines = limits.map((limit) => `   limit        ${limit}\n`).join("");
  return `{\n   name         most\n   description  "of slots"\n   enabled      TRUE\n${lines}}\n`;
}

type Pool = Readonly<Record<string, unknown>>;

function poolsOf(job: { readonly constraints: unknown } | undefined): readonly Pool[] {
  const constraints = (job?.constraints ?? {}) as Readonly<Record<string, readonly Pool[]>>;
  return constraints["shared-consumable-constraint"] ?? [];
}

/** Of the first waiting job's only pool: requested, free, at most; none: no quota is for it. */
function poolOf(quotas: string, asked: Asked = {}) {
  const [pool] = poolsOf(read(quotas, [asked]).jobs[0]);
  return pool === undefined
    ? undefined
    : [pool.requested, pool["current-value"], pool["initial-value"], pool["resource-name"]];
}

test("jobs of a host that joined since its groups were read count towards a quota of its group", () => {
  const { jobs } = read(quotaSet("hosts @allhosts to slots=9"), [{}], { hasJoinedSince: true });
  expect(poolsOf(jobs[0])).toMatchObject([{ "current-value": 6, "initial-value": 9 }]);
});

describe("a resource quota is a pool of what is left of it", () => {
  test.each<readonly [string, readonly string[], Asked, readonly unknown[] | undefined]>([
    ["of all jobs", ["to slots=5"], {}, [1, 2, 5, "quota most: slots"]],
    ["of all users together", ["users * to slots=5"], {}, [1, 2, 5, "quota most, users *: slots"]],
    ["of each user: ann's", ["users {*} to slots=5"], {}, [1, 2, 5, "quota most, users {*}, ann: slots"]],
    [
      "of each user: bob's",
      ["users {*} to slots=5"],
      { owner: "bob" },
      [1, 5, 5, "quota most, users {*}, bob: slots"],
    ],
    ["of users without ann", ["users *,!ann to slots=5"], {}, undefined],
    [
      "of a queue, in it",
      ["queues all.q to slots=4"],
      { queues: ["all.q"] },
      [1, 1, 4, "quota most, queues all.q: slots"],
    ],
    ["of a queue, in another one", ["queues all.q to slots=4"], { queues: ["long.q"] }, undefined],
    ["of a project", ["name a projects p to slots=4"], {}, [1, 1, 4, "quota most, name a projects p: slots"]],
    ["of another project", ["projects q to slots=4"], {}, undefined],
    ["of jobs with parallel environments", ["pes * to slots=4"], {}, undefined],
    [
      "of one",
      ["pes {mpi,smp} to slots=4"],
      { pe: ["smp", "2"] },
      [2, 4, 4, "quota most, pes {mpi,smp}, smp: slots"],
    ],
    ["of a host group", ["hosts @allhosts to slots=9"], {}, [1, 6, 9, "quota most, hosts @allhosts: slots"]],
    ["of another host group", ["hosts @others to slots=9"], {}, undefined],
    ["of a host that is there", ["hosts ip-0a000001 to slots=3"], {}, undefined],
    [
      "of all but a host that is there",
      ["hosts !IP-0A000001 to slots=9"],
      {},
      [1, 9, 9, "quota most, hosts !IP-0A000001: slots"],
    ],
    ["of hosts of a pattern, for other users", ["users bob hosts ip-* to slots=1"], {}, undefined],
    [
      "of all hosts or those of a pattern",
      ["hosts *,ip-* to slots=5"],
      {},
      [1, 2, 5, "quota most, hosts *,ip-*: slots"],
    ],
    [
      "of hosts of a pattern that nodes to come fit",
      ["hosts ip-* to slots=9"],
      {},
      [1, 6, 9, "quota most, hosts ip-*: slots"],
    ],
    ["of hosts of a pattern that no node to come fits", ["hosts login* to slots=0"], {}, undefined],
    [
      "of a consumable",
      ["users * to gpus=3"],
      { requests: { gpus: "2" } },
      [2, 3, 3, "quota most, users *: gpus"],
    ],
    ["of a consumable that it does not ask for", ["users * to gpus=3"], {}, undefined],
    [
      "the first rule that is for it counts",
      ["users ann to slots=9", "to slots=4"],
      {},
      [1, 6, 9, "quota most, users ann: slots"],
    ],
    [
      "and not a later one",
      ["users ann to slots=9", "to slots=4"],
      { owner: "bob" },
      [1, 4, 4, "quota most: slots"],
    ],
    ["of each host, larger than the job", ["hosts {*} to slots=2"], {}, undefined],
    [
      "of each host, by what is not known of a node to come",
      ["hosts {*} to slots=$num_proc*2"],
      {},
      undefined,
    ],
  ])("%s", (_, limits, asked, expected) => {
    expect(poolOf(quotaSet(...limits), asked)).toEqual(expected);
  });

  test("a set that is not enabled does nothing", () => {
    expect(poolOf(quotaSet("to slots=1").replace("TRUE", "FALSE"))).toBeUndefined();
  });

  test("a job whose queues differ in their quotas is planned where there is room", () => {
    const [job] = read(quotaSet("queues all.q to slots=3"), [{}]).jobs;
    expect(job?.constraints).toMatchObject({ slots: 1, "slots:long.q": 1 });
    expect(job?.constraints).not.toHaveProperty("shared-consumable-constraint");
  });

  test("slots that may sit anywhere are bought for whole jobs: of three with 4 slots, 9 free, two start", () => {
    const { jobs } = read(
      quotaSet("to slots=12"),
      [1, 2, 3].map(() => ({ pe: ["mpi", "4"] })),
    );
    const asked = jobs.map((job) => [job.iterations, poolsOf(job)]);
    const pool = { "resource-name": "quota most: slots", "initial-value": 12, "current-value": 9 };
    expect(asked).toEqual([
      [4, [{ ...pool, requested: 1 }]],
      [4, [{ ...pool, requested: 1 }]],
      [4, [{ ...pool, requested: 4 }]],
    ]);
  });

  test("of an array of such jobs, as many tasks as start", () => {
    const { jobs } = read(quotaSet("to slots=12"), [{ pe: ["mpi", "4"], tasks: "1-10:1" }]);
    expect(jobs).toMatchObject([{ iterations: 8, gangSize: 4 }]);
  });
});

describe("a quota of each host is something that hosts have", () => {
  test.each<
    readonly [string, string, Asked, string, readonly [node: number, running: number, waiting: number]]
  >([
    ["of slots", "hosts {*} to slots=2", {}, "quota most, hosts {*}: slots", [2, 3, 1]],
    [
      "of a host group, of a job with several slots",
      "hosts {@allhosts} to slots=3",
      { pe: ["smp", "2"] },
      "quota most, hosts {@allhosts}: slots",
      [3, 3, 2],
    ],
    ["of a formula", "hosts {*} to slots=$gpus*2-1", {}, "quota most, hosts {*}: slots", [3, 3, 1]],
    [
      "of slots that may sit anywhere, each by itself",
      "hosts {*} to slots=3",
      { pe: ["mpi", "6"] },
      "quota most, hosts {*}: slots",
      [3, 3, 1],
    ],
    [
      "of each user",
      "users {*} hosts {*} to slots=2",
      {},
      "quota most, users {*} hosts {*}, ann: slots",
      [2, 3, 1],
    ],
    [
      "of another user, who runs nothing",
      "users {*} hosts {*} to slots=2",
      { owner: "bob" },
      "quota most, users {*} hosts {*}, bob: slots",
      [2, 0, 1],
    ],
    [
      "of a consumable",
      "hosts {*} to gpus=1",
      { requests: { gpus: "1" } },
      "quota most, hosts {*}: gpus",
      [1, 0, 1],
    ],
  ])("%s", (_, limit, asked, name, [ofNode, ofRunning, ofWaiting]) => {
    const { jobs, running, nodes, shapes } = read(quotaSet(limit), [asked]);
    const of = (constraints: unknown) =>
      (constraints as Readonly<Record<string, number>> | undefined)?.[name];
    expect([
      of(nodes[0]?.resources),
      of(shapes?.[0]?.resources),
      of(running?.constraints) ?? 0,
      of(jobs[0]?.constraints),
    ]).toEqual([ofNode, ofNode, ofRunning, ofWaiting]);
  });

  test.each([
    ["that leaves all of it", "hosts {*} to slots=8", {}],
    ["of what the job does not ask for", "hosts {*} to gpus=1", {}],
    ["of hosts that are no nodes of ours", "hosts {@others} to slots=1", {}],
  ])("none: %s", (_, limit, asked) => {
    expect(JSON.stringify(read(quotaSet(limit), [asked]))).not.toContain("quota most");
  });
});

describe("nothing is bought for a job", () => {
  test.each<readonly [string, string, Asked, RegExp]>([
    [
      "that is larger than its quota",
      "to slots=3",
      { pe: ["mpi", "4"] },
      /quota most: slots: 4 wanted, at most 3/,
    ],
    [
      "that is larger than the quota of a host",
      "hosts {*} to slots=2",
      { pe: ["smp", "3"] },
      /3 slots on a host/,
    ],
    [
      "under a rule that cannot be read",
      "jobs {*} to slots=4",
      {},
      /set "most": "limit jobs \{\*\} to slots=4" cannot be read/,
    ],
    [
      "under a rule for a list with a group of the operating system",
      "users @chem to slots=4",
      {},
      /for ann is not known/,
    ],
    [
      "under a rule for a pattern that may name a host to come",
      "hosts ip-0* to slots=9",
      {},
      /"limit hosts ip-0\* to slots=9" is for hosts that are to come is not known: name host groups/,
    ],
    [
      "under a rule for each host of a pattern",
      "hosts {ip-0*} to slots=2",
      {},
      /is for hosts that are to come is not known/,
    ],
    ["under a value that cannot be read", "to slots=many", {}, /slots=many cannot be read/],
    ["under a rule about what is no consumable", "to arch=lx", {}, /arch, which is no consumable/],
  ])("%s", (_, limit, asked, reason) => {
    const { jobs, setAside } = read(quotaSet(limit), [asked]);
    expect(jobs).toEqual([]);
    expect(setAside.map((each) => each.reason)).toEqual([expect.stringMatching(reason)]);
  });
});

test.each([
  "hosts {login1} to slots=1",
  "hosts ip-0a000002 to slots=1",
  "hosts ip-0a000002.x.net to slots=1",
])("a rule for a name of no listed host stops no buying: %s", (limit) => {
  const { jobs, setAside } = read(quotaSet(limit), [{}]);
  expect(setAside).toEqual([]);
  expect(jobs).toHaveLength(1);
});
