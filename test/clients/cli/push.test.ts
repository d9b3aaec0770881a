import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parseDemand } from "../../../shared/messages/job-demand.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale } from "./in-process.ts";

const folder = ownFolder();
const to = ["--cluster", "hpc", "--source", "pbs", "--print"];

async function pushed(argv: readonly string[], input: readonly string[] = []) {
  const { code, stdout, stderr } = await ccscale(["push", ...argv], input);
  return { code, stderr, message: code === 0 ? JSON.parse(stdout) : undefined };
}

describe("ccscale push --print", () => {
  test("a list of jobs from standard input becomes a snapshot that the service takes", async () => {
    const jobs = [{ name: "1", constraints: { ncpus: 4 }, iterations: 3 }];
    const { message } = await pushed([...to, "--ttl", "900", "-"], [JSON.stringify(jobs)]);
    expect(parseDemand(message).ok).toBe(true);
    expect(message).toMatchObject({ kind: "snapshot", cluster: "hpc", source: "pbs", ttlSeconds: 900, jobs });
    expect((await pushed([...to, "--ttl", "15m", "-"], [JSON.stringify(jobs)])).message.ttlSeconds).toBe(900);
  });

  test("scalelib's spellings are understood, and what only scalelib looks at is left out", async () => {
    const job = {
      name: "17",
      constraints: [{ ncpus: 2 }, { class: "ABCMeta" }],
      iterations: 1,
      "iterations-remaining": 1,
      "node-count": 2,
      colocated: true,
      "packing-strategy": "scatter",
      "executing-hostnames": [],
      metadata: { queue: "workq" },
    };
    const { message } = await pushed(to, [JSON.stringify([job])]);
    expect(message.jobs).toEqual([
      {
        name: "17",
        queue: "workq",
        constraints: [{ ncpus: 2 }, { "in-a-placement-group": true }],
        iterations: 1,
        nodeCount: 2,
        colocated: true,
        exclusive: false,
        packingStrategy: "scatter",
        executingHostnames: [],
        priority: 0,
      },
    ]);
  });

  test("an object with jobs and nodes keeps both", async () => {
    const both = { jobs: [{ name: "1" }], nodes: [{ hostname: "ip-0A000005", resources: { ncpus: 4 } }] };
    const { message } = await pushed(to, [JSON.stringify(both)]);
    expect(message).toMatchObject(both);
  });

  test("a packed trace becomes jobs that wait", async () => {
    const row = "1 0 5 60 4 -1 -1 4 -1 1048576 1 1 1 1 1 1 -1 -1";
    const file = folder("short.swf.gz");
    await writeFile(file, gzipSync(`; a comment\n${row}\n`));
    const { message } = await pushed([...to, file]);
    expect(message.jobs).toMatchObject([{ name: "swf-1", constraints: { ncpus: 4, memgb: 4 } }]);
  });

  test("the cluster is the one that an option, a configuration or the local environment names", async () => {
    const [config, local] = [folder("autoscale.json"), folder("environment.json")];
    await writeFile(config, JSON.stringify({ cluster_name: "from-config" }));
    await writeFile(local, JSON.stringify({ functionsUrl: "http://127.0.0.1:1", cluster: "from-local" }));
    const print = ["--source", "pbs", "--print"];
    const clusterOf = async (argv: readonly string[]) =>
      (await pushed([...print, ...argv], ["[]"])).message.cluster;
    expect(await clusterOf(["--config", config])).toBe("from-config");
    expect(await clusterOf(["--local", local])).toBe("from-local");
    expect(await clusterOf(["--config", config, "--cluster", "told"])).toBe("told");
  });

  test("without one, nothing is printed and it is said how to name it", async () => {
    const { code, stderr } = await pushed(["--source", "pbs", "--print"], ["[]"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/no cluster is named[\s\S]*--cluster/);
  });

  test("a name that no cluster can have is not printed", async () => {
    const { code, stderr } = await pushed(["--source", "pbs", "--print", "--cluster", ""], ["[]"]);
    expect(code).toBe(2);
    expect(stderr).toContain("cluster");
  });

  test("--end reads nothing, and says that the source wants nothing any more", async () => {
    const { message } = await pushed([...to, "--end"]);
    expect(message).toMatchObject({ source: "pbs", ttlSeconds: 1, jobs: [], nodes: [] });
  });

  test("an empty list is said to be one: nothing is wanted", async () => {
    const { message } = await pushed(to, ["[]"]);
    expect(message.jobs).toEqual([]);
  });
});

describe("ccscale push --print: what does not check out", () => {
  test("goes with the rest, behind it, and is named on standard error", async () => {
    const list = [{ name: "b", iterations: -1, executingHostnames: "h1" }, { name: "a" }];
    const { message, code, stderr } = await pushed(to, [JSON.stringify(list)]);
    expect(code).toBe(0);
    expect(message.jobs).toMatchObject([{ name: "a" }, list[0]]);
    expect(stderr).toMatch(/^1 item was set aside; the rest counts:\n {2}- jobs\[0\]\.iterations: -1, /);
  });
});

test("ccscale push --print: keys that have no effect are named on standard error, with what was meant", async () => {
  const jobs = [{ name: "a" }, { name: "b", constraint: { ncpus: 4 } }];
  const { code, stderr, message } = await pushed(to, [JSON.stringify(jobs)]);
  expect(code).toBe(0);
  expect(stderr).toBe('warning: jobs[1].constraint is not known; did you mean "constraints"?\n');
  expect(message.jobs[1].warnings).toEqual(['constraint is not known; did you mean "constraints"?']);
});

describe("ccscale push refuses, posts nothing, and says", () => {
  test.each([
    ["no JSON", "squeue: error", /: it is not JSON, expected a list of jobs\n/],
    ["nothing", " \n", /: it is empty, expected a list of jobs\n/],
    ["no list", '{"tasks": []}', /expected a list of jobs, or an object with a list "jobs"/],
    ["a plain value", "7", /expected a list of jobs/],
    [
      "bad jobs, each with its place",
      '[{"iterations": -1, "name": "a"}, {}]',
      /jobs\[0\]\.iterations: -1[\s\S]*jobs\[1\]\.name/,
    ],
    [
      "constraints that are none",
      '[{"name": "a", "constraints": {"ncpus": {"and": 7}}}]',
      /jobs\[0\]\.constraints/,
    ],
  ])("%s", async (_, text, problem) => {
    const { code, stderr } = await pushed(to, [text]);
    expect(code).toBe(1);
    expect(stderr).toMatch(problem);
    expect(stderr).toMatch(/Nothing was posted/);
  });

  test("a missing file, a missing source, a time to live that is none", async () => {
    expect((await pushed([...to, folder("none.json")])).stderr).toMatch(/Cannot read/);
    expect((await pushed(["--cluster", "hpc"])).stderr).toMatch(/--source/);
    expect((await pushed([...to, "--ttl", "soon"])).stderr).toMatch(/expected a length of time such as 90s/);
    expect((await pushed([...to, "--ttl", "0.5h0.5s"])).stderr).toMatch(/expected whole seconds/);
    expect((await pushed(["--cluster", "hpc", "--source", "P B S"], ["[]"])).stderr).toMatch(
      /source: "P B S"/,
    );
  });
});
