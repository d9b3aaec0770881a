import fc from "fast-check";
import { expect, test } from "vitest";
import type { Answers, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { FieldCutter } from "../../../../clients/agent/drivers/slurm/field-cutter.ts";
import { RecordList } from "../../../../clients/agent/drivers/slurm/record-list.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { cases } from "../../../support/cases.ts";
import { answersOfSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

/** As Slurm prints it: a record's braces are alone in their lines. */
function printed(jobs: readonly unknown[], more: object = {}): string {
  return JSON.stringify({ meta: { jobs: 2 }, errors: [], jobs, ...more }, null, 2);
}

function readingList() {
  const read: unknown[] = [];
  const list = new RecordList("jobs", (value) => {
    read.push(value);
    return value;
  });
  return { read, in: (text: string) => list.in({ text, exitCode: 0 }) };
}

test("a record whose text is the same as in the answer before is not read again", () => {
  const list = readingList();
  const jobs = [1, 2, 3].map((job_id) => ({ job_id, gres_detail: [], tres: { cpu: { count: 1 } } }));
  expect(list.in(printed(jobs))).toEqual(jobs);
  const changed = [{ ...jobs[0], priority: 1 }, jobs[2], { job_id: 4 }];
  expect(list.in(printed(changed))).toEqual(changed);
  expect(list.read).toEqual([...jobs, changed[0], { job_id: 4 }]);
});

test("one that was away for an answer is forgotten", () => {
  const list = readingList();
  list.in(printed([{ job_id: 1 }, { job_id: 2 }]));
  list.in(printed([{ job_id: 2 }]));
  list.in(printed([{ job_id: 1 }]));
  expect(list.read).toEqual([{ job_id: 1 }, { job_id: 2 }, { job_id: 1 }]);
});

test.each([
  ["on one line", JSON.stringify({ jobs: [{ job_id: 1 }, { job_id: 2 }] })],
  ["indented by tabs", JSON.stringify({ jobs: [{ job_id: 1 }, { job_id: 2 }] }, null, "\t")],
  [
    "behind another list of that name",
    printed([{ job_id: 1 }, { job_id: 2 }]).replace('"jobs": 2', '"jobs": [\n      {\n      }\n    ]'),
  ],
])("records are read %s, too", (_, text) => {
  expect(readingList().in(text)).toEqual([{ job_id: 1 }, { job_id: 2 }]);
});

test("an answer that comes in parts, cut anywhere, is the same; one that broke off before is forgotten", () => {
  const jobs = ["a", "ü", "{ }\n    },\n    {", ""].map((name, index) => ({
    job_id: index + 1,
    name,
    list: [],
  }));
  const bytes = Buffer.from(printed(jobs));
  const sizes = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: bytes.length }), (parts, brokenAt) => {
      const list = new RecordList("jobs", (value) => value);
      list.begin();
      list.take(bytes.subarray(0, brokenAt));
      list.begin();
      for (let at = 0, index = 0; at < bytes.length; index += 1) {
        const size = parts[index % parts.length] ?? 1;
        const part = Buffer.from(bytes.subarray(at, at + size));
        list.take(part);
        // Its memory is used again.
        part.fill("x");
        at += size;
      }
      expect(list.in({ text: "", exitCode: 0 })).toEqual(jobs);
    }),
  );
});

test.each([
  ["cut short behind a record", printed([{ job_id: 1 }, { job_id: 2 }]).slice(0, -4)],
  ["cut short in a record", printed([{ job_id: 1 }, { job_id: 2 }]).slice(0, -12)],
  ["with a record that is no JSON", printed([{ job_id: 1 }, { job_id: 2 }]).replace('_id": 2', '_id": ')],
  ["with a brace too many", printed([{ job_id: 1 }, { job_id: 2 }]).replace("    },", "    }},")],
  ["with an error", printed([{ job_id: 1 }], { errors: [{ error: "away" }] })],
])("an answer %s is none, also when its records are known", (_, text) => {
  const list = readingList();
  list.in(printed([{ job_id: 1 }, { job_id: 2 }]));
  expect(list.in(text)).toBeUndefined();
});

