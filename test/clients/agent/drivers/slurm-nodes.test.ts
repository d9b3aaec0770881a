import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import type { Memory } from "../../../../clients/agent/drivers/driver.ts";
import { unknownStates } from "../../../../clients/agent/drivers/slurm/node-states.ts";
import { NodeAmounts } from "../../../../clients/agent/drivers/slurm/shapes.ts";
import { slurm } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import { isListed, toNode } from "../../../../clients/agent/drivers/slurm/slurm-nodes.ts";
import { type NodeRecord, nodeRecord } from "../../../../clients/agent/drivers/slurm/slurm-records.ts";
import { answersOfSlurm, linesOfPartitions, readSlurm, slurmNode, waitingJob } from "./slurm-reading.ts";

const nodeOf = (node: unknown) => posted(nodeRecord.parse(node));

function posted(record: NodeRecord) {
  return toNode(record, new NodeAmounts([record], new Map()).of(record));
}

test.each([
  ["ours is an answer to an event", "cyclecloud drain", {}],
  ["somebody else's is none", "broken disk", { isOutByOthers: true, stateReason: "broken disk" }],
  ["one without a reason is none", "", { isOutByOthers: true }],
])("a drain: %s", (_, reason, expected) => {
  const node = {
    name: "htc-1",
    hostname: "ip-0A000005",
    state: "idle",
    state_flags: ["DRAIN"],
    reason,
    cpus: 4,
  };
  const resources = { ncpus: 4, ngpus: 0 };
  expect(nodeOf(node)).toEqual({
    hostname: "ip-0A000005",
    resources,
    state: "drained",
    ...expected,
  });
});

test("who drained a node, why and since when are told in Slurm's words", () => {
  const node = {
    name: "htc-1",
    hostname: "ip-0A000005",
    state: ["IDLE", "DRAIN"],
    cpus: 4,
    reason: "broken disk",
    reason_set_by_user: "root",
    reason_changed_at: { set: true, infinite: false, number: 1_795_305_446 },
  };
  expect(nodeOf(node)).toMatchObject({
    isOutByOthers: true,
    stateReason: "broken disk",
    stateBy: "root",
    stateSince: "2026-11-21T23:57:26.000Z",
  });
});

test("a time that is none is left out", () => {
  const node = { name: "htc-1", hostname: "a", state_flags: ["DRAIN"], reason_changed_at: 1e300 };
  expect(nodeOf(node)).toEqual({
    hostname: "a",
    resources: { ngpus: 0 },
    state: "drained",
    isOutByOthers: true,
  });
});

/** Every state of a node, and every flag beside it, that Slurm 22.05 to 26.05 prints. */
const host = { name: "htc-1", hostname: "ip-1", address: "ip-1", slurmd_version: "22.05.8", state: ["IDLE"] };
test.each([
  ["up", "IDLE ALLOCATED MIXED CLOUD COMPLETING DYNAMIC_NORM PLANNED POWER_UP REBOOT_REQUESTED"],
  ["up", "REBOOT_CANCELED CANCEL_REBOOT RESUME UNDRAIN"],
  ["none", "DOWN ERROR FUTURE UNKNOWN DYNAMIC_FUTURE EXTERNAL INVALID_REG NOT_RESPONDING"],
  ["none", "POWERED_DOWN POWERING_DOWN POWERING_UP"],
  ["drained", "DRAIN FAIL POWER_DOWN POWER_DRAIN"],
  ["draining", "MAINTENANCE RESERVED BLOCKED REBOOT_ISSUED"],
])("an idle host is %s in each of the states %s", (expected, list) => {
  const rows = list.split(" ").map((state) => {
    const record = nodeRecord.parse({ ...host, state: ["IDLE", state] });
    return [state, isListed(record) ? posted(record).state : "none", unknownStates(record)];
  });
  expect(rows).toEqual(list.split(" ").map((state) => [state, expected, []]));
});

test("a state of a newer release is left aside, and the log names it", () => {
  const node = slurmNode(1, { state: ["IDLE", "SPARKLING"] });
  expect(readSlurm({ jobs: [], nodes: [node] })).toMatchObject({
    nodes: [{ hostname: "ip-1", state: "up" }],
    setAside: [{ record: "node htc-1", reason: 'state "SPARKLING" is not known, left aside' }],
  });
});

