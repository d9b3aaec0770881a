import { describe, expect, test } from "vitest";
import type { Command, Memory, NodeEvent } from "../../../../clients/agent/drivers/driver.ts";
import { applyFiles } from "../../../../clients/agent/drivers/slurm/config/apply-files.ts";
import { drawUpFiles } from "../../../../clients/agent/drivers/slurm/config/draw-up-files.ts";
import { comparable } from "../../../../clients/agent/drivers/slurm/config/running-controller.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { slurmSettingsSchema } from "../../../../clients/agent/drivers/slurm/slurm-settings.ts";
import { bucket, existing, partsOf } from "./cluster-parts.ts";
import { readSlurm, type SlurmWorld, slurmNode, waitingJob } from "./slurm-reading.ts";

const section = { partitions: { htc: { nodes: "dynamic" } } };
const config = "MaxNodeCount            = 1024\nEnforcePartLimits       = NO\n";

describe("settings", () => {
  test.each([
    [
      { partitions: { htc: { nodes: "dynamic", mode: "power-saving" } } },
      'partitions.htc.nodes: "dynamic", mode is "power-saving", which needs nodes that Slurm can name before they are there: expected "fixed", or mode "planner"',
    ],
    [
      { partitions: { htc: { nodes: "dynamic" }, every: { node_array: ["hpc", "htc"] } } },
      'partitions.htc.nodes: "dynamic", partitions.every.nodes is "fixed": both have node array "htc", expected the same',
    ],
    [
      { ...section, config: { folder: "/etc/slurm", topology: "tree" } },
      'config.topology: "tree", partitions.htc.nodes is "dynamic": expected no topology, which names every node',
    ],
  ])("%j is refused, and both settings are named", (given, problem) => {
    expect(slurm.configure(given)).toEqual({ ok: false, problems: [problem] });
  });
});

