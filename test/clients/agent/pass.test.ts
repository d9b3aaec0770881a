import { describe, expect, test } from "vitest";
import type { Demand } from "../../../clients/agent/changes.ts";
import type { Command, Driver, Reading } from "../../../clients/agent/drivers/driver.ts";
import { slurm } from "../../../clients/agent/drivers/slurm/slurm.ts";
import type { TakenEvent } from "../../../clients/agent/event-queue.ts";
import { collect, type PassPorts, readingOnly, runPass } from "../../../clients/agent/pass.ts";
import type { AgentState } from "../../../clients/agent/state.ts";
import type { DemandRefused, SchedulerEvent } from "../../../shared/messages/scheduler-event.ts";
import { linesOfPartitions, slurmNode, waitingJob } from "./drivers/slurm-reading.ts";

const fresh: AgentState = { version: 1, decisions: {}, memory: {} };
const quiet: Reading = {
  known: true,
  jobs: [{ name: "1201", constraints: { ncpus: 4 } }],
  nodes: [{ hostname: "ip-1", resources: {}, state: "up" }],
  setAside: [],
  silent: [],
  corrections: [],
  memory: {},
};

/** A scheduler, its service and a disk, which can all fail; it writes down what happens in which order. */
class World {
  readonly happened: string[] = [];
  readonly posted: Demand[] = [];
  readonly saved: AgentState[] = [];
  interpretFails = false;
  commandsForFails = false;
  reading: Reading = quiet;
  events: SchedulerEvent[] = [];
  refusals: DemandRefused[] = [];
  isLastTry = false;
  unresolved = "";
  failing = new Set<"command" | "read" | "events" | "disk" | "files">();

  readonly #driver: Driver = {
    reads: () => [[{ kind: "command", name: "queue", program: "squeue", args: [] }]],
    interpret: (_, { draining, memory }) => {
      if (this.interpretFails) throw new RangeError("Invalid time value");
      return this.reading.known
        ? {
            ...this.reading,
            nodes: this.reading.nodes.map((node) =>
              draining.has(node.hostname) ? { ...node, state: "drained" as const } : node,
            ),
            memory: { ...memory, ...this.reading.memory },
          }
        : this.reading;
    },
    commandsFor: ({ kind, nodes }, { memory }) => {
      if (this.commandsForFails && kind === "drain") throw new RangeError("Invalid array length");
      return {
        commands: [{ program: "scontrol", args: [kind, ...nodes.map(({ hostname }) => hostname)] }],
        memory: { ...memory, last: kind },
      };
    },
  };

  get ports(): PassPorts {
    const fails = (what: "command" | "read" | "events" | "disk" | "files") => {
      if (this.failing.has(what)) throw new Error(`${what} failed`);
    };
    return {
      driver: this.#driver,
      nowSeconds: () => 1_000,
      read: async () => {
        this.happened.push("read");
        fails("read");
        return { text: "", exitCode: 0 };
      },
      run: async ({ program, args }: Command) => {
        this.happened.push([program, ...args].join(" "));
        fails("command");
        if (args.includes(this.unresolved)) throw new Error(`${this.unresolved} does not resolve`);
      },
      takeEvents: async () => {
        fails("events");
        const events = this.events.map((event) => this.#taken(event));
        return { events, refusals: this.refusals, problems: [] };
      },
      post: async (demand) => {
        this.happened.push("post");
        this.posted.push(demand);
        return { outcome: "sent", kind: "snapshot", sequence: 1 };
      },
      postKept: async () => undefined,
      startOver: () => void this.happened.push("start over"),
      save: async (state) => {
        this.happened.push("save");
        this.saved.push(state);
        fails("disk");
      },
      keepFiles: async () => {
        this.happened.push("files");
        fails("files");
        return undefined;
      },
    };
  }

  #taken(event: SchedulerEvent): TakenEvent {
    const done = async () => void this.happened.push(`done ${event.kind}`);
    return { event, isLastTry: this.isLastTry, done };
  }
}

const drain: SchedulerEvent = {
  version: 1,
  cluster: "hpc",
  source: "slurm",
  kind: "drain",
  nodes: [{ nodeId: "n1", name: "htc-1", hostname: "ip-1" }],
  atSeconds: 900,
};

