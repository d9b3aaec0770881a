import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Context, NodeEvent, Reading } from "../../../../clients/agent/drivers/driver.ts";
import { gridengine } from "../../../../clients/agent/drivers/gridengine/gridengine.ts";

const folder = join(import.meta.dirname, "fixtures/gridengine/no-hosts");
const definitions = readFileSync(join(folder, "definitions.txt"), "utf8");
const configured = gridengine.configure({
  node_arrays: { htc: { slots: 4, complex_values: { gpus: 2 } } },
});
if (!configured.ok) throw new Error(configured.problems.join("; "));
const { driver } = configured;

interface Instance {
  readonly on: string;
  readonly state?: string;
  readonly slots?: number;
  readonly used?: number;
}

/** Queue instances, as qstat prints them; a job runs where slots are used. */
function listing(instances: readonly Instance[]): string {
  const lists = instances.map(({ on, state = "", slots = 4, used = 0 }) => {
    const job = `<job_list state="running"><JB_job_number>7</JB_job_number><JAT_prio>0.5</JAT_prio><JB_owner>ann</JB_owner><state>r</state><slots>${used}</slots></job_list>`;
    return `<Queue-List><name>${on}</name><slots_used>${used}</slots_used><slots_resv>0</slots_resv><slots_total>${slots}</slots_total><state>${state}</state><resource name="gpus" type="hc">2</resource>${used > 0 ? job : ""}</Queue-List>`;
  });
  return `<?xml version='1.0'?>\n<job_info><queue_info>${lists.join("")}</queue_info><job_info></job_info></job_info>\n`;
}

function read(
  instances: readonly Instance[],
  {
    draining = [],
    undrained = [],
    memory = {},
  }: {
    readonly draining?: readonly string[];
    readonly undrained?: readonly string[];
    readonly memory?: Context["memory"];
  } = {},
): Extract<Reading, { known: true }> {
  const answers = {
    qstat: { text: listing(instances), exitCode: 0 },
    definitions: { text: definitions, exitCode: 0 },
  };
  const drains = new Map(draining.map((host) => [host, 0] as const));
  const reading = driver.interpret(answers, {
    nowSeconds: 1000,
    draining: drains,
    undrained: new Set(undrained),
    memory,
  });
  if (!reading.known) throw new Error(reading.reason);
  return reading;
}

function event(kind: NodeEvent["kind"], memory: Context["memory"] = {}) {
  const nodes = [{ name: "htc-1", hostname: "ip-0A000001" }];
  return driver.commandsFor({ kind, nodes }, { nowSeconds: 1000, draining: new Map(), memory });
}

const lines = (commands: readonly { readonly program: string; readonly args: readonly string[] }[]) =>
  commands.map(({ program, args }) => [program, ...args].join(" "));