test("a host in a maintenance reservation is out by others, with its state as the reason", () => {
  const record = nodeRecord.parse({ ...host, state: ["IDLE", "MAINTENANCE"] });
  expect(posted(record)).toMatchObject({
    state: "draining",
    isOutByOthers: true,
    stateReason: "state MAINTENANCE",
  });
});

const eventSeconds = 1_795_400_000;

function driverOf() {
  const configured = slurm.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  return configured.driver;
}

/** A driver after an event, that reads one node of which Slurm has not seen the daemon. */
function passAfter(
  kind: "node-joined" | "node-deleted" | undefined,
  hostname: string,
  fields: object,
  laterSeconds = 0,
) {
  const driver = driverOf();
  const context = { nowSeconds: eventSeconds, draining: new Map<string, number>(), memory: {} };
  const events = kind === undefined ? [] : (["node-joined", kind] as const);
  let memory = {};
  for (const each of events)
    memory = driver.commandsFor(
      { kind: each, nodes: [{ name: "htc-1", hostname }] },
      { ...context, memory },
    ).memory;
  return interpreted(fields, memory, laterSeconds);
}

/** What the driver makes of a node, with what it remembers. */
function interpreted(fields: object, memory: Memory, laterSeconds = 0, draining: readonly string[] = []) {
  const nodes = [slurmNode(1, { slurmd_version: "", state: ["IDLE", "CLOUD", "POWERED_DOWN"], ...fields })];
  const texts = {
    scontrol: JSON.stringify({ nodes }),
    partitions: linesOfPartitions(nodes),
    squeue: '{"jobs":[]}',
    switches: "",
    licenses: "No licenses configured in Slurm.\n",
    reservations: "No reservations in the system\n",
    config: "AccountingStorageEnforce = none\n",
  };
  const answers = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { text, exitCode: 0 }]),
  );
  const nowSeconds = eventSeconds + laterSeconds;
  const reading = driverOf().interpret(answers, {
    nowSeconds,
    draining: new Map(draining.map((host) => [host, 0])),
    memory,
  });
  if (!reading.known) throw new Error(reading.reason);
  const hosts = Object.entries(reading.memory.joining ?? {}).map(([name, host]) => [name, host.hostname]);
  return {
    commands: reading.corrections.map(({ args }) => args.slice(1).join(" ")),
    whys: reading.corrections.map(({ why, nodes: of }) => ({ why, nodes: of })),
    joining: hosts.length === 0 ? undefined : Object.fromEntries(hosts),
    setAside: reading.setAside.map(({ record, reason }) => `${record}: ${reason}`),
    nodes: reading.nodes,
    memory: reading.memory,
  };
}

const takenDown = ["NodeName=htc-1 NodeAddr=255.255.255.255 NodeHostname=htc-1 State=DOWN Reason=cyclecloud"];
const atHome = { hostname: "htc-1", address: "htc-1" };
const atHost = { hostname: "ip-1", address: "ip-1" };
const nowhere = { hostname: "htc-1", address: "255.255.255.255", reason: "cyclecloud" };

