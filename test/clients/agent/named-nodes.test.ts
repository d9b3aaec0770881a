import { expect, test } from "vitest";
import { parseAgentConfig } from "../../../clients/agent/config.ts";
import type { Command, NamedNodes } from "../../../clients/agent/drivers/driver.ts";
import {
  NamedNodeKeeper,
  type NamedNodesService,
  type NamesToCreate,
  type ServiceNode,
} from "../../../clients/agent/named-nodes.ts";
import { type AgentStorage, startAgent } from "../../../clients/agent/start.ts";

interface Action {
  isOpen: boolean;
  messages: string[];
  readonly names: readonly string[];
}

/** The service and CycleCloud behind it, with room for so many nodes; it writes down what it was asked for. */
class Site implements NamedNodesService {
  room = Number.POSITIVE_INFINITY;
  readonly there = new Map<string, ServiceNode>();
  readonly actions = new Map<string, Action>();
  readonly calls: string[] = [];
  readonly orders: NamesToCreate[] = [];
  readonly keptAlive = new Set<string>();
  isAway = false;
  #keys = new Map<string, ReadonlyMap<string, string>>();

  put(name: string, fields: Partial<ServiceNode> = {}): void {
    const node = {
      nodeId: `id-${name}`,
      name,
      hostname: null,
      isPending: false,
      state: "Preparing",
      targetState: "Started",
    };
    this.there.set(name, { ...node, failure: null, ...fields });
  }

  /** CycleCloud has answered every request: all nodes are there, or none. */
  settle(message?: string): void {
    for (const action of this.actions.values()) {
      if (!action.isOpen) continue;
      action.isOpen = false;
      if (message !== undefined) action.messages = [message];
      for (const name of action.names) if (message === undefined) this.put(name);
    }
  }

  /** Machines that were told to go are gone. */
  clear(): void {
    for (const { name, targetState } of this.there.values())
      if (targetState === "Terminated") this.there.delete(name);
  }

  isPending(name: string): boolean {
    return [...this.actions.values()].some((each) => each.isOpen && each.names.includes(name));
  }

  nodes(): Promise<readonly ServiceNode[]> {
    this.#note("nodes");
    const pending = [...new Set(this.orders.flatMap(({ names }) => names))]
      .filter((name) => this.isPending(name) && !this.there.has(name))
      .map((name) => ({
        nodeId: null,
        name,
        hostname: null,
        isPending: true,
        state: null,
        targetState: null,
        failure: null,
      }));
    return Promise.resolve([...this.there.values(), ...pending]);
  }

  create(nodes: NamesToCreate, key: string): ReturnType<NamedNodesService["create"]> {
    const { names } = nodes;
    this.#note(`create ${names.join(" ")}`);
    const known = this.#keys.get(key);
    if (known !== undefined) return Promise.resolve({ outcome: "requested", actionIdOf: known });
    if (names.some((name) => this.there.has(name) || this.isPending(name)))
      return Promise.resolve({ outcome: "taken" });
    if (names.length > this.room)
      return Promise.resolve({ outcome: "refused", why: `room for ${this.room}` });
    this.room -= names.length;
    const id = `a${this.actions.size + 1}`;
    this.actions.set(id, { isOpen: true, messages: [], names });
    this.orders.push(nodes);
    const actionIdOf = new Map(names.map((name) => [name, id]));
    this.#keys.set(key, actionIdOf);
    return Promise.resolve({ outcome: "requested", actionIdOf });
  }

  remove(names: readonly string[]): ReturnType<NamedNodesService["remove"]> {
    this.#note(`delete ${names.join(" ")}`);
    const asked = names.filter((name) => !this.keptAlive.has(name));
    for (const name of asked) this.put(name, { targetState: "Terminated", state: "Terminating" });
    const stays = names
      .filter((name) => this.keptAlive.has(name))
      .map((name) => ({ name, why: "is keep-alive" }));
    return Promise.resolve({ asked, stays });
  }

  keepAlive(): Promise<void> {
    return Promise.reject(new Error("nothing here keeps nodes alive"));
  }

  operation(actionId: string) {
    this.#note(`operation ${actionId}`);
    const { isOpen = false, messages = [] } = this.actions.get(actionId) ?? {};
    return Promise.resolve({ isOpen, messages });
  }

  #note(call: string): void {
    if (this.isAway) throw new Error("no answer");
    this.calls.push(call);
  }
}