describe("the state of a host", () => {
  const h = "all.q@ip-0a000001";
  const long = "long.q@ip-0a000001";
  test.each<readonly [string, readonly Instance[], string, boolean]>([
    ["open", [{ on: h }], "up", false],
    ["too loaded", [{ on: h, state: "a" }], "up", false],
    ["disabled and empty", [{ on: h, state: "d" }], "drained", true],
    ["disabled and busy", [{ on: h, state: "d", used: 1 }], "draining", true],
    ["disabled in one of two queues", [{ on: h, state: "d" }, { on: long }], "up", false],
    [
      "disabled in both, busy in one",
      [
        { on: h, state: "d", used: 2 },
        { on: long, state: "d" },
      ],
      "draining",
      true,
    ],
    [
      "disabled in both",
      [
        { on: h, state: "d" },
        { on: long, state: "d" },
      ],
      "drained",
      true,
    ],
    ["disabled and away, and known to run nothing", [{ on: h, state: "adu" }], "drained", true],
    ["away with a job", [{ on: h, state: "au", used: 1 }], "up", false],
    [
      "away in one of two queues, and suspended in the other",
      [
        { on: h, state: "au" },
        { on: long, state: "S" },
      ],
      "draining",
      true,
    ],
    ["away and suspended in one of two queues", [{ on: h, state: "uS" }, { on: long }], "up", false],
    ["in error and empty", [{ on: h, state: "E" }], "drained", true],
    ["in error and busy", [{ on: h, state: "E", used: 1 }], "draining", true],
    ["suspended by a calendar", [{ on: h, state: "C" }], "draining", true],
    ["in a state that nobody knows", [{ on: h, state: "Q" }], "draining", true],
  ])("%s", (_, instances, state, isOutByOthers) => {
    const [node] = read(instances).nodes;
    expect([node?.state, node?.isOutByOthers ?? false]).toEqual([state, isOutByOthers]);
  });

  test("a drain that was asked for is nobody else's", () => {
    expect(read([{ on: h, state: "d" }], { draining: ["ip-0a000001"] }).nodes).toMatchObject([
      { hostname: "ip-0a000001", state: "drained" },
    ]);
    expect(read([{ on: h, state: "d" }], { draining: ["ip-0a000001"] }).nodes[0]).not.toHaveProperty(
      "isOutByOthers",
    );
  });

  test.each(["d", "S", "E"])(
    "of two queues one is in state %s: it has the slots of the other, and what its jobs use",
    (state) => {
      const [node] = read([{ on: h, state, used: 1 }, { on: long }]).nodes;
      expect(node?.resources).toMatchObject({ slots: 5, "slots:all.q": 1, "slots:long.q": 4 });
    },
  );

  test.each([
    ["has what its jobs use", [{ on: h, state: "a", used: 3 }], 3],
    ["has all its slots once it runs nothing", [{ on: h, state: "A" }], 4],
    ["has all its slots while it does not answer, too", [{ on: h, state: "au", used: 3 }], 4],
  ])("a host with too much load %s", (_, instances, slots) => {
    expect(read(instances).nodes).toMatchObject([{ state: "up", resources: { slots } }]);
  });

  test("a host that is silent for longer than a boot takes no jobs, until it answers", () => {
    const since = { silentSince: { "ip-0a000001": 699 } };
    const silent = [{ on: h, state: "au", used: 1 }];
    expect(read(silent, { memory: since }).nodes).toMatchObject([{ state: "draining", isOutByOthers: true }]);
    const { nodes, memory } = read(silent, { memory: { silentSince: { "ip-0a000001": 700 } } });
    expect(nodes).toMatchObject([{ state: "up" }]);
    expect(read([{ on: h }], { memory }).memory).toMatchObject({ silentSince: {} });
    const ahead = read(silent, { memory: { silentSince: { "ip-0a000001": 90_000 } } });
    expect(ahead.memory).toMatchObject({ silentSince: { "ip-0a000001": 1000 } });
  });

  test.each([
    [701, false],
    [700, true],
    [1299, false],
    [90_000, true],
  ])("at 1000, what qconf printed at %i is read again: %s", (atSeconds, isRead) => {
    const memory = { definitions: { text: definitions, atSeconds } };
    const names = driver.reads({ nowSeconds: 1000, draining: new Map(), memory }).flat();
    expect(names.some(({ name }) => name === "definitions")).toBe(isRead);
  });

  test("a host that does not answer is silent, and keeps its jobs", () => {
    const reading = read([{ on: h, state: "au", used: 1 }]);
    expect(reading.silent).toEqual(["ip-0a000001"]);
    expect(reading.jobs).toMatchObject([{ name: "7", executingHostnames: ["ip-0a000001"] }]);
  });
});

