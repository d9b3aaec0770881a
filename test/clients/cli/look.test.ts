import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { toZip } from "../../../clients/archive/pack.ts";
import { bucketFields } from "../../../clients/cli/commands/buckets.ts";
import { run } from "../../../clients/cli/program.ts";
import { wordsOf } from "../../../clients/cli/reference/command-example.ts";
import type { BucketView } from "../../../shared/api/index.ts";
import { planScale } from "../../../shared/cycle/index.ts";
import { nodeOf } from "../../support/cluster.ts";
import { DrainingSource } from "../../support/draining-source.ts";
import { ownFolder } from "../../support/own-folder.ts";
import { type World, worldWith } from "../../support/world.ts";
import { archiveOf, busyWorld } from "./archived-world.ts";
import { ccscale } from "./in-process.ts";
import { screen } from "./output/screen.ts";

const root = ownFolder();
const folders: Record<string, string> = {};

beforeAll(async () => {
  const worlds = { busy: await busyWorld(), empty: await emptyWorld() };
  for (const [name, world] of Object.entries(worlds))
    folders[name] = await archiveOf(world, root(name), { idle_timeout: 600 });
});

afterEach(() => vi.unstubAllEnvs());

async function emptyWorld(): Promise<World> {
  const world = worldWith({ nodeArrays: [] });
  await world.snapshot();
  return world;
}

let long: Promise<World> | undefined;
/** A thousand nodes; read only, therefore made once. */
function longWorld(): Promise<World> {
  long ??= (async () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) => nodeOf({ name: `htc-${index + 1}` }));
    const world = worldWith({ nodes });
    await world.snapshot();
    return world;
  })();
  return long;
}

const offline = (name: string, argv: readonly string[]) =>
  ccscale([...argv, "--offline", folders[name] ?? "", "--cluster", "hpc"]);