test.each([
  ["nobody joined", undefined, "ip-1", atHome, takenDown, undefined],
  ["it joined", "node-joined", "ip-1", atHost, [], { "htc-1": "ip-1" }],
  ["it joined, and the agent has lost its state", undefined, "ip-1", atHost, [], undefined],
  [
    "it joined, and a reconfiguration took its address",
    "node-joined",
    "ip-1",
    atHome,
    ["NodeName=htc-1 NodeAddr=ip-1 NodeHostname=ip-1"],
    { "htc-1": "ip-1" },
  ],
  ["it joined under its own name", "node-joined", "htc-1", atHome, [], { "htc-1": "htc-1" }],
  ["it joined and was deleted", "node-deleted", "ip-1", atHome, takenDown, undefined],
  [
    "its daemon has registered",
    "node-joined",
    "ip-1",
    { ...atHost, state: ["DOWN", "CLOUD"], reason: "cyclecloud", slurmd_version: "22.05.8" },
    ["NodeName=htc-1 State=RESUME"],
    undefined,
  ],
  [
    "its daemon has not registered",
    "node-joined",
    "ip-1",
    { ...atHost, state: ["DOWN", "CLOUD", "POWERED_DOWN"], reason: "cyclecloud" },
    [],
    { "htc-1": "ip-1" },
  ],
  [
    "its daemon has registered, and it came into service by itself",
    "node-joined",
    "ip-1",
    { ...atHost, state: ["IDLE", "CLOUD"], slurmd_version: "22.05.8" },
    [],
    undefined,
  ],
  [
    "it was away, and joins again after its command was lost",
    "node-joined",
    "ip-1",
    { ...nowhere, state: ["DOWN", "CLOUD", "POWERED_DOWN"] },
    ["NodeName=htc-1 NodeAddr=ip-1 NodeHostname=ip-1"],
    { "htc-1": "ip-1" },
  ],
] as const)("a node that Slurm has not heard of, %s", (_, kind, hostname, fields, commands, joining) => {
  expect(passAfter(kind, hostname, fields)).toMatchObject({ commands, joining });
});

describe("a job that Slurm has put on a node that is not there waits again when the node is taken down", () => {
  const down =
    "NodeName=htc-1 NodeAddr=255.255.255.255 NodeHostname=htc-1 State=DOWN Reason=cyclecloud".split(" ");
  const landed = { job_state: ["CONFIGURING"], nodes: "htc-1", requeue: true };

  test.each([
    { what: "it may be requeued", job: landed, commands: [down, ["JobId=7", "StartTime=now"]] },
    {
      what: "it must not be requeued, and has not started",
      job: { ...landed, requeue: false },
      commands: [["JobId=7", "Requeue=1"], down, ["JobId=7", "Requeue=0", "StartTime=now"]],
    },
    {
      what: "another of its nodes is there: its daemon refuses the job for two minutes",
      job: { ...landed, nodes: "htc-[1-2]", requeue: false },
      commands: [["JobId=7", "Requeue=1"], down, ["JobId=7", "Requeue=0"]],
    },
    { what: "it is on other nodes", job: { ...landed, nodes: "htc-2", requeue: false }, commands: [down] },
    {
      what: "it runs elsewhere by now",
      job: { ...landed, job_state: ["RUNNING"], nodes: "htc-2" },
      commands: [down],
    },
    { what: "it waits", job: {}, commands: [down] },
  ])("$what", ({ job, commands }) => {
    const away = { ...atHome, slurmd_version: "", state: ["MIXED", "CLOUD", "POWERED_DOWN"] };
    const reading = readSlurm({ jobs: [waitingJob(job)], nodes: [slurmNode(1, away), slurmNode(2)] });
    if (!reading.known) throw new Error(reading.reason);
    const all = reading.corrections.flatMap(({ guards = [], ...correction }) => [...guards, correction]);
    expect(all.map(({ args }) => args.slice(1))).toEqual(commands);
  });

  test("only the nodes of a job that must not be requeued wait for its guard", () => {
    const away = { ...atHome, slurmd_version: "", state: ["MIXED", "CLOUD", "POWERED_DOWN"] };
    const nodes = [1, 2, 3].map((index) =>
      slurmNode(index, { ...away, hostname: `htc-${index}`, address: `htc-${index}` }),
    );
    const reading = readSlurm({ jobs: [waitingJob({ ...landed, requeue: false })], nodes });
    if (!reading.known) throw new Error(reading.reason);
    const downs = reading.corrections.filter(({ args }) => args.includes("State=DOWN"));
    expect(downs.map(({ nodes, guards = [] }) => [nodes, guards.length])).toEqual([
      ["htc-1", 1],
      ["htc-[2-3]", 0],
    ]);
  });
});