describe("corrections", () => {
  test("a host that is to drain and takes jobs is disabled again", () => {
    const { corrections } = read([{ on: "all.q@ip-0a000001" }], { draining: ["ip-0a000001"] });
    expect(lines(corrections)).toEqual(["qmod -d *@ip-0a000001"]);
  });

  test("a drain that is over is ended, if it was asked for", () => {
    const disabled = [{ on: "all.q@ip-0a000001", state: "d" }];
    const { memory } = event("drain");
    const undrained = ["ip-0a000001"];
    expect(lines(read(disabled, { undrained, memory }).corrections)).toEqual(["qmod -e *@ip-0a000001"]);
    expect(read(disabled, { undrained }).corrections).toEqual([]);
  });

  test("a drain whose event the agent forgot, because it died with it, stays its own until the service says more", () => {
    const disabled = [{ on: "all.q@ip-0a000001", state: "d" }];
    const { nodes, corrections, memory } = read(disabled, { memory: event("drain").memory });
    expect(nodes).toMatchObject([{ state: "drained", isOutByLostEvent: true }]);
    expect(nodes[0]).not.toHaveProperty("isOutByOthers");
    expect(corrections).toEqual([]);
    expect(lines(event("undrain", memory).commands)).toEqual(["qmod -e *@ip-0A000001"]);
  });

  test("a drain that is over, and could not be ended because the qmaster was away, is ended later", () => {
    const disabled = [{ on: "all.q@ip-0a000001", state: "d" }];
    const { memory } = read(disabled, { draining: ["ip-0a000001"], memory: event("drain").memory });
    const undrained = ["ip-0a000001"];
    const after = read(disabled, { undrained, memory: event("undrain", memory).memory });
    expect(lines(after.corrections)).toEqual(["qmod -e *@ip-0a000001"]);
    expect(after.nodes).toEqual([expect.not.objectContaining({ isOutByOthers: true })]);
  });

  test("what somebody else disabled is not enabled, whatever the events are", () => {
    const { memory } = read([{ on: "all.q@ip-0a000001", state: "d" }]);
    const drained = event("drain", memory);
    expect(event("undrain", drained.memory).commands).toEqual([]);
    expect(read([{ on: "all.q@ip-0a000001", state: "d" }], drained).nodes).toMatchObject([
      { isOutByOthers: true },
    ]);
  });

  test("a host that was deleted and is still listed is removed again, and is no node", () => {
    const { memory } = event("node-deleted");
    const still = read([{ on: "all.q@ip-0a000001", state: "au" }], { memory });
    expect(still.nodes).toEqual([]);
    expect(lines(still.corrections)).toContain("qconf -de ip-0a000001");
    expect(read([], { memory: still.memory }).memory.removed).toEqual([]);
  });

  test("a host without slots is nobody's: it is not reported, and not touched", () => {
    const reading = read([{ on: "all.q@ge-head", state: "au", slots: 0 }]);
    expect([reading.nodes, reading.corrections]).toEqual([[], []]);
  });
});

describe("a host that has not got its values yet", () => {
  const bare = listing([{ on: "all.q@ip-0a000001", state: "au" }]).replace(/<resource .*?<\/resource>/, "");
  const answers = {
    qstat: { text: bare, exitCode: 0 },
    definitions: { text: definitions, exitCode: 0 },
  };
  const reading = driver.interpret(answers, {
    nowSeconds: 1000,
    draining: new Map(),
    memory: event("node-joined").memory,
  });

  test("and runs a job, because qstat shows a limit of its queue in their place: it has no more than they are", () => {
    const busy = listing([{ on: "all.q@ip-0a000001", used: 1 }])
      .replace('type="hc"', 'type="qf"')
      .replace("<slots>1", '<hard_request name="gpus">1</hard_request><slots>1');
    const { memory } = event("node-joined");
    const context = { nowSeconds: 1000, draining: new Map(), memory };
    expect(driver.interpret({ ...answers, qstat: { text: busy, exitCode: 0 } }, context)).toMatchObject({
      nodes: [{ resources: { slots: 4, gpus: 2 } }],
    });
  });

  test("counts as one that has them: nothing is bought in its place", () => {
    expect(reading).toMatchObject({ nodes: [{ resources: { slots: 4, gpus: 2 } }] });
  });
});