describe("what commands print, compared with committed examples", () => {
  test.each([
    ["status", ["status"]],
    ["nodes", ["nodes"]],
    ["nodes-columns", ["nodes", "-o", "name,ip@private_ip:none,*ncpus,/memgb,vm@vm_size[9:],job_ids"]],
    ["nodes-csv", ["nodes", "--format", "csv"]],
    ["nodes-sorted", ["nodes", "--sort", "-delete_in,-name", "--state", "Ready,Preparing,Acquiring"]],
    ["nodes-summary", ["nodes", "--summary"]],
    ["nodes-held", ["nodes", "--held"]],
    ["buckets", ["buckets"]],
    ["buckets-boots", ["buckets", "--boots"]],
    ["limits", ["limits"]],
    ["prices", ["prices"]],
    ["jobs", ["jobs"]],
    ["jobs-summary", ["jobs", "--summary"]],
    ["demand", ["demand"]],
    ["demand-nodes", ["demand", "--nodes"]],
    ["plans", ["plans"]],
    ["plan", ["plans", "last"]],
    ["plan-at", ["plans", "--at", "2027-01-15T08:01:00Z"]],
    ["operations", ["operations"]],
    ["history", ["history", "htc-1"]],
    ["explain-too-big", ["explain", "1202"]],
    ["explain-partly", ["explain", "1203"]],
    ["explain-running", ["explain", "1200"]],
    ["validate-constraint", ["validate-constraint", "node.vm_size=Standard_F*", "ncpus=8"]],
    ["what-if", ["what-if", "--job", '{"constraints": {"ncpus": 4}, "iterations": 2}']],
    ["quote", ["quote", "--job", '{"constraints": {"ncpus": 4}, "runtimeSeconds": 3600}']],
  ])("%s", async (name, argv) => {
    const { code, stdout, stderr } = await offline("busy", argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(`examples/${name}.txt`);
  });

  test.each([
    ["status", ["status"]],
    ["nodes", ["nodes"]],
    ["buckets", ["buckets"]],
    ["limits", ["limits"]],
    ["prices", ["prices"]],
    ["jobs", ["jobs"]],
    ["demand", ["demand"]],
    ["plans", ["plans"]],
    ["operations", ["operations"]],
  ])("an empty cluster: %s", async (name, argv) => {
    const { code, stdout, stderr } = await offline("empty", argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(stdout).toMatchFileSnapshot(`examples/empty/${name}.txt`);
  });

  test.each([
    ["status", ["status"]],
    ["nodes", ["nodes"]],
    ["buckets", ["buckets"]],
    ["jobs", ["jobs"]],
    ["explain-too-big", ["explain", "1202"]],
  ])("a screen of 60 columns: %s", async (name, argv) => {
    const terminal = screen({ columns: 60 });
    vi.stubEnv("NO_COLOR", "1");
    const code = await run([...argv, "--offline", folders.busy ?? "", "--cluster", "hpc"], terminal);
    expect(code).toBe(0);
    await expect(terminal.text() + terminal.errors()).toMatchFileSnapshot(`examples/narrow/${name}.txt`);
  });

  test("in colour", async () => {
    const terminal = screen({ columns: 120 });
    vi.stubEnv("NO_COLOR", undefined);
    vi.stubEnv("FORCE_COLOR", "1");
    for (const name of ["status", "limits"])
      expect(await run([name, "--offline", folders.busy ?? "", "--cluster", "hpc"], terminal)).toBe(0);
    await expect(terminal.text()).toMatchFileSnapshot("examples/colour.txt");
  });
});

describe("nodes", () => {
  test("--limit shows the first of the sorted ones, and how many there are", async () => {
    const { stdout, stderr } = await offline("busy", wordsOf("nodes --sort -name --limit 2 -o name"));
    expect(stdout).toBe("NAME\nhtc-10\nhtc-9\n");
    expect(stderr).toBe("2 of 10 nodes shown\n");
  });

  test("--sort: a column that no node has is refused", async () => {
    const { code, stdout, stderr } = await offline("busy", ["nodes", "--sort", "idel"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('Cannot sort by "idel": no record has it');
  });

  test("--idle: no node without a job here", async () => {
    const { stdout } = await offline("busy", ["nodes", "--idle"]);
    expect(stdout).toBe("No such nodes.\n");
  });

  test("--summary has no order and no end of its own", async () => {
    const { code, stderr } = await offline("busy", ["nodes", "--summary", "--limit", "1"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("expected --summary without --sort and --limit"),
    });
  });
});

test("plans ID: nodes that their scheduler drains first are not told as deleted", async () => {
  const nodes = ["htc-1", "htc-2"].map((name) => nodeOf({ name }));
  const world = worldWith({ nodes });
  const source = new DrainingSource(world);
  const plansOf = async (name: string) => {
    const folder = await archiveOf(world, root(name));
    const { stdout } = await ccscale(["plans", "last", "--offline", folder, "--cluster", "hpc"]);
    return stdout;
  };
  await source.post();
  await world.round();
  world.advance(301);
  await world.snapshot();
  await planScale(world.ports, { version: 1, cluster: "hpc", reason: "test", atSeconds: 4e9 });
  const draining = await plansOf("draining");
  expect(draining).toContain("deleted at once  0 nodes; the others that it lists are drained first");
  expect(draining).toContain("delete htc-2 (idle-timeout");
  source.hear();
  await source.post();
  world.advance(1);
  await world.plan();
  const drained = await plansOf("drained");
  expect(drained).toContain("delete htc-2 (idle-timeout");
  expect(drained).not.toContain("deleted at once");
});

describe("formats", () => {
  test.each([
    ["nodes", 4],
    ["jobs", 4],
    ["buckets", 2],
    ["operations", 1],
    ["plans", 2],
  ])(
    "%s: JSON, JSON lines, CSV and a table without headings hold the same number of things",
    async (name, least) => {
      const of = async (format: string) => (await offline("busy", [name, "--format", format])).stdout;
      const count = (JSON.parse(await of("json")) as unknown[]).length;
      const lines = async (format: string) => (await of(format)).trimEnd().split("\n").length;
      expect(count).toBeGreaterThanOrEqual(least);
      expect(await lines("jsonl")).toBe(count);
      expect(await lines("table-headerless")).toBe(count);
      expect(await lines("csv")).toBe(count + 1);
    },
  );

  test.each([["status"], ["demand"], ["explain", "1202"], ["history", "htc-1"], ["plans", "last"]])(
    "%s: JSON is the whole answer of the service",
    async (...argv) => {
      const { stdout } = await offline("busy", [...argv, "--format", "json"]);
      expect(JSON.parse(stdout)).toMatchObject({ cluster: "hpc", atSeconds: expect.any(Number) });
    },
  );
});

describe("selection", () => {
  const names = async (...argv: string[]) => {
    const { stdout } = await offline("busy", [
      ...wordsOf("nodes --format table-headerless -o name"),
      ...argv,
    ]);
    return stdout.trimEnd().split("\n").filter(Boolean);
  };

  test.each([
    ["a name", ["-N", "htc-1"], ["htc-1"]],
    ["several names", ["--node-name", "htc-1,htc-3"], ["htc-1", "htc-3"]],
    ["a name again", ["-N", "htc-1", "-N", "htc-4"], ["htc-1", "htc-4"]],
    ["a wildcard", ["-N", "htc-[13]"], ["htc-1", "htc-3"]],
    ["a host name", ["--hostname", "host-htc-*", "-N", "htc-1"], ["htc-1"]],
    ["a node array and a state", ["--nodearray", "htc", "--state", "Fail*"], ["htc-4"]],
    ["a state in another case", ["--state", "failed"], ["htc-4"]],
    ["a constraint", ["-C", "node.keep_alive=true"], ["htc-3"]],
    ["a line of terms", ["--where", "array:htc state:failed,kept -htc-2"], ["htc-3", "htc-4"]],
    ["nothing", ["-N", "nobody"], []],
  ])("%s", async (_, argv, expected) => {
    expect(await names(...argv)).toEqual(expected);
  });

  const rows = async (argv: readonly string[]) => {
    const { stdout } = await offline("busy", [...argv, "--format", "table-headerless"]);
    return stdout.trimEnd().split("\n").filter(Boolean);
  };
  const group = "group@placement_group:none";

  test.each([
    [
      "buckets of an array",
      ["buckets", "-a", "mpi*", "-o", group],
      ["none", "Standard_HB120rs_v3_pg0", "Standard_HB120rs_v3_pg1"],
    ],
    ["buckets of a VM size", ["buckets", "-C", "node.vm_size=*_F4*", "-o", "nodearray"], ["htc"]],
    [
      "buckets of a placement group",
      ["buckets", "-C", "node.placement_group=*pg1", "-o", group],
      ["Standard_HB120rs_v3_pg1"],
    ],
    ["the bucket of a node", ["buckets", "-N", "htc-3", "-o", "nodearray"], ["htc"]],
    ["the bucket of a host", ["buckets", "-H", "HOST-htc-1", "-o", "nodearray"], ["htc"]],
    [
      "limits of an array's groups",
      ["limits", "-C", "node.placement_group=*pg0", "-o", "limit"],
      ["bucket", "region", "family", "cluster", "cluster", "node-array", "node-array", "placement-group"],
    ],
    ["jobs on a node", ["jobs", "-N", "htc-1", "-o", "job,nodes"], ["1200  htc-1"]],
    ["jobs that would go to new nodes", ["jobs", "-N", "htc-9,htc-10", "-o", "job"], ["1203"]],
    ["no jobs on an array", ["jobs", "-a", "mpi", "-o", "job"], []],
    ["jobs by a line of terms", ["jobs", "--where", "state:running node:htc-1", "-o", "job"], ["1200"]],
    ["operations of an array", ["operations", "-a", "htc", "-o", "kind"], ["create-nodes"]],
    [
      "operations of nodes by a constraint",
      ["operations", "-C", "node.vm_size=*F4*", "-o", "kind"],
      ["create-nodes"],
    ],
    ["no operations of a node that was there before", ["operations", "-N", "htc-1", "-o", "kind"], []],
    ["the demand of a node", ["demand", "-N", "htc-1", "-o", "name,job_ids"], ["htc-1  1200"]],
    [
      "nodes that are on order, by a constraint",
      ["nodes", "-C", "ncpus=4", "--state", "Acq*", "-N", "htc-5", "-o", "name"],
      ["htc-5"],
    ],
  ])("%s", async (_, argv, expected) => {
    expect(await rows(argv)).toEqual(expected);
  });

  test("demand: what is left out is said, and what is counted is the whole plan's", async () => {
    const { stdout, stderr } = await offline("busy", ["demand", "--nodes", "-N", "htc-1*"]);
    expect(stderr).toContain("2 of 9 nodes shown");
    expect(stdout).toContain("Waiting: 2 jobs, 1 of them with a part of their place here");
    expect(stdout).not.toContain("1202");
  });

  test("what-if: the same, and the extra jobs are told of wherever they go", async () => {
    const argv = ["what-if", "--job", '{"constraints": {"ncpus": 2}}', "--nodes", "-N", "htc-1"];
    const { stdout, stderr } = await offline("busy", argv);
    expect(stderr).toContain("1 of 10 nodes shown");
    expect(stdout).toMatch(
      /^\+1 Standard_HB120rs_v3 in mpi, \+4\.68 USD\/h; 0 extra jobs wait\n.*mpi-1.*htc-1 /s,
    );
  });

  test("what-if: a job that asks for less, and a limit that is higher", async () => {
    const less = ["--change", "1202", "--job", '{"constraints": {"ncpus": 1}, "iterations": 1}'];
    const { stdout } = await offline("busy", ["what-if", ...less]);
    expect(stdout.split("\n")[0]).toMatch(/^Job "1202" has its place, and waits for its node\./);
    const raised = await offline("busy", ["what-if", "--raise", "node-array htc 3 nodes"]);
    expect(raised.code).toBe(0);
    expect(raised.stdout).toMatch(
      /Standard_F4s_v2 in htc.*\n(.*\n)*Other jobs: \d+ jobs? get more, 0 less: 120/,
    );
  });

  test("what-if: as JSON only what is different, and with --plan everything", async () => {
    const argv = ["what-if", "--job", '{"constraints": {"ncpus": 2}}', "--format", "json"];
    const difference = JSON.parse((await offline("busy", argv)).stdout);
    expect(Object.keys(difference)).toEqual([
      ...["cluster", "atSeconds", "held", "waitingCount", "extra", "more", "changed", "others"],
    ]);
    const whole = JSON.parse((await offline("busy", [...argv, "--plan"])).stdout);
    expect(whole.nodes.length).toBeGreaterThan(0);
    expect({ ...whole, ...difference }).toEqual(whole);
  });

  test("jobs: scalelib's name of the column, and what a job asks for", async () => {
    const columns = "name,constraints,iterations,colocated,exclusive,packing_strategy:-,executing_hostnames";
    const { stdout, stderr } = await offline("busy", ["jobs", "-o", columns, "--format", "json"]);
    expect(stderr).toBe("");
    const jobs = JSON.parse(stdout);
    expect(jobs[0]).toMatchObject({ name: "1200", executing_hostnames: ["host-htc-1"], exclusive: false });
    expect(jobs[1]).toMatchObject({ name: "1201", iterations: 6, constraints: { ncpus: 2 } });
  });

  test("as JSON lengths of time are seconds, and the boot time-out is as constraints have it", async () => {
    const columns = "name,age,create_time_remaining";
    const { stdout } = await offline("busy", ["nodes", "-o", columns, "--format", "json", "-N", "htc-[12]"]);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: "htc-1", age: expect.any(Number), create_time_remaining: -1 },
      { name: "htc-2", age: expect.any(Number), create_time_remaining: expect.any(Number) },
    ]);
  });

  test("a misspelt column beside others is told of, with what was meant", async () => {
    const { code, stderr } = await offline("busy", ["nodes", "-o", "name,vm_sice"]);
    expect(code).toBe(0);
    expect(stderr).toContain('no record has "vm_sice"; did you mean "vm_size"?');
  });

  test("operations: since a moment, with names of nodes and CycleCloud's request id", async () => {
    const all = await offline("busy", ["operations", "-o", "nodes,request_id"]);
    expect(all.stdout).toMatch(/htc-5,htc-6.* request-plan-0001-0000/);
    const { stdout } = await offline("busy", ["operations", "--since", "2100-01-01"]);
    expect(stdout).toBe("No operations.\n");
  });

  test("clusters: those of the service, with what they do", async () => {
    const { code, stdout } = await offline("busy", ["clusters", "--times", "relative"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CLUSTER +STATE +SNAPSHOT +PLAN\nhpc +scales +\d+s ago +15s ago\n$/);
  });

  test("validate-constraint: selected nodes and their buckets", async () => {
    const { stdout } = await offline("busy", ["validate-constraint", "ncpus=4", "-N", "htc-[34]"]);
    expect(stdout).toContain("Nodes that match: 2\nhtc-3, htc-4");
    expect(stdout).not.toContain("mpi/");
  });

  test("history: of nodes that exist, one after the other", async () => {
    const { stdout } = await offline("busy", ["history", "-a", "htc", "-N", "htc-[12]", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ node: "id-htc-1" }, { node: "id-htc-2" }]);
  });

  test.each([
    ["neither a node nor a selection", ["history"]],
    ["both", ["history", "htc-1", "-N", "htc-1"]],
  ])("history with %s is wrong usage", async (_, argv) => {
    const { code, stderr } = await offline("busy", argv);
    expect(code).toBe(2);
    expect(stderr).toContain("expected either a node, or at least one option that selects nodes");
  });

  test.each(["status", "plans", "explain"])("%s takes none, and says so", async (name) => {
    const { code, stderr } = await offline("busy", [name, "-N", "htc-1"]);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '-N'");
  });

  test.each([
    ["a property that no node has", "node.vm_sise=x", 'did you mean "node.vm_size"?'],
    ["at most", "memgb <= 8", 'expected "memgb=value" (a resource: at least that; a property: that value)'],
    ["more than", "ncpus>4", 'expected "ncpus=value"'],
    ["at least, of a property", "node.vcpu_count>=4", 'expected "node.vcpu_count=value"'],
    ["at least a text", "ncpus>=many", 'expected "ncpus=value"'],
    ["at least one of several", "ncpus>=4,8", 'expected "ncpus=value"'],
    ["an inequality", "node.nodearray!=htc", 'expected "node.nodearray=value"'],
    ["a name alone", "ncpus", 'expected "name=value"'],
    ["a sign alone", ">=4", 'expected "name=value"'],
  ])("%s is wrong usage, with what was wanted", async (_, constraint, words) => {
    const { code, stderr } = await offline("busy", ["nodes", "-C", constraint]);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  test("nodes: when no node satisfies a constraint, stderr says how to look at it", async () => {
    const { code, stdout, stderr } = await offline("busy", ["nodes", "-C", "vm_size=Standard_F*"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "No such nodes.\n" });
    expect(stderr).toContain("ccscale validate-constraint");
  });

  test.each([
    ["ncpus >= 4", "ncpus=4"],
    ["ncpus>=4", "ncpus=4"],
    ["node.vm_size = Standard_F*", "node.vm_size=Standard_F*"],
    ["node.nodearray == htc", "node.nodearray=htc"],
    ["memgb >= size::4g", "memgb=size::4g"],
    ["node.vm_size=a=b", '{"node.vm_size": "a=b"}'],
  ])("a constraint can be pasted as it is printed: %s means %s", async (printed, plain) => {
    const of = async (constraint: string) =>
      (await offline("busy", ["validate-constraint", constraint, "--format", "json"])).stdout;
    expect(await of(printed)).toBe(await of(plain));
  });

  test.each([
    ["nodes", ["nodes", "-o", "name", "-N", "htc-1,nope-1,nope-2"], "htc-1"],
    ["nodes, by wildcards too", ["nodes", "-N", "htc-[1],nope-1,nope-2,no*"], "htc-1"],
    ["jobs", ["jobs", "-N", "htc-1", "-N", "nope-1,nope-2"], "htc-1"],
    ["demand", ["demand", "--nodes", "-N", "htc-1,nope-1,nope-2"], "htc-1"],
    ["history", ["history", "-N", "htc-1,nope-1,nope-2"], "htc-1"],
  ])("%s: names that no node has are told, and what is known is shown", async (_, argv, known) => {
    const { code, stdout, stderr } = await offline("busy", argv);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'error: No node is called "nope-1".\nNo node is called "nope-2".\nCheck the spelling: "ccscale nodes" and "ccscale buckets" list all names.\n',
      ),
    });
    expect(stdout).toContain(known);
  });

  test.each([
    ["a host name", ["nodes", "-H", "nohost"], 'No node has the host name "nohost".'],
    ["a node array", ["buckets", "-a", "htc,gcp"], 'No node array is called "gcp".'],
    ["a node array of limits", ["limits", "-a", "hct"], 'No node array is called "hct"; did you mean "htc"?'],
    ["a host", ["nodes", "--hostname", "hots-htc-1"], '"hots-htc-1"; did you mean "host-htc-1"?'],
    ["a state", ["nodes", "--state", "Ready,Fialed"], 'No state of a node is called "Fialed"'],
    ["a source", ["jobs", "--source", "celry"], 'No source is called "celry"'],
  ])("%s that is not there ends with 1", async (_, argv, words) => {
    const { code, stderr } = await offline("busy", argv);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  });

  test.each([
    ["a wildcard", ["nodes", "-N", "no*"]],
    ["a known node in another state", ["nodes", "-N", "htc-1", "--state", "Failed"]],
    ["a host name in another case", ["nodes", "-H", "HOST-htc-1"]],
    ["operations of nodes that may be gone", ["operations", "-N", "nope-1"]],
  ])("nothing is missed: %s", async (_, argv) => {
    expect(await offline("busy", argv)).toMatchObject({ code: 0, stderr: "" });
  });
});

