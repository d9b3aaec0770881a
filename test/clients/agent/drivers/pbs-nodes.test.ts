import { describe, expect, test } from "vitest";
import type {
  Answers,
  Context,
  Driver,
  Memory,
  NodeEvent,
  Reading,
} from "../../../../clients/agent/drivers/driver.ts";
import { pbs } from "../../../../clients/agent/drivers/pbs/pbs.ts";
import { array, bucket, node } from "../../../shared/engine/tiny.ts";
import { planReading } from "./plan-reading.ts";

const nowSeconds = 1_800_000_000;
const list = (name: string, records: object) => ({
  exitCode: 0,
  text: JSON.stringify({ timestamp: nowSeconds, pbs_version: "23", pbs_server: "head", [name]: records }),
});
const resources = [
  "group_id string h",
  "ungrouped boolean h",
  "ccnodeid string h",
  "nodearray string h",
  "ngpus long hn",
]
  .map((line) => line.split(" "))
  .map(([name, type, flag]) => `Resource ${name}\n    type = ${type}\n    flag = ${flag}\n\n`)
  .join("");

interface Described {
  readonly state: string;
  readonly comment?: string;
  readonly jobs?: readonly string[];
  readonly resv?: string;
  readonly queue?: string;
  readonly partition?: string;
  readonly changed?: number;
  readonly version?: string;
  readonly available?: object;
}

function driverOf(section: object = {}): Driver {
  const configured = pbs.configure(section);
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  return configured.driver;
}

