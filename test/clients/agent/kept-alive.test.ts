import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  Command,
  Driver,
  SchedulerFile,
  KeptAlive as Side,
} from "../../../clients/agent/drivers/driver.ts";
import { expandHostlist } from "../../../clients/agent/drivers/slurm/hostlist.ts";
import { slurm } from "../../../clients/agent/drivers/slurm/slurm.ts";
import { KeptAlive } from "../../../clients/agent/kept-alive.ts";
import type { ServiceNode } from "../../../clients/agent/named-nodes.ts";
import { cases } from "../../support/cases.ts";
import { bucket, existing, partsOf } from "./drivers/cluster-parts.ts";
import { answersOfSlurm, readSlurm, slurmNode } from "./drivers/slurm-reading.ts";

/** An item of SuspendExcNodes ends with a comma outside of brackets. */
const itemsOf = (value: string): readonly string[] => value.match(/(?:[^,[\]]|\[[^\]]*\])+/g) ?? [];

const all = [1, 2, 3].map((index) => `hpc-${index}`);

/** A controller with SuspendExcNodes, the service with its nodes, and an agent between them that may be killed. */
class World {
  /** What the controller goes by. */
  value = "";
  /** What slurm.conf says. */
  conf = "";
  ours: readonly SchedulerFile[] = [];
  readonly kept = new Map<string, Side>();
  readonly off = new Set<string>();
  readonly commands: string[] = [];
  disk: string | undefined;
  dies = false;
  /** As scontrol prints them. */
  reservations: string | undefined;
  corrections: readonly string[] = [];
  #seconds = 0;
  readonly #release: string;
  readonly #section: object;
  #driver!: Driver;
  #agent!: KeptAlive;

  constructor(release = "23.02.4", section: object = {}) {
    this.#release = release;
    this.#section = section;
    this.restartAgent();
  }

  restartAgent(): void {
    const configured = slurm.configure({ partitions: { hpc: { mode: "power-saving" } }, ...this.#section });
    if (!configured.ok) throw new Error(configured.problems.join("; "));
    this.#driver = configured.driver;
    this.#agent = new KeptAlive({
      service: {
        nodes: async () => all.map((name) => this.#node(name)),
        keepAlive: async (names, on) => {
          for (const name of names)
            if (on) this.kept.set(name, "scheduler");
            else if (this.kept.get(name) === "scheduler") this.kept.delete(name);
        },
        create: () => Promise.reject(new Error("nothing is created here")),
        remove: () => Promise.reject(new Error("nothing is deleted here")),
        operation: () => Promise.reject(new Error("nothing is asked here")),
      },
      run: (command) => this.#run(command),
      load: async () => this.disk,
      save: async (text) => {
        this.disk = text;
      },
    });
  }

  /** The controller reads its files. */
  reconfigure(): void {
    const [, line] = /^SuspendExcNodes=(.*)$/m.exec(this.ours[0]?.text ?? "") ?? [];
    this.value = line ?? this.conf;
  }

  /** A minute later. */
  async pass() {
    this.#seconds += 60;
    const off = { address: "255.255.255.255", hostname: "", slurmd_version: "" };
    const nodes = all.map((name, index) =>
      slurmNode(index + 1, {
        name,
        partitions: ["hpc"],
        ...(this.off.has(name)
          ? { state: ["IDLE", "CLOUD", "POWERED_DOWN"], ...off }
          : { state: ["IDLE", "CLOUD"], address: `ip-${index + 1}` }),
      }),
    );
    const config = `SLURM_VERSION           = ${this.#release}\nSuspendExcNodes         = ${this.value || "(null)"}\n`;
    const context = { nowSeconds: this.#seconds, draining: new Map(), memory: {} };
    const reservations = this.reservations === undefined ? {} : { reservations: this.reservations };
    const reading = this.#driver.interpret(
      answersOfSlurm({ jobs: [], nodes, config, ...reservations }),
      context,
    );
    if (!reading.known || reading.named === undefined) throw new Error("unknown");
    this.corrections = reading.corrections.map(({ args }) => args.join(" "));
    const report = await this.#agent.tend(reading.named, this.#seconds);
    this.#keepFiles();
    return report;
  }

  get notices(): readonly string[] {
    return this.#agent.notices;
  }

  #keepFiles(): void {
    const { files } = this.#driver;
    if (files === undefined) return;
    const there = all.map((name) => existing(name, { keptAlive: this.kept.get(name) }));
    const conf = {
      name: "slurm.conf",
      text: `# SuspendExcNodes=old\nSuspendExcNodes=${this.conf} # by hand\n`,
    };
    const drawn = files.drawUp(partsOf([bucket({ nodeArray: "hpc", most: 3 })], there), [
      ...this.ours,
      ...(this.conf === "" ? [] : [conf]),
    ]);
    if ("refused" in drawn) throw new Error(drawn.refused);
    if (drawn.files[0]?.text !== this.ours[0]?.text) {
      this.ours = drawn.files;
      this.reconfigure();
    }
  }