/** A scheduler that switches nodes on and off; a keeper beside it, which may be killed, and a disk. */
class Scheduler {
  readonly site = new Site();
  readonly commands: string[] = [];
  wanted: NamedNodes["wanted"] = [];
  withoutAddress: string[] = [];
  lost = new Map<string, string | undefined>();
  /** What goes back with a name. */
  along: Readonly<Record<string, readonly string[]>> = {};
  going: string[] = [];
  off: string[] = [];
  disk: string | undefined;
  /** No address belongs to it. */
  unknownHost = "";
  nowSeconds = 1000;
  #keeper = this.#start();

  #start(): NamedNodeKeeper {
    return new NamedNodeKeeper({
      service: this.site,
      run: ({ args }: Command) =>
        args.includes(this.unknownHost)
          ? Promise.reject(new Error(`${this.unknownHost} is not known`))
          : Promise.resolve(this.commands.push(args.join(" "))),
      load: () => Promise.resolve(this.disk),
      save: (text) => {
        this.disk = text;
        return Promise.resolve();
      },
    });
  }

  wants(...groups: readonly (readonly string[])[]): void {
    this.wanted = groups.map((names) => ({
      names,
      nodeArray: "hpc",
      colocated: false,
      reason: `job of ${names[0]}`,
    }));
  }

  killAgent(): void {
    this.#keeper = this.#start();
  }

  pass() {
    this.nowSeconds += 15;
    this.site.calls.length = 0;
    this.commands.length = 0;
    const { wanted, withoutAddress, lost, going, off } = this;
    return this.#keeper.tend(
      {
        wanted,
        withoutAddress,
        lost,
        going,
        off,
        join: (nodes) =>
          nodes.length === 0
            ? []
            : [{ program: "scontrol", args: ["join", ...nodes.flatMap(Object.values<string>)] }],
        giveBack: (some, why) => {
          const names = [...some, ...some.flatMap((name) => this.along[name] ?? [])];
          return { names, commands: [{ program: "scontrol", args: ["back", names.join(","), why] }] };
        },
      },
      this.nowSeconds,
    );
  }
}

test("nothing is asked of the service while the scheduler wants nothing", async () => {
  const slurm = new Scheduler();
  slurm.off = ["hpc-1", "hpc-2"];
  expect(await slurm.pass()).toMatchObject({ ordered: [], deleted: [], givenBack: [], problems: [] });
  expect(slurm.site.calls).toEqual([]);
});

test("what stays wanted and cannot be had is asked for again five minutes later, and its machine is left to itself", async () => {
  const slurm = new Scheduler();
  slurm.wanted = ["htc-1", "htc-2"].map((name) => ({
    names: [name],
    nodeArray: "htc",
    colocated: false,
    reason: "Slurm has it in reservation r1",
    staysWanted: true,
  }));
  slurm.site.room = 1;
  expect(await slurm.pass()).toMatchObject({
    ordered: ["htc-1"],
    givenBack: [{ names: ["htc-2"], why: "room for 0" }],
  });
  slurm.site.room = 1;
  expect(await slurm.pass()).toMatchObject({ ordered: [], givenBack: [] });
  slurm.site.settle();
  slurm.site.put("htc-1", { hostname: "ip-1", state: "Failed" });
  slurm.nowSeconds += 300;
  expect(await slurm.pass()).toMatchObject({ ordered: ["htc-2"], givenBack: [], problems: [] });
  expect(slurm.commands).toEqual([]);
  slurm.site.settle("no capacity");
  expect(await slurm.pass()).toMatchObject({
    ordered: [],
    givenBack: [{ names: ["htc-2"], why: "no capacity" }],
  });
  slurm.site.room = 1;
  slurm.nowSeconds += 300;
  expect(await slurm.pass()).toMatchObject({ ordered: ["htc-2"], givenBack: [] });
});

test("names that were switched on are created, once, and get their addresses when they are there", async () => {
  const slurm = new Scheduler();
  slurm.wants(["hpc-3", "hpc-7"], ["hpc-9"]);
  expect(await slurm.pass()).toMatchObject({ ordered: ["hpc-3", "hpc-7", "hpc-9"], isOpen: true });
  expect(slurm.site.orders).toEqual([
    { names: ["hpc-3", "hpc-7", "hpc-9"], nodeArray: "hpc", reason: "job of hpc-3, and 1 more" },
  ]);
  slurm.killAgent();
  expect(await slurm.pass()).toMatchObject({ ordered: [], isOpen: true });
  slurm.site.settle();
  expect(await slurm.pass()).toMatchObject({ ordered: [], isOpen: false });
  slurm.site.put("hpc-7", { state: "Preparing", hostname: "ip-7" });
  await slurm.pass();
  expect(slurm.commands).toEqual(["join hpc-7 ip-7"]);
  expect(slurm.site.orders).toHaveLength(1);
});

