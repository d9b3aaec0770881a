import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mostNodeShapes, parseDemand, wholly } from "../../../shared/messages/job-demand.ts";
import { claimedBlob, claimedOrigin, withClaimed } from "../../../shared/messages/message-body.ts";
import { cases } from "../../support/cases.ts";

const good = {
  version: 1,
  kind: "snapshot",
  cluster: "hpc",
  source: "celery",
  sequence: 7,
  sentAt: "2026-11-21T10:00:00Z",
  jobs: [{ name: "a", constraints: { ncpus: 2 } }],
};

function problemsOf(input: unknown): readonly string[] {
  const parsed = wholly(parseDemand(input));
  return parsed.ok ? [] : parsed.problems;
}

describe("parseDemand: what is accepted", () => {
  test("fills in what a job leaves out", () => {
    const parsed = parseDemand(good);
    expect(parsed).toMatchObject({
      ok: true,
      message: {
        jobs: [{ name: "a", iterations: 1, nodeCount: 0, colocated: false, executingHostnames: [] }],
      },
    });
  });

  test("text and JSON mean the same", () => {
    expect(parseDemand(JSON.stringify(good))).toEqual(parseDemand(good));
  });

  test("a job reads the same with a comment, which leaves it to the whole schema, whatever came before", () => {
    const moment = fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.stringMatching(
        /^\d{4}-[01]\d-[0-3]\d[Tt ][012]\d:[0-6]\d(:[0-6]\d(\.\d{1,3})?)?(Z|z|[+-]\d\d:?\d\d)?$/,
      ),
    );
    const job = fc.record(
      {
        name: fc.oneof(fc.constantFrom("", "a".repeat(256), "a".repeat(257), 7, null), fc.string()),
        priority: fc.oneof(fc.double(), fc.constantFrom(Number.POSITIVE_INFINITY, "1", null)),
        submittedAt: fc.oneof(
          moment,
          fc.constantFrom("2026-02-29T00:00:00Z", "2028-02-29T00:00:00Z", 0, null),
        ),
        constraints: fc.constantFrom(
          { ncpus: 1 },
          [{ ncpus: 1 }],
          { ncpus: "one" },
          { or: [{ ncpus: 1 }] },
          {},
        ),
      },
      { requiredKeys: ["name"] },
    );
    fc.assert(
      fc.property(fc.array(job, { maxLength: 8 }), (jobs) => {
        const whole = jobs.map((each) => ({ ...each, _comment: "" }));
        expect(parseDemand({ ...good, jobs })).toEqual(parseDemand({ ...good, jobs: whole }));
      }),
      cases(200),
    );
  });

  test("a time with endless digits is set aside, with a comment or without", () => {
    const job = { name: "a", submittedAt: `2026-01-01T00:00:00.${"0".repeat(70_000)}Z` };
    const read = parseDemand({ ...good, jobs: [job] });
    expect(read).toEqual(parseDemand({ ...good, jobs: [{ ...job, _comment: "" }] }));
    expect(read).toMatchObject({ ok: true, setAside: [{ kind: "job", index: 0 }] });
  });

  test.each([
    ["camelCase", { nodeCount: 2, executingHostnames: ["h"] }],
    ["kebab-case of scalelib", { "node-count": 2, "executing-hostnames": ["h"] }],
    ["snake_case", { node_count: 2, executing_hostnames: ["h"] }],
  ])("job keys in %s", (_spelling, keys) => {
    const parsed = parseDemand({ ...good, jobs: [{ name: "a", ...keys }] });
    expect(parsed).toMatchObject({
      ok: true,
      message: { jobs: [{ nodeCount: 2, executingHostnames: ["h"] }] },
    });
  });

  test.each([
    ["as scalelib prints it", { iterations: 10, "iterations-remaining": 4 }],
    ["the other way round", { "iterations-remaining": 4, iterations: 10 }],
  ])("of an array that is half done, the rest counts: %s", (_, keys) => {
    const parsed = parseDemand({ ...good, jobs: [{ name: "a", ...keys }] });
    expect(parsed).toMatchObject({ ok: true, message: { jobs: [{ iterations: 4 }] } });
  });

  test("capabilities of a newer sender are passed over, known ones count once", () => {
    const parsed = parseDemand({ ...good, capabilities: ["teleport", "drain", "drain"] });
    expect(parsed).toMatchObject({ ok: true, message: { capabilities: ["drain"] } });
    expect(parseDemand(good)).not.toHaveProperty("message.capabilities");
  });

  test("a node says its state and which event it obeys, or is up", () => {
    const nodes = [{ hostname: "a", state: "drained", eventAtSeconds: 1_764_000_000.5 }, { hostname: "b" }];
    expect(parseDemand({ ...good, nodes })).toMatchObject({
      ok: true,
      message: { nodes: [nodes[0], { hostname: "b", resources: {} }] },
    });
  });

  test.each([
    ...["1234[5].pbs-server", "1234_[1-10%4]", "tasks.add (d1c0)", "Berechnung_ü", "a+b=c", "a/b🚀", "a|b"],
    ...[
      'say "hi"',
      "it's",
      "../..",
      "<b>",
      "$(reboot)",
      "名前",
      "\u202egnp.exe",
      "a\u0000b",
      "two\nlines",
      "\ud800",
    ],
  ])("job name %j", (name) => {
    expect(parseDemand({ ...good, jobs: [{ name }] })).toMatchObject({
      ok: true,
      setAside: [],
      message: { jobs: [{ name }] },
    });
  });

  test("a name that is too long is cut, and told from one that begins alike", () => {
    const long = `${"🚀".repeat(300)}`;
    const jobs = [{ name: `${long}a` }, { name: `${long}b` }];
    const parsed = parseDemand({ ...good, kind: "delta", jobs, remove: [`${long}a`] });
    if (!parsed.ok || parsed.message.kind !== "delta") throw new Error("not taken");
    const [first = "", second = ""] = parsed.message.jobs.map(({ name }) => name);
    expect(new Set([first, second]).size).toBe(2);
    expect(first.length).toBeLessThanOrEqual(256);
    expect(first.isWellFormed()).toBe(true);
    expect(parsed.message.remove).toEqual([first]);
  });
});

