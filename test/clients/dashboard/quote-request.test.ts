import { describe, expect, test } from "vitest";
import {
  fieldsOf,
  fieldsOfSbatch,
  jobOf,
  quoteCommand,
  quoteIn,
} from "../../../clients/dashboard/views/quote-request.ts";

const nothing = {
  count: "",
  unit: "slots",
  cpus: "",
  memoryGb: "",
  gpus: "",
  runTime: "",
  nodeArray: "",
} as const;

describe("what a quote asks for", () => {
  test("only what was filled in; amounts are of each", () => {
    expect(jobOf(nothing)).toEqual({ constraints: {}, iterations: 1 });
    const fields = {
      count: "4",
      unit: "nodes",
      cpus: "8",
      memoryGb: "0",
      gpus: "1",
      runTime: "1h30m",
      nodeArray: "htc",
    } as const;
    const job = {
      constraints: { ncpus: 8, ngpus: 1, "node.nodearray": "htc" },
      nodeCount: 4,
      runtimeSeconds: 5_400,
    };
    expect(jobOf(fields)).toEqual(job);
    expect(fieldsOf(job)).toEqual({ ...fields, memoryGb: "" });
  });

  test("a run time that cannot be read is no run time of zero", () => {
    expect(() => jobOf({ ...nothing, runTime: "soon" })).toThrow('Run time: "soon"');
  });

  test("the command asks for the same", () => {
    const asked = { jobs: [{ constraints: { ncpus: 4 }, iterations: 2 }], bySeconds: 1_800_000_000 };
    expect(quoteCommand("hpc", asked)).toBe(
      `ccscale quote --cluster hpc --job '{"constraints":{"ncpus":4},"iterations":2}' --by 2027-01-15T08:00:00.000Z`,
    );
  });

  test("an address that holds anything else asks for nothing", () => {
    for (const text of [undefined, "", "{", "null", "[]", "5", '{"jobs":5}', '{"jobs":[null]}'])
      expect(quoteIn(text)).toBeUndefined();
    expect(quoteIn('{"jobs":[{"constraints":null}],"bySeconds":1e300}')).toEqual({
      jobs: [{ constraints: null }],
    });
    expect(fieldsOf({ constraints: null })).toEqual({ ...nothing, count: "1" });
  });
});

describe("a line of sbatch", () => {
  test.each([
    [
      "sbatch -p htc -n 64 -t 4:00:00 job.sh --not-read",
      { count: "64", cpus: "1", runTime: "4h", nodeArray: "htc" },
    ],
    [
      "-N2 --ntasks-per-node=16 -c 2 --time=1-12",
      { count: "2", unit: "nodes", cpus: "32", runTime: "1d12h" },
    ],
    ["-N 4-8 -n 10", { count: "4", unit: "nodes", cpus: "3" }],
    ["-n 8 --mem=32G", { count: "1", unit: "nodes", cpus: "8", memoryGb: "32" }],
    ["-n 3 -c 4 --mem-per-cpu 2000M", { count: "3", cpus: "4", memoryGb: "7.8125" }],
    ["-N 2 -G a100:8", { count: "2", unit: "nodes", cpus: "1", gpus: "4" }],
    ["-N 2 --gpus-per-node=v100:2", { count: "2", unit: "nodes", cpus: "1", gpus: "2" }],
    ["-n 6 --gpus-per-task=1 -J 'my job'", { count: "6", cpus: "1", gpus: "1" }],
    ["sbatch", { count: "1", cpus: "1" }],
  ])("%s", (line, fields) => {
    expect(fieldsOfSbatch(line)).toEqual({ ...nothing, ...fields });
  });

  test.each([
    ["sbatch --dependency=afterok:1 -n 4", /--dependency is not read here/],
    ["sbatch -n many", /"many" of --ntasks/],
    ["sbatch -n", /"" of --ntasks/],
    ["sbatch -t soon", /"soon" of --time/],
    ["sbatch --mem=0x", /"0x" of --mem/],
    ["sbatch -J 'open", /quotation mark/],
  ])("%s is refused, with the option in question", (line, why) => {
    expect(() => fieldsOfSbatch(line)).toThrow(why);
  });
});