describe("a pass", () => {
  test("a driver that breaks off at an event costs that event alone, which comes again, and is given up in the end", async () => {
    const world = new World();
    world.commandsForFails = true;
    world.events = [drain, { ...drain, kind: "undrain", atSeconds: 901 }];
    const { report } = await runPass(fresh, world.ports);
    expect(world.happened).toEqual([
      "scontrol undrain ip-1",
      "save",
      "done undrain",
      "read",
      "save",
      "post",
      "files",
    ]);
    expect(report.problems).toEqual(["Invalid array length"]);
    world.isLastTry = true;
    world.events = [drain];
    const last = await runPass(fresh, world.ports);
    expect(world.happened).toContain("done drain");
    expect(last.report.problems).toContain('event "drain" given up after its last try');
  });

  test("remembers a drain, acts on events, reads, posts: what was drained shows at once, with the time of the event", async () => {
    const world = new World();
    world.events = [drain];
    const { state } = await runPass(fresh, world.ports);
    expect(world.saved[0]).toEqual({ ...fresh, memory: { last: "drain" } });
    expect(world.happened).toEqual([
      "save",
      "scontrol drain ip-1",
      "save",
      "done drain",
      "read",
      "save",
      "post",
      "files",
    ]);
    expect(world.posted[0]?.nodes).toMatchObject([{ state: "drained", eventAtSeconds: 900 }]);
    expect(state.memory).toEqual({ last: "drain" });
  });

  test("does nothing about an event that it has acted on before, but removes it", async () => {
    const world = new World();
    world.events = [drain];
    const { state } = await runPass(fresh, world.ports);
    world.happened.length = 0;
    await runPass(state, world.ports);
    expect(world.happened).not.toContain("scontrol drain ip-1");
    expect(world.happened).toContain("done drain");
  });

  test("looks at the scheduler's files last, also when the scheduler cannot be read: a controller that waits for them may not have started", async () => {
    const world = new World();
    world.failing.add("read");
    await runPass(fresh, world.ports);
    expect(world.happened).toEqual(["read", "files"]);
  });

  test("what people should know of the scheduler's files is posted beside its jobs", async () => {
    const world = new World();
    await runPass(fresh, { ...world.ports, notices: () => ["slurm.conf waits"] });
    await runPass(fresh, { ...world.ports, notices: () => [] });
    expect(world.posted.map(({ notices }) => notices)).toEqual([["slurm.conf waits"], undefined]);
  });

  test("remembers before it corrects, and corrects after it posted", async () => {
    const world = new World();
    const command = { program: "celery", args: ["control"] };
    world.reading = { ...quiet, corrections: [command] };
    await runPass(fresh, world.ports);
    expect(world.happened).toEqual(["read", "save", "post", "celery control", "files"]);
  });

  test("a correction that fails keeps none from the next; a guard that fails leaves out its own, and that is told", async () => {
    const world = new World();
    const guards = [{ program: "scontrol", args: ["requeue", "job-7"] }];
    const down = (nodes: string) => ({
      program: "scontrol",
      args: ["down", nodes],
      nodes,
      why: "no machine",
    });
    world.unresolved = "job-7";
    world.reading = { ...quiet, corrections: [{ ...down("htc-1"), guards }, down("htc-2")] };
    const { report } = await runPass(fresh, world.ports);
    expect(world.happened.filter((each) => each.startsWith("scontrol"))).toEqual([
      "scontrol requeue job-7",
      "scontrol down htc-2",
    ]);
    expect(report).toMatchObject({
      commands: 2,
      problems: ["job-7 does not resolve; htc-1 waits for that (no machine)"],
    });
    world.unresolved = "htc-2";
    const { report: other } = await runPass(fresh, world.ports);
    expect(other).toMatchObject({ commands: 3, problems: ["htc-2 does not resolve"] });
  });

  test("sets aside the job that the service would not take, and posts the others", async () => {
    const world = new World();
    world.reading = { ...quiet, jobs: [...quiet.jobs, { name: "a", constraints: { ncpus: { and: 7 } } }] };
    const { report } = await runPass(fresh, world.ports);
    expect(world.posted[0]?.jobs.map(({ name }) => name)).toEqual(["1201"]);
    expect(report.setAside).toMatchObject([{ record: 'job "a"' }]);
    expect(report.problems).toEqual([]);
  });

  test("of a running record that cannot be read, the host is posted all the same", async () => {
    const world = new World();
    const unread = { record: "job 7", reason: "cpus: null", executingHostnames: ["ip-7"] };
    world.reading = { ...quiet, setAside: [unread] };
    await runPass(fresh, world.ports);
    expect(world.posted[0]?.jobs.at(-1)).toMatchObject({ executingHostnames: ["ip-7"] });
  });
});