describe("the files", () => {
  const settings = slurmSettingsSchema.parse(section);
  const drawn = (...args: Parameters<typeof drawUpFiles>) => {
    const files = drawUpFiles(...args);
    if ("refused" in files) throw new Error(files.refused);
    return files.files;
  };
  const linesOf = (text = "", key = "") => text.split("\n").filter((line) => line.startsWith(key));

  test("one line for all nodes of an array, a node set that finds them, and room for more than the limits allow", () => {
    const [main] = drawn(partsOf([bucket(), bucket({ nodeArray: "hpc", most: 8 })]), settings);
    expect(linesOf(main?.text, "NodeName=")).toEqual([
      "NodeName=htc-0 CPUs=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Weight=1 Feature=cloud,Standard_D4s_v5,htc,regular,westeurope State=CLOUD",
      expect.stringMatching(/^NodeName=hpc-\[1-8\] /),
    ]);
    expect(linesOf(main?.text, "NodeSet=")).toEqual(["NodeSet=htc Feature=htc"]);
    expect(linesOf(main?.text, "MaxNodeCount=")).toEqual(["MaxNodeCount=1024"]);
    expect(linesOf(main?.text, "PartitionName=")).toEqual([
      "PartitionName=htc Nodes=htc Default=YES DefMemPerCPU=3840 MaxTime=INFINITE State=UP",
      expect.stringContaining("PartitionName=hpc Nodes=hpc-[1-8] "),
    ]);
  });

  test.each([
    [100, 1024],
    [600, 2048],
    [3000, 8192],
  ])("limits of %d nodes leave room for %d", (most, records) => {
    const [main] = drawn(partsOf([bucket({ most })]), settings);
    expect(linesOf(main?.text, "MaxNodeCount=")).toEqual([`MaxNodeCount=${records}`]);
  });

  test("limits that change leave all but the devices of GPUs as they are", () => {
    const [before] = drawn(partsOf([bucket({ most: 100 })]), settings);
    const [after] = drawn(partsOf([bucket({ most: 200 })]), settings);
    expect(after).toEqual(before);
  });

  test("an array that is switched off keeps its line until its last node is gone", () => {
    const off = bucket({ enabled: false });
    const present = drawn(partsOf([bucket(), bucket({ nodeArray: "hpc" })]), settings);
    const buckets = [off, bucket({ nodeArray: "hpc" })];
    const names = (nodes: readonly ReturnType<typeof existing>[]) =>
      linesOf(drawn(partsOf(buckets, nodes), settings, present)[0]?.text, "NodeName=htc-0").length;
    expect([names([existing("htc-7")]), names([])]).toEqual([1, 0]);
  });

  test("an array whose name is a feature of another one is refused", () => {
    const spot = { partitions: { spot: { nodes: "dynamic" } } };
    const buckets = [bucket({ nodeArray: "spot" }), bucket({ nodeArray: "htcspot", spot: true })];
    expect(drawUpFiles(partsOf(buckets), slurmSettingsSchema.parse(spot))).toEqual({
      refused:
        'node array htcspot has the feature "spot", by which Slurm finds the nodes of array spot: expected another name, or fixed nodes',
    });
  });

  const answers = (version: string, more = "") => ({
    version: { text: `slurm-wlm ${version}\n`, exitCode: 0 },
    nodes: {
      text: `NodeName=htc-0 CPUAlloc=0 State=DOWN+CLOUD+POWERED_DOWN Partitions=htc\n${more}`,
      exitCode: 0,
    },
    jobs: { text: "", exitCode: 0 },
  });

  test("a controller before 22.05 would not start with them, and they are not written", () => {
    const files = drawn(partsOf([bucket()]), settings);
    const { whyNotNow } = applyFiles(settings);
    expect(whyNotNow(files, answers("21.08.8"))).toBe(
      'slurmctld 21.08.8 cannot have partitions.<name>.nodes "dynamic", and would not start with these files: expected Slurm 22.05 or later',
    );
    expect(whyNotNow(files, answers("22.05.8"))).toBeUndefined();
  });

  test("nodes that registered themselves, busy ones too, are neither missing nor too many", () => {
    const files = drawn(partsOf([bucket()]), settings);
    const dynamic =
      "NodeName=htc-7 CPUAlloc=4 State=ALLOCATED+DYNAMIC_NORM Partitions=htc\nNodeName=htc-8 CPUAlloc=4 State=ALLOCATED+CLOUD+DYNAMIC_NORM Partitions=htc\n";
    const { whyNotNow, apply } = applyFiles(settings);
    expect(whyNotNow(files, answers("22.05.8", dynamic))).toBeUndefined();
    expect(apply(files, answers("23.11.0", dynamic))).toHaveProperty("command");
    expect(apply(files, answers("22.05.8", dynamic))).toEqual({
      refused:
        "slurmctld 22.05.8 has to be started again. Told to read its files again, it would keep nodes that registered themselves allocated after their jobs have ended",
    });
    const line = (text = "") => ({ text, exitCode: 0 });
    const compared = comparable(
      files,
      {
        config: line("MaxNodeCount = 1024\n"),
        nodes: line(
          `NodeName=htc-0 CPUTot=4 Sockets=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=15360 Gres=(null) Weight=1 AvailableFeatures=cloud,Standard_D4s_v5,htc,regular,westeurope State=DOWN+CLOUD+POWERED_DOWN Partitions=htc\n${dynamic}`,
        ),
        partitions: line(
          "PartitionName=htc Default=YES NodeSets=htc Nodes=htc-[0,7-8] OverSubscribe=NO DefMemPerCPU=3840 MaxTime=UNLIMITED State=UP\n",
        ),
      },
      settings,
    );
    if ("unreadable" in compared) throw new Error(compared.unreadable);
    const nodesAndPartitions = (text: string) => text.split("\n").filter((each) => /^(Node|Part)/.test(each));
    expect(nodesAndPartitions(compared.running)).toEqual(nodesAndPartitions(compared.wanted));
  });
});

/** The line of the array, and nodes of it that registered themselves. */
const line = slurmNode(0, {
  hostname: "htc-0",
  address: "255.255.255.255",
  state: ["DOWN", "CLOUD", "POWERED_DOWN"],
  reason: "cyclecloud",
  slurmd_version: "",
});
const registered = (index: number, fields: object = {}) =>
  slurmNode(index, { address: `10.0.0.${index}`, state: ["IDLE", "DYNAMIC_NORM"], ...fields });