describe("commands", () => {
  test("a node that joined", () => {
    expect(lines(event("node-joined", read([]).memory).commands)).toEqual([
      "qconf -ah ip-0A000001",
      "qconf -as ip-0A000001",
      expect.stringMatching(/^sh -c set -e\n[\s\S]*"\$@" -Ae "\$file" sh ip-0A000001 gpus=2 qconf$/),
      "qconf -mattr exechost complex_values gpus=2 ip-0A000001",
      "qconf -mattr queue slots [ip-0A000001=4] all.q",
      "qconf -mattr queue slots [ip-0A000001=4] long.q",
      "qconf -aattr hostgroup hostlist ip-0A000001 @allhosts",
      "qmod -e *@ip-0A000001",
    ]);
  });

  test("of many nodes, few commands: each drain of a hundred is one, and so is what lists take", () => {
    const nodes = Array.from({ length: 150 }, (_, index) => ({
      name: `htc-${index}`,
      hostname: `ip-${String(index).padStart(8, "0")}`,
    }));
    const send = (kind: NodeEvent["kind"]) =>
      lines(
        driver.commandsFor(
          { kind, nodes },
          { nowSeconds: 1000, draining: new Map(), memory: read([]).memory },
        ).commands,
      );
    expect(send("drain").map((line) => line.split(" ").length)).toEqual([102, 52]);
    expect(send("node-joined").filter((line) => line.startsWith("qconf -ah"))).toHaveLength(2);
    expect(send("node-deleted").filter((line) => line.startsWith("qconf -d")).length).toBe(150 + 3 * 2);
  });

  test.each([
    ["by its name", { name: "hpc-1" }],
    ["whatever it is called", { name: "node-of-ann", nodeArray: "hpc" }],
  ])("a node that is gone is taken out of what its array has, %s, and not out of all", (_, named) => {
    const two = gridengine.configure({
      node_arrays: {
        htc: { host_groups: ["@a"], queues: ["a.q"] },
        hpc: { host_groups: ["@b"], queues: ["b.q"] },
      },
    });
    if (!two.ok) throw new Error(two.problems.join("; "));
    const context = { nowSeconds: 1000, draining: new Map<string, number>() };
    const nodes = [{ ...named, hostname: "ip-1" }];
    const { memory } = two.driver.commandsFor({ kind: "node-joined", nodes }, { ...context, memory: {} });
    const { commands } = two.driver.commandsFor({ kind: "node-deleted", nodes }, { ...context, memory });
    expect(lines(commands)).toEqual([
      "qconf -dattr hostgroup hostlist ip-1 @b",
      "qconf -purge queue * b.q@ip-1",
      "qconf -de ip-1",
      "qconf -ds ip-1",
      "qconf -dh ip-1",
    ]);
  });

  test("the end of a node whose host name another one has is late news", () => {
    const context = { nowSeconds: 1000, draining: new Map<string, number>() };
    const send = (kind: NodeEvent["kind"], nodeId: string, memory: Context["memory"]) =>
      driver.commandsFor(
        { kind, nodes: [{ name: "htc-1", hostname: "ip-0A000001", nodeId }] },
        { ...context, memory },
      );
    const { memory } = send("node-joined", "n1", read([]).memory);
    const later = read([{ on: "all.q@ip-0a000001" }], { memory }).memory;
    expect(send("node-deleted", "n9", later)).toEqual({ commands: [], memory: later });
    expect(send("node-deleted", "n1", later).commands).not.toEqual([]);
  });

  test("a node that is gone", () => {
    expect(lines(event("node-deleted", read([]).memory).commands)).toEqual([
      "qconf -dattr hostgroup hostlist ip-0A000001 @allhosts",
      "qconf -purge queue * all.q@ip-0A000001",
      "qconf -purge queue * long.q@ip-0A000001",
      "qconf -de ip-0A000001",
      "qconf -ds ip-0A000001",
      "qconf -dh ip-0A000001",
    ]);
  });
});