describe("what the service did not take", () => {
  const refused: DemandRefused = {
    version: 1,
    cluster: "hpc",
    source: "slurm",
    kind: "demand-refused",
    atSeconds: 900,
    whole: true,
    sequence: 7,
    problems: ["cluster: no such cluster"],
  };

  test("a message as a whole: it is reported, and what follows does not build on it", async () => {
    const world = new World();
    world.refusals = [refused];
    const { report } = await runPass(fresh, world.ports);
    expect(world.happened).toEqual(["start over", "read", "save", "post", "files"]);
    expect(report).toMatchObject({ refusals: [refused], events: 0 });
  });

  test("single jobs: they are reported, and the next message may be a delta", async () => {
    const world = new World();
    world.refusals = [{ ...refused, whole: false }];
    const { report } = await runPass(fresh, world.ports);
    expect(world.happened).not.toContain("start over");
    expect(report.refusals).toHaveLength(1);
  });
});

describe("what fails", () => {
  test("a read: nothing is posted", async () => {
    const world = new World();
    world.failing.add("read");
    const { report } = await runPass(fresh, world.ports);
    expect(world.posted).toEqual([]);
    expect(report.reading).toEqual({ known: false, reason: "read failed" });
  });

  test("a reading that means nothing: nothing is posted", async () => {
    const world = new World();
    world.reading = { known: false, reason: "no JSON" };
    await runPass(fresh, world.ports);
    expect(world.posted).toEqual([]);
  });

  test("the driver itself: the reading is unknown, nothing is posted, and the pass goes on", async () => {
    const world = new World();
    world.interpretFails = true;
    const { report } = await runPass(fresh, world.ports);
    expect(world.posted).toEqual([]);
    expect(report.reading).toEqual({ known: false, reason: "the driver broke off: Invalid time value" });
  });

  test("a command: the event stays in the queue, its decision is not taken, and demand is posted", async () => {
    const world = new World();
    world.events = [drain];
    world.failing.add("command");
    const { state, report } = await runPass(fresh, world.ports);
    expect(world.happened).not.toContain("done drain");
    expect(state.decisions).toEqual({});
    expect(report.problems).toEqual(["command failed"]);
    expect(world.posted[0]?.nodes).toEqual(quiet.nodes);
  });

  test("a command of a join: the driver remembers the join at once, and for good when it is given up", async () => {
    const world = new World();
    world.events = [{ ...drain, kind: "node-joined" }];
    world.failing.add("command");
    expect((await runPass(fresh, world.ports)).state.memory).toEqual({ last: "node-joined" });
    world.isLastTry = true;
    world.happened.length = 0;
    expect((await runPass(fresh, world.ports)).state.memory).toEqual({ last: "node-joined" });
    expect(world.happened.slice(0, 4)).toEqual([
      "scontrol node-joined ip-1",
      "read",
      "save",
      "done node-joined",
    ]);
  });

  test("a join of several: each of the others joins, and the event comes again for the one that failed", async () => {
    const world = new World();
    const nodes = ["ip-1", "ip-2", "ip-3"].map((hostname) => ({
      nodeId: hostname,
      name: hostname,
      hostname,
    }));
    world.events = [{ ...drain, kind: "node-joined", nodes }];
    world.unresolved = "ip-2";
    const { report, state } = await runPass(fresh, world.ports);
    expect(world.happened.slice(0, 5)).toEqual([
      "scontrol node-joined ip-1 ip-2 ip-3",
      "scontrol node-joined ip-1",
      "scontrol node-joined ip-2",
      "scontrol node-joined ip-3",
      "read",
    ]);
    expect(report.problems).toEqual(["ip-2 does not resolve", "ip-2 does not resolve"]);
    expect(state.memory).toEqual({ last: "node-joined" });
  });

  test("a join, until the node was to drain: it joins when it is wanted again, whichever comes first", async () => {
    const join: SchedulerEvent = { ...drain, kind: "node-joined", atSeconds: 890 };
    const again: SchedulerEvent = { ...drain, kind: "undrain", atSeconds: 910 };
    for (const [order, commands, last] of [
      [
        [drain, join, { ...drain, atSeconds: 905 }, again, join],
        ["drain", "drain", "node-joined", "undrain", "node-joined"],
        "undrain",
      ],
      [[drain, again, join], ["drain", "undrain", "node-joined"], "undrain"],
      // One that is older than the drain, and late.
      [[drain, join, { ...again, atSeconds: 895 }], ["drain"], "drain"],
    ] as const) {
      const world = new World();
      world.events = [...order];
      const { state } = await runPass(fresh, world.ports);
      expect(world.happened.filter((each) => each.startsWith("scontrol"))).toEqual(
        commands.map((kind) => `scontrol ${kind} ip-1`),
      );
      expect(state.decisions["ip-1"]?.kind).toBe(last);
    }
  });

  test("a join of many when the scheduler is away: three are tried by themselves", async () => {
    const world = new World();
    const nodes = Array.from({ length: 9 }, (_, index) => ({
      nodeId: `n${index}`,
      name: `htc-${index}`,
      hostname: `ip-${index}`,
    }));
    world.events = [{ ...drain, kind: "node-joined", nodes }];
    world.failing.add("command");
    const { report } = await runPass(fresh, world.ports);
    expect(report.commands).toBe(4);
  });

  test("a join that was heard late, of a node that is gone by now, is none; another under its name is", async () => {
    const world = new World();
    const join: SchedulerEvent = { ...drain, kind: "node-joined", atSeconds: 890 };
    const next = [{ nodeId: "n2", name: "htc-1", hostname: "ip-1" }];
    world.events = [join, { ...join, kind: "node-deleted" }, { ...join, nodes: next }];
    await runPass(fresh, world.ports);
    expect(world.happened.filter((each) => !/^save|^done/.test(each)).slice(0, 2)).toEqual([
      "scontrol node-deleted ip-1",
      "scontrol node-joined ip-1",
    ]);
    expect(world.happened.filter((each) => each.startsWith("done"))).toHaveLength(3);
  });

  test("a command that has failed too often: the event is given up, loudly, but not while the scheduler is away", async () => {
    const world = new World();
    world.events = [drain];
    world.isLastTry = true;
    world.failing.add("command");
    const { report } = await runPass(fresh, world.ports);
    expect(world.happened).toContain("done drain");
    expect(report.problems).toContain('event "drain" given up after its last try');
    world.happened.length = 0;
    world.failing.add("read");
    await runPass(fresh, world.ports);
    expect(world.happened).not.toContain("done drain");
  });

  test.each(["events", "disk", "files"] as const)("%s: demand is posted all the same", async (what) => {
    const world = new World();
    world.events = [drain];
    world.failing.add(what);
    const { report } = await runPass(fresh, world.ports);
    expect(world.posted).toHaveLength(1);
    expect(report.problems).toContain(`${what} failed`);
  });
});

