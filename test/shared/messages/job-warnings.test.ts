import { describe, expect, test } from "vitest";
import { demandWarnings, parseDemand } from "../../../shared/messages/index.ts";

const envelope = {
  version: 1,
  kind: "snapshot",
  cluster: "c",
  source: "s",
  sequence: 1,
  sentAt: "2026-11-22T10:00:00Z",
};

function parsedJobs(jobs: readonly unknown[]) {
  const parsed = parseDemand({ ...envelope, jobs });
  if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
  expect(parsed.setAside).toEqual([]);
  return parsed.message.jobs;
}

const warningsOf = (job: object) => parsedJobs([{ name: "a", ...job }])[0]?.warnings;

describe("a job with keys that mean nothing", () => {
  test.each<[string, object, readonly string[]]>([
    ["constraint", { constraint: { ncpus: 4 } }, ['constraint is not known; did you mean "constraints"?']],
    ["colacated", { colacated: true }, ['colacated is not known; did you mean "colocated"?']],
    ["nodecount", { nodecount: 2 }, ['nodecount is not known; did you mean "nodeCount"?']],
    ["a resource", { ncpus: 4 }, ['ncpus is not known; resources belong into "constraints"']],
    ["an amount", { mem: "memory::4g" }, ['mem is not known; resources belong into "constraints"']],
    ["nothing like it", { wibble: "x" }, ["wibble is not known"]],
    ["no plain name", { "a b\n": 1 }, ['"a b\\n" is not known; resources belong into "constraints"']],
    [
      "in a constraint",
      { constraints: [{ ncpus: 1 }, { exclusve: true }] },
      ['constraints[1].exclusve is read as the name of a resource; did you mean "exclusive"?'],
    ],
    [
      "in an object of constraints",
      { constraints: { iterations: 3 } },
      [
        'constraints.iterations is read as the name of a resource; "iterations" belongs to the job, beside its constraints',
      ],
    ],
  ])("gets a warning with what was meant: %s", (_, keys, warnings) => {
    expect(warningsOf(keys)).toEqual(warnings);
  });

  test("known keys in every spelling, comments and scalelib's metadata are no reason for a warning", () => {
    const known = {
      "node-count": 1,
      executing_hostnames: [],
      "iterations-remaining": 1,
      packingStrategy: "pack",
    };
    expect(
      warningsOf({ ...known, _comment: "x", "// why": "y", metadata: { job_state: "Q" } }),
    ).toBeUndefined();
  });

  test("a resource may be called like a key of the job that says who wants it", () => {
    expect(
      warningsOf({ queue: "long", user: "ann", constraints: { queue: "long", user: "ann" } }),
    ).toBeUndefined();
  });

  test("what was understood is read again with the same warnings, once each", () => {
    const first = parsedJobs([{ name: "a", colacated: true, constraints: { exclusve: true } }]);
    expect(first[0]?.warnings).toHaveLength(2);
    expect(parsedJobs(first)).toEqual(first);
  });

  test("warnings are few and short, whatever the keys are", () => {
    const keys = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}${"x".repeat(1_000)}`, 1]));
    const warnings = warningsOf(keys) ?? [];
    expect(warnings).toHaveLength(10);
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThanOrEqual(200);
    const many = Array.from({ length: 1_500 }, (_, i) => ({ name: `j${i}`, wibble: i }));
    expect(parsedJobs(many).filter((job) => job.warnings !== undefined)).toHaveLength(1_000);
  });
});

describe("demandWarnings", () => {
  const warningsIn = (keys: object) => {
    const message = { ...envelope, ...keys };
    const parsed = parseDemand(message);
    if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
    return demandWarnings(parsed, message);
  };

  test("keys of the message, of its jobs and of its nodes have their place, also behind a job that is set aside", () => {
    const jobs = [{ name: "a" }, { name: "b", iterations: -1 }, { name: "c", constraint: { ncpus: 1 } }];
    const nodes = [{ hostname: "h", resource: { ncpus: 4 } }];
    expect(warningsIn({ ttl_seconds: 60, jobs, nodes })).toEqual([
      'ttl_seconds is not known; did you mean "ttlSeconds"?',
      'jobs[2].constraint is not known; did you mean "constraints"?',
      'nodes[0].resource is not known; did you mean "resources"?',
    ]);
  });

  test("a message of known keys has none", () => {
    const nodes = [{ hostname: "h", state: "up" }];
    expect(
      warningsIn({ kind: "delta", jobs: [{ name: "a" }], remove: ["b"], nodes, ttlSeconds: 60 }),
    ).toEqual([]);
  });
});