describe("shapes of nodes", () => {
  const withShapes = (nodeShapes: unknown, fields: object = {}) =>
    parseDemand({
      version: 1,
      kind: "snapshot",
      cluster: "hpc",
      source: "slurm",
      sequence: 1,
      sentAt: "2026-11-21T10:00:00Z",
      nodeShapes,
      ...fields,
    });

  test("are read in every spelling, and one that cannot be read is set aside", () => {
    const parsed = withShapes([
      { nodeArray: "htc", resources: { ncpus: 4, memmb: 15_000, nvme: 1 } },
      { node_array: "htc", "vm-size": "Standard_F8", resources: {} },
      { nodeArray: "htc" },
      { nodeArray: "htc", resources: { ncpus: [4] } },
    ]);
    expect(parsed).toMatchObject({
      ok: true,
      message: {
        nodeShapes: [
          { nodeArray: "htc", resources: { ncpus: 4, memmb: 15_000, nvme: 1 } },
          { nodeArray: "htc", vmSize: "Standard_F8", resources: {} },
        ],
      },
      setAside: [
        { kind: "shape", index: 2, name: "htc" },
        { kind: "shape", index: 3, name: "htc" },
      ],
    });
  });

  test("that are not said are not none", () => {
    const parsed = withShapes(undefined);
    expect(parsed.ok && parsed.message.nodeShapes).toBeUndefined();
    expect(withShapes([])).toMatchObject({ ok: true, message: { nodeShapes: [] } });
  });

  test("are bounded", () => {
    const shape = { nodeArray: "htc", resources: {} };
    expect(withShapes(Array(mostNodeShapes).fill(shape)).ok).toBe(true);
    expect(withShapes(Array(mostNodeShapes + 1).fill(shape))).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("nodeShapes")],
    });
  });

  test("may be in an upload", () => {
    const shapes = [{ nodeArray: "htc", resources: { ncpus: 2 } }];
    const content = JSON.stringify({ jobs: [], nodes: [], nodeShapes: shapes });
    const message = { version: 1, kind: "snapshot", cluster: "hpc", source: "slurm", sequence: 1 };
    const claimed = withClaimed({ ...message, sentAt: "2026-11-21T10:00:00Z", blob: "b" }, content);
    expect(parseDemand(claimed)).toMatchObject({ ok: true, message: { nodeShapes: shapes } });
  });
});

