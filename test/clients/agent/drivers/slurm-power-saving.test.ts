import { describe, expect, test } from "vitest";
import type { Command, NodeEvent, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { readSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

const section = { partitions: { hpc: { mode: "power-saving" } } };

/** A node hpc-N in the states of power saving, without a machine unless it has a host. */
function savingNode(index: number, states: readonly string[], fields: object = {}) {
  const name = `hpc-${index}`;
  const plain = { name, hostname: name, address: "255.255.255.255", partitions: ["hpc"], slurmd_version: "" };
  return slurmNode(index, { ...plain, state: ["IDLE", "CLOUD", ...states], ...fields });
}

function known(reading: Reading) {
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

function linesOf(commands: readonly Command[]): readonly string[] {
  return commands.map(({ program, args }) => [program, ...args].join(" "));
}

describe("settings", () => {
  const problemsOf = (partitions: object, more: object = {}) => {
    const configured = slurm.configure({ partitions, ...more });
    return configured.ok ? [] : configured.problems;
  };
  test("an array whose nodes both the planner and power saving would bring is refused, and both settings are named", () => {
    const both = { every: { node_array: ["hpc", "htc"] }, hpc: { mode: "power-saving" } };
    expect(problemsOf(both)).toEqual([
      'partitions.hpc.mode: "power-saving", partitions.every.mode is "planner": both have node array "hpc", expected the same mode',
    ]);
    const same = {
      every: { node_array: "hpc", mode: "power-saving" },
      hpc: { mode: "power-saving" },
      htc: {},
    };
    expect(problemsOf(same)).toEqual([]);
  });
  test("a partition that is ignored, or times of power saving for the planner's nodes, are refused", () => {
    expect(problemsOf({ hpc: { mode: "power-saving" } }, { ignore_partitions: ["hpc"] })).toEqual([
      'partitions.hpc.mode: "power-saving", ignore_partitions has "hpc": expected one of the two',
    ]);
    expect(problemsOf({ hpc: { options: { SuspendTime: "300" } } })).toEqual([
      'partitions.hpc.options.SuspendTime: "300", expected none while mode is "planner": the planner\'s nodes stay outside of power saving',
    ]);
    expect(problemsOf({ hpc: { mode: "power-saving", options: { suspendtime: "300" } } })).toEqual([]);
  });
});

test("a node in partitions of both modes makes the reading unknown, with the names of both settings", () => {
  const nodes = [savingNode(1, [], { partitions: ["hpc", "all"] })];
  expect(readSlurm({ jobs: [], nodes, section })).toEqual({
    known: false,
    reason:
      'node hpc-1 is in both: partitions.hpc.mode is "power-saving", partitions.all.mode is "planner"; expected the same mode',
  });
});

describe("the planner leaves them alone", () => {
  const up = { hostname: "ip-9", address: "ip-9", slurmd_version: "22.05" };
  test("their jobs are no demand, and running ones keep their hosts", () => {
    const jobs = [
      waitingJob({ partition: "hpc" }),
      waitingJob({ job_id: 8, partition: "hpc,htc" }),
      waitingJob({ job_id: 9, partition: "hpc", job_state: ["CONFIGURING"], nodes: "hpc-2" }),
      waitingJob({ job_id: 10, partition: "hpc", job_state: ["RUNNING"], nodes: "hpc-1" }),
      waitingJob({ job_id: 11 }),
    ];
    const nodes = [savingNode(1, ["MIXED"], up), savingNode(2, ["POWERING_UP"]), slurmNode(1)];
    const read = known(readSlurm({ jobs, nodes, section }));
    expect(read.jobs.map(({ name, executingHostnames = [] }) => [name, executingHostnames])).toEqual([
      ["10", ["ip-9"]],
      ["11", []],
    ]);
  });
  test("a job some of whose nodes are there already runs on these, and wants no others of the planner", () => {
    const jobs = [waitingJob({ partition: "hpc", job_state: ["CONFIGURING"], nodes: "hpc-[1-3]" })];
    const nodes = [
      savingNode(1, ["ALLOCATED"], up),
      savingNode(2, ["POWERING_UP"]),
      savingNode(3, ["POWERING_UP"]),
    ];
    const [job] = known(readSlurm({ jobs, nodes, section })).jobs;
    expect([job?.executingHostnames, job?.nodeCount]).toEqual([["ip-9"], undefined]);
  });
  test("a node that is there is held, as one of a reservation is: nothing is planned on it, and it stays", () => {
    const nodes = [
      savingNode(1, [], up),
      savingNode(2, ["POWERING_UP", "NOT_RESPONDING"], { hostname: "ip-2", address: "ip-2" }),
      savingNode(3, ["DRAIN"], {
        hostname: "ip-3",
        address: "ip-3",
        reason: "broken",
        reason_set_by_user: "ann",
      }),
      savingNode(4, ["POWERED_DOWN"]),
      savingNode(5, ["POWERING_DOWN"], { hostname: "ip-5", address: "ip-5" }),
    ];
    const read = known(readSlurm({ jobs: [], nodes, section }));
    const held = { state: "draining", isOutByOthers: true };
    const stateReason = "Slurm's power saving has it, partition hpc";
    expect(read.nodes).toMatchObject([
      { hostname: "ip-9", ...held, stateReason },
      { hostname: "ip-2", ...held, stateReason },
      { hostname: "ip-3", ...held, stateReason: "broken", stateBy: "ann" },
    ]);
    expect(read.nodes).toHaveLength(3);
    expect([read.silent, read.corrections]).toEqual([[], []]);
  });
  test("what is not there stays with Slurm, while nodes of the planner are taken down", () => {
    const away = { name: "htc-7", hostname: "htc-7", address: "htc-7", slurmd_version: "" };
    const nodes = [
      savingNode(1, ["POWERED_DOWN"]),
      slurmNode(7, { ...away, state: ["IDLE", "CLOUD", "POWERED_DOWN"] }),
      slurmNode(8, {
        ...away,
        name: "htc-8",
        hostname: "htc-8",
        address: "htc-8",
        state: ["MIXED", "CLOUD", "POWERING_UP"],
      }),
    ];
    const job = waitingJob({ job_state: ["CONFIGURING"], nodes: "htc-8" });
    expect(linesOf(known(readSlurm({ jobs: [job], nodes, section })).corrections)).toEqual([
      "scontrol update NodeName=htc-[7-8] NodeAddr=255.255.255.[255,255] NodeHostname=htc-[7-8] State=DOWN Reason=cyclecloud",
      "scontrol update JobId=7 StartTime=now",
    ]);
  });
});

describe("what Slurm wants", () => {
  const configuring = (job_id: number, nodes: string, fields: object = {}) =>
    waitingJob({ job_id, partition: "hpc", job_state: ["CONFIGURING"], nodes, ...fields });
  test("the nodes of a job are one group, those that no job has stand alone; what is up already is not wanted", () => {
    const nodes = [1, 2, 3, 4, 5].map((index) => savingNode(index, ["POWERING_UP", "NOT_RESPONDING"]));
    const up = savingNode(6, [], { hostname: "ip-6", address: "ip-6", slurmd_version: "22.05" });
    const more = [savingNode(7, ["POWERING_DOWN"]), savingNode(8, ["POWERED_DOWN"])];
    const jobs = [configuring(21, "hpc-[1-2,6]"), configuring(22, "hpc-[2-3]")];
    const { named } = known(readSlurm({ jobs, nodes: [...nodes, up, ...more], section }));
    expect(named).toMatchObject({
      wanted: [
        { names: ["hpc-1", "hpc-2"], nodeArray: "hpc", colocated: false, reason: "Slurm resumes for job 21" },
        { names: ["hpc-3"], reason: "Slurm resumes for job 22" },
        { names: ["hpc-4"], reason: "Slurm resumes" },
        { names: ["hpc-5"], reason: "Slurm resumes" },
      ],
      going: ["hpc-7"],
      off: ["hpc-8"],
    });
  });
  test("a node whose daemon was faster than its address is named until it has one", () => {
    const node = savingNode(1, ["MIXED"], { slurmd_version: "22.05" });
    const { named, corrections } = known(readSlurm({ jobs: [], nodes: [node], section }));
    expect([named?.withoutAddress, named?.wanted, corrections]).toEqual([["hpc-1"], [], []]);
  });
  test("one that has never had an address is named, too, unless its host joined under the node's name", () => {
    const own = { hostname: "hpc-1", address: "hpc-1", slurmd_version: "22.05" };
    const reading = { jobs: [], nodes: [savingNode(1, ["MIXED"], own)], section };
    expect(known(readSlurm(reading)).named?.withoutAddress).toEqual(["hpc-1"]);
    const joined = { "hpc-1": { nodeId: "a", hostname: "HPC-1" } };
    expect(known(readSlurm({ ...reading, memory: { joined } })).named?.withoutAddress).toEqual([]);
  });
  test("until then a job that Slurm starts there names no host: nobody has one of the node's name", () => {
    const node = savingNode(1, [], { state: ["ALLOCATED", "CLOUD"], slurmd_version: "22.05" });
    expect(known(readSlurm({ jobs: [configuring(21, "hpc-1")], nodes: [node], section })).jobs).toEqual([]);
  });
  test("CycleCloud's names, its node array and the placement group follow from the settings", () => {
    const nodes = [
      savingNode(1, ["POWERING_UP"], { name: "c-mpi-1", hostname: "c-mpi-1", address: "c-mpi-1" }),
    ];
    const partitions = { hpc: { mode: "power-saving", node_array: ["mpi", "other"], colocated: true } };
    const { named } = known(readSlurm({ jobs: [], nodes, section: { partitions, node_prefix: "c-" } }));
    expect(named?.wanted).toMatchObject([{ names: ["mpi-1"], nodeArray: "mpi", colocated: true }]);
    expect(linesOf(named?.join([{ name: "mpi-1", hostname: "ip-1" }]) ?? [])).toEqual([
      "scontrol update NodeName=c-mpi-1 NodeAddr=ip-1 NodeHostname=ip-1",
    ]);
    expect(named?.join([{ name: "mpi-1", hostname: "c-mpi-1" }])).toEqual([]);
  });
  test("what cannot be had goes back at once with the reason, and no job is lost that must not be requeued", () => {
    const nodes = [1, 2].map((index) => savingNode(index, ["POWERING_UP"]));
    const jobs = [configuring(21, "hpc-1"), configuring(22, "hpc-2", { requeue: false })];
    const { named } = known(readSlurm({ jobs, nodes, section }));
    expect(linesOf(named?.giveBack(["hpc-1", "hpc-2", "hpc-9"], "no room").commands ?? [])).toEqual([
      "scontrol update JobId=22 Requeue=1",
      "scontrol update NodeName=hpc-[1-2] NodeAddr=255.255.255.[255,255] NodeHostname=hpc-[1-2] State=POWER_DOWN_FORCE Reason=cyclecloud: no room",
      "scontrol update JobId=22 Requeue=0",
    ]);
  });
  test("with a name go those that come for the same job and for no other; one that has booted stays", () => {
    const up = { hostname: "ip-4", address: "ip-4", slurmd_version: "22.05" };
    const nodes = [
      ...[1, 2, 3, 5].map((index) => savingNode(index, ["POWERING_UP"])),
      savingNode(4, ["MIXED"], up),
    ];
    const jobs = [
      configuring(21, "hpc-[1-4]"),
      configuring(22, "hpc-3,hpc-5"),
      waitingJob({ job_id: 23, partition: "hpc", job_state: ["CANCELLED"], nodes: "hpc-2" }),
    ];
    const backWith = (some: readonly string[], more: readonly object[] = []) =>
      known(readSlurm({ jobs: [...jobs, ...more], nodes, section })).named?.giveBack(some, "no room").names;
    expect(backWith(["hpc-1"])).toEqual(["hpc-1", "hpc-2"]);
    expect(backWith(["hpc-5"])).toEqual(["hpc-5"]);
    expect(backWith(["hpc-1", "hpc-5"])).toEqual(["hpc-1", "hpc-5", "hpc-2", "hpc-3"]);
    expect(backWith(["hpc-1"], [configuring(24, "hpc-[")])).toEqual(["hpc-1"]);
  });
  test("the parts of a heterogeneous job are one group, and go back together", () => {
    const nodes = [1, 2, 3].map((index) => savingNode(index, ["POWERING_UP"]));
    const parts = [configuring(21, "hpc-1"), configuring(22, "hpc-[2-3]")];
    const jobs = parts.map((part, het_job_offset) => ({ ...part, het_job_id: 21, het_job_offset }));
    const { named } = known(readSlurm({ jobs, nodes, section }));
    expect(named?.wanted).toMatchObject([
      { names: ["hpc-1", "hpc-2", "hpc-3"], reason: "Slurm resumes for job 21" },
    ]);
    expect(named?.giveBack(["hpc-3"], "no room").names).toEqual(["hpc-3", "hpc-1", "hpc-2"]);
  });
  test("without such a partition nothing is wanted by name", () => {
    expect(known(readSlurm({ jobs: [] })).named).toBeUndefined();
  });
});

describe("Slurm has its nodes again", () => {
  const correctionsOf = (node: object) =>
    linesOf(known(readSlurm({ jobs: [], nodes: [node], section })).corrections);
  test("one that did not come within ResumeTimeout may be resumed again", () => {
    const states = ["POWERED_DOWN", "NOT_RESPONDING"];
    const node = savingNode(1, states, {
      state: ["DOWN", "CLOUD", ...states],
      reason: "ResumeTimeout reached",
    });
    expect(correctionsOf(node)).toEqual(["scontrol update NodeName=hpc-1 State=RESUME"]);
    expect(known(readSlurm({ jobs: [], nodes: [node], section })).setAside).toMatchObject([
      { record: "node hpc-1" },
    ]);
  });
  test("one that did not come back from a reboot, and was powered down since, may be resumed again", () => {
    const states = { state: ["DOWN", "CLOUD", "POWERED_DOWN"] };
    const reason = "kernel : reboot issued : reboot timed out";
    expect(correctionsOf(savingNode(1, [], { ...states, reason }))).toEqual([
      "scontrol update NodeName=hpc-1 State=RESUME",
    ]);
  });
  test("one that the agent kept down for the planner is powered down instead", () => {
    const fields = {
      state: ["DOWN", "CLOUD", "POWERED_DOWN"],
      reason: "cyclecloud",
      address: "255.255.255.255",
    };
    expect(correctionsOf(savingNode(1, [], fields))).toEqual([
      "scontrol update NodeName=hpc-1 NodeAddr=255.255.255.255 NodeHostname=hpc-1 State=POWER_DOWN_FORCE",
      "scontrol update NodeName=hpc-1 State=RESUME",
    ]);
  });
  test("one that is off has no address that Slurm would look for, until it joins", () => {
    const node = savingNode(1, ["POWERED_DOWN"], { address: "hpc-1" });
    expect(correctionsOf(node)).toEqual([
      "scontrol update NodeName=hpc-1 NodeAddr=255.255.255.255 NodeHostname=hpc-1",
    ]);
    const memory = { joining: { "hpc-1": { hostname: "ip-1", sinceSeconds: 1_795_400_000 } } };
    expect(known(readSlurm({ jobs: [], nodes: [node], section, memory })).corrections).toEqual([]);
  });
  test.each([
    ["a health check's, as its machine goes", ["DRAIN", "POWERING_DOWN"], "NHC: /scratch", true],
    ["one of a lost machine", ["DRAIN", "POWERED_DOWN"], "cyclecloud: its machine is gone", true],
    ["a person's, of a name that is off", ["DRAIN", "POWERED_DOWN"], "never again", false],
    ["Slurm's, which ends it itself", ["DRAIN", "POWERING_DOWN", "POWER_DRAIN"], "", false],
  ])("a drain ends with its machine: %s", (_, states, reason, ends) => {
    expect(correctionsOf(savingNode(1, states, { reason }))).toEqual(
      ends ? ["scontrol update NodeName=hpc-1 State=UNDRAIN"] : [],
    );
  });
  test("what a person took down stays", () => {
    expect(
      correctionsOf(savingNode(1, [], { state: ["DOWN", "CLOUD", "POWERED_DOWN"], reason: "broken" })),
    ).toEqual([]);
  });
});

test("a machine that is gone is told once: Slurm powers its node down, and one that is powered down or coming again is left alone", () => {
  const configured = slurm.configure(section);
  if (!configured.ok) throw new Error(configured.problems.join());
  const { driver } = configured;
  const up = (index: number) => ({
    hostname: `ip-${index}`,
    address: `ip-${index}`,
    slurmd_version: "22.05",
  });
  const nodes = [savingNode(1, [], up(1)), savingNode(2, ["POWERED_DOWN"]), savingNode(3, ["POWERING_UP"])];
  const read = known(readSlurm({ jobs: [], nodes, section }));
  const deleted: NodeEvent = {
    kind: "node-deleted",
    nodes: [1, 2, 3].map((index) => ({ name: `hpc-${index}`, hostname: `ip-${index}`, nodeId: `n${index}` })),
  };
  const context = { nowSeconds: 0, draining: new Map(), memory: read.memory };
  const steps = driver.commandsFor(deleted, context);
  expect(steps.commands).toEqual([]);
  const after = known(readSlurm({ jobs: [], nodes, section, memory: steps.memory }));
  expect([after.named?.lost, after.corrections]).toEqual([new Map([["hpc-1", "n1"]]), []]);
  const off = [savingNode(1, ["POWERING_DOWN"]), ...nodes.slice(1)];
  const last = known(readSlurm({ jobs: [], nodes: off, section, memory: after.memory }));
  expect(last.named?.lost).toEqual(new Map());
  expect(last.memory).not.toHaveProperty("lost");
});
