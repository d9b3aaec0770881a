import { describe, expect, test } from "vitest";
import { checkReading } from "../../../clients/agent/check-reading.ts";
import type { Job, SchedulerNode, SetAside } from "../../../clients/agent/drivers/driver.ts";
import { parseDemand, wholly } from "../../../shared/messages/job-demand.ts";

const host = (hostname: string, more: Partial<SchedulerNode> = {}): SchedulerNode => ({
  hostname,
  resources: { ncpus: 4 },
  state: "up",
  ...more,
});
const waiting = (name: string, more: Partial<Job> = {}): Job => ({
  name,
  constraints: { ncpus: 1 },
  ...more,
});
const runs = (name: string, ...executingHostnames: readonly string[]): Job =>
  waiting(name, { executingHostnames });

function check(
  {
    jobs = [],
    nodes = [],
    setAside = [],
  }: {
    readonly jobs?: readonly Job[];
    readonly nodes?: readonly SchedulerNode[];
    readonly setAside?: readonly SetAside[];
  },
  limits?: Parameters<typeof checkReading>[1],
) {
  const checked = checkReading({ jobs, nodes, setAside }, limits);
  const message = {
    version: 1,
    kind: "snapshot",
    cluster: "hpc",
    source: "slurm",
    sequence: 1,
    sentAt: "2026-11-21T10:00:00Z",
  };
  expect(wholly(parseDemand({ ...message, jobs: checked.jobs, nodes: checked.nodes }))).toMatchObject({
    ok: true,
  });
  return checked;
}

const hostsOf = (jobs: readonly Job[]) => jobs.flatMap(({ executingHostnames = [] }) => executingHostnames);
const records = (setAside: readonly SetAside[]) =>
  setAside.map(({ record, reason }) => `${record}: ${reason}`);

describe("a job that the service would not take", () => {
  test.each([
    { why: "its constraints", bad: { constraints: { ncpus: { and: 7 } } } },
    { why: "a number that is none", bad: { iterations: Number.NaN } },
    { why: "more than there can be", bad: { iterations: 1e12 } },
    { why: "a text where a flag belongs", bad: { exclusive: "yes" as never } },
  ])("waits ($why): it is set aside, and costs the others nothing", ({ bad }) => {
    const { jobs, setAside } = check({ jobs: [waiting("good"), waiting("bad", bad), waiting("also good")] });
    expect(jobs.map(({ name }) => name)).toEqual(["good", "also good"]);
    expect(records(setAside)).toEqual([expect.stringMatching(/^job "bad": (?!jobs)/)]);
  });

  test("runs: a job without any other wish keeps its hosts", () => {
    const bad = { ...runs("bad", "ip-1", "ip-2"), constraints: { ncpus: { and: 7 } } };
    const { jobs, setAside } = check({ jobs: [runs("good", "ip-3"), bad] });
    expect(jobs[1]).toEqual({
      name: 'job "bad" (set aside)',
      constraints: {},
      iterations: 2,
      executingHostnames: ["ip-1", "ip-2"],
    });
    expect(setAside).toHaveLength(1);
  });

  test("runs on a host of no possible name, too: the other host is kept", () => {
    expect(hostsOf(check({ jobs: [runs("bad", "", "ip-1", "x".repeat(300))] }).jobs)).toEqual(["ip-1"]);
  });

  test.each([
    { what: "the time of its submission", bad: { submittedAt: "+058811-01-01T00:00:00.000Z" } },
    { what: "its priority", bad: { priority: Number.POSITIVE_INFINITY } },
  ])("cannot be read in $what only: it counts without it, and the log says so", ({ bad }) => {
    const { jobs, setAside } = check({ jobs: [waiting("a", bad)] });
    expect(jobs).toEqual([waiting("a")]);
    expect(setAside).toHaveLength(1);
  });
});

describe("a node that the service would not take", () => {
  test.each([
    { why: "a host of no name", bad: host("") },
    { why: "a name that is too long", bad: host("x".repeat(256)) },
  ])("$why: it is set aside, and costs the others nothing", ({ bad }) => {
    const { nodes, setAside } = check({ jobs: [waiting("a")], nodes: [bad, host("ip-1")] });
    expect(nodes).toEqual([host("ip-1")]);
    expect(setAside).toHaveLength(1);
  });

  test.each([
    { what: "a resource", bad: { resources: { ncpus: Number.NaN } }, left: { resources: {} } },
    { what: "a time", bad: { stateSince: "soon" }, left: {} },
    { what: "a reason", bad: { stateReason: "x".repeat(501) }, left: {} },
  ])("$what that cannot be read: a host that is out stays out without it", ({ bad, left }) => {
    const out = { state: "draining", isOutByOthers: true } as const;
    const { nodes, setAside } = check({ nodes: [host("ip-1", { ...out, ...bad })] });
    expect(nodes).toEqual([host("ip-1", { ...out, ...left })]);
    expect(setAside).toHaveLength(1);
  });
});

