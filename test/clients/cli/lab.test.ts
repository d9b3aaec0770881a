import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { connectPanel } from "../../../clients/cli/lab/panel.ts";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import { labExamples } from "../../../clients/cli/reference/lab-examples.ts";
import {
  createManualClock,
  loadDefinition,
  type ManualClock,
  type RunningCycleCloud,
  startCycleCloud,
} from "../../../infra/local/cyclecloud/index.ts";
import { connectControl } from "../../../infra/local/demo/simulator.ts";
import { type RunningScheduler, runScheduler } from "../../../infra/local/scheduler/run.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { ccscale, type Finished } from "./in-process.ts";

const account = { username: "demo", password: "demo" };
/** Where nothing listens. */
const nowhere = "http://127.0.0.1:9";

const folder = ownFolder();
let clock: ManualClock;
let server: RunningCycleCloud;
let scheduler: RunningScheduler;

/** The file that `npm start` would write. */
const local = () => folder("environment.json");
const environment = (cycleCloudUrl: string, more = {}) =>
  writeFile(local(), JSON.stringify({ cycleCloudUrl, functionsUrl: nowhere, cluster: "lab", ...more }));

/** A simulator with its scheduler, for all tests until the next one: what a test breaks, it takes back. */
async function startWorld(): Promise<void> {
  clock = createManualClock();
  const file = new URL("../../../examples/lab/cluster.json", import.meta.url);
  server = await startCycleCloud({ definitions: [await loadDefinition(file)], ...account, seed: 1, clock });
  await environment(server.url);
  const control = await connectControl(server.url, 1);
  const reported = Promise.withResolvers<void>();
  scheduler = runScheduler({
    jobs: [],
    access: { ...account, url: server.url, cluster: "lab" },
    simulatedSeconds: () => clock.nowSeconds(),
    speed: 1,
    post: () => Promise.resolve(),
    takeEvents: () => Promise.resolve(),
    takeOrders: async (report) => {
      const orders = await control.takeOrders("lab", { ...report, source: "demo-scheduler" });
      reported.resolve();
      return orders;
    },
  });
  await reported.promise;
}
async function stopWorld(): Promise<void> {
  await scheduler.stop();
  await server.stop();
}
beforeAll(startWorld);
beforeEach(() => environment(server.url));
afterAll(stopWorld);

/** Types a line of `ccscale lab`. */
function lab(line: string): Promise<Finished> {
  const files = (word: string) => (word === "lab-jobs.json" ? folder(word) : word);
  const place = line.startsWith("hint") ? [] : ["--local", local()];
  return ccscale(["lab", ...wordsOf(line).map(files), ...place]);
}