test("a record that cannot be read for one pass does not end a join; after ten minutes the log names the node, once", () => {
  const unreadable = { ...atHome, cpus: "four" };
  const soon = passAfter("node-joined", "ip-1", unreadable, 30);
  expect(soon.joining).toEqual({ "htc-1": "ip-1" });
  expect(soon.setAside).toEqual([expect.stringContaining("node htc-1: cpus")]);
  const [first, later] = [600, 900].map(
    (seconds) => passAfter("node-joined", "ip-1", unreadable, seconds).setAside,
  );
  expect(first?.at(-1)).toBe(
    "node htc-1: joined as ip-1 at 2026-11-23T02:13:20.000Z, and Slurm does not list it, or its record cannot be read; joining is tried again in each pass",
  );
  expect(later).toEqual(first);
  expect(passAfter("node-joined", "ip-1", atHost, 600).setAside).toEqual([
    expect.stringContaining("its slurmd has not registered"),
  ]);
  expect(passAfter("node-joined", "ip-1", atHost, 599).setAside).toEqual([]);
});

test.each([
  ["half an hour", atHost, 1800, ["drained"]],
  ["half an hour, and Slurm's address was never set", atHome, 1800, ["drained"]],
  ["less", atHost, 1799, []],
  ["half an hour, and its record cannot be read", { ...atHome, cpus: "four" }, 1800, []],
  ["half an hour, and a job is there", { ...atHost, state: ["MIXED", "CLOUD", "POWERED_DOWN"] }, 1800, []],
  [
    "half an hour, and registers now",
    { ...atHost, state: ["DOWN", "CLOUD"], reason: "cyclecloud" },
    1800,
    [],
  ],
])("a node whose slurmd has not registered for %s", (_, fields, seconds, states) => {
  const { nodes = [] } = passAfter("node-joined", "ip-1", fields, seconds);
  expect(nodes.filter(({ state }) => state === "drained").map(({ state }) => state)).toEqual(states);
  if (states.length > 0)
    expect(nodes).toMatchObject([
      {
        hostname: "ip-1",
        isOutByOthers: true,
        stateReason: "its slurmd has not registered",
        stateSince: "2026-11-23T02:13:20.000Z",
      },
    ]);
});

const registered = { ...atHost, state: ["DOWN", "CLOUD"], slurmd_version: "22.05.8" };
test.each([
  ["ours", "cyclecloud", ["NodeName=htc-1 State=RESUME"]],
  ["none", "", ["NodeName=htc-1 State=RESUME"]],
  ["Slurm's, of the life before", "Not responding", ["NodeName=htc-1 State=RESUME"]],
  ["a person's", "broken disk", []],
])("a node that joined and is down, where the reason is %s", (_, reason, commands) => {
  const fields = { ...registered, reason };
  const first = passAfter("node-joined", "ip-1", fields);
  // The agent may have died before its command, and after it had saved what it remembers.
  for (const each of [first, interpreted(fields, first.memory)]) expect(each.commands).toEqual(commands);
  const served = { ...atHost, state: ["IDLE", "CLOUD"], slurmd_version: "22.05.8" };
  expect(interpreted(served, first.memory).memory).not.toHaveProperty("joining");
});

test("what a person set before the daemon registered is put back when Slurm has forgotten it, and the node is not resumed", () => {
  const boots = { ...atHost, state: ["DOWN", "CLOUD", "POWERED_DOWN"], slurmd_version: "" };
  const byAnn = { reason: "broken disk", reason_set_by_user: "ann" };
  const joined = { joining: { "htc-1": { hostname: "ip-1", sinceSeconds: eventSeconds } } };
  const { memory } = interpreted({ ...boots, ...byAnn }, joined);
  const forgotten = interpreted({ ...registered, reason: "" }, memory);
  expect(forgotten.commands).toEqual(["NodeName=htc-1 Reason=broken disk (ann)"]);
  // The command may have failed.
  expect(interpreted({ ...registered, reason: "" }, forgotten.memory).commands).toEqual(forgotten.commands);
  const back = interpreted({ ...registered, reason: "broken disk (ann)" }, forgotten.memory);
  expect(back).toMatchObject({ commands: [], nodes: [{ stateReason: "broken disk (ann)" }] });
  expect(back.memory).not.toHaveProperty("joining");
  const resumed = interpreted({ ...registered, state: ["IDLE", "CLOUD"] }, forgotten.memory);
  expect(resumed).toMatchObject({ commands: [], nodes: [{ state: "up" }] });
});

