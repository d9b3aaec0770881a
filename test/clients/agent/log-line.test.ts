import { expect, test } from "vitest";
import { passLine, refusalLine } from "../../../clients/agent/log-line.ts";
import type { PassReport } from "../../../clients/agent/pass.ts";

const facts = { cluster: "hpc", source: "slurm", unknownInARow: 0, seconds: 1.23456, cpuSeconds: 0.04 };
const quiet: PassReport = {
  reading: { known: true, jobs: [], nodes: [], setAside: [], silent: [], corrections: [], memory: {} },
  demand: { jobs: [], nodes: [] },
  posted: { outcome: "sent", kind: "delta", sequence: 7 },
  events: 0,
  commands: 0,
  refusals: [],
  setAside: [],
  leftOut: 0,
  problems: [],
};
const line = (report: Partial<PassReport>) => JSON.parse(passLine({ ...quiet, ...report }, facts));

test("one line tells what runs, what waits, and how the hosts are", () => {
  const jobs = [
    { name: "1", constraints: {}, executingHostnames: ["ip-1"] },
    { name: "2", constraints: {}, iterations: 20 },
    { name: "3", constraints: {}, nodeCount: 8 },
  ];
  const nodes = (["up", "draining", "drained", "drained"] as const).map((state, index) => ({
    hostname: `ip-${index}`,
    resources: {},
    state,
  }));
  expect(line({ demand: { jobs, nodes } })).toMatchObject({
    event: "pass",
    level: "information",
    sent: "delta",
    sequence: 7,
    running: 1,
    waiting: 28,
    nodes: 4,
    draining: 1,
    drained: 2,
    seconds: 1.235,
  });
});

test("a pass without a reading says why, and that nothing was sent", () => {
  const reading = { known: false, reason: "squeue printed no JSON" } as const;
  expect(line({ reading, demand: undefined, posted: undefined })).toMatchObject({
    level: "warning",
    reading: "unknown",
    sent: "nothing",
    sequence: null,
    problems: ["unknown: squeue printed no JSON"],
  });
});

test("problems are few and short, and never break the line", () => {
  const problems = Array.from({ length: 9 }, (_, index) => `record ${index}\n${"x".repeat(1_000)}`);
  const text = passLine({ ...quiet, problems }, facts);
  expect(text).not.toContain("\n");
  expect(JSON.parse(text).problems).toHaveLength(6);
  expect(JSON.parse(text).problems.at(-1)).toBe("and 4 more");
  expect(text.length).toBeLessThan(2_500);
});

test("what the service did not take is a line of its own, short and harmless", () => {
  const text = refusalLine({
    version: 1,
    cluster: "hpc",
    source: "slurm",
    kind: "demand-refused",
    atSeconds: 900,
    whole: false,
    sequence: 7,
    problems: ['job "a\u001b[2J": iterations: -2', "x".repeat(1_000)],
  });
  expect(text).not.toContain("\u001b");
  expect(text.length).toBeLessThan(1_000);
  expect(JSON.parse(text)).toMatchObject({
    event: "demand-refused",
    level: "warning",
    cluster: "hpc",
    source: "slurm",
    sequence: 7,
    whole: false,
    problems: ['job "a\\u001b[2J": iterations: -2', expect.stringMatching(/^x+… \(1000 characters\)$/)],
  });
});
