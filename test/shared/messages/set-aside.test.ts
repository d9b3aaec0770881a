import { describe, expect, test } from "vitest";
import { parseDemand, withItemsAside } from "../../../shared/messages/job-demand.ts";
import { runningHosts } from "../../../shared/messages/running-hosts.ts";
import { describeSetAside, type SetAside } from "../../../shared/messages/set-aside.ts";

const envelope = {
  version: 1,
  kind: "delta",
  cluster: "hpc",
  source: "pbs",
  sequence: 7,
  sentAt: "2026-11-21T10:00:00Z",
};

function taken(fields: object) {
  const parsed = parseDemand({ ...envelope, ...fields });
  if (!parsed.ok || parsed.message.kind !== "delta") throw new Error("refused");
  return { ...parsed, message: parsed.message };
}

describe("what does not check out", () => {
  test("is set aside with its place, its name and its problems, and the rest counts", () => {
    const jobs = [
      { name: "a" },
      { name: "b", iterations: -1 },
      5,
      { name: "c" },
      { name: 7, nodeCount: "x" },
    ];
    const nodes = [{ hostname: "h1" }, { hostname: "h2", state: "asleep" }, { hostname: "" }];
    const { message, setAside } = taken({ jobs, nodes, remove: ["gone", "", null] });
    expect(message.jobs.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(message.nodes.map(({ hostname }) => hostname)).toEqual(["h1"]);
    expect(message.remove).toEqual(["gone"]);
    expect(setAside.map(({ kind, index, name }) => [kind, index, name])).toEqual([
      ["job", 1, "b"],
      ["job", 2, null],
      ["job", 4, "7"],
      ["node", 1, "h2"],
      ["node", 2, null],
      ["remove", 1, null],
      ["remove", 2, null],
    ]);
    expect(setAside.every(({ problems }) => problems.length > 0)).toBe(true);
    expect(setAside[0]?.problems).toEqual([expect.stringMatching(/^iterations: -1, /)]);
  });

  test("costs only its own message: what is too deep, too long or too wide is one item", () => {
    const deep: unknown = JSON.parse("[".repeat(100) + "]".repeat(100));
    const jobs = [
      { name: "deep", constraints: deep },
      { name: "long", priority: "x".repeat(70_000) },
      { name: "odd", exclusive: { toString: 1 } },
      { name: "good" },
    ];
    const { message, setAside } = taken({ jobs });
    expect(message.jobs.map(({ name }) => name)).toEqual(["good"]);
    expect(setAside.map(({ name }) => name)).toEqual(["deep", "long", "odd"]);
  });

  test("is told in few words, however much is wrong with it", () => {
    const resources = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`r${index}`, []]));
    const { setAside } = taken({ nodes: [{ hostname: "h", resources }] });
    expect(setAside[0]?.problems).toHaveLength(6);
    const many = taken({ jobs: Array.from({ length: 5_000 }, () => ({ name: "" })) }).setAside;
    expect(many.filter(({ problems }) => problems.length > 0)).toHaveLength(100);
  });

  test("more than ten thousand items of a list are no mistakes: the message is refused", () => {
    const jobs = Array.from({ length: 10_001 }, () => ({ name: "" }));
    expect(parseDemand({ ...envelope, jobs })).toMatchObject({ ok: false });
    expect(parseDemand({ ...envelope, jobs: jobs.slice(1) })).toMatchObject({ ok: true });
  });

  test("is sent on as it came, behind what was understood", () => {
    const raw = {
      jobs: [
        { name: "b", iterations: -1 },
        { name: "a", "node-count": 2 },
      ],
      remove: [null, "x"],
    };
    const parsed = taken(raw);
    const sent = withItemsAside(parsed, raw);
    expect(sent.jobs).toMatchObject([{ name: "a", nodeCount: 2 }, raw.jobs[0] ?? {}]);
    expect(sent.remove).toEqual(["x", null]);
    expect(taken(sent).setAside.map(({ name }) => name)).toEqual(["b", null]);
  });

  test("control characters of a name are spelled out where it is shown", () => {
    const item: SetAside = { kind: "job", index: 0, name: "a\nb\u001b[2J\u202e", problems: [] };
    expect(describeSetAside(item)).toBe('job "a\\nb\\u001b[2J\\u202e"');
  });
});