test("a node that is in use gets the address of its machine, and no other machine", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-1", { state: "Ready", hostname: "ip-1" });
  slurm.withoutAddress = ["hpc-1", "hpc-2"];
  await slurm.pass();
  expect([slurm.commands, slurm.site.orders]).toEqual([["join hpc-1 ip-1"], []]);
});

test("many machines get their addresses in one command; one that the scheduler cannot have keeps no other from it", async () => {
  const slurm = new Scheduler();
  const names = Array.from({ length: 300 }, (_, index) => `hpc-${index + 1}`);
  slurm.wants(names);
  for (const name of names) slurm.site.put(name, { hostname: `ip-${name}` });
  await slurm.pass();
  expect(slurm.commands).toEqual([`join ${names.map((name) => `${name} ip-${name}`).join(" ")}`]);

  const some = new Scheduler();
  some.wants(["hpc-1", "hpc-2", "hpc-3"]);
  for (const name of ["hpc-1", "hpc-2", "hpc-3"]) some.site.put(name, { hostname: `ip-${name}` });
  some.unknownHost = "ip-hpc-2";
  expect((await some.pass()).problems).toEqual(["ip-hpc-2 is not known"]);
  expect(some.commands).toEqual(["join hpc-1 ip-hpc-1", "join hpc-3 ip-hpc-3"]);
});

test("a request of which the agent never got the answer is not made twice", async () => {
  const slurm = new Scheduler();
  slurm.wants(["hpc-3"]);
  const disks: (string | undefined)[] = [];
  const { create } = slurm.site;
  slurm.site.create = async (...args) => {
    disks.push(slurm.disk);
    await create.apply(slurm.site, args);
    throw new Error("connection reset");
  };
  expect(await slurm.pass()).toMatchObject({ ordered: [], problems: ["connection reset"] });
  slurm.site.create = create;
  slurm.disk = disks[0];
  slurm.killAgent();
  // The service does not show it yet.
  slurm.site.nodes = () => Promise.resolve([]);
  expect(await slurm.pass()).toMatchObject({ ordered: ["hpc-3"] });
  expect(slurm.site.orders).toHaveLength(1);
});

test("a machine is the one that was asked for, though the agent died before the answer and found it up", async () => {
  const slurm = new Scheduler();
  slurm.wants(["hpc-1"], ["hpc-2"]);
  let disk: string | undefined;
  const { create } = slurm.site;
  slurm.site.create = (...args) => {
    disk = slurm.disk;
    return create.apply(slurm.site, args);
  };
  await slurm.pass();
  slurm.disk = disk;
  slurm.killAgent();
  slurm.site.settle();
  for (const name of ["hpc-1", "hpc-2"]) slurm.site.put(name, { state: "Ready", hostname: `ip-${name}` });
  await slurm.pass();
  expect(slurm.commands).toEqual(["join hpc-1 ip-hpc-1 hpc-2 ip-hpc-2"]);
});

test("what there is no room for goes back with the reason; smaller groups behind it are served, each as a whole", async () => {
  const slurm = new Scheduler();
  slurm.site.room = 3;
  slurm.wants(["hpc-1", "hpc-2"], ["hpc-3", "hpc-4"], ["hpc-5"], ["hpc-6"]);
  const report = await slurm.pass();
  expect(report.ordered).toEqual(["hpc-1", "hpc-2", "hpc-5"]);
  expect(slurm.commands).toEqual(["back hpc-3,hpc-4 room for 1", "back hpc-6 room for 0"]);
  expect(report.givenBack.map(({ names }) => names)).toEqual([["hpc-3", "hpc-4"], ["hpc-6"]]);
});

test("a thousand single nodes of which half can be had take some twenty calls", async () => {
  const slurm = new Scheduler();
  slurm.site.room = 500;
  slurm.wants(...Array.from({ length: 1000 }, (_, index) => [`hpc-${index + 1}`]));
  const report = await slurm.pass();
  expect(report.ordered).toHaveLength(500);
  expect(report.givenBack.flatMap(({ names }) => names)).toHaveLength(500);
  expect(slurm.site.calls.length).toBeLessThan(25);
});

test("a name that is still terminating waits by itself, and the others are ordered at once", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-2", { state: "Terminating", targetState: "Terminated" });
  slurm.wants(["hpc-1", "hpc-2"], ["hpc-3"]);
  expect((await slurm.pass()).ordered).toEqual(["hpc-1", "hpc-3"]);
  slurm.site.settle();
  expect((await slurm.pass()).ordered).toEqual([]);
  slurm.site.there.delete("hpc-2");
  expect((await slurm.pass()).ordered).toEqual(["hpc-2"]);
  expect(slurm.commands).toEqual([]);
});