function readNodes(
  nodes: Readonly<Record<string, Described>>,
  {
    memory = {},
    draining = [],
    undrained = [],
    section = {},
    jobs = {},
    reservations,
  }: {
    memory?: Memory;
    draining?: readonly string[];
    undrained?: readonly string[];
    section?: object;
    jobs?: object;
    reservations?: Answers[string];
  } = {},
): Extract<Reading, { known: true }> {
  const records = Object.fromEntries(
    Object.entries(nodes).map(([name, { changed = 0, version = "23", available = {}, ...fields }]) => [
      name,
      {
        ...fields,
        Mom: name,
        pbs_version: version,
        last_state_change_time: nowSeconds - changed,
        resources_available: { ncpus: 4, mem: "16gb", ccnodeid: "id", nodearray: "htc", ...available },
      },
    ]),
  );
  const reading = driverOf(section).interpret(
    {
      nodes: list("nodes", records),
      jobs: list("Jobs", jobs),
      queues: list("Queue", { q: { queue_type: "Execution", started: "True" } }),
      server: list("Server", { head: { scheduling: "True" } }),
      resources: { text: resources, exitCode: 0 },
      scheduled: { text: "", exitCode: 1 },
      ...(reservations === undefined ? {} : { reservations }),
    },
    {
      nowSeconds,
      draining: new Map(draining.map((name) => [name, 0])),
      undrained: new Set(undrained),
      memory,
    },
  );
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

const lines = (commands: readonly { readonly args: readonly string[] }[]) =>
  commands.map(({ args }) => args.join(" "));
const offline = "-o -C cyclecloud offline ip-1";
const restored = "-r -C cyclecloud restored ip-1";

describe("the state of a host", () => {
  test.each<readonly [string, Described, string]>([
    ["free", { state: "free" }, "up"],
    ["all its CPUs are in use", { state: "job-busy", jobs: ["1.head"] }, "up"],
    ["one job has it whole", { state: "job-exclusive", jobs: ["1.head"] }, "up"],
    ["offline with a job", { state: "offline", comment: "cyclecloud offline", jobs: ["1.head"] }, "draining"],
    ["offline without jobs", { state: "offline", comment: "cyclecloud offline" }, "drained"],
    [
      "offline by somebody, with a job",
      { state: "offline", comment: "disk", jobs: ["1.head"] },
      "draining disk",
    ],
    ["offline by somebody, without jobs", { state: "offline", comment: "disk" }, "drained disk"],
    [
      "offline by somebody without a word",
      { state: "offline", comment: "cyclecloud joined" },
      "drained state offline",
    ],
    [
      "offline and to be kept",
      { state: "offline", comment: "cyclecloud keep offline" },
      "draining cyclecloud keep offline",
    ],
    ["down for a moment, while another joins", { state: "down", changed: 19 }, "up"],
    [
      "not known yet by a server that has just started",
      { state: "state-unknown,down" },
      "draining state state-unknown, down",
    ],
    ["down with a job", { state: "down,job-busy", jobs: ["1.head"], changed: 20 }, "draining state down"],
    ["down without jobs may come back", { state: "down", comment: "node down" }, "draining node down"],
    ["of another queue's hosts", { state: "free", queue: "special" }, "draining of queue special"],
    ["of another scheduler's hosts", { state: "free", partition: "P1" }, "draining of partition P1"],
    ["down and offline", { state: "down,offline", comment: "cyclecloud down" }, "drained"],
    [
      "down and offline with a job",
      { state: "down,offline", comment: "cyclecloud down", jobs: ["1.head"] },
      "draining",
    ],
    ["of a reservation", { state: "resv-exclusive" }, "draining state resv-exclusive"],
    [
      "kept for a reservation that is to come",
      { state: "free", resv: "R7.head" },
      "draining reservation R7.head",
    ],
    [
      "kept for two, and busy",
      { state: "job-busy", jobs: ["1.head"], resv: "R7.head, S8.head" },
      "draining reservation R7.head, reservation S8.head",
    ],
    [
      "drained for us, and kept for a reservation",
      { state: "offline", comment: "cyclecloud offline", resv: "R7.head" },
      "draining",
    ],
    ["offline, in maintenance", { state: "offline,maintenance", comment: "x" }, "draining x"],
    ["a state of another release", { state: "on-fire" }, "draining state on-fire"],
  ])("%s", (_, node, expected) => {
    const [read] = readNodes({ "ip-1": node }).nodes;
    expect([read?.state, read?.stateReason].filter((word) => word !== undefined).join(" ")).toBe(expected);
  });

  test("a small reservation takes what it holds of its hosts, its jobs nothing more, and others use the rest", () => {
    const held = (resv: string, state = "free") => ({ state, resv });
    const nodes = {
      "ip-1": held("R7.head"),
      "ip-2": held("R7.head", "offline"),
      "ip-3": held("R7.head, S8.head"),
      "ip-4": held("S8.head"),
    };
    const printed = [
      "Resv ID: R7.head\nReserve_Name = NULL\nqueue = R7\nResource_List.place = free\neuser = ann",
      "resv_nodes = (ip-1:ncpus=1)+(ip-2:ncpus=1)+(ip-3:ncpus=1)+(ip-9:ncpus=1)\n\n",
    ].join("\n");
    const jobs = { "5.head": { job_state: "R", queue: "R7", exec_vnode: "(ip-1:ncpus=1)", euser: "ann" } };
    const read = readNodes(nodes, { jobs, reservations: { text: printed, exitCode: 0 } });
    expect(read.jobs).toMatchObject([
      { name: "5", constraints: {}, executingHostnames: ["ip-1"] },
      { name: "R7", constraints: { ncpus: 1 }, executingHostnames: ["ip-1", "ip-2", "ip-3"], user: "ann" },
    ]);
    const states = read.nodes.map(({ state, stateReason = "" }) => `${state} ${stateReason}`.trim());
    expect(states).toEqual([
      "up",
      "draining state offline",
      // Of S8 nothing is printed: the list may be cut short.
      "draining reservation S8.head",
      "draining reservation S8.head",
    ]);
    expect(
      driverOf().reads({ memory: read.memory, nowSeconds, draining: new Map() })[0]?.at(-1),
    ).toMatchObject({
      program: "env",
      args: ["pbs_rstat", "-f"],
    });
    const none = readNodes(nodes, { reservations: { text: printed, exitCode: 127 } });
    expect([none.jobs, none.nodes.map(({ state }) => state)]).toEqual([[], Array(4).fill("draining")]);
  });

  test("a host whose vnodes are used apart takes jobs as long as one is free", () => {
    const available = { host: "ip-1", ncpus: 2, mem: "4gb" };
    const none = { host: "ip-1", ncpus: 0, mem: "0b" };
    const { nodes } = readNodes({
      "ip-1": { state: "free", available: none },
      "ip-1[0]": { state: "job-exclusive", jobs: ["1.head"], available },
      "ip-1[1]": { state: "free", available },
    });
    expect(nodes).toMatchObject([{ hostname: "ip-1", state: "up", resources: { ncpus: 4, memmb: 8192 } }]);
  });

  test.each([
    ["job-busy", 1],
    ["free", 0],
  ])("a job that asks for no CPU, and the only host is %s: %i nodes are bought", (state, bought) => {
    const waits = { job_state: "Q", queue: "q", euser: "ann", schedselect: "1:ncpus=0:mem=1gb" };
    const asked = { "2.head": { ...waits, Resource_List: { place: "free" } } };
    const reading = readNodes({ "ip-1": { state, jobs: ["1.head"] } }, { jobs: asked });
    const hpc = array({ name: "htc", buckets: [bucket({ vcpus: 4 })] });
    const there = node("htc-1", { nodeArray: "htc", hostname: "ip-1" });
    expect(planReading("pbs", reading, [hpc], [there]).create.flatMap(({ names }) => names)).toHaveLength(
      bought,
    );
  });

  test("a host that never answered is not there yet", () => {
    const never = { state: "state-unknown,down", version: "unavailable", changed: 9_999 };
    expect(readNodes({ "ip-1": never })).toMatchObject({ nodes: [], corrections: [], shapes: [] });
  });

  test.each([
    ["nothing, without an error", { text: "", exitCode: 0 }],
    ["a part, with an error", { text: '{"nodes":{', exitCode: 1 }],
  ])("what is unknown where pbsnodes prints %s", (_, nodes) => {
    const answers = { nodes, jobs: list("Jobs", {}), queues: list("Queue", {}), server: list("Server", {}) };
    const context = { nowSeconds, draining: new Map(), memory: {} };
    expect(
      driverOf().interpret({ ...answers, resources: { text: resources, exitCode: 0 } }, context),
    ).toEqual({
      known: false,
      reason: '"pbsnodes" printed no nodes as JSON, or not all of them',
    });
  });

  test("a job that cannot be read keeps the hosts that list it, and those that it names", () => {
    const jobs = { "1.head": { job_state: "R", queue: {}, exec_host: "ip-2/0" } };
    const busy = { state: "free", jobs: ["1.head"] };
    expect(readNodes({ "ip-1": busy, "ip-2": { state: "free" } }, { jobs }).setAside).toMatchObject([
      { executingHostnames: ["ip-1"] },
      { executingHostnames: ["ip-2"] },
    ]);
  });

  test("a pass is six commands", () => {
    expect(driverOf().reads({ nowSeconds, draining: new Map(), memory: {} }).flat()).toHaveLength(6);
  });
});

describe("corrections", () => {
  const joined = { joined: { "ip-1": { nodeArray: "htc", placementGroup: null, nodeId: "id" } } };
  test.each<readonly [string, Described, Parameters<typeof readNodes>[1], readonly string[]]>([
    ["a drain that PBS forgot", { state: "free" }, { draining: ["ip-1"] }, [offline]],
    [
      "a drain that is over",
      { state: "offline", comment: "cyclecloud offline" },
      { undrained: ["ip-1"] },
      [restored],
    ],
    ["a drain of an agent that lost its files", { state: "offline", comment: "cyclecloud offline" }, {}, []],
    ["somebody else's offline stays", { state: "offline", comment: "disk" }, {}, []],
    [
      "somebody else's offline stays when it is to drain",
      { state: "offline", comment: "disk" },
      { draining: ["ip-1"] },
      [],
    ],
    ["down for a minute", { state: "down", changed: 60 }, {}, []],
    ["down for as long as it may be", { state: "down", changed: 300 }, {}, []],
    ["down, and PBS does not say since when", { state: "down", changed: nowSeconds }, {}, []],
    ["down for long", { state: "down", changed: 301 }, {}, ["-o -C cyclecloud down ip-1"]],
    ["down for long with a job", { state: "down", changed: 9_999, jobs: ["1.head"] }, {}, []],
    ["given up and still down", { state: "down,offline", comment: "cyclecloud down" }, {}, []],
    ["given up and back", { state: "offline", comment: "cyclecloud down" }, {}, [restored]],
    ["a host that is always there", { state: "down", changed: 9_999, available: { ccnodeid: "" } }, {}, []],
    [
      "a node that could not be deleted, still busy",
      { state: "down", jobs: ["1.head"] },
      { memory: { deleted: ["ip-1"] } },
      [],
    ],
    [
      "a node that could not be deleted",
      { state: "down" },
      { memory: { deleted: ["ip-1"] } },
      ["-c delete node ip-1"],
    ],
    [
      "a resource that it ought to have",
      { state: "free" },
      { memory: joined },
      ['-c set node ip-1 resources_available.group_id = "_none_", resources_available.ungrouped = "True"'],
    ],
  ])("%s", (_, node, options, expected) => {
    expect(lines(readNodes({ "ip-1": node }, options).corrections)).toEqual(expected);
  });

  test("vnodes get the properties of their host: PBS starts a chunk on those that have them; amounts stay the host's", () => {
    const has = { host: "ip-1", group_id: "_none_" };
    const { corrections } = readNodes(
      {
        "ip-1": { state: "free", available: { ...has, ncpus: 0, ungrouped: "True" } },
        "ip-1[0]": { state: "free", available: { ...has, ncpus: 2, nodearray: undefined } },
      },
      { memory: joined, section: { node_arrays: { htc: { resources: { ngpus: 2 } } } } },
    );
    expect(lines(corrections)).toEqual([
      '-c set node ip-1 resources_available.ngpus = "2"',
      '-c set node ip-1[0] resources_available.nodearray = "htc", resources_available.ungrouped = "True"',
    ]);
  });
});

describe("events", () => {
  const node = {
    name: "htc-1",
    hostname: "ip-1",
    nodeId: "n1",
    nodeArray: "htc",
    vmSize: "Standard_F4",
    placementGroup: null,
  };
  const context = (memory: Memory): Context => ({ nowSeconds, draining: new Map(), memory });
  const steps = (kind: NodeEvent["kind"], memory: Memory = {}, section: object = {}) =>
    driverOf(section).commandsFor({ kind, nodes: [node] }, context(memory));

  test("a node that joins gets the resources that PBS has, ccnodeid last", () => {
    const { memory } = readNodes({});
    const { commands } = steps("node-joined", memory, {
      node_arrays: { htc: { resources: { ngpus: 2, scratch: "9gb" } } },
    });
    expect(lines(commands)).toEqual([
      "-c create node ip-1",
      '-c set node ip-1 resources_available.nodearray = "htc", resources_available.group_id = "_none_", resources_available.ungrouped = "True", resources_available.ngpus = "2", resources_available.ccnodeid = "n1"',
      "-r -C cyclecloud joined ip-1",
    ]);
  });

  test("before the first reading each resource is tried by itself", () => {
    const { commands } = steps("node-joined");
    expect(commands.slice(1, -1).every(({ exitCodes }) => exitCodes?.includes(187))).toBe(true);
    expect(lines(commands).at(-2)).toBe('-c set node ip-1 resources_available.ccnodeid = "n1"');
  });

  test("a node in a placement group", () => {
    const joins: NodeEvent = { kind: "node-joined", nodes: [{ ...node, placementGroup: "pg0" }] };
    const { commands } = driverOf().commandsFor(joins, context(readNodes({}).memory));
    expect(lines(commands)[1]).toContain('group_id = "pg0", resources_available.ungrouped = "False"');
  });

  test("a drain leaves somebody else's offline alone", () => {
    const { memory } = readNodes({ "ip-1": { state: "offline", comment: "disk" } });
    expect(lines(steps("drain", memory).commands)).toEqual([]);
    expect(lines(steps("undrain", memory).commands)).toEqual([]);
    expect(lines(steps("drain").commands)).toEqual([offline]);
  });

  describe("comments, which PBS loses when its server starts again", () => {
    const bare = { "ip-1": { state: "offline" } };

    test("an offline of ours stays ours: it is drained, and ended when it is over", () => {
      const { memory } = steps("drain");
      const drained = readNodes(bare, { memory, draining: ["ip-1"] });
      expect(drained.nodes).toMatchObject([{ state: "drained" }]);
      expect(drained.nodes[0]).not.toHaveProperty("isOutByOthers");
      expect(lines(readNodes(bare, { memory: drained.memory, undrained: ["ip-1"] }).corrections)).toEqual([
        restored,
      ]);
      expect(lines(steps("undrain", drained.memory).commands)).toEqual([restored]);
    });

    test("an administrator's word is remembered, and that a host is to be kept", () => {
      const { memory } = readNodes({ "ip-1": { state: "offline", comment: "keep offline" } });
      const later = readNodes(bare, { memory });
      expect(later.nodes).toMatchObject([
        { state: "draining", isOutByOthers: true, stateReason: "keep offline" },
      ]);
      expect(readNodes(bare, { memory: later.memory }).nodes).toEqual(later.nodes);
    });

    test("a new comment counts, and one of a host that was online again does not", () => {
      const { memory } = steps("drain");
      const theirs = readNodes({ "ip-1": { state: "offline", comment: "disk" } }, { memory });
      expect(theirs.nodes).toMatchObject([{ isOutByOthers: true, stateReason: "disk" }]);
      const between = readNodes({ "ip-1": { state: "free" } }, { memory: theirs.memory });
      expect(readNodes(bare, { memory: between.memory }).nodes).toMatchObject([
        { stateReason: "state offline" },
      ]);
    });
  });

  test("a busy node that is gone is asked for again, until it joins anew", () => {
    const deleted = steps("node-deleted");
    expect(deleted.commands[0]?.exitCodes).toEqual([214, 179]);
    const still = readNodes({ "ip-1": { state: "down", jobs: ["1.head"] } }, { memory: deleted.memory });
    expect(still.nodes).toEqual([]);
    expect(still.memory).toMatchObject({ deleted: ["ip-1"] });
    expect(steps("node-joined", still.memory).memory).toMatchObject({ deleted: [] });
  });

  test("the end of a node whose host name another one has is late news", () => {
    const { memory } = steps("node-joined", readNodes({}).memory);
    const predecessor: NodeEvent = {
      kind: "node-deleted",
      nodes: [{ ...node, name: "htc-9", nodeId: "n9" }],
    };
    expect(driverOf().commandsFor(predecessor, context(memory))).toEqual({ commands: [], memory });
    expect(lines(steps("node-deleted", memory).commands)).toEqual(["-c delete node ip-1"]);
  });
});

describe("what nodes to come have", () => {
  test("what nodes of their kind had, also when they are gone, and what settings say", () => {
    const section = { node_arrays: { htc: { resources: { ngpus: 1 } }, gpu: { resources: { ngpus: 4 } } } };
    const { memory } = readNodes({ "ip-1": { state: "free", available: { mem: "15gb" } } }, { section });
    expect(readNodes({}, { memory, section }).shapes).toEqual([
      { nodeArray: "gpu", resources: { ngpus: 4 } },
      { nodeArray: "htc", resources: { ncpus: 4, memmb: 15_360, ngpus: 1 } },
    ]);
    expect(readNodes({}, { memory }).shapes).toEqual([
      { nodeArray: "htc", resources: { ncpus: 4, memmb: 15_360, ngpus: 0 } },
    ]);
  });

  test("the least of those that differ, with a word about what differs much", () => {
    const { shapes, setAside } = readNodes({
      "ip-1": { state: "free", available: { mem: "16777216kb", ngpus: 2 } },
      "ip-2": { state: "free", available: { mem: "16777000kb", ngpus: 1 } },
    });
    expect(shapes?.[0]?.resources).toMatchObject({ memmb: 16_777_000 / 1024, ngpus: 1 });
    expect(setAside).toEqual([
      { record: 'nodes of "htc"', reason: "differ in ngpus (1 to 2): new ones count as the least" },
    ]);
  });
});