test("what was read is judged by the time after it: Slurm's job that is eligible since a moment ago waits", async () => {
  const configured = slurm.configure({});
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  let nowSeconds = 1_795_400_000.9;
  const job = waitingJob({ eligible_time: 1_795_400_001 });
  const texts: Readonly<Record<string, string>> = {
    scontrol: JSON.stringify({ nodes: [slurmNode(1)] }),
    partitions: linesOfPartitions([]),
    squeue: JSON.stringify({ jobs: [job] }),
    licenses: "No licenses configured in Slurm.\n",
    reservations: "No reservations in the system\n",
    limits: "Current Association Manager state\nAssociation Records\nQOS Records\n",
  };
  const read = async ({ name }: { readonly name: string }) => {
    nowSeconds += 0.1;
    return { text: texts[name] ?? "", exitCode: 0 };
  };
  // Its memory of the limits is too old in the moment after the reading, and counts for it all the same.
  const counting = { isOfMemory: true, by: "core" };
  const limits = { enforced: true, counting, atSeconds: nowSeconds - 599.95 };
  const memory = { nodesFrom: "scontrol", limits };
  const contextOf = () => ({ nowSeconds, draining: new Map<string, number>(), memory });
  const reading = await collect(configured.driver, contextOf, read);
  expect(reading).toMatchObject({
    known: true,
    jobs: [{ name: "7" }],
    memory: { limits: { enforced: true } },
  });
});

describe("a pass that only reads", () => {
  test("posts what the scheduler wants, and neither acts on events, nor corrects, nor writes files", async () => {
    const world = new World();
    world.events = [drain];
    world.reading = { ...quiet, corrections: [{ program: "scontrol", args: ["undrain"] }] };
    const { report } = await runPass(fresh, readingOnly(world.ports));
    expect(world.happened).toEqual(["done drain", "read", "save", "post"]);
    expect(world.posted.map(({ nodes }) => nodes.map(({ state }) => state))).toEqual([["up"]]);
    expect([report.commands, report.events, report.problems]).toEqual([0, 0, []]);
  });
});