test.each([
  ["", 'slurmctld knows no MaxNodeCount: expected Slurm 22.05 or later, or "fixed"'],
  [
    "MaxNodeCount = 1\n",
    "MaxNodeCount is 1, which slurm.conf's own nodes use up: expected more, and slurmctld started again",
  ],
  [
    "MaxNodeCount = 1024\nEnforcePartLimits = ALL\n",
    "EnforcePartLimits is ALL: slurmctld would reject jobs that need more nodes than are there; expected NO",
  ],
])("a controller with the configuration %j is not read, and the reason is named", (given, reason) => {
  const world = { jobs: [], nodes: [line], config: given };
  expect(readSlurm({ ...world, section })).toEqual({
    known: false,
    reason: `partitions.<name>.nodes is "dynamic", and ${reason}`,
  });
  expect(readSlurm(world)).toMatchObject({ known: true });
});

describe("jobs that need more nodes than there are", () => {
  type Fields = NonNullable<SlurmWorld["section"]>;
  const read = (fields: Fields, { nodes = [line], given = config, own = section as Fields } = {}) => {
    const reading = readSlurm({ jobs: [waitingJob(fields)], nodes, config: given, section: own });
    if (!reading.known) throw new Error(reading.reason);
    return reading.jobs.map(({ nodeCount = 1 }) => nodeCount);
  };
  const two = {
    node_count: 2,
    tasks: 2,
    cpus: 2,
    tres_req_str: "cpu=2,mem=2000M,node=2",
    state_reason: "PartitionNodeLimit",
  };
  test.each([
    ["-N2 with no node yet", two, [2]],
    ["-N2 with an older word of Slurm's", { ...two, state_reason: "PartitionConfig" }, [2]],
    ["-N1 -n8, which no node holds", { ...two, cpus: 8, max_nodes: 1 }, []],
    ["a job that its partition's time limit keeps", { ...two, state_reason: "PartitionTimeLimit" }, []],
  ])("%s", (_, fields, wanted) => {
    expect(read(fields)).toEqual(wanted);
  });
  test("more than MaxNodeCount has room for are no demand", () => {
    const given = "MaxNodeCount = 3\n";
    expect(read(two, { given })).toEqual([2]);
    expect(read({ ...two, node_count: 3, tres_req_str: "cpu=3,mem=2000M,node=3" }, { given })).toEqual([]);
  });
  test("with fixed nodes Slurm's word counts", () => {
    expect(read(two, { own: {} })).toEqual([]);
  });
});

test("a daemon that registered without the features of its array is told to the log, and no job is planned there", () => {
  const bare = registered(7, { partitions: [] });
  expect(readSlurm({ jobs: [], nodes: [line, bare], config, section })).toMatchObject({
    nodes: [],
    setAside: [
      {
        record: "node htc-7",
        reason:
          "its slurmd registered without the features of its node array, and no partition has it: start slurmd with -Z and --conf",
      },
    ],
  });
});

interface Record_ {
  readonly name: string;
  readonly state: readonly string[];
  readonly address: string;
  readonly hostname: string;
  readonly reason: string;
  readonly alloc_cpus: number;
  readonly slurmd_version: string;
  readonly slurmd_start_time: number;
  readonly reason_changed_at: number;
}

/** What slurmctld 22.05.8 does with records of nodes that register themselves, as it was seen to. */
class FakeSlurmctld {
  readonly records = new Map<string, Record_>();
  seconds = 1_795_400_000;
  /** Nodes that were deleted, or taken down, while they had a job. */
  readonly harmed: string[] = [];

  register(name: string, hostname: string): void {
    this.seconds += 10;
    const before = this.records.get(name);
    this.records.set(name, {
      name,
      state: ["IDLE", "DYNAMIC_NORM"],
      address: `addr-${hostname}`,
      hostname,
      reason: "",
      alloc_cpus: 0,
      reason_changed_at: 0,
      // A record that is there keeps its state and its address.
      ...before,
      slurmd_version: "22.05.8",
      slurmd_start_time: this.seconds,
    });
  }

