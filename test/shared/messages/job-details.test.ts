import { describe, expect, test } from "vitest";
import { readJobDetails } from "../../../shared/messages/index.ts";
import { parseDemand } from "../../../shared/messages/job-demand.ts";

const details = {
  runtimeSeconds: 5_400,
  startedAtSeconds: 1_795_370_509,
  interruptible: false,
  user: "ada",
  account: "fluids",
  queue: "htc",
  jobName: "mesh",
};
const names = Object.keys(details);

function read(job: object) {
  const parsed = parseDemand({
    version: 1,
    kind: "snapshot",
    cluster: "hpc",
    source: "pbs",
    sequence: 1,
    sentAt: "2026-11-21T10:00:00Z",
    jobs: [{ name: "1", ...job }],
  });
  if (!parsed.ok) throw new Error(parsed.problems.join("; "));
  return { job: parsed.message.jobs[0], setAside: parsed.setAside };
}

describe("details of a job", () => {
  test("are taken as they are told", () => {
    expect(read(details).job).toMatchObject(details);
  });

  test("in other spellings too", () => {
    const { job } = read({ "runtime-seconds": 5, started_at_seconds: 9, "job-name": "mesh" });
    expect(job).toMatchObject({ runtimeSeconds: 5, startedAtSeconds: 9, jobName: "mesh" });
  });

  test("are missing, and neither zero nor empty, when nothing or null is told of them", () => {
    for (const told of [{}, Object.fromEntries(names.map((name) => [name, null]))]) {
      const { job } = read(told);
      for (const name of [...names, "warnings"]) expect(job).not.toHaveProperty(name);
    }
  });

  test.each([
    ["runtimeSeconds", "UNLIMITED"],
    ["runtimeSeconds", 0],
    ["runtimeSeconds", -60],
    ["runtimeSeconds", 1e12],
    ["startedAtSeconds", 1_795_370_509_000],
    ["startedAtSeconds", "2026-11-21"],
    ["interruptible", "no"],
    ["user", ""],
    ["user", 1000],
    ["account", "a".repeat(257)],
    ["queue", ["a"]],
    ["jobName", { length: 3 }],
  ])("a bad %s (%j) is passed over with a warning, and costs the job nothing", (name, value) => {
    const { job, setAside } = read({ ...details, [name]: value, warnings: ["before"] });
    expect(setAside).toEqual([]);
    expect(job).not.toHaveProperty(name);
    expect(job).toMatchObject(Object.fromEntries(Object.entries(details).filter(([key]) => key !== name)));
    expect(job?.warnings).toEqual(["before", expect.stringMatching(`^${name}: .*expected`)]);
  });

  test("there is never a warning more than a job may have", () => {
    const warnings = Array.from({ length: 10 }, (_, index) => `warning ${index}`);
    expect(read({ user: 7, warnings }).job?.warnings).toEqual(warnings);
  });

  test("warnings that cannot be read set the job aside, whatever its details are", () => {
    expect(read({ user: 7, warnings: "a" }).setAside).toMatchObject([{ name: "1" }]);
  });

  test("senders leave out what a message would not take", () => {
    expect(readJobDetails({ ...details, runtimeSeconds: 0, user: "", account: null })).toEqual({
      startedAtSeconds: 1_795_370_509,
      interruptible: false,
      queue: "htc",
      jobName: "mesh",
    });
  });
});