test("a name that somebody took in the meantime holds up no other", async () => {
  const slurm = new Scheduler();
  slurm.wants(["hpc-1"], ["hpc-2"], ["hpc-3"]);
  const { nodes } = slurm.site;
  slurm.site.put("hpc-2");
  slurm.site.nodes = () => Promise.resolve([]);
  expect((await slurm.pass()).ordered.toSorted()).toEqual(["hpc-1", "hpc-3"]);
  slurm.site.nodes = nodes;
  expect(await slurm.pass()).toMatchObject({ ordered: [], givenBack: [] });
});

test("what CycleCloud refuses later, or loses, goes back too", async () => {
  const slurm = new Scheduler();
  slurm.wants(["hpc-1", "hpc-2"], ["hpc-3"]);
  await slurm.pass();
  slurm.site.settle("quota of family Dv5 is used up");
  expect((await slurm.pass()).givenBack).toEqual([
    { names: ["hpc-1", "hpc-2", "hpc-3"], why: "quota of family Dv5 is used up" },
  ]);
  const other = new Scheduler();
  other.wants(["hpc-1", "hpc-2"], ["hpc-3"]);
  await other.pass();
  other.site.settle();
  other.site.put("hpc-1", { state: "Failed", failure: "AllocationFailed" });
  other.site.there.delete("hpc-3");
  await other.pass();
  expect(other.commands).toEqual([
    "back hpc-3 its machine went away while it started",
    "back hpc-1 CycleCloud could not start it: AllocationFailed",
  ]);
});

test("the end of a machine that comes late is not that of the next one of its name", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-1", { nodeId: "new", state: "Ready", hostname: "ip-1" });
  slurm.site.put("hpc-2", { nodeId: "old", state: "Terminating", targetState: "Terminated" });
  slurm.lost = new Map([
    ["hpc-1", "old"],
    ["hpc-2", "old"],
    ["hpc-3", "old"],
  ]);
  await slurm.pass();
  expect(slurm.commands).toEqual(["back hpc-2,hpc-3 its machine is gone"]);
  // From a service that does not tell which machine is gone.
  slurm.lost = new Map([["hpc-1", undefined]]);
  await slurm.pass();
  expect(slurm.commands).toEqual([]);
});

test("what goes back with a name of the same job is not ordered any more", async () => {
  const slurm = new Scheduler();
  slurm.along = { "hpc-3": ["hpc-1", "hpc-4"] };
  slurm.site.put("hpc-3", { state: "Failed" });
  slurm.wants(["hpc-1"], ["hpc-3", "hpc-4"], ["hpc-5"]);
  expect(await slurm.pass()).toMatchObject({
    ordered: ["hpc-5"],
    givenBack: [{ names: ["hpc-3", "hpc-1", "hpc-4"] }],
  });
});

test("what was switched off is deleted once, whether the agent was there or not, and is left alone when it is gone", async () => {
  const slurm = new Scheduler();
  for (const name of ["hpc-1", "hpc-2", "hpc-3"]) slurm.site.put(name, { state: "Ready" });
  slurm.wants(["hpc-2"]);
  await slurm.pass();
  slurm.wants();
  // hpc-2 did not come within ResumeTimeout; hpc-3 was switched off before anybody looked.
  slurm.going = ["hpc-1"];
  slurm.off = ["hpc-2", "hpc-3"];
  expect(await slurm.pass()).toMatchObject({ deleted: ["hpc-1", "hpc-2"] });
  slurm.killAgent();
  expect(await slurm.pass()).toMatchObject({ deleted: [] });
  slurm.site.there.clear();
  await slurm.pass();
  await slurm.pass();
  expect(slurm.site.calls).toEqual([]);
});

test("a name that is switched on again while its machine goes is created when it is free", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-1", { state: "Ready" });
  slurm.going = ["hpc-1"];
  await slurm.pass();
  slurm.going = [];
  slurm.wants(["hpc-1"]);
  expect((await slurm.pass()).ordered).toEqual([]);
  slurm.site.there.delete("hpc-1");
  expect((await slurm.pass()).ordered).toEqual(["hpc-1"]);
});

