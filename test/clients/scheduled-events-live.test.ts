import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { gridengineIsMissing, startGridEngine } from "../support/machines/gridengine.ts";
import type { Network } from "../support/machines/network.ts";
import { openPbsIsMissing, startOpenPbs } from "../support/machines/openpbs.ts";
import { type Slurm, slurmIsMissing, startSlurm } from "../support/machines/slurm.ts";
import { DrivenSlurm } from "./agent/drivers/driven-slurm.ts";

const script = join(import.meta.dirname, "../../clients/scheduled-events/watch_scheduled_events.py");
/** In the title of a test that cannot be run here. */
const why = (missing: string | undefined) => (missing === undefined ? "" : ` (skipped: ${missing})`);

const conf = `SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PrivateData=cloud
ReturnToService=1
SuspendTime=-1
SuspendProgram=/bin/true
ResumeProgram=/bin/true
CommunicationParameters=NoAddrCache
NodeName=htc-[1-4] CPUs=4 RealMemory=15000 State=CLOUD Feature=cloud
PartitionName=htc Nodes=htc-[1-4] Default=YES
`;

/** A stand-in for Azure on the machine: what the file holds is announced. */
const standIn = `import http.server, sys
class Events(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(open(sys.argv[1], "rb").read())
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", 8080), Events).serve_forever()
`;

/** Azure's address and the watcher, on one machine. */
class Watched {
  readonly #network: Network;
  readonly #host: string;

  constructor(network: Network, host: string) {
    this.#network = network;
    this.#host = host;
  }

  async announce(...kinds: readonly string[]): Promise<void> {
    const events = kinds.map((EventType) => ({
      EventId: `e-${EventType}`,
      EventType,
      EventStatus: "Scheduled",
      Resources: ["vm-7"],
      NotBefore: "",
    }));
    await writeFile(this.#file("events.json"), JSON.stringify({ DocumentIncarnation: 1, Events: events }));
  }

  async start(env: Readonly<Record<string, string | undefined>>): Promise<void> {
    await this.announce();
    await writeFile(this.#file("stand-in.py"), standIn);
    this.#network.start(this.#host, "python3", [this.#file("stand-in.py"), this.#file("events.json")]);
    this.watch(env);
  }

  watch(env: Readonly<Record<string, string | undefined>>) {
    return this.#network.start(this.#host, "/usr/bin/python3", [script], {
      env: {
        RESOURCE: "vm-7",
        EVENTS_URL: "http://127.0.0.1:8080/",
        STATE_DIRECTORY: this.#file("state"),
        ACKNOWLEDGE: "no",
        ...env,
      },
    });
  }

  #file(name: string): string {
    return join(this.#network.folder, name);
  }

  /** As if the machine had restarted since the drain. */
  async forgetBoot(): Promise<void> {
    const file = this.#file("state/drained.json");
    const kept: object = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...kept, bootId: "another" }));
  }

  /** What the watcher said, for the message of a test that fails. */
  said(): Promise<string> {
    return this.#network.outputOf(this.#host, "python3");
  }
}

/** Asks until it is so; gives the seconds that it took. */
async function until(isSo: () => Promise<boolean>, explain: () => Promise<string>): Promise<number> {
  const began = Date.now();
  while (!(await isSo())) {
    if (Date.now() - began > 240_000) throw new Error(`It never was: ${isSo.toString()}\n${await explain()}`);
    await sleep(200);
  }
  return (Date.now() - began) / 1000;
}

/** A Slurm with one node that has joined, and that watches its machine's events. */
async function onSlurmNode(use: (on: SlurmNode) => Promise<void>): Promise<void> {
  const slurm = await startSlurm({ conf });
  try {
    const azure = new Watched(slurm.network, "ip-1");
    const driven = new DrivenSlurm(slurm, {});
    await driven.pass();
    await slurm.bootNode("htc-1", "ip-1", "10.0.0.1");
    await driven.send("node-joined", [{ name: "htc-1", hostname: "ip-1" }]);
    await use({ slurm, azure, driven, env: { ...slurm.env, SCHEDULER: "slurm", SCHEDULER_NODE: "htc-1" } });
  } finally {
    await slurm.stop();
  }
}