test("a node without a state is taken for up, and the log says so", () => {
  const { state: _, ...stateless } = host("ip-1");
  const { nodes, setAside } = check({ nodes: [stateless as SchedulerNode, host("ip-2")] });
  expect(nodes).toEqual([host("ip-1"), host("ip-2")]);
  expect(records(setAside)).toEqual([
    'node "ip-1": state: missing, expected up, draining or drained; taken for up, so that it is never drained',
  ]);
});

test("what the driver set aside keeps the hosts that it names", () => {
  const unread = { record: "job 15", reason: "cpus: null", executingHostnames: ["ip-1"] };
  const { jobs } = check({ setAside: [unread, unread, { record: "job 16", reason: "x" }] });
  expect(jobs.map(({ name }) => name)).toEqual(["job 15 (set aside)", "job 15 (set aside) (2)"]);
  expect(hostsOf(jobs)).toEqual(["ip-1", "ip-1"]);
});

test("of two jobs with one name neither is forgotten", () => {
  const { jobs } = check({ jobs: [runs("a", "ip-1"), runs("a", "ip-2"), waiting("a (2)")] });
  expect(jobs.map(({ name }) => name)).toEqual(["a", "a (3)", "a (2)"]);
});

test("notes of a job are told, and the job counts", () => {
  const { jobs, setAside } = check({ jobs: [waiting("7", { notes: ["licences: not carried over"] })] });
  expect(jobs).toHaveLength(1);
  expect(records(setAside)).toEqual(['job "7": licences: not carried over']);
});

describe("more than a message holds", () => {
  const most = { jobs: 5, nodes: 3, bytes: 1_000_000 };
  const many = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  test("waiting jobs go before running ones: the last of the lowest priority", () => {
    const jobs = [
      waiting("w0"),
      ...many(3, "r").map((name) => runs(name, `ip-${name}`)),
      waiting("w1"),
      waiting("w2", { priority: 9 }),
    ];
    const checked = check({ jobs }, most);
    expect(checked.jobs.map(({ name }) => name)).toEqual(["w0", "r0", "r1", "r2", "w2"]);
    expect(checked.leftOut).toBe(1);
    expect(records(checked.setAside)).toEqual([
      expect.stringMatching(/^1 waiting jobs: left out, .*at most 5 jobs/),
    ]);
  });

  test("more running jobs than there is room for: some become one, and no host is lost", () => {
    const jobs = [...many(9, "r").map((name) => runs(name, `ip-${name}`)), waiting("w")];
    const checked = check({ jobs }, most);
    expect(checked.jobs).toHaveLength(5);
    expect(new Set(hostsOf(checked.jobs))).toEqual(new Set(many(9, "ip-r")));
    expect(records(checked.setAside)).toEqual([
      expect.stringMatching(/^1 waiting jobs: left out/),
      expect.stringMatching(/^5 running jobs: posted as one that keeps their hosts/),
    ]);
  });

  test("hosts that are out go last", () => {
    const nodes = [...many(4, "up-").map((name) => host(name)), host("out", { state: "drained" })];
    const checked = check({ nodes }, most);
    expect(checked.nodes.map(({ hostname }) => hostname)).toEqual(["up-0", "up-1", "out"]);
    expect(checked.leftOut).toBe(2);
  });

  test.each([2_000, 5_000, 20_000])("whatever %i bytes hold is posted, running jobs first", (bytes) => {
    const wide = "x".repeat(150);
    const jobs = [
      ...many(50, "w").map((name) => waiting(name, { constraints: { wide } })),
      ...many(50, "r").map((name) => ({ ...runs(name, `ip-${name}`), constraints: { wide } })),
    ];
    const nodes = many(50, "ip-r").map((name) => host(name, { resources: { wide } }));
    const checked = check({ jobs, nodes }, { jobs: 1_000, nodes: 1_000, bytes });
    expect(JSON.stringify({ jobs: checked.jobs, nodes: checked.nodes }).length).toBeLessThan(bytes + 100);
    expect(new Set(hostsOf(checked.jobs))).toEqual(new Set(many(50, "ip-r")));
  });

  test("200,001 jobs as a driver may read them: one is left out", () => {
    const jobs = many(200_001, "w").map((name) => waiting(name));
    const checked = checkReading({ jobs: [...jobs], nodes: [], setAside: [] });
    expect(checked.jobs).toHaveLength(200_000);
    expect(checked.leftOut).toBe(1);
  });
});