test("a node that a person took down is shown with reason, person and time, and is not told to drain", () => {
  const fields = { reason: "broken disk", reason_set_by_user: "ann", reason_changed_at: 1_795_305_446 };
  expect(passAfter("node-joined", "ip-1", { ...registered, ...fields }).nodes).toMatchObject([
    {
      hostname: "ip-1",
      state: "drained",
      isOutByOthers: true,
      stateReason: "broken disk",
      stateBy: "ann",
      stateSince: "2026-11-21T23:57:26.000Z",
    },
  ]);
  const silent = { ...registered, ...fields, state: ["DOWN", "CLOUD", "NOT_RESPONDING"] };
  expect(passAfter("node-joined", "ip-1", silent).nodes).toEqual([]);
});

interface Node {
  readonly state: readonly string[];
  readonly address: string;
  readonly hostname: string;
  readonly reason: string;
}

/** What slurmctld 22.05 makes of an update of the node. */
function takenBySlurm<T extends Node>(node: T, command: string): T {
  const given = (key: string) => new RegExp(`${key}=(.*?)(?= \\w+=|$)`).exec(command)?.[1];
  const without = (...flags: readonly string[]) => node.state.filter((flag) => !flags.includes(flag));
  const changed: Node = {
    state: node.state,
    address: given("NodeAddr") ?? node.address,
    hostname: given("NodeHostname") ?? node.hostname,
    reason: given("Reason") ?? node.reason,
  };
  switch (given("State")) {
    case "DOWN":
      return { ...node, ...changed, state: ["DOWN", ...without("IDLE", "MIXED", "DOWN")] };
    case "DRAIN":
      return { ...node, ...changed, state: [...without("DRAIN"), "DRAIN"] };
    case "UNDRAIN":
      return { ...node, ...changed, state: without("DRAIN"), reason: "" };
    case "RESUME":
      return { ...node, ...changed, state: ["IDLE", ...without("DOWN", "DRAIN", "IDLE")], reason: "" };
    default:
      return { ...node, ...changed };
  }
}

describe("whatever Slurm, the agent's memory and the host say together", () => {
  const cells = [atHome, atHost, nowhere].flatMap((at) =>
    [["IDLE"], ["MIXED"], ["DOWN"], ["IDLE", "DRAIN"], ["MIXED", "DRAIN"]].flatMap((state) =>
      [[], ["POWERED_DOWN"], ["NOT_RESPONDING"]].flatMap((more) =>
        [undefined, {}, { heldReason: "broken disk (ann)" }].map((held) => ({
          fields: { ...at, slurmd_version: "22.05.8", state: [...state, "CLOUD", ...more], reason: "" },
          memory:
            held === undefined
              ? {}
              : { joining: { "htc-1": { hostname: "ip-1", sinceSeconds: eventSeconds, ...held } } },
        })),
      ),
    ),
  );

  test("what a person took out keeps its state and its reason", () => {
    const touched = cells
      .filter(
        ({ fields: { state } }) =>
          state.includes("DOWN") || (state.includes("DRAIN") && !state.includes("MIXED")),
      )
      .flatMap(({ fields, memory }) => {
        const { commands } = interpreted({ ...fields, reason: "broken disk" }, memory);
        return commands.some((command) => /State=|Reason=/.test(command))
          ? [{ fields, memory, commands }]
          : [];
      });
    expect(touched).toEqual([]);
  });

  test("every correction is made once, and after some passes nothing is left to correct", () => {
    const reasons = ["", "cyclecloud", "cyclecloud drain", "broken disk", "Not responding"];
    const worlds = cells.flatMap(({ fields, memory }) =>
      reasons.flatMap((reason) =>
        [[], ["ip-1"]].map((draining) => {
          const alloc_cpus = fields.state.includes("MIXED") ? 2 : 0;
          return { before: { ...fields, reason, alloc_cpus }, memory, draining };
        }),
      ),
    );
    const restless = worlds.filter(({ before, memory, draining }) => {
      const made: string[] = [];
      let [node, remembered, last] = [before, memory as Memory, 0];
      for (let passes = 0; passes < 4; passes += 1) {
        const reading = interpreted(node, remembered, 0, draining);
        node = reading.commands.reduce(takenBySlurm, node);
        made.push(...reading.commands);
        last = reading.commands.length;
        // The next pass would read what this one read.
        if (last === 0 && isDeepStrictEqual(reading.memory, remembered)) break;
        remembered = reading.memory;
      }
      return last > 0 || new Set(made).size < made.length;
    });
    expect(restless).toEqual([]);
  });

  test("every correction says why, and of which node", () => {
    const whys = cells.flatMap(({ fields, memory }) => interpreted(fields, memory).whys);
    expect(new Set(whys.map(({ nodes }) => nodes))).toEqual(new Set(["htc-1"]));
    expect([...new Set(whys.map(({ why }) => why))].toSorted()).toEqual([
      "a person took it down before its daemon registered, and Slurm forgot that reason",
      "it has no machine",
      "it has no machine, and a job that waits for it",
      "it has no machine, and stays out as it is",
      "its daemon has registered",
      "its machine is there, under another address than Slurm has",
    ]);
  });

  test("a host with a job on it gets no command", () => {
    const touched = cells
      .filter(({ fields: { state, address } }) => state.includes("MIXED") && address === "ip-1")
      .flatMap(({ fields, memory }) => {
        const { commands } = interpreted({ ...fields, alloc_cpus: 2 }, memory);
        return commands.length > 0 ? [{ fields, memory, commands }] : [];
      });
    expect(touched).toEqual([]);
  });
});