  #node(name: string): ServiceNode {
    return {
      nodeId: `id-${name}`,
      name,
      hostname: name,
      isPending: false,
      state: "Ready",
      targetState: "Started",
      failure: null,
      keptAlive: this.kept.get(name),
    };
  }

  #run({ args }: Command): Promise<void> {
    if (this.dies) return Promise.reject(new Error("killed"));
    this.commands.push(args.join(" "));
    const [, sign = "", list = ""] = /^SuspendExcNodes([+-]?)=(.*)$/.exec(args[1] ?? "") ?? [];
    if (sign !== "" && this.value.includes(":")) return Promise.reject(new Error("a count is there"));
    const names = expandHostlist(list) ?? [];
    const before = sign === "" ? [] : itemsOf(this.value).flatMap((each) => expandHostlist(each) ?? []);
    this.value =
      sign === ""
        ? list
        : (sign === "+" ? [...before, ...names] : before.filter((name) => !names.includes(name))).join(",");
    return Promise.resolve();
  }
}

describe("a release that changes SuspendExcNodes by a command", () => {
  test("a node that is kept alive is spared by Slurm, told once, after a reconfiguration again, and taken back", async () => {
    const world = new World();
    world.kept.set("hpc-2", "others");
    expect((await world.pass()).changes).toEqual([
      "hpc-2: kept alive, so the scheduler does not switch it off",
    ]);
    expect((await world.pass()).changes).toEqual([]);
    world.reconfigure();
    world.restartAgent();
    await world.pass();
    world.kept.clear();
    expect((await world.pass()).changes).toEqual([
      "hpc-2: no longer kept alive or needed by a reservation, so the scheduler may switch it off again",
    ]);
    expect([world.value, world.kept.size, (await world.pass()).changes]).toEqual(["", 0, []]);
    expect(world.commands).toEqual([
      "update SuspendExcNodes+=hpc-2",
      "update SuspendExcNodes+=hpc-2",
      "update SuspendExcNodes-=hpc-2",
    ]);
  });
  test("what a person named is kept alive for as long as it is named and on, and is nobody's reason to name it", async () => {
    const world = new World();
    world.value = "hpc-[1-2],other-7";
    expect((await world.pass()).changes).toEqual([
      "hpc-[1-2]: the scheduler never switches it off, so it is kept alive",
    ]);
    world.off.add("hpc-2");
    expect((await world.pass()).changes).toEqual([
      "hpc-2: the scheduler may switch it off, so it is no longer kept alive",
    ]);
    world.restartAgent();
    expect([(await world.pass()).changes, [...world.kept]]).toEqual([[], [["hpc-1", "scheduler"]]]);
    world.value = "other-7";
    await world.pass();
    expect([[...world.kept], world.commands]).toEqual([[], []]);
  });
  test("a set with a count stays Slurm's: none of its nodes is kept alive, and the others are named beside it", async () => {
    const world = new World();
    world.value = "hpc-[1-3]:2";
    world.kept.set("hpc-2", "others");
    await world.pass();
    expect([world.value, [...world.kept]]).toEqual(["hpc-[1-3]:2,hpc-2", [["hpc-2", "others"]]]);
    world.kept.clear();
    await world.pass();
    expect([world.value, world.kept.size]).toEqual(["hpc-[1-3]:2", 0]);
    world.value = "hpc-[1-3]:2,old-[1-99999999]";
    world.kept.set("hpc-2", "others");
    await world.pass();
    expect(world.value).toContain("old-[1-99999999]");
  });
  test("an agent that was killed between its file and the command takes back what it told, and nothing else", async () => {
    const world = new World();
    world.value = "hpc-1";
    world.kept.set("hpc-2", "others");
    world.dies = true;
    expect((await world.pass()).problems).toEqual(["killed"]);
    world.dies = false;
    world.restartAgent();
    await world.pass();
    world.kept.delete("hpc-2");
    await world.pass();
    expect([world.value, [...world.kept]]).toEqual(["hpc-1", [["hpc-1", "scheduler"]]]);
  });
});