const driverOf = () => {
  const configured = slurm.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  return configured.driver;
};
const context = { nowSeconds: 1_795_400_000, draining: new Map(), memory: {} };

/** The functions that go with it are new ones each time. */
const asJson = (reading: Reading): unknown => JSON.parse(JSON.stringify(reading));

const differing = fc.record({
  job_id: fc.integer({ min: 7, max: 8 }),
  priority: fc.constantFrom(0, 1, 5, null, 1e300),
  name: fc.constantFrom("", "a", "b", null, 7),
  submit_time: fc.constantFrom(0, 1_795_300_000, 1_795_300_001, -1),
  eligible_time: fc.constantFrom(0, 1_795_300_000, 1_795_500_000),
  cpus: fc.constantFrom(1, 2, "two"),
  node_count: fc.constantFrom(1, 2),
  array_job_id: fc.constantFrom(0, 3),
  array_task_id: fc.constantFrom(null, 1, 2),
  array_task_string: fc.constantFrom("", "1-4"),
  time_limit: fc.constantFrom(null, 60, { set: true, infinite: false, number: 60 }),
  features: fc.constantFrom("", "fast"),
  state_reason: fc.constantFrom("Resources", "Priority", "JobHeldUser", "NewWord"),
});
const queues = fc.array(differing.map(waitingJob), { maxLength: 6 });

test("a driver that has read other answers before reads an answer as a new one does", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(queues, fc.integer({ min: 0, max: 4 })), { maxLength: 6 }), (passes) => {
      const driver = driverOf();
      for (const [jobs, free] of passes) {
        const answers: Answers = {
          ...answersOfSlurm({ jobs, licenses: `LicenseName=ansys Total=4 Used=0 Free=${free} Reserved=0\n` }),
          squeue: { text: printed(jobs), exitCode: 0 },
          switches: { text: "7 0\n8 1\n", exitCode: 0 },
        };
        expect(asJson(driver.interpret(answers, context))).toEqual(
          asJson(driverOf().interpret(answers, context)),
        );
      }
    }),
    cases(200),
  );
});

/** Text that is put in place of a value in what was printed, where it may be no JSON, more than a value, or a field too many. */
const nested = '{\n      "job_id": 6,\n      "a": 1}';
const replaced = fc.tuple(
  fc.constantFrom("job_id", "priority", "name", "array_task_id", "cpus", "submit_time", "command", "comment"),
  fc.constantFrom(
    nested,
    "null",
    "07",
    "1e999",
    '"a\\u0000"',
    "[1",
    '1, "cpus": 3',
    '{\n  "number": 1',
    "{}",
    "-0",
  ),
);

const answer = (text: string) => ({ text, exitCode: 0 });

/** With a blank that Slurm does not print: each record is parsed as a whole. */
const otherwise = (text: string) => text.replace(/^( {6}"\w+"):/gm, "$1 :");

test("a node that is laid out in lines is read as one that is not", () => {
  const own = fc.record(
    {
      hostname: fc.constantFrom("", "ip-1", null, 7),
      address: fc.constantFrom("", "10.0.0.4", undefined),
      state: fc.constantFrom(["IDLE"], ["MIXED", "CLOUD"], "DOWN*", 7),
      state_flags: fc.constantFrom(["CLOUD"], null),
      alloc_cpus: fc.constantFrom(0, 4, -1, "4", null),
      reason_changed_at: fc.constantFrom(0, 7, { set: false, number: 7 }, "late"),
      slurmd_start_time: fc.constantFrom(0, 7, null, "late"),
      cpu_load: fc.constantFrom(0, 5, null, { set: true }),
      features: fc.constantFrom("fast", ["fast", "big"], null),
    },
    { requiredKeys: [] },
  );
  const names = ["htc-1", "htc-2", "", "x".repeat(256), null];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...names), own), { minLength: 1, maxLength: 4 }),
      (drawn) => {
        const nodes = drawn.map(([name, fields], index) => slurmNode(index, { ...fields, name, last: 1 }));
        const text = JSON.stringify({ nodes }, null, 2);
        const read = (scontrol: string) =>
          asJson(
            driverOf().interpret(
              { ...answersOfSlurm({ jobs: [], nodes }), scontrol: answer(scontrol) },
              context,
            ),
          );
        expect(read(text)).toEqual(read(otherwise(text)));
      },
    ),
    cases(500),
  );
});