  startJob(name: string): void {
    this.#change(name, { state: ["MIXED", "DYNAMIC_NORM"], alloc_cpus: 2 });
  }

  endJob(name: string): void {
    this.#change(name, { state: ["IDLE", "DYNAMIC_NORM"], alloc_cpus: 0 });
  }

  /** Throws as the agent's runner does, for exit codes that the command does not expect. */
  run({ args, exitCodes = [] }: Command): void {
    this.seconds += 1;
    const [verb, target = "", ...changes] = args;
    const names = namesIn(target.replace("NodeName=", ""));
    const unknown = names.filter((name) => !this.records.has(name));
    const given = (key: string) => changes.find((each) => each.startsWith(`${key}=`))?.slice(key.length + 1);
    if (verb === "delete") {
      const busy = names.filter((name) => (this.records.get(name)?.alloc_cpus ?? 0) > 0);
      this.harmed.push(...busy);
      for (const name of names) if (!busy.includes(name)) this.records.delete(name);
      if (busy.length + unknown.length > 0 && !exitCodes.includes(1)) throw new Error("exit code 1");
      return;
    }
    if (unknown.length > 0) throw new Error(`Invalid node name specified: ${unknown.join()}`);
    const addresses = namesIn(given("NodeAddr") ?? "");
    const hosts = namesIn(given("NodeHostname") ?? "");
    names.forEach((name, index) => {
      const node = this.records.get(name);
      const isDown = given("State") === "DOWN";
      this.#change(name, {
        address: addresses[index] ?? node?.address ?? "",
        hostname: hosts[index] ?? node?.hostname ?? "",
        ...(isDown
          ? { state: ["DOWN", "DYNAMIC_NORM"], alloc_cpus: 0, reason: given("Reason") ?? "" }
          : given("State") === "RESUME"
            ? { state: ["IDLE", "DYNAMIC_NORM"], reason: "" }
            : {}),
        ...(given("Reason") === undefined ? {} : { reason_changed_at: this.seconds }),
      });
    });
  }

  #change(name: string, fields: Partial<Record_>): void {
    const before = this.records.get(name);
    if (before !== undefined) this.records.set(name, { ...before, ...fields });
  }
}

function namesIn(list: string): readonly string[] {
  const [, before = "", inside] = /^(.*)\[(.*)\]$/.exec(list) ?? [];
  if (inside === undefined) return list === "" ? [] : list.split(",");
  return inside.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => `${before}${from + index}`);
  });
}

/** The agent beside it; `commandsLeft` commands later it is killed, and starts again with what it had saved. */
class FakeAgent {
  memory: Memory = {};
  readonly whys: string[] = [];
  readonly #slurmctld: FakeSlurmctld;
  #commandsLeft: number;

  constructor(slurmctld: FakeSlurmctld, commandsLeft = Number.POSITIVE_INFINITY) {
    this.#slurmctld = slurmctld;
    this.#commandsLeft = commandsLeft;
  }