async function boot(nodearray: string, count: number): Promise<void> {
  const response = await fetch(`${server.url}/clusters/lab/nodes/create`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("demo:demo")}` },
    body: JSON.stringify({ sets: [{ nodearray, count }] }),
  });
  expect(response.status).toBe(202);
  clock.advance(600);
}

const broken = async () => (await lab("status")).stdout.split("Broken now\n")[1] ?? "";

describe("what a command breaks, the status names, and it is taken back", () => {
  test.each([
    ["drought htc", "htc (Standard_F4s_v2, Standard_F8s_v2): no capacity", "drought htc --off"],
    [
      "drought htc --size F8s_v2 --mode fail",
      "htc (Standard_F8s_v2): no capacity, nodes fail",
      "drought htc --off",
    ],
    ["fail memory --share 30%", "memory (Standard_D8as_v5): 30 % of boots fail", "fail memory --off"],
    ["fail memory --next 1", "the next boot of each size fails", "fail memory --off"],
    ["slow htc", "boots take 5 times as long", "slow htc --off"],
    ["slow htc --stuck Acquiring", "new nodes stay in Acquiring", "slow htc --off"],
    ["evict --nodearray htc-spot --per-hour 6", "evicted 6 times an hour, was 0", "evict -a htc-spot --off"],
    ["outage", "CycleCloud answers every call with 503", "outage --off"],
    ["outage login", "CycleCloud refuses every login", "down --off"],
    ["silence", 'The agent of "demo-scheduler" has stopped', "silence --off"],
    ["limit htc --max-cores 8", "MaxCoreCount of htc is 8, was 160", "limit htc --max-cores 160"],
    ["limit --max-nodes 8", "MaxCount of the cluster is 8, was 60", "limit --max-nodes 60"],
    ["quota --cores 9", "The quota of all regular cores in westeurope is 9, was 500", "quota --cores 500"],
    ["sizes htc --add D8as_v5", "htc has Standard_D8as_v5 as well", "sizes htc --remove D8as_v5"],
    ["sizes htc --remove F8s_v2", "htc lacks Standard_F8s_v2", "sizes htc --add F8s_v2"],
  ])("%s", async (line, words, back) => {
    expect((await lab(line)).code).toBe(0);
    expect(await broken()).toContain(words);
    expect((await lab(back)).code).toBe(0);
    expect(await broken()).toContain("Nothing: all is as it was");
  });

  test("the way back that a command prints is one", async () => {
    for (const line of [
      "drought htc --size F4s_v2",
      "fail htc --cluster lab",
      "slow htc",
      "silence",
      "outage",
    ]) {
      const { stdout } = await lab(line);
      const back =
        /^Back: ccscale lab (.*?)(?: --local \S+)?(?: --cluster lab)?$/m.exec(stdout)?.[1] ?? "none";
      expect(stdout).toContain(local());
      expect(stdout.includes("--cluster lab")).toBe(line.endsWith("--cluster lab"));
      expect((await lab(back)).code).toBe(0);
    }
    expect(await broken()).toContain("Nothing");
  });

  test("reset takes everything back at once", async () => {
    for (const line of ["drought htc", "fail htc", "outage login", "silence", "quota --spot-cores 1"])
      await lab(line);
    expect((await lab("reset")).stdout).toBe("Everything is as it was when the environment started.\n");
    expect(await broken()).toContain("Nothing");
  });

  test("CCSCALE_CLUSTER names the cluster, as for every other command; an empty one names none", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("CCSCALE_CLUSTER", "other");
    for (const line of ["status", "cancel 1", "fail htc"])
      expect(await lab(line)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no cluster "other", only lab'),
      });
    expect(await lab("status --cluster lab")).toMatchObject({ code: 0 });
    vi.stubEnv("CCSCALE_CLUSTER", "");
    expect(await lab("status")).toMatchObject({ code: 0 });
    vi.stubEnv("CCSCALE_CLUSTER", undefined);
    expect(await lab("status --cluster=")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected the name of a cluster"),
    });
  });

  test("status as JSON has the whole state of the cluster", async () => {
    await lab("limit htc --max-nodes 3");
    const { stdout } = await ccscale(["lab", "status", "--format", "json", "--local", local()]);
    expect(JSON.parse(stdout)).toMatchObject({
      outage: null,
      cluster: { name: "lab", limits: [{ nodeArray: "htc", limit: "maxCount", was: 40, is: 3 }] },
    });
  });
});

describe("what is asked for wrongly", () => {
  test.each([
    ["drought", 2, "missing required argument 'array'"],
    ["fail htc --next 1 --share 0.5", 2, "cannot be used with"],
    ["fail htc --share 2", 2, "expected a share such as 30% or 0.3"],
    ["slow htc --factor 0", 2, "expected a number above 0"],
    ["evict", 2, "no nodes, expected names or --nodearray"],
    ["evict --per-hour 3", 2, "expected with --nodearray"],
    ["quota", 2, "no quota, expected at least one of"],
    ["quota --family standardFSv2Family", 2, "expected such as standardFSv2Family=64"],
    ["limit htc", 2, "no limit, expected --max-nodes or --max-cores"],
    ["sizes htc", 2, "no size, expected --add or --remove"],
    ["outage sideways", 2, "Allowed choices are unavailable, login, slow"],
    ["exercise 6", 2, "expected a number from 1 to 5"],
    ["check", 2, "missing required argument"],
    ["drought hct", 1, 'no node array "hct", only htc, htc-spot, memory'],
    ["drought htc --size F9", 1, "only Standard_F4s_v2, Standard_F8s_v2"],
    ["sizes htc --add Standard_Nowhere", 1, "not in the catalogue"],
    ["kill htc-1", 1, 'no node "htc-1"'],
    ["evict --nodearray htc-spot", 1, 'Node array "htc-spot" has no nodes to evict'],
    ["evict --nodearray htc --per-hour 1", 1, "it is no spot array"],
    ["submit nowhere.json", 1, 'Cannot read "nowhere.json"'],
    ["check 3", 1, "Exercise 3 is not set up"],
    ["status --cluster other", 1, 'no cluster "other", only lab'],
  ])("%s ends with %i", async (line, code, words) => {
    const finished = await lab(line);
    expect(finished).toMatchObject({ code, stdout: "" });
    expect(finished.stderr).toContain(words);
  });

  test("jobs that do not check out are named in sentences, each with its place and what was meant", async () => {
    const file = folder("misspelt.json");
    const list = [
      { name: "a", runSecond: 5 },
      { name: "b", runSeconds: -1, constraints: { ncpu: 2 } },
      { name: "c", runSeconds: 5, walltime: 9 },
    ];
    await writeFile(file, JSON.stringify(list));
    const finished = await lab(`submit ${file}`);
    expect(finished).toMatchObject({ code: 1, stdout: "" });
    expect(finished.stderr.split("\n")[0]?.split("; jobs")).toEqual([
      "error: jobs[0].runSeconds: expected for how many seconds the job runs",
      '[0]: runSecond is not known; did you mean "runSeconds"?',
      "[1].runSeconds: -1, expected more than 0 seconds",
      '[1].constraints: ncpu is not known; did you mean "ncpus"?',
      "[2]: walltime is not known, expected name, submitSeconds, runSeconds, constraints, iterations, nodeCount, colocated",
    ]);
    await writeFile(file, "{}");
    expect((await lab(`submit ${file}`)).stderr).toMatch(/^error: jobs: \{\}, expected a list of jobs\n/);
  });

  test("a regular node is not evicted", async () => {
    await boot("htc", 1);
    expect((await lab("evict htc-1")).stderr).toContain("it is no spot node");
  });

  test("where no scheduler runs, nothing is submitted or silenced", async () => {
    const file = new URL("../../../examples/lab/cluster.json", import.meta.url);
    const lonely = await startCycleCloud({ definitions: [await loadDefinition(file)], ...account, clock });
    await environment(lonely.url);
    for (const line of ["silence", "queue", "cancel a", "exercise 1"])
      expect(await lab(line)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('No simulated scheduler runs on cluster "lab"'),
      });
    expect((await lab("status")).stdout).toContain("none runs on this cluster");
    await lonely.stop();
  });

  test("an exercise on a cluster without its arrays says what to start", async () => {
    const small = new URL("../../../infra/local/cyclecloud/clusters/small-cpu.json", import.meta.url);
    const definition = { ...(await loadDefinition(small)), name: "lab" };
    const other = await startCycleCloud({ definitions: [definition], ...account, clock });
    await environment(other.url);
    const progress = { total: 0, waiting: 0, running: 0, done: 0, later: 0 };
    await fetch(`${other.url}/_control/scheduler/lab`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ source: "s", takenOrder: 0, progress, jobs: [] }),
    });
    expect((await lab("exercise 4")).stderr).toContain('needs node array "htc-spot"');
    await other.stop();
  });
});

describe("only a simulator on this machine is touched", () => {
  let calls: string[];
  let stranger: Server;
  beforeEach(async () => {
    calls = [];
    stranger = createServer((request, response) => {
      calls.push(`${request.method} ${request.url} ${request.headers.authorization ?? "without a login"}`);
      if (request.url?.includes("redirected") === true)
        response.writeHead(302, { location: `${server.url}/_control/state` });
      else response.writeHead(200, { "content-type": "text/html" });
      response.end("<html>Azure CycleCloud</html>");
    });
    stranger.listen(0, "127.0.0.1");
    await once(stranger, "listening");
  });
  afterEach(() => new Promise((closed) => stranger.close(closed)));

  test.each([
    "https://cyclecloud.example",
    "http://cyclecloud.example:8080",
    "http://10.0.0.4",
    "ftp://127.0.0.1",
    "none",
  ])("a CycleCloud at %s is refused without a call", async (url) => {
    await environment(url);
    const { code, stderr } = await lab("drought htc");
    expect(code).toBe(1);
    expect(stderr).toContain("not on this machine, expected the simulator");
  });

  test("a service elsewhere is refused without a call: exercises delete nodes through it", async () => {
    await environment(server.url, { functionsUrl: "https://autoscale.example" });
    const { code, stderr } = await lab("exercise 1");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not on this machine"),
    });
    expect(calls).toEqual([]);
  });

  test("a CycleCloud behind a port of this machine is asked who it is, without a login, and refused", async () => {
    await environment(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}`);
    for (const line of ["drought htc", "reset", "outage", "status"]) {
      const { code, stderr } = await lab(line);
      expect(code).toBe(1);
      expect(stderr).toContain("it does not say that it is the simulator");
    }
    expect(new Set(calls)).toEqual(new Set(["GET /_control/state without a login"]));
  });

  test("no local environment, one that has ended, and one that was killed", async () => {
    await expect(connectPanel({ local: folder("none.json") })).rejects.toMatchObject({
      message: expect.stringMatching(/^Cannot find the local environment: ".*" is not there$/),
      next: expect.stringContaining('Start it with "npm start"'),
    });
    await environment(nowhere);
    expect((await lab("status")).stderr).toContain("Cannot reach the simulator at http://127.0.0.1:9");
    await environment(server.url, { pid: 2 ** 30 });
    expect((await lab("status")).stderr).toContain("has ended");
  });

  test("no command takes an address", async () => {
    const { code, stderr } = await lab(`status --url ${server.url}`);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option") });
  });
});