test("a job that is laid out in lines is read as one that is not", () => {
  const own = fc.record(
    {
      gres_detail: fc.constantFrom([], ["gpu:1"], null, 7),
      preempt_time: fc.constantFrom(null, { set: true, infinite: false, number: 60 }, "late"),
      job_resources: fc.constantFrom({}, { nodes: "htc-1" }, { allocated_nodes: [{ nodename: "htc-1" }] }),
      command: fc.constantFrom("", "/bin/ü", '\n      "job_id": 9,'),
    },
    { requiredKeys: [] },
  );
  const alike = fc.array(
    fc
      .tuple(differing, own)
      .map((fields) => ({ comment: "\u0000", ...waitingJob(Object.assign({}, ...fields)) })),
    { minLength: 1, maxLength: 4 },
  );
  const swaps = fc.array(fc.tuple(fc.nat(), replaced), { maxLength: 2 });
  fc.assert(
    fc.property(alike, swaps, (jobs, changes) => {
      let text = printed(jobs);
      for (const [index, [name, value]] of changes) {
        const places = [...text.matchAll(new RegExp(`(?<=\n {6}"${name}": ).*(?=,\n)`, "g"))];
        const place = places[index % Math.max(1, places.length)];
        if (place !== undefined)
          text = `${text.slice(0, place.index)}${value}${text.slice(place.index + place[0].length)}`;
      }
      const read = (squeue: string) =>
        asJson(driverOf().interpret({ ...answersOfSlurm({ jobs: [] }), squeue: answer(squeue) }, context));
      expect(read(text)).toEqual(read(otherwise(text)));
    }),
    { ...cases(500), examples: [[[{ comment: "", ...waitingJob() }], [[0, ["comment", nested]]]]] },
  );
});

test("jobs from folders of their own leave the same text, though the folder is the last field", () => {
  const cutter = new FieldCutter(["job_id", "current_working_directory"]);
  const cut = (id: number, folder: string) =>
    cutter.cut(JSON.stringify({ job_id: id, cpus: 1, current_working_directory: folder }, null, 2));
  const first = cut(7, "/home/ann");
  expect(first?.values).toEqual(["7", '"/home/ann"']);
  expect(cut(8, "/home/bob")?.rest).toBe(first?.rest);
});

test("a number beyond all numbers is not taken for one that is not set", () => {
  const driver = driverOf();
  const squeue = (cpus: string) => ({
    text: printed([waitingJob({ cpus: null })]).replace('"cpus": null', `"cpus": ${cpus}`),
    exitCode: 0,
  });
  const read = (cpus: string) =>
    driver.interpret({ ...answersOfSlurm({ jobs: [] }), squeue: squeue(cpus) }, context);
  expect(read("null")).toMatchObject({ jobs: [{ name: "7" }], setAside: [] });
  expect(read("1e999")).toMatchObject({ jobs: [], setAside: [{ record: "job 7" }] });
});

test("what did not change is the very same job, so that nothing is checked or sent again", () => {
  const driver = driverOf();
  const jobsIn = (jobs: readonly unknown[]) => {
    const squeue = { text: printed(jobs), exitCode: 0 };
    const reading = driver.interpret({ ...answersOfSlurm({ jobs: [] }), squeue }, context);
    return reading.known ? reading.jobs : [];
  };
  const [first, second] = jobsIn([waitingJob(), waitingJob({ job_id: 8 })]);
  const again = jobsIn([waitingJob(), waitingJob({ job_id: 8, priority: 10 })]);
  expect(again[0]).toBe(first);
  expect(again[1]).toEqual({ ...second, priority: 10 });
  expect(again[1]?.constraints).toBe(again[0]?.constraints);
});