  pass(...events: readonly NodeEvent[]): void {
    const configured = slurm.configure(section);
    if (!configured.ok) throw new Error(configured.problems.join());
    const { seconds: nowSeconds } = this.#slurmctld;
    for (const event of events) {
      const context = { nowSeconds, draining: new Map<string, number>(), memory: this.memory };
      const { commands, memory } = configured.driver.commandsFor(event, context);
      if (!commands.every((command) => this.#run(command))) return;
      this.memory = memory;
    }
    const nodes = [...this.#slurmctld.records.values()].map((record) => slurmNode(0, { ...record }));
    const reading = readSlurm({ jobs: [], nodes: [line, ...nodes], config, section, memory: this.memory });
    if (!reading.known) throw new Error(reading.reason);
    this.memory = reading.memory;
    for (const command of reading.corrections) {
      this.whys.push(command.why ?? "");
      if (!this.#run(command)) return;
    }
  }

  /** False: the agent was killed before. */
  #run(command: Command): boolean {
    this.#commandsLeft -= 1;
    if (this.#commandsLeft === -1) return false;
    this.#slurmctld.run(command);
    return true;
  }
}

const event = (kind: NodeEvent["kind"], index: number, hostname = `ip-${index}`): NodeEvent => ({
  kind,
  nodes: [{ name: `htc-${index}`, nodeId: hostname, hostname }],
});

describe("the record of a node", () => {
  const withTwo = (commandsLeft?: number) => {
    const slurmctld = new FakeSlurmctld();
    const agent = new FakeAgent(slurmctld, commandsLeft);
    slurmctld.register("htc-1", "ip-1");
    slurmctld.register("htc-2", "ip-2");
    agent.pass(event("node-joined", 1), event("node-joined", 2));
    return { slurmctld, agent };
  };

  test("takes jobs without a command of ours, and is deleted when its machine is gone, whatever step the agent is killed at", () => {
    for (let commandsLeft = 0; commandsLeft < 4; commandsLeft++) {
      const { slurmctld, agent } = withTwo(commandsLeft);
      expect(agent.whys).toEqual([]);
      slurmctld.startJob("htc-2");
      agent.pass(event("node-deleted", 1));
      agent.pass();
      agent.pass();
      expect([...slurmctld.records.values()], `killed after ${commandsLeft}`).toMatchObject([
        { name: "htc-2", alloc_cpus: 2, address: "addr-ip-2" },
      ]);
      expect(slurmctld.harmed).toEqual([]);
      expect(agent.memory).not.toHaveProperty("gone");
      const made = agent.whys.length;
      agent.pass(event("node-deleted", 1));
      expect(agent.whys).toHaveLength(made);
    }
  });

  test("stays while a job is on it whose end Slurm has not seen, and goes after that", () => {
    const { slurmctld, agent } = withTwo();
    agent.pass(event("node-deleted", 1));
    slurmctld.register("htc-1", "ip-1");
    slurmctld.run({
      program: "scontrol",
      args: ["update", "NodeName=htc-1", "NodeAddr=255.255.255.255", "State=DOWN", "Reason=cyclecloud"],
    });
    slurmctld.startJob("htc-1");
    agent.pass();
    expect(slurmctld.records.has("htc-1")).toBe(true);
    agent.pass();
    expect(slurmctld.records.has("htc-1")).toBe(false);
    expect(slurmctld.harmed).toEqual([]);
  });

  test("is that of the next machine of its name when its end is heard late: it stays, with its job", () => {
    const { slurmctld, agent } = withTwo();
    // The agent was away: the record went with the first machine, and the second one registered.
    slurmctld.records.delete("htc-1");
    slurmctld.register("htc-1", "ip-9");
    slurmctld.startJob("htc-1");
    agent.pass(event("node-deleted", 1));
    agent.pass();
    expect(slurmctld.records.get("htc-1")).toMatchObject({ hostname: "ip-9", alloc_cpus: 2 });
    agent.pass(event("node-joined", 1, "ip-9"));
    agent.pass();
    expect(slurmctld.records.get("htc-1")).toMatchObject({ hostname: "ip-9", alloc_cpus: 2 });
    expect(agent.whys).toEqual([]);
  });

  test("whose next machine registered while it was down is kept for that one, which serves when it has joined", () => {
    const { slurmctld, agent } = withTwo(1);
    agent.pass(event("node-deleted", 1));
    expect(slurmctld.records.get("htc-1")?.state).toContain("DOWN");
    slurmctld.register("htc-1", "ip-9");
    agent.pass();
    expect(slurmctld.records.has("htc-1")).toBe(true);
    agent.pass(event("node-joined", 1, "ip-9"));
    agent.pass();
    agent.pass();
    expect(slurmctld.records.get("htc-1")).toMatchObject({
      address: "ip-9",
      hostname: "ip-9",
      state: ["IDLE", "DYNAMIC_NORM"],
    });
  });

  test("that a person took down without a machine stays, with that person's reason", () => {
    const { slurmctld, agent } = withTwo();
    slurmctld.run({
      program: "scontrol",
      args: ["update", "NodeName=htc-1", "NodeAddr=255.255.255.255", "State=DOWN", "Reason=broken disk"],
    });
    agent.pass();
    agent.pass();
    expect(slurmctld.records.get("htc-1")).toMatchObject({ reason: "broken disk" });
  });
});