test("a node that is not there, with a job and a person's drain, goes down with that person's reason", () => {
  const away = { ...atHome, state: ["MIXED", "DRAIN", "CLOUD", "POWERED_DOWN"], alloc_cpus: 2 };
  const drained = { ...away, reason: "broken disk", reason_set_by_user: "ann" };
  const { commands } = interpreted(drained, {});
  expect(commands).toEqual([
    "NodeName=htc-1 NodeAddr=255.255.255.255 NodeHostname=htc-1 State=DOWN Reason=broken disk (ann)",
  ]);
});

test("a node of ignored partitions is whoever's has it, also with a reason that begins like ours", () => {
  const node = { ...registered, reason: "cyclecloud_zombie_node", reason_set_by_user: "root" };
  const section = { ignore_partitions: ["htc"] };
  expect(readSlurm({ jobs: [], nodes: [slurmNode(1, node)], section })).toMatchObject({ corrections: [] });
});

test("a node that boots for a job is drained when it has booted: before, Slurm would take the job from it", () => {
  const busy = { ...atHost, alloc_cpus: 4, slurmd_version: "22.05.8" };
  const drained = ["NodeName=htc-1 State=DRAIN Reason=cyclecloud drain"];
  for (const [states, commands] of [
    [["ALLOCATED", "CLOUD", "POWERING_UP"], []],
    [["ALLOCATED", "CLOUD", "POWERED_DOWN"], []],
    [["ALLOCATED", "CLOUD"], drained],
  ] as const)
    expect(interpreted({ ...busy, state: states }, {}, 0, ["ip-1"]).commands).toEqual(commands);
});

test("an agent that lost its files leaves its own drains as they are, and the service is asked", () => {
  const drained = { ...atHost, reason: "cyclecloud drain", slurmd_version: "22.05.8" };
  const asked = { state: "drained", isOutByLostEvent: true };
  const left = interpreted({ ...drained, state: ["IDLE", "DRAIN", "CLOUD"] }, {});
  expect(left).toMatchObject({ commands: [], nodes: [asked] });
  const down = interpreted({ ...drained, state: ["DOWN", "DRAIN", "CLOUD"] }, {});
  expect(down.commands).toEqual([
    "NodeName=htc-1 State=RESUME",
    "NodeName=htc-1 State=DRAIN Reason=cyclecloud drain",
  ]);
});

test.each([
  [["DOWN", "CLOUD"], "", ["NodeName=htc-1 State=RESUME"]],
  [["DOWN", "CLOUD", "NOT_RESPONDING"], "", []],
  [["DOWN", "CLOUD", "DRAIN"], "", []],
  [["DOWN", "CLOUD", "FAIL"], "", []],
  [["DOWN", "CLOUD"], "broken disk", []],
])(
  "an agent that lost its files resumes what Slurm forgot that it took down: %s %j %j",
  (state, reason, commands) => {
    expect(interpreted({ ...registered, state, reason }, {}).commands).toEqual(commands);
  },
);