/** As far as columns need it. */
const bucketView = {
  vm: { memoryBytes: 0 },
  resources: {},
  counted: [],
  enabled: true,
  valid: true,
  backOff: null,
  secondsSinceCapacityFailure: null,
};

describe("offline", () => {
  test("a zip, and single files of any name, tell the same", async () => {
    const folder = folders.busy ?? "";
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".json"));
    const files = await Promise.all(
      names.map(async (name) => [name, JSON.parse(await readFile(join(folder, name), "utf8"))] as const),
    );
    const zip = root("archive.zip");
    await writeFile(zip, toZip(Object.fromEntries(files)));
    const expected = (await offline("busy", ["nodes"])).stdout;
    expect((await ccscale(["nodes", "--offline", zip])).stdout).toBe(expected);
    const snapshot = root("yesterday.json");
    await writeFile(snapshot, await readFile(join(folder, "snapshot.json")));
    const { code, stdout } = await ccscale([
      "nodes",
      "-o",
      "name",
      "--offline",
      snapshot,
      join(folder, "config.json"),
    ]);
    expect({ code, lines: stdout.trimEnd().split("\n").length }).toEqual({
      code: 0,
      lines: expected.trimEnd().split("\n").length,
    });
  });

  test("buckets: of a limit in nodes and one in cores, each has a column, and the name alone is the tighter", async () => {
    const limits = [
      { limit: "cluster", unit: "cores", max: 800, used: 288, left: 512, perNode: 4, nodesLeft: 128 },
      { limit: "cluster", unit: "nodes", max: 40, used: 12, left: 28, perNode: 1, nodesLeft: 28 },
    ] as const;
    for (const both of [limits, limits.toReversed()]) {
      const boots = { count: 0, failed: 0, p50Seconds: null, p95Seconds: null };
      const bucket = { ...bucketView, boots, limits: both };
      const { available, resources } = bucketFields(bucket as unknown as BucketView, 0);
      expect(available).toMatchObject({ cluster: 28, "cluster-nodes": 28, "cluster-cores": 512 });
      expect(resources).toMatchObject({ cluster: 40, "cluster-nodes": 40, "cluster-cores": 800 });
    }
  });

  test("the configuration's columns count", async () => {
    const world = await busyWorld();
    const folder = await archiveOf(world, root("columns"), { output_columns: ["name", "keep_alive"] });
    expect((await ccscale(["nodes", "--offline", folder])).stdout.split("\n")[0]).toBe("NAME    KEEP_ALIVE");
  });

  test.each([
    ["a folder without a snapshot", ["nodes", "--offline", import.meta.dirname], "no snapshot in"],
    ["a file that is none", ["nodes", "--offline", "no-such.zip"], 'Cannot read "no-such.zip"'],
    ["an unknown job", ["explain", "nobody"], 'No source wants a job "nobody"'],
    ["a job that is not there", ["explain", "none-7"], "`ccscale jobs` lists those that are"],
    ["a job whose number is wrong", ["explain", "12022"], 'Near it: "1202", "1203", "1201"'],
    [
      "a limit that is not there",
      ["what-if", "--raise", "node-array hct 1 nodes"],
      '"node-array htc" in nodes',
    ],
    ["columns that no node has", ["nodes", "--format", "csv", "-o", "nmae"], 'did you mean "name"?'],
    ["a node in place of a job", ["explain", "htc-1"], "It is a node: `ccscale history htc-1`"],
    ["an unknown plan", ["plans", "nobody"], 'No plan "nobody" is kept'],
    ["a job that is none", ["what-if", "--job", '{"iterations": -1}'], "iterations: -1"],
    ["a change of no job", ["what-if", "--change", "nobody", "--job", "{}"], 'no job "nobody" is wanted'],
  ])("%s ends with 1 and says what to do", async (_, argv, words) => {
    const all = argv.includes("--offline") ? argv : [...argv, "--offline", folders.busy ?? ""];
    const { code, stdout, stderr } = await ccscale(all);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr.trimEnd().split("\n").length).toBeGreaterThan(1);
  });

  test.each([
    ["columns that cannot be read", ["nodes", "-o", "a()"], 'column "a()": expected a name'],
    ["no columns", ["nodes", "-o", ","], "No columns, expected at least one"],
    ["a job that is no JSON", ["what-if", "--job", "{"], "expected JSON such as"],
    ["a change without what is different", ["what-if", "--change", "1202"], "expected with one --job"],
    [
      "a source of nothing",
      ["what-if", "--job", "{}", "--source", "pbs"],
      "--source, expected with --change",
    ],
    [
      "a limit that cannot be raised",
      ["what-if", "--raise", "spot-share x 1 cores"],
      "limits: bucket, region",
    ],
    ["nothing to plan with", ["what-if"], "nothing to plan with"],
    ["nothing to quote", ["quote"], "no job, expected --slurm"],
    ["a word for the command after --local", ["explain", "--local", "1202"], "own words before --local"],
    ["one plan as a list", ["plans", "last", "--format", "csv"], "an id shows one plan"],
    [
      "what differs as a list",
      ["plans", "diff", "last", "last", "--format", "csv"],
      "diff: it shows what differs",
    ],
    ["columns of one plan", ["plans", "last", "-o", "jobs"], "an id shows one plan"],
  ])("%s: asked the wrong way", async (_, argv, words) => {
    const { code, stdout, stderr } = await ccscale([...argv, "--offline", folders.busy ?? ""]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).toMatch(/^Run "ccscale [\w-]+ --help" for the options\.$/m);
  });

  test("jobs of a source that fell silent are not listed, and that is told where they would be", async () => {
    const world = await busyWorld();
    world.advance(3600);
    await world.round();
    const folder = await archiveOf(world, root("silent"));
    const told =
      'not listed: 3 jobs of source "pbs", which is silent, so that they count for nothing; see "ccscale status"\n';
    const jobs = (...more: string[]) => ccscale(["jobs", "--format", "csv", "--offline", folder, ...more]);
    const { stdout, stderr } = await jobs();
    expect({ listed: stdout.match(/^12\d\d/gm), stderr }).toEqual({ listed: ["1200"], stderr: told });
    expect((await jobs("--source", "pbs", "--state", "waiting")).stderr).toBe(told);
    expect((await jobs("--source", "sge")).stderr).toContain("The cluster knows pbs.");
    expect((await jobs("--state", "running")).stderr).toBe("");
    expect((await jobs("-N", "htc-1")).stderr).toBe("");
  });

  test("headings of a command's own columns are taken as columns", async () => {
    const by = async (columns: string) => {
      const { stdout, stderr } = await offline("busy", ["buckets", "-o", columns, "--format", "csv"]);
      expect(stderr).toBe("");
      return stdout;
    };
    const named = await by(
      "vm_size,group@placement_group:-,active@active_count,no_capacity@last_capacity_failure:-",
    );
    expect(await by("vm_size,group,active,no_capacity")).toBe(named);
    expect(await by("vm_size,here@GROUP:nowhere")).toContain("vm_size,here\nStandard_F4s_v2,nowhere\n");
  });

  test("a column that nothing has is told, one that has no value now is not", async () => {
    const columns = "name,placement_group,draining.reason,*ncpus,nosuch,*nosuch,create_time,other:none";
    const { code, stderr } = await ccscale(["nodes", "-o", columns, "--offline", folders.busy ?? ""]);
    expect(code).toBe(0);
    expect(stderr.trimEnd().split("\n")).toEqual([
      'no record has "nosuch"; "--format json" without -o shows every field',
      'no record has "*nosuch"; "--format json" without -o shows every field',
    ]);
  });
});

test.each([
  ["usual columns", [], {}],
  ["resources by name", ["-o", "name,PCPUs,*ncpus,/mem_gb,node_array"], {}],
  ["all resources", ["-o", "resources,available.ncpus"], {}],
  ["the configuration's columns", [], { output_columns: ["name", "memgb"] }],
  ["chosen columns as JSON", ["-o", "name,*ncpus", "--format", "jsonl"], {}],
  ["all there is as JSON", ["--format", "jsonl"], {}],
])("of a long list, %s: the last node shows what it shows alone", async (name, argv, config) => {
  const folder = await archiveOf(await longWorld(), root(`long ${name}`), config);
  const lastLine = async (more: readonly string[]) =>
    (await ccscale(["nodes", ...argv, ...more, "--offline", folder])).stdout.trimEnd().split("\n").at(-1);
  const words = (line = "") => line.split(/ +/);
  expect(words(await lastLine([]))).toEqual(words(await lastLine(["-N", "htc-1000"])));
});
