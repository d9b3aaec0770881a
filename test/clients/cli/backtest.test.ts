import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale } from "./in-process.ts";
import { fixture } from "./scenarios.ts";

const folder = ownFolder();
const tiny = fixture("tiny.swf");
const on = (trace: string, processors: number, ...more: readonly string[]) =>
  ccscale(["backtest", "--trace", trace, "--fixed-processors", `${processors}`, ...more]);

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = folder(name);
  await writeFile(path, content);
  return path;
}

const csv = (...rows: readonly string[]) => `${["job,submit,start,end,procs", ...rows].join("\n")}\n`;
const easy = csv("1,0,0,10,3", "2,0,10,20,4", "3,0,0,5,1", "4,0,20,35,1");

describe("ccscale backtest", () => {
  test("first come, first served", async () => {
    const { code, stdout, stderr } = await on(tiny, 4, "--scheduler", "fcfs", "--print", "schedule");
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: csv("1,0,0,10,3", "2,0,10,20,4", "3,0,20,25,1", "4,0,20,35,1"),
      stderr: "",
    });
  });

  test("EASY, which is the usual one", async () => {
    expect(await on(tiny, 4, "--scheduler", "easy", "--print", "schedule")).toMatchObject({ stdout: easy });
    expect(await on(tiny, 4)).toMatchObject({ code: 0, stdout: easy, stderr: "" });
  });

  test("a trace that is packed, whatever its name, and a list of jobs", async () => {
    const text = "1 0 -1 10 3 -1 -1 3 20\n";
    const list = [{ name: "=1+1", submitSeconds: 3, runSeconds: 4, constraints: { ncpus: 2 } }];
    expect(await on(await fileOf("odd-name", gzipSync(text)), 4)).toMatchObject({
      stdout: csv("1,0,0,10,3"),
    });
    // No spreadsheet runs the name.
    expect(await on(await fileOf("list.json", JSON.stringify(list)), 4)).toMatchObject({
      stdout: csv("'=1+1,3,3,7,2"),
    });
  });

  test("what is left out is reported beside the schedule", async () => {
    const trace = await fileOf("odd.swf", "1 0 -1 10 3 -1 -1 3 20\n2 0 -1 0 3 -1\nodd\n3 0 -1 5 9\n");
    const { code, stdout, stderr } = await on(trace, 4);
    expect({ code, stdout }).toEqual({ code: 0, stdout: csv("1,0,0,10,3") });
    expect(stderr.split("\n")).toEqual([
      "left out: 1 record: no run time above 0 (line 2)",
      "left out: 1 record: fewer than 5 columns (line 3)",
      "left out: job 3 needs 9 processors, the fleet has 4",
      "",
    ]);
  });

  test("an empty trace has an empty schedule; a file without one usable job is the wrong file", async () => {
    expect(await on(await fileOf("empty.swf", "; nothing ran\n"), 4)).toMatchObject({
      code: 0,
      stdout: csv(),
      stderr: "The workload has no jobs: nothing runs and nothing is bought.\n",
    });
    const wrong = await on(await fileOf("wrong.txt", "this is no trace at all\n"), 4);
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("it has no usable job");
    const object = await on(await fileOf("jobs.json", '{"jobs": []}'), 4);
    expect(object).toMatchObject({ code: 1, stdout: "" });
    expect(object.stderr).toContain("a JSON object, expected a list of jobs or a trace");
    const cut = await on(await fileOf("cut.json", '[{"name": "a", "runSeconds": 5}, {"name'), 4);
    expect(cut.stderr).toContain("the list does not end, at item [1]");
    const packed = gzipSync("1 0 -1 10 3 -1 -1 3 20\n".repeat(99));
    const end = await on(await fileOf("cut.swf.gz", packed.subarray(0, packed.length / 2)), 4);
    expect(end.stderr).toContain("it is packed by gzip, and its end is missing");
  });

  test("what sacct printed, and Grid Engine's accounting file", async () => {
    const sacct = await fileOf(
      "sacct.txt",
      "JobID|Submit|ElapsedRaw|ReqCPUS|State\n7|1000|10|3|COMPLETED\n7.batch|1000|10|3|COMPLETED\n8|1000|5|1|RUNNING\n",
    );
    const numbers = Array.from({ length: 23 }, () => "0");
    const record = [
      "all.q",
      "h",
      "g",
      "ada",
      "run",
      "9",
      "sge",
      "0",
      "1000",
      "1001",
      "1011",
      ...numbers,
      "2",
      "0",
    ];
    const qacct = await fileOf("accounting", `${record.join(":")}\n`);
    const from = (...argv: readonly string[]) => ccscale(["backtest", ...argv, "--fixed-processors", "4"]);
    expect(await from("--sacct", sacct)).toEqual({
      code: 0,
      stdout: csv("7,1000,1000,1010,3"),
      stderr: "left out: 1 record: it still runs (line 4)\n",
    });
    expect(await from("--qacct", qacct)).toEqual({ code: 0, stdout: csv("9,1000,1000,1010,2"), stderr: "" });
    const wrong = await from("--sacct", await fileOf("wrong-columns.txt", "JobID|State\n"));
    expect(wrong.stderr).toMatch(
      /no column Submit or Eligible, no column ElapsedRaw.*\nPrint it with: TZ=UTC sacct /,
    );
    expect((await from("--sacct", sacct, "--trace", tiny)).code).not.toBe(0);
  });

  test.each([
    { argv: ["--trace", "none.swf", "--fixed-processors", "4"], says: 'Cannot read "none.swf"' },
    { argv: ["--trace", tiny, "--fixed-processors", "0"], says: "expected a whole number, 1 or above" },
    { argv: ["--trace", tiny], says: "--fixed-processors" },
    { argv: ["--fixed-processors", "4"], says: "--trace" },
    { argv: ["--trace", tiny, "--fixed-processors", "4", "--scheduler", "lifo"], says: "fcfs, easy" },
  ])("$argv is refused", async ({ argv, says }) => {
    const { code, stdout, stderr } = await ccscale(["backtest", ...argv]);
    expect({ code: code !== 0, stdout }).toEqual({ code: true, stdout: "" });
    expect(stderr).toContain(says);
  });
});