describe("nodes of a reservation", () => {
  const lead = { reservation_lead_seconds: 600 };
  const reserve = (world: World, startSeconds: number, endSeconds: number) => {
    world.reservations = `ReservationName=r StartTime=${startSeconds} EndTime=${endSeconds} Nodes=hpc-[1-2] NodeCnt=2 State=INACTIVE\n`;
    world.off.add("hpc-1");
  };
  test("are spared in time, then powered up, and go back when it is over; nobody keeps them alive", async () => {
    const world = new World("23.02.4", lead);
    reserve(world, 720, 900);
    await world.pass();
    expect([world.value, world.corrections]).toEqual(["", []]);
    expect((await world.pass()).changes).toEqual([
      "hpc-[1-2]: a reservation needs it, so the scheduler does not switch it off",
    ]);
    expect(world.corrections).toEqual([]);
    await world.pass();
    expect(world.corrections).toEqual(["update NodeName=hpc-1 State=POWER_UP"]);
    world.off.clear();
    world.reconfigure();
    for (let seconds = 240; seconds < 900; seconds += 60) await world.pass();
    expect([world.value, world.kept.size]).toEqual(["hpc-1,hpc-2", 0]);
    await world.pass();
    expect([world.value, world.corrections, world.kept.size]).toEqual(["", [], 0]);
  });
  test("are left to their first job where SuspendExcNodes is in slurm.conf alone, which a sentence says", async () => {
    const world = new World("22.05.8", lead);
    reserve(world, 100, 900);
    world.value = "hpc-2";
    for (const _ of [1, 2]) await world.pass();
    expect([world.value, world.corrections, world.commands]).toEqual(["hpc-2", [], []]);
    expect(world.notices).toEqual([
      "hpc-1 is in a reservation, and the first job there powers it up: Slurm before 23.02 has SuspendExcNodes in slurm.conf alone; name it there to have it on in time",
    ]);
    world.value = "hpc-[1-2]";
    await world.pass();
    expect([world.corrections, world.notices]).toEqual([["update NodeName=hpc-1 State=POWER_UP"], []]);
  });
  test("that could not be had are asked for again five minutes later", () => {
    const off = { state: ["IDLE", "CLOUD", "POWERED_DOWN"], address: "255.255.255.255", slurmd_version: "" };
    const node = slurmNode(1, {
      ...off,
      name: "hpc-1",
      hostname: "hpc-1",
      partitions: ["hpc"],
      reason: "cyclecloud: no room",
      reason_changed_at: 1000,
    });
    const correctionsAt = (nowSeconds: number) => {
      const reading = readSlurm({
        jobs: [],
        nodes: [node],
        section: { partitions: { hpc: { mode: "power-saving" } }, ...lead },
        reservations: "ReservationName=r StartTime=1200 EndTime=9000 Nodes=hpc-1 State=INACTIVE\n",
        config: "SLURM_VERSION = 23.02.4\nSuspendExcNodes = hpc-1\n",
        nowSeconds,
      });
      return reading.known ? reading.corrections.map(({ args }) => args.join(" ")) : reading.reason;
    };
    expect(correctionsAt(1299)).toEqual([]);
    expect(correctionsAt(1300)).toEqual(["update NodeName=hpc-1 State=POWER_UP"]);
  });
});