/** Ends what runs on the node's machine. A slurmd registers that says that the machine has booted just now. */
async function reboot(slurm: Slurm): Promise<void> {
  const { network } = slurm;
  const node = () => slurm.run("scontrol", "show", "node", "htc-1");
  const startedAt = async () => /SlurmdStartTime=(\S+)/.exec(await node())?.[1];
  const before = await startedAt();
  network.switchOff("ip-1");
  // slurmctld compares whole seconds.
  await sleep(1_100);
  await network.switchOn("ip-1", "10.0.0.1");
  const config = join(network.folder, "slurm.conf");
  const slurmd = ["-D", "-b", "-N", "htc-1", "-f", config];
  network.start("ip-1", "/usr/sbin/slurmd", slurmd, { env: slurm.env });
  await until(async () => (await startedAt()) !== before, node);
}

interface SlurmNode {
  readonly slurm: Slurm;
  readonly azure: Watched;
  readonly driven: DrivenSlurm;
  /** The watcher's settings. */
  readonly env: Readonly<Record<string, string>>;
}

test.skipIf(slurmIsMissing !== undefined)(
  `a spot node with a job and a job that must not be requeued is about to go: the one waits for another node at once, the other stays${why(slurmIsMissing)}`,
  { timeout: 300_000 },
  () =>
    onSlurmNode(async ({ slurm, azure, driven, env }) => {
      const may = await slurm.submit("-p htc -n 1 --mem=1G --requeue");
      const mustNot = await slurm.submit("-p htc -n 1 --mem=1G --no-requeue");
      const running = async () =>
        (await driven.pass()).jobs.filter(({ executingHostnames = [] }) => executingHostnames.length > 0);
      await driven.until(async () => (await running()).length === 2);

      await azure.start(env);
      const began = Date.now();
      await azure.announce("Preempt");
      const waits = async () => {
        const job = (await driven.pass()).jobs.find(({ name }) => name === String(may));
        return job !== undefined && job.executingHostnames === undefined;
      };
      await driven.until(waits);
      console.info(`from notice to the demand for another node: ${(Date.now() - began) / 1000} s`);
      expect((await running()).map(({ name }) => name)).toEqual([String(mustNot)]);
      const { nodes } = await driven.pass();
      expect(nodes).toMatchObject([
        { hostname: "ip-1", state: "draining", isOutByOthers: true, stateReason: "azure Preempt now" },
      ]);

      // It was cancelled: the node takes jobs again.
      await azure.announce();
      await driven.until(async () => (await driven.pass()).nodes[0]?.state === "up");
      await driven.until(async () => (await running()).length === 2);
    }),
);

test.skipIf(slurmIsMissing !== undefined)(
  `a Slurm node that Azure restarted takes jobs again, and one that an administrator drained meanwhile does not${why(slurmIsMissing)}`,
  { timeout: 300_000 },
  () =>
    onSlurmNode(async ({ slurm, azure, driven, env }) => {
      const node = () => slurm.run("scontrol", "show", "node", "htc-1");
      await driven.until(async () => (await driven.pass()).nodes[0]?.state === "up");
      const restart = async () => {
        await azure.start(env);
        await azure.announce("Reboot");
        await until(async () => /State=\S*DRAIN/.test(await node()), azure.said.bind(azure));
        // slurmctld takes it for a restart only if the boot is of a later second than the node's last answer, which may be one
        // to its own ping in between.
        do await reboot(slurm);
        while (!/State=DOWN\S*DRAIN/.test(await node()));
        await azure.forgetBoot();
      };
      await restart();
      expect(await node()).toContain("Reason=azure Reboot now [");
      await azure.start(env);
      await until(async () => /State=IDLE\+CLOUD\b(?!\S*DRAIN)/.test(await node()), node);

      await restart();
      await slurm.run("scontrol", "update", "NodeName=htc-1", "State=DRAIN", "Reason=fan is loud");
      await azure.start(env);
      await until(async () => (await azure.said()).includes("drain-left"), azure.said.bind(azure));
      expect(await node()).toMatch(/State=DOWN\S*DRAIN[\s\S]*Reason=fan is loud/);
    }),
);