describe("a node whose host changed while Slurm did not take its address", () => {
  const joined = { joining: { "htc-1": { hostname: "ip-2", sinceSeconds: eventSeconds } } };
  const at = { ...atHost, state: ["IDLE", "CLOUD"], slurmd_version: "22.05.8" };

  test.each([
    ["gets it in the next pass", at, ["NodeName=htc-1 NodeAddr=ip-2 NodeHostname=ip-2"], { "htc-1": "ip-2" }],
    ["is not touched while it has a job", { ...at, alloc_cpus: 2 }, [], { "htc-1": "ip-2" }],
    ["has it", { ...at, hostname: "IP-2", address: "10.0.0.2" }, [], undefined],
  ])("%s", (_, fields, commands, joining) => {
    expect(interpreted(fields, joined)).toMatchObject({ commands, joining });
  });
});

describe("of 10,000 nodes", () => {
  const count = 10_000;
  const named = Array.from({ length: 1000 }, (_, index) => ({
    name: `htc-${index + 1}`,
    hostname: `ip-${index + 1}`,
  }));
  const names = named.map(({ hostname }) => hostname).join(",");

  test("those that are not there are taken down with one command, which says why", () => {
    const nodes = Array.from({ length: count }, (_, index) =>
      slurmNode(index + 1, {
        hostname: `htc-${index + 1}`,
        address: `htc-${index + 1}`,
        slurmd_version: "",
        state: ["IDLE", "CLOUD", "POWERED_DOWN"],
      }),
    );
    const reading = readSlurm({ jobs: [], nodes });
    if (!reading.known) throw new Error(reading.reason);
    const addresses = `255.255.255.[${Array.from({ length: count }, () => "255").join(",")}]`;
    expect(reading.corrections).toMatchObject([
      {
        args: [
          "update",
          "NodeName=htc-[1-10000]",
          `NodeAddr=${addresses}`,
          "NodeHostname=htc-[1-10000]",
          "State=DOWN",
          "Reason=cyclecloud",
        ],
        why: "it has no machine",
        nodes: "htc-[1-10000]",
      },
    ]);
  });

  test("1,000 that registered are resumed with one command", () => {
    const nodes = named.map(({ hostname }, index) =>
      slurmNode(index + 1, { hostname, address: hostname, state: ["DOWN", "CLOUD"], reason: "cyclecloud" }),
    );
    const reading = readSlurm({ jobs: [], nodes });
    expect(reading).toMatchObject({
      corrections: [{ args: ["update", "NodeName=htc-[1-1000]", "State=RESUME"], exitCodes: [1] }],
    });
  });

  test("1,000 that join in one event are one command", () => {
    const context = { nowSeconds: eventSeconds, draining: new Map<string, number>(), memory: {} };
    const { commands } = driverOf().commandsFor({ kind: "node-joined", nodes: named }, context);
    expect(commands.map((command) => command.args.slice(1))).toEqual([
      [`NodeName=${named.map(({ name }) => name).join(",")}`, `NodeAddr=${names}`, `NodeHostname=${names}`],
    ]);
  });

  test.each([
    ["drain", [], ["State=DRAIN", "Reason=cyclecloud drain"]],
    ["undrain", ["DRAIN"], ["State=UNDRAIN"]],
  ] as const)(
    "1,000 in one event (%s) are one command, once it was read what people set",
    (kind, flags, args) => {
      const draining = new Map(kind === "drain" ? named.map(({ hostname }) => [hostname, eventSeconds]) : []);
      const undrained = new Set(kind === "undrain" ? named.map(({ hostname }) => hostname) : []);
      const context = { nowSeconds: eventSeconds, draining, undrained, memory: {} };
      const driver = driverOf();
      expect(driver.commandsFor({ kind, nodes: named }, context).commands).toEqual([]);
      const nodes = [...named, { name: "htc-1001", hostname: "ip-1001" }].map(({ name, hostname }, index) => {
        const isHeld = name === "htc-1001" || index === 0;
        const reason = isHeld ? "disk" : "cyclecloud drain";
        return slurmNode(index + 1, {
          hostname,
          address: hostname,
          state: ["IDLE", ...(isHeld ? ["DRAIN"] : flags)],
          reason,
        });
      });
      const reading = driver.interpret(answersOfSlurm({ jobs: [], nodes }), context);
      expect(reading.known && reading.corrections.map((command) => command.args.slice(1))).toEqual([
        ["NodeName=htc-[2-1000]", ...args],
      ]);
      // The service must not take one for out that is in service in the next moment.
      expect(reading.known && new Set(reading.nodes.map(({ state }) => state).slice(1, 1000))).toEqual(
        new Set(["up"]),
      );
    },
  );

  test("no argument is longer than Linux takes", () => {
    const long = named.map(({ name, hostname }) => ({ name, hostname: `${hostname}.${"x".repeat(240)}` }));
    const context = { nowSeconds: eventSeconds, draining: new Map<string, number>(), memory: {} };
    const { commands } = driverOf().commandsFor({ kind: "node-joined", nodes: long }, context);
    expect(commands).toHaveLength(3);
    const lengths = commands.flatMap(({ args }) => args.map(({ length }) => length));
    expect(Math.max(...lengths)).toBeLessThan(128 * 1024);
  });
});