test("hints come one by one, and exercises name no cause before", async () => {
  for (const number of [1, 2, 3, 4, 5]) {
    const first = await lab(`hint ${number}`);
    expect(first.stdout).toContain(`More: ccscale lab hint ${number} 2`);
    expect((await lab(`hint ${number} 9`)).stdout).toContain("docs/lab.md has the solution");
  }
});

test("the examples of the command page", async () => {
  await stopWorld();
  await startWorld();
  const sweep = { name: "sweep", runSeconds: 600, constraints: { ncpus: 2 }, iterations: 4 };
  await writeFile(folder("lab-jobs.json"), JSON.stringify([sweep]));
  await boot("htc-spot", 4);
  await boot("htc", 2);
  const transcripts: string[] = [];
  const show = async (line: string): Promise<void> => {
    const { code, stdout, stderr } = await ccscaleShown(line);
    // The line is shown without its file, so the way back is too.
    const printed = stdout.replaceAll(` --local ${local()}`, "");
    transcripts.push(`$ ccscale ${line}\n${printed}${stderr}${code === 0 ? "" : `[exit code ${code}]\n`}`);
  };
  const late = ["lab status", "lab reset", "lab exercise", "lab exercise 1", "lab hint 1", "lab check 1"];
  const lines = Object.values(labExamples).flatMap((list) => list.map(({ line }) => line));
  for (const line of lines.filter((each) => !late.includes(each))) {
    await show(line);
    if (line.startsWith("lab submit"))
      await expect.poll(async () => (await lab("queue")).stdout).toMatch(/sweep +2 +2/);
  }
  await show("lab status");
  await show("lab reset");
  // An exercise begins without nodes; the service, which would delete them, is not here.
  for (const { nodes } of [server.control.ledger("lab")])
    server.control.kill({
      cluster: "lab",
      names: nodes.filter(({ terminatedAt }) => terminatedAt === null).map(({ name }) => name),
    });
  for (const line of late.slice(2)) await show(line);
  await expect(transcripts.join("\n")).toMatchFileSnapshot("../../../clients/cli/reference/printed/lab.txt");
});

async function ccscaleShown(line: string): Promise<Finished> {
  const shown = await lab(line.slice("lab ".length));
  // What is left of an outage, of which a moment has passed.
  return { ...shown, stdout: shown.stdout.replaceAll(/another \S+\.$/gm, "another 9m59s.") };
}