describe("a release that has it in slurm.conf alone", () => {
  const files = { config: { folder: "/etc/slurm", apply: "reconfigure" } };
  test("the file that slurm.conf includes names the nodes, with those of slurm.conf; each side gives back its own", async () => {
    const world = new World("22.05.8", files);
    world.conf = "hpc-1,hpc-[2-3]:1";
    world.value = world.conf;
    world.kept.set("hpc-2", "others");
    for (const _ of [1, 2, 3]) await world.pass();
    expect(world.value).toBe("hpc-1,hpc-[2-3]:1,hpc-2");
    expect(Object.fromEntries(world.kept)).toEqual({ "hpc-1": "scheduler", "hpc-2": "others" });
    world.restartAgent();
    expect((await world.pass()).changes).toEqual([]);
    world.kept.delete("hpc-2");
    for (const _ of [1, 2]) await world.pass();
    world.conf = "hpc-[2-3]:1";
    world.reconfigure();
    await world.pass();
    expect([world.value, world.kept.size, world.commands]).toEqual(["hpc-[2-3]:1", 0, []]);
  });
  test("without the files only what a person named counts, and the status says so", async () => {
    const world = new World("22.05.8");
    world.value = "hpc-1";
    world.kept.set("hpc-2", "others");
    await world.pass();
    expect([world.value, world.kept.get("hpc-1"), world.commands]).toEqual(["hpc-1", "scheduler", []]);
    expect(world.notices).toEqual([
      "hpc-2 is kept alive, and Slurm before 23.02 has SuspendExcNodes in slurm.conf alone: name it there, or set slurm.config",
    ]);
  });
});

test("whatever happens, in the end each side has what was asked of it, and what the other side was asked for", async () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom("name", "unname", "keep", "release", "reconfigure", "restart", "die", "pass"),
      fc.constantFrom(...all),
    ),
    { maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const world = new World();
      const ofPerson = new Set<string>();
      for (const [step, name] of drawn) {
        const named = itemsOf(world.value);
        // What we name already is nobody else's, although a reconfiguration took it away a moment ago.
        if (step === "name" && !named.includes(name) && !world.disk?.includes(name)) {
          world.value = [...named, name].join(",");
          ofPerson.add(name);
        }
        if (step === "unname") {
          world.value = named.filter((each) => each !== name).join(",");
          ofPerson.delete(name);
        }
        if (step === "keep") world.kept.set(name, "others");
        if (step === "release" && world.kept.get(name) === "others") world.kept.delete(name);
        if (step === "reconfigure") {
          world.reconfigure();
          ofPerson.clear();
        }
        if (step === "restart") world.restartAgent();
        world.dies = step === "die";
        if (step === "die" || step === "pass") await world.pass();
      }
      world.dies = false;
      for (const [name, side] of [...world.kept]) if (side === "others") world.kept.delete(name);
      for (const _ of [1, 2]) await world.pass();
      expect(itemsOf(world.value).toSorted()).toEqual([...ofPerson].toSorted());
      expect([...world.kept].toSorted()).toEqual([...ofPerson].toSorted().map((name) => [name, "scheduler"]));
    }),
    cases(100),
  );
});