describe("parseDemand: what is refused, and why", () => {
  test.each<[string, unknown, RegExp]>([
    ["not JSON", "{oops", /^message: "\{oops", expected a JSON object$/],
    ["an empty message", "", /^message: "", expected a JSON object$/],
    ["a list", [good], /expected a JSON object/],
    ["the wrong version", { ...good, version: 2 }, /^version: 2, .*expected 1/],
    ["an unknown kind", { ...good, kind: "wish" }, /^kind: /],
    ["no sequence", { ...good, sequence: undefined }, /^sequence: /],
    [
      "a source that is no queue name",
      { ...good, source: "My_Queue" },
      /^source: "My_Queue", expected lower-case/,
    ],
    ["a negative count", { ...good, jobs: [{ name: "a", iterations: -2 }] }, /^jobs\[0\]\.iterations: -2, /],
    ["a name that is none", { ...good, jobs: [{ name: "" }] }, /^jobs\[0\]\.name: "", /],
    [
      "a constraint that is none",
      { ...good, jobs: [{ name: "a", constraints: 5 }] },
      /^jobs\[0\]\.constraints: /,
    ],
    [
      "a part beyond its count",
      { ...good, part: { index: 3, count: 3 } },
      /^part: .*expected an index below/,
    ],
    [
      "a state that is none",
      { ...good, nodes: [{ hostname: "h", state: "down" }] },
      /^nodes\[0\]\.state: "down", /,
    ],
    ["one capability without a list", { ...good, capabilities: "drain" }, /^capabilities: "drain", /],
    ["too many capabilities", { ...good, capabilities: Array(101).fill("x") }, /^capabilities: /],
    ["a capability that is a book", { ...good, capabilities: ["x".repeat(101)] }, /^capabilities\[0\]: /],
    [
      "an object that cannot be compared",
      { ...good, nodes: [{ hostname: "h", resources: { toString: 1 } }] },
      /^nodes\[0\]\.resources: "an object with a member toString", /,
    ],
    ["an hour that is none", { ...good, sentAt: "soon" }, /^sentAt: "soon", /],
  ])("%s", (_case, input, expected) => {
    const problems = problemsOf(input);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });

  test("names every problem at once", () => {
    const jobs = [{ name: "a", iterations: -1 }, { name: 7 }];
    const of = (message: object) => problemsOf(message).map((problem) => problem.split(":")[0]);
    expect(of({ ...good, jobs })).toEqual(["jobs[0].iterations", "jobs[1].name"]);
    expect(of({ ...good, version: 9, source: 5 })).toEqual(["version", "source"]);
  });

  test("a megabyte of nonsense gives a short answer", () => {
    const problems = problemsOf("x".repeat(1_000_000));
    expect(problems.join().length).toBeLessThan(200);
    const many = Array.from({ length: 50_000 }, () => ({ name: "" }));
    expect(problemsOf({ ...good, jobs: many })).toHaveLength(2);
  });

  test("nesting without end is refused, not followed", () => {
    const deep = `${'{"and":['.repeat(5_000)}${"]}".repeat(5_000)}`;
    const text = JSON.stringify(good).replace('{"ncpus":2}', deep);
    expect(problemsOf(text)[0]).toMatch(/nested too deeply/);
  });

  test("whatever comes in, it never throws and always says something", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string(), fc.jsonValue()), (input) => {
        const parsed = parseDemand(input);
        expect(parsed.ok || parsed.problems.length > 0).toBe(true);
      }),
    );
  });
});

describe("claim check", () => {
  test("the blob's jobs stand in for the message's", () => {
    const claim = { ...good, jobs: undefined, blob: "uploads/1.json" };
    expect(claimedBlob(claim)).toBe("uploads/1.json");
    const whole = withClaimed(JSON.stringify(claim), JSON.stringify({ jobs: [{ name: "z" }] }));
    expect(parseDemand(whole)).toMatchObject({ ok: true, message: { sequence: 7, jobs: [{ name: "z" }] } });
  });

  test("a blob cannot change whom the message is for", () => {
    const whole = withClaimed({ ...good, blob: "b" }, JSON.stringify({ cluster: "other", source: "evil" }));
    expect(claimedOrigin(whole)).toEqual({ cluster: "hpc", source: "celery" });
  });

  test("empty lists beside the claim do not empty the demand", () => {
    const claim = { ...good, jobs: [], nodes: [], blob: "b" };
    const whole = withClaimed(claim, JSON.stringify({ jobs: [{ name: "z" }], ttlSeconds: 1, sequence: 99 }));
    expect(parseDemand(whole)).toMatchObject({ ok: true, message: { sequence: 7, jobs: [{ name: "z" }] } });
    expect(whole).not.toHaveProperty("ttlSeconds");
  });

  test("a blob of nonsense is refused as nonsense", () => {
    expect(problemsOf(withClaimed({ ...good, blob: "b" }, "nonsense"))[0]).toMatch(/expected a JSON object/);
  });
});