test.skipIf(openPbsIsMissing !== undefined)(
  `PBS: subjobs of a node that is about to go wait again, one that must not start again stays, and the node comes back${why(openPbsIsMissing)}`,
  { timeout: 300_000 },
  async () => {
    const pbs = await startOpenPbs();
    try {
      const { network, run } = pbs;
      const azure = new Watched(network, "pbs-1");
      const qmgr = (line: string) => run("qmgr", "-c", line);
      await pbs.bootNode("pbs-1", "10.0.0.1");
      await qmgr("create node pbs-1");
      await qmgr("set node pbs-1 resources_available.ncpus=4");
      await qmgr("set server operators += root@pbs-1");
      await pbs.submit(["-J", "1-2"]);
      await pbs.submit(["-r", "n"]);
      await pbs.schedule();
      const states = async () =>
        (await run("qstat", "-t"))
          .split("\n")
          .flatMap((line) => /^(\S+?)\.pbs-head .* (\w) workq/.exec(line)?.slice(1, 3).join(" ") ?? [])
          .filter((line) => !line.startsWith("0[] "));
      const are =
        (...wanted: readonly string[]) =>
        async () =>
          JSON.stringify(await states()) === JSON.stringify(wanted);
      await until(are("0[1] R", "0[2] R", "1 R"), () => run("qstat", "-t"));
      await azure.start({ PATH: `/opt/pbs/bin:${process.env.PATH}`, SCHEDULER: "pbs" });
      await azure.announce("Preempt");
      const seconds = await until(are("0[1] Q", "0[2] Q", "1 R"), azure.said.bind(azure));
      console.info(`PBS: from notice to waiting again: ${seconds} s`);
      expect(await run("pbsnodes", "-v", "pbs-1")).toMatch(
        /state = offline[\s\S]*comment = azure Preempt now/,
      );
      await azure.announce();
      await until(are("0[1] R", "0[2] R", "1 R"), azure.said.bind(azure));
      expect(await run("pbsnodes", "-v", "pbs-1")).not.toContain("comment");
    } finally {
      await pbs.stop();
    }
  },
);

test.skipIf(gridengineIsMissing !== undefined)(
  `Grid Engine: of an array only tasks of the node that is about to go start again, and the node comes back${why(gridengineIsMissing)}`,
  { timeout: 300_000 },
  async () => {
    const gridEngine = await startGridEngine();
    try {
      const { network, run, define } = gridEngine;
      const azure = new Watched(network, "ge-1");
      const queue = Object.entries({
        qname: "all.q",
        slots: "2",
        rerun: "TRUE",
        pe_list: "NONE",
        load_thresholds: "NONE",
      }).reduce(
        (text, [key, value]) => text.replace(new RegExp(`^${key} .*$`, "m"), `${key} ${value}`),
        await run("qconf", "-sq"),
      );
      await define("-Aq", queue.replace(/^hostlist .*$/m, "hostlist NONE"));
      for (const [host, address] of [
        ["ge-1", "10.0.0.1"],
        ["ge-2", "10.0.0.2"],
      ] as const) {
        await gridEngine.bootNode(host, address);
        await run("qconf", "-ah", host);
        await run("qconf", "-aattr", "queue", "hostlist", host, "all.q");
      }
      const array = await gridEngine.submit(["-t", "1-4"]);
      const runs = async () =>
        (await run("qstat", "-u", "*", "-s", "r"))
          .split("\n")
          .flatMap((line) => /^\s*(\d+) .*all\.q@(\S+)\s+1 (\d+)\s*$/.exec(line)?.slice(1, 4).join(" ") ?? [])
          .sort();
      await until(
        async () => (await runs()).length === 4,
        () => run("qstat", "-f", "-u", "*"),
      );
      const before = await runs();
      const there = before.filter((line) => line.includes("ge-2"));
      expect(there).toHaveLength(2);
      await azure.start({ SCHEDULER: "gridengine" });
      await azure.announce("Preempt");
      const isSo = async () => JSON.stringify(await runs()) === JSON.stringify(there);
      const seconds = await until(isSo, azure.said.bind(azure));
      console.info(`Grid Engine: from notice to waiting again: ${seconds} s`);
      expect(await run("qselect", "-q", "*", "-qs", "d")).toBe("all.q@ge-1\n");
      await azure.announce();
      // It ends with 1 when there is none.
      const disabled = () => run("qselect", "-q", "*", "-qs", "d").catch(() => "");
      await until(async () => (await disabled()) === "", azure.said.bind(azure));
      expect(await azure.said()).toContain('"back"');
      expect((await runs()).filter((line) => line.includes("ge-2"))).toEqual(there);
      expect(before[0]).toMatch(new RegExp(`^${array} `));
    } finally {
      await gridEngine.stop();
    }
  },
);