describe("the end of a node", () => {
  const [old, now] = [
    { name: "htc-1", nodeId: "a", hostname: "ip-old" },
    { name: "htc-1", nodeId: "b", hostname: "ip-new" },
  ];
  const there = { state: ["ALLOCATED", "CLOUD"], hostname: "ip-old", address: "ip-old" };
  const next = { ...there, slurmd_start_time: eventSeconds + 60 };

  test.each([
    ["of the one that joined", [old], old, there, takenDown],
    ["of one that never got its address", [old], old, { ...there, ...atHome }, takenDown],
    ["that comes after another one has joined under its name", [old, now], old, there, []],
    ["of the second", [old, now], now, { ...there, hostname: "ip-new", address: "ip-new" }, takenDown],
    [
      "of the second, whose address Slurm did not take while there was a job",
      [old, now],
      now,
      there,
      takenDown,
    ],
    ["of one that nobody saw join", [], old, there, takenDown],
    // Its event is on its way, and a person let the name take jobs before.
    ["that comes before the next one has joined, which has its address and a job", [old], old, next, []],
    ["that is only that of its host name", [old], { ...old, isRenamed: true }, there, []],
    [
      "by its host, from a service that gives no ids",
      [{ name: "htc-1", hostname: "ip-new" }],
      { name: "htc-1", hostname: "ip-old" },
      there,
      [],
    ],
  ])("%s", (_, joined, end, fields, commands) => {
    const driver = driverOf();
    const context = { nowSeconds: eventSeconds + 100, draining: new Map<string, number>() };
    let memory: Memory = {};
    for (const node of joined)
      memory = driver.commandsFor({ kind: "node-joined", nodes: [node] }, { ...context, memory }).memory;
    const event = { kind: "node-deleted", atSeconds: eventSeconds, nodes: [end] } as const;
    const steps = driver.commandsFor(event, { ...context, memory });
    expect(steps.commands).toEqual([]);
    const fresh = { slurmd_version: "22.05.8", slurmd_start_time: eventSeconds - 600, ...fields };
    const pass = interpreted(fresh, steps.memory, 100);
    expect(pass.commands).toEqual(commands);
    expect(pass.nodes).toHaveLength(commands.length === 0 ? 1 : 0);
    // Until Slurm has it, should the command fail.
    expect(interpreted(fresh, pass.memory, 110).commands).toEqual(commands);
    expect(
      interpreted({ ...fresh, ...nowhere, state: ["DOWN", "CLOUD"] }, pass.memory).memory,
    ).not.toHaveProperty("gone");
  });

  test("is remembered from pass to pass", () => {
    const driver = driverOf();
    const context = { nowSeconds: eventSeconds, draining: new Map<string, number>(), memory: {} };
    const { memory } = driver.commandsFor({ kind: "node-joined", nodes: [old] }, context);
    expect(interpreted({}, memory).memory.joined).toEqual({ "htc-1": { nodeId: "a", hostname: "ip-old" } });
    // An agent of before remembered the host alone.
    expect(interpreted(there, { gone: { "htc-1": "ip-old" } }).commands).toEqual(takenDown);
  });
});
