import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TimeZone, type TraceJob } from "../../../shared/backtest/index.ts";
import { type ListedWorkload, readSacct } from "./read-whole.ts";

const header =
  "JobID|JobName|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqTRES|NNodes";

/** What `sacct --parsable2` prints, with steps, an array, a cancelled job and one that waits. */
const printed = [
  header,
  "101|relax|ada|physics|htc|2027-01-15T10:00:00|2027-01-15T10:05:00|2027-01-15T11:05:00|3600|120|COMPLETED|billing=8,cpu=8,mem=32G,node=1|1",
  "101.batch|batch||physics||2027-01-15T10:05:00|2027-01-15T10:05:00|2027-01-15T11:05:00|3600||COMPLETED||1",
  "101.extern|extern||physics||2027-01-15T10:05:00|2027-01-15T10:05:00|2027-01-15T11:05:00|3600||COMPLETED||1",
  "102_1|sweep|bob|chem|htc|2027-01-15T09:59:00|2027-01-15T10:05:00|2027-01-15T10:06:30|90|UNLIMITED|FAILED|billing=1,cpu=1,mem=1500M,node=1,gres/gpu:a100=2|1",
  "102_[2-9%3]|sweep|bob|chem|htc|2027-01-15T09:59:00|Unknown|Unknown|0||PENDING|cpu=1,mem=1500M,node=1|1",
  "103|mpi|cy|chem|hpc|2027-01-15T10:01:00|2027-01-15T10:30:00|2027-01-15T12:30:00|7200|1440|TIMEOUT|cpu=240,mem=900G,node=2|2",
  "104|gone|cy|chem|hpc|2027-01-15T10:02:00|None|2027-01-15T10:02:30|0|60|CANCELLED by 1000|cpu=4,node=1|1",
  "105|long|cy|chem|hpc|2027-01-15T10:02:00|2027-01-15T10:03:00|Unknown|900|60|RUNNING|cpu=4,node=1|1",
].join("\n");

function workload(text: string): ListedWorkload {
  const read = readSacct(text);
  if ("missing" in read) throw new Error(`no column ${read.missing.join(", ")}`);
  return read;
}

const one = (columns: string, row: string): TraceJob | undefined => workload(`${columns}\n${row}`).jobs[0];
const at = (text: string) => Date.parse(text) / 1_000;