test("a name that is switched on again before its machine could be deleted goes back: Slurm waits for a machine that has booted since", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-1", { state: "Ready", hostname: "ip-1" });
  slurm.site.isAway = true;
  slurm.going = ["hpc-1"];
  await slurm.pass();
  slurm.going = [];
  slurm.wants(["hpc-1"]);
  slurm.site.isAway = false;
  expect((await slurm.pass()).deleted).toEqual([]);
  expect(slurm.commands).toEqual(["back hpc-1 its machine of before is still there"]);
  slurm.wants();
  slurm.going = ["hpc-1"];
  expect((await slurm.pass()).deleted).toEqual(["hpc-1"]);
  slurm.going = [];
  slurm.wants(["hpc-1"]);
  slurm.site.there.delete("hpc-1");
  expect((await slurm.pass()).ordered).toEqual(["hpc-1"]);
});

test("a machine that was up before its name was first wanted goes back too: nobody saw that Slurm had switched it off", async () => {
  const slurm = new Scheduler();
  await slurm.pass();
  slurm.site.put("hpc-1", { state: "Ready", hostname: "ip-1" });
  slurm.site.put("hpc-2", { hostname: "ip-2" });
  slurm.wants(["hpc-1"], ["hpc-2"]);
  await slurm.pass();
  expect(slurm.commands).toEqual(["back hpc-1 its machine of before is still there", "join hpc-2 ip-2"]);
});

test("a machine that came since its name was first looked for is not one of before, though its request is not known", async () => {
  const slurm = new Scheduler();
  slurm.wants(["hpc-1"], ["hpc-2"]);
  const { create } = slurm.site;
  slurm.site.create = (...args) =>
    create
      .apply(slurm.site, args)
      .then(() => create.call(slurm.site, args[0], "another key"))
      .then(({ outcome }) => (outcome === "taken" ? { outcome } : Promise.reject(new Error(outcome))));
  await slurm.pass();
  slurm.site.settle();
  for (const name of ["hpc-1", "hpc-2"]) slurm.site.put(name, { state: "Ready", hostname: `ip-${name}` });
  await slurm.pass();
  expect(slurm.commands).toEqual(["join hpc-1 ip-hpc-1 hpc-2 ip-hpc-2"]);
});

test("a keeper that lost its file has not seen who ordered a machine: one that has not joined ten minutes later is one of before", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-1", { state: "Ready", hostname: "ip-1" });
  slurm.wants(["hpc-1"]);
  await slurm.pass();
  expect(slurm.commands).toEqual(["join hpc-1 ip-1"]);
  slurm.killAgent();
  slurm.nowSeconds += 570;
  expect(await slurm.pass()).toMatchObject({ givenBack: [] });
  expect(await slurm.pass()).toMatchObject({
    givenBack: [{ names: ["hpc-1"], why: "its machine of before is still there" }],
  });
});

test("a machine of the planner that is up before its scheduler has it is no machine of before", async () => {
  const slurm = new Scheduler();
  slurm.site.put("htc-1", { state: "Ready", hostname: "ip-1" });
  slurm.wanted = [{ names: ["htc-1"], nodeArray: "htc", colocated: false, reason: "r", staysWanted: true }];
  expect(await slurm.pass()).toMatchObject({ givenBack: [], commands: 0 });
});

test("a machine that has to stay is named, and asked for again after a minute", async () => {
  const slurm = new Scheduler();
  slurm.site.put("hpc-1", { state: "Ready" });
  slurm.site.keptAlive.add("hpc-1");
  slurm.going = ["hpc-1"];
  const problems = ["hpc-1 is switched off, and its machine stays: is keep-alive"];
  const seen = [];
  for (let passes = 0; passes < 6; passes++) seen.push((await slurm.pass()).problems);
  expect(seen).toEqual([problems, [], [], [], problems, []]);
});

test("while the service is away the names wait, and nothing is forgotten", async () => {
  const slurm = new Scheduler();
  slurm.site.isAway = true;
  slurm.wants(["hpc-1"]);
  expect(await slurm.pass()).toMatchObject({ ordered: [], givenBack: [], problems: ["no answer"] });
  slurm.site.isAway = false;
  expect((await slurm.pass()).ordered).toEqual(["hpc-1"]);
});

test("colocated nodes of an array come into one placement group", async () => {
  const slurm = new Scheduler();
  slurm.wanted = [{ names: ["hpc-1"], nodeArray: "hpc", colocated: true, reason: "job 7" }];
  await slurm.pass();
  expect(slurm.site.orders).toMatchObject([{ placementGroup: "hpc_pg0" }]);
});

test("an agent that does not know where the service is does not start beside such a scheduler", async () => {
  const partitions = { hpc: { mode: "power-saving" } };
  const parsed = parseAgentConfig({ cluster: "c", source: "slurm", driver: "slurm", slurm: { partitions } });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  const options = { config: parsed.config, env: {}, once: true, log: () => undefined };
  await expect(startAgent(options, {} as AgentStorage)).rejects.toThrow("CCSCALE_URL: not set");
});