describe("where a bad job runs", () => {
  test.each<readonly [string, object, readonly string[], boolean]>([
    ["nothing is said", { name: "a" }, [], true],
    ["an empty list", { executingHostnames: [] }, [], true],
    ["a list", { executingHostnames: ["h1", "h2.cluster"] }, ["h1", "h2.cluster"], true],
    ["any spelling of the key", { "Executing-Host_Names": ["h1"] }, ["h1"], true],
    ["PBS's key and its slots", { exec_host: "h1/0*4+h2/1" }, ["h1", "h2"], true],
    ["one text", { executingHostnames: "h1" }, ["h1"], true],
    [
      "texts with commas, blanks and tabs",
      { executingHostnames: ["h1, h2", "h3\th4;h5"] },
      ["h1", "h2", "h3", "h4", "h5"],
      true,
    ],
    ["addresses", { executingHostnames: ["10.0.0.4", "fd00::1"] }, ["10.0.0.4", "fd00::1"], true],
    ["texts around which there is room", { executingHostnames: ["  h1\n"] }, ["h1"], true],
    [
      "objects that have a name",
      { executingHostnames: [{ hostname: "h1" }, { name: "h2" }] },
      ["h1", "h2"],
      true,
    ],
    ["empty ones among them", { executingHostnames: ["h1", "", null, "  "] }, ["h1"], true],
    ["a number", { executingHostnames: [42] }, ["42"], true],
    ["two slots of one host", { executingHostnames: ["h1", "h1"] }, ["h1", "h1"], true],
    ["two keys", { executingHostnames: ["h1"], exec_host: "h2" }, ["h1", "h2"], true],
    ["some that cannot be read", { executingHostnames: ["h1", {}, ["h2"]] }, ["h1"], false],
    ["a range that is not spelled out", { executingHostnames: ["h[1-3]", "h7"] }, ["h7"], false],
    ["a name that is none", { executingHostnames: ["h".repeat(256), "h7"] }, ["h7"], false],
    ["no list at all", { executingHostnames: true }, [], false],
  ])("%s", (_case, job, hostnames, isWhole) => {
    expect(runningHosts(job as Record<string, unknown>)).toEqual({ hostnames, isWhole });
  });

  test("is kept with the job, and with its constraints if those can be read", () => {
    const bad = { priority: "high", executingHostnames: "h1" };
    const jobs = [
      { name: "a", constraints: { ncpus: 2 }, ...bad },
      { name: "b", constraints: 5, ...bad },
      { name: "c", priority: "high" },
    ];
    const { setAside } = taken({ jobs });
    expect(setAside.map(({ running }) => running)).toEqual([
      { hostnames: ["h1"], isWhole: true, constraints: { ncpus: 2 } },
      { hostnames: ["h1"], isWhole: true },
      undefined,
    ]);
  });

  test.each<readonly [string, object, SetAside["running"] | "good"]>([
    ["under another key", { exec_host: "h1/0*4" }, { hostnames: ["h1"], isWhole: true, constraints: [] }],
    ["as a list", { executing_hosts: ["h1"] }, { hostnames: ["h1"], isWhole: true, constraints: [] }],
    ["and cannot be read", { "exec-hosts": "h[1-3]" }, { hostnames: [], isWhole: false, constraints: [] }],
    ["and is nowhere", { exec_host: "" }, "good"],
    ["and is null", { exec_host: null }, "good"],
    ["beside the right key", { executingHostnames: ["h1"], exec_host: "h1/0*4" }, "good"],
    ["beside the right key, which is empty", { executing_hostnames: [], exec_host: "h1" }, "good"],
  ])("sets it aside if it is told by a misspelt key alone: %s", (_case, fields, running) => {
    const { message, setAside } = taken({ jobs: [{ name: "a", ...fields }] });
    expect(running === "good" ? message.jobs : setAside[0]?.running).toEqual(
      running === "good" ? [expect.objectContaining({ name: "a" })] : running,
    );
    expect(message.jobs.length + setAside.length).toBe(1);
  });

  test("the problem of a misspelt key names the right one", () => {
    const { setAside } = taken({ jobs: [{ name: "a", exec_host: "h1" }] });
    expect(setAside[0]?.problems).toEqual(['exec_host: not known, expected "executingHostnames"']);
  });

  test("of what is no job at all, nobody can tell", () => {
    expect(taken({ jobs: [null] }).setAside[0]?.running).toEqual({ hostnames: [], isWhole: false });
  });
});