describe("readSacct", () => {
  test("jobs and tasks of arrays; steps are passed over, what has not run is named", () => {
    expect(workload(printed)).toEqual({
      jobs: [
        {
          name: "102_1",
          submitSeconds: at("2027-01-15T09:59:00Z"),
          runSeconds: 90,
          requestedSeconds: null,
          processors: 1,
          nodes: 1,
          memoryGiB: 1500 / 1024,
          gpus: 2,
          user: "bob",
          account: "chem",
          queue: "htc",
          jobName: "sweep",
        },
        {
          name: "101",
          submitSeconds: at("2027-01-15T10:00:00Z"),
          runSeconds: 3600,
          requestedSeconds: 7200,
          processors: 8,
          nodes: 1,
          memoryGiB: 32,
          user: "ada",
          account: "physics",
          queue: "htc",
          jobName: "relax",
        },
        expect.objectContaining({ name: "103", processors: 240, nodes: 2, requestedSeconds: 86_400 }),
      ],
      leftOut: [
        { why: "it has not started yet", count: 1, where: ["line 6"] },
        { why: "no run time above 0", count: 1, where: ["line 8"] },
        { why: "it still runs", count: 1, where: ["line 9"] },
      ],
      remarks: [],
    });
  });

  test("of a job that was requeued the last run counts", () => {
    const text = [
      "JobID|Submit|Elapsed|State|ReqCPUS",
      "7|2027-01-15T10:00:00|01:00:00|REQUEUED|4",
      "7|2027-01-15T10:00:00|00:10:00|NODE_FAIL|4",
      "7|2027-01-15T12:00:00|02:00:00|COMPLETED|4",
      "7|2027-01-15T11:00:00|00:30:00|PREEMPTED|4",
    ].join("\n");
    const { jobs, leftOut } = workload(text);
    expect(jobs.map(({ runSeconds }) => runSeconds)).toEqual([7200]);
    const why = "an earlier run of a job that was requeued or resized";
    expect(leftOut).toEqual([{ why, count: 3, where: ["line 2", "line 3", "line 5"] }]);
  });

  test.each([
    ["2027-03-28T10:00:00", "2027-03-28T10:00:00Z"],
    ["2027-03-28T10:00:00Z", "2027-03-28T10:00:00Z"],
    ["2027-03-28T10:00:00+0200", "2027-03-28T08:00:00Z"],
    ["2027-03-28T10:00:00-05:30", "2027-03-28T15:30:00Z"],
    ["1806235200", "2027-03-28T12:00:00Z"],
  ])("the time %s", (text, expected) => {
    expect(one("JobID|Submit|ElapsedRaw|NCPUS", `1|${text}|60|1`)?.submitSeconds).toBe(at(expected));
  });

  test.each(["2027-02-30T10:00:00", "2027-13-01T10:00:00", "Unknown", "10:00:00", "", "yesterday"])(
    "the time %j is none",
    (text) => {
      const { jobs, leftOut } = workload(`JobID|Submit|ElapsedRaw|NCPUS\n1|${text}|60|1`);
      expect(jobs).toEqual([]);
      expect(leftOut).toEqual([
        { why: "no time of submission that can be read", count: 1, where: ["line 2"] },
      ]);
    },
  );

  test("a job counts from when it could start, where the text has that", () => {
    const columns = "JobID|Submit|Eligible|ElapsedRaw|NCPUS";
    expect(one(columns, "1|1000000000|1000000600|60|1")?.submitSeconds).toBe(1_000_000_600);
    expect(one(columns, "1|1000000000|Unknown|60|1")?.submitSeconds).toBe(1_000_000_000);
  });

  test("local times over a change of the clocks are noticed", () => {
    const columns = "JobID|Submit|Start|End|ElapsedRaw|NCPUS";
    const night = "1|2027-03-28T00:00:00|2027-03-28T01:30:00|2027-03-28T03:30:00|3600|1";
    const exact = night.replaceAll(/:00\|/g, ":00Z|");
    expect(workload(`${columns}\n${night}`).remarks?.map(({ where }) => where)).toEqual([["line 2"]]);
    expect(workload(`${columns}\n${exact}`).remarks).toEqual([]);
  });

  describe("in a time zone", () => {
    const columns = "JobID|Submit|Start|End|ElapsedRaw|NCPUS";
    const stockholm = { timeZone: new TimeZone("Europe/Stockholm") };
    const read = (row: string) => {
      const text = readSacct(`${columns}\n${row}`, stockholm);
      if ("missing" in text) throw new Error("no columns");
      return { submitSeconds: text.jobs[0]?.submitSeconds, remarks: text.remarks?.map(({ why }) => why) };
    };
    const clocks = "the clocks of Europe/Stockholm";
    const twice = `submitted in the hour that ${clocks} had twice: taken for the first time`;
    const never = `submitted at a time that ${clocks} passed over: taken as if they had not changed`;
    const wrong =
      "start and end are not as far apart as the job ran: were its times printed in Europe/Stockholm?";

    test.each([
      ["winter", "01-15T10:00|01-15T10:05|01-15T11:05|3600", "01-15T09:00", []],
      ["summer", "07-15T10:00|07-15T10:05|07-15T11:05|3600", "07-15T08:00", []],
      ["over the night in spring", "03-28T01:00|03-28T01:30|03-28T03:30|3600", "03-28T00:00", []],
      ["over the night in autumn", "10-31T01:00|10-31T01:30|10-31T03:30|10800", "10-30T23:00", []],
      ["an hour that came twice", "10-31T02:30|||60", "10-31T00:30", [twice]],
      ["the start decides", "10-31T02:05|10-31T02:10|10-31T03:10|7200", "10-31T00:05", []],
      ["a start in that hour, too", "10-31T02:05|10-31T02:10|10-31T03:10|3600", "10-31T00:05", [twice]],
      ["a time that never was", "03-28T02:30|||60", "03-28T01:30", [never]],
      ["times of another zone", "10-31T01:00|10-31T01:30|10-31T03:30|7200", "10-30T23:00", [wrong]],
    ])("%s", (_, times, submitted, remarks) => {
      const row = `1|${times.replaceAll(/\d\d-\d\dT\d\d:\d\d/g, "2027-$&:00")}|1`;
      expect(read(row)).toEqual({ submitSeconds: at(`2027-${submitted}:00Z`), remarks });
    });

    test("a time that names its zone keeps it", () => {
      expect(read("1|2027-07-15T10:00:00Z|||60|1").submitSeconds).toBe(at("2027-07-15T10:00:00Z"));
    });

    test("any moment is found again; in an hour that came twice it is one of two", () => {
      const names = ["Europe/Stockholm", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"];
      fc.assert(
        fc.property(fc.constantFrom(...names), fc.integer({ min: 1e9, max: 2e9 }), (timeZone, seconds) => {
          const wall = new Date(seconds * 1_000).toLocaleString("sv-SE", { timeZone });
          const found = new TimeZone(timeZone).momentOf(at(`${wall.replace(" ", "T")}Z`));
          expect([found.seconds, found.again]).toContain(seconds);
          expect(found.isSkipped).toBeUndefined();
        }),
      );
    });
  });

  test.each([
    ["ReqMem", "8G", 8],
    ["ReqMem", "4000M", 4000 / 1024],
    ["ReqMem", "4Gn", 8],
    ["ReqMem", "1.50Gc", 24],
    ["ReqMem", "0", undefined],
    ["ReqMem", "", undefined],
    ["ReqTRES", "cpu=16,mem=1T,node=2", 1024],
    ["AllocTRES", "cpu=16,mem=20G,node=2", 20],
  ])("memory of all nodes, %s %j", (column, value, expected) => {
    const job = one(`JobID|Submit|ElapsedRaw|ReqCPUS|NNodes|${column}`, `1|1000000000|60|16|2|${value}`);
    expect(job?.memoryGiB).toBe(expected);
  });

  test("what was asked for comes before what was given", () => {
    const columns = "JobID|Submit|ElapsedRaw|ReqCPUS|AllocCPUS|NNodes|ReqTRES|AllocTRES";
    const job = one(
      columns,
      "1|1000000000|60|10|64|2|cpu=10,mem=4G,node=1|cpu=64,mem=200G,node=2,gres/gpu=3",
    );
    expect(job).toMatchObject({ processors: 10, nodes: 1, memoryGiB: 4, gpus: 3 });
    expect(one("JobID|Submit|ElapsedRaw|AllocCPUS", "1|1000000000|60|64")).toMatchObject({ processors: 64 });
  });

  test.each([
    ["Timelimit", "1-02:03:04", 93_784],
    ["Timelimit", "30:00", 1_800],
    ["Timelimit", "UNLIMITED", null],
    ["Timelimit", "Partition_Limit", null],
    ["TimelimitRaw", "90", 5_400],
    ["TimelimitRaw", "", null],
  ])("requested time, %s %j", (column, value, expected) => {
    const job = one(`JobID|Submit|ElapsedRaw|NCPUS|${column}`, `1|1000000000|60|1|${value}`);
    expect(job?.requestedSeconds).toBe(expected);
  });

  test("a name that holds the delimiter makes a line unreadable, and another delimiter readable", () => {
    const bad = workload("JobID|JobName|Submit|ElapsedRaw|NCPUS\n1|a|b|1000000000|60|1");
    expect(bad.leftOut).toEqual([
      {
        why: 'not 5 columns, as the first line has (does a name hold "|"?)',
        count: 1,
        where: ["line 2"],
      },
    ]);
    expect(one("JobID^JobName^Submit^ElapsedRaw^NCPUS", "1^a|b^1000000000^60^1")?.jobName).toBe("a|b");
    expect(one("JobID|JobName|Submit|ElapsedRaw|NCPUS|", "1|a|1000000000|60|1|")?.jobName).toBe("a");
  });

  test("missing columns are named, all at once", () => {
    expect(readSacct("JobID|State\n1|COMPLETED")).toEqual({
      missing: [
        "Submit or Eligible",
        "ElapsedRaw or Elapsed",
        "ReqCPUS or ReqTRES or AllocCPUS or NCPUS or AllocTRES",
      ],
    });
    expect(readSacct("")).toHaveProperty("missing.length", 4);
  });

  const jobs = fc.uniqueArray(
    fc.record({
      name: fc.nat(99_999).map(String),
      submitSeconds: fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }),
      runSeconds: fc.integer({ min: 1, max: 10_000_000 }),
      requestedSeconds: fc.option(fc.integer({ min: 1, max: 100_000 }).map((minutes) => minutes * 60)),
      processors: fc.integer({ min: 1, max: 100_000 }),
      user: fc.stringMatching(/^[a-z<>&"';:=]{1,9}$/),
    }),
    { selector: ({ name }) => name },
  );
  const cells: Readonly<Record<string, (job: TraceJob) => string>> = {
    JobID: ({ name }) => name,
    Submit: ({ submitSeconds }) => `${new Date(submitSeconds * 1_000).toISOString().slice(0, 19)}+0000`,
    ElapsedRaw: ({ runSeconds }) => String(runSeconds),
    TimelimitRaw: ({ requestedSeconds }) => String((requestedSeconds ?? 0) / 60 || "UNLIMITED"),
    ReqCPUS: ({ processors }) => String(processors),
    User: ({ user }) => user ?? "",
  };

  test("what is printed is read, whatever the order of the columns", () => {
    const columns = fc.shuffledSubarray(Object.keys(cells), { minLength: Object.keys(cells).length });
    fc.assert(
      fc.property(jobs, columns, (all, names) => {
        const rows = all.map((job) => names.map((name) => cells[name]?.(job)).join("|"));
        const read = workload([names.join("|"), ...rows].join("\n"));
        expect(read.leftOut).toEqual([]);
        expect(read.jobs).toEqual(all.toSorted((a, b) => a.submitSeconds - b.submitSeconds));
      }),
      { seed: 19 },
    );
  });

  test("each line is a job, is left out with a reason, or is a step", () => {
    const cell = fc.constantFrom("", "1", "2.batch", "3_[1-2]", "60", "x", "RUNNING", "2027-01-15T10:00:00");
    const rows = fc.array(fc.array(cell, { minLength: 4, maxLength: 5 }));
    fc.assert(
      fc.property(rows, (all) => {
        const lines = all.map((row) => row.join("|")).filter((line) => line.trim() !== "");
        const read = workload(["JobID|Submit|ElapsedRaw|NCPUS|State", ...lines].join("\n"));
        const steps = lines.filter((line) => line.split("|").length === 5 && line.startsWith("2.")).length;
        const left = read.leftOut.reduce((sum, { count }) => sum + count, 0);
        expect(read.jobs.length + left + steps).toBe(lines.length);
      }),
      { seed: 19 },
    );
  });
});
