import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** The head's address; hosts have others of 10.0.0.0/8. */
const headAddress = "10.255.0.1";
const namespaces = "/run/netns";

/** Why there can be no machines here; undefined when there can. */
export const machinesAreMissing = missing();

function missing(): string | undefined {
  if (process.getuid?.() !== 0) return "network namespaces need root";
  for (const program of ["ip", "nsenter", "unshare", "setpriv"]) {
    if (spawnSync(program, ["--version"]).error !== undefined) return `${program} is not installed`;
  }
  // A container may be root and still have no right to it.
  const tried = spawnSync("unshare", ["--net", "--mount", "--uts", "ip", "link", "set", "lo", "up"]);
  return tried.status === 0 ? undefined : "network namespaces are not allowed here";
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Who runs it; root otherwise. */
  readonly user?: string;
  readonly timeoutMilliseconds?: number;
}

interface Host {
  readonly address: string;
  readonly names: readonly string[];
}

let count = 0;
const running = new Set<Network>();
process.on("exit", () => {
  for (const network of running) network.stopAtOnce();
});

/** A head and hosts that come and go, see README.md. Call `stop` whatever happens. */
export class Network {
  readonly headName: string;
  /** Of the names and logs; for what a scheduler keeps, too. Gone after `stop`. */
  readonly folder: string;
  readonly #id: string;
  readonly #covers: (readonly [by: string, covered: string])[];
  readonly #hosts = new Map<string, Host>();
  /** By machine: the process that is there as long as the machine is on. What others see is mounted for it, once. */
  readonly #holders = new Map<string, number>();
  /** By machine. One may not have entered its namespace yet, and none of its first programs is there then. */
  readonly #daemons = new Map<string, Set<ChildProcess>>();
  #links = 0;

  static async start(headName: string): Promise<Network> {
    sweep();
    const network = new Network(headName, await mkdtemp(join(tmpdir(), "machines-")));
    running.add(network);
    try {
      await network.#prepare();
    } catch (error) {
      await network.stop();
      throw error;
    }
    return network;
  }

  private constructor(headName: string, folder: string) {
    this.headName = headName;
    this.folder = folder;
    this.#covers = [
      [join(folder, "hosts"), "/etc/hosts"],
      [join(folder, "resolv.conf"), "/etc/resolv.conf"],
    ];
    count += 1;
    this.#id = `machines-${process.pid}-${count}`;
  }

  async #prepare(): Promise<void> {
    await promisify(execFile)("chmod", ["755", this.folder]);
    this.#writeNames();
    // Without a name server a name that is not in the list is unknown.
    writeFileSync(join(this.folder, "resolv.conf"), "");
    await script(
      `ip netns add "$1"; ip -n "$1" link set lo up
       ip -n "$1" link add br0 type bridge; ip -n "$1" addr add ${headAddress}/8 dev br0; ip -n "$1" link set br0 up`,
      this.#namespaceOf(this.headName),
    );
    await this.#hold(this.headName);
  }

  async #hold(machine: string): Promise<void> {
    // Not "ip netns exec", which mounts /sys anew without the control groups that schedulers want.
    const entered = [
      `--net=${join(namespaces, this.#namespaceOf(machine))}`,
      ...["unshare", "--mount", "--uts", "sh", "-ec"],
      'hostname "$1"; shift; while [ $# -gt 0 ]; do mount --bind "$1" "$2"; shift 2; done; echo; exec sleep infinity',
    ];
    const holder = spawn(
      "setpriv",
      ["--pdeathsig", "KILL", "--", "nsenter", ...entered, "machine", machine, ...this.#covers.flat()],
      { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] },
    );
    await new Promise((resolve, reject) => {
      holder.stdout.once("data", resolve);
      holder.once("error", reject).once("exit", () => reject(new Error(`Machine "${machine}" went off`)));
    });
    holder.stdout.destroy();
    holder.unref();
    if (holder.pid !== undefined) this.#holders.set(machine, holder.pid);
  }

  /** What programs on every machine see in place of a file or folder, from now on: `cover("/var/spool/pbs", "/tmp/x")`. */
  cover(covered: string, by: string): void {
    this.#covers.push([by, covered]);
    for (const pid of this.#holders.values())
      execFileSync("nsenter", [`--target=${pid}`, "--mount", "mount", "--bind", by, covered]);
  }

  /** Names of hosts that are on. */
  hosts(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  /** A machine boots: `name` is its host name, `aliases` are known as well. It runs nothing yet. */
  async switchOn(name: string, address: string, aliases: readonly string[] = []): Promise<void> {
    if (this.#hosts.has(name)) throw new Error(`Machine "${name}" is on already`);
    this.#links += 1;
    this.#hosts.set(name, { address, names: [name, ...aliases] });
    await script(
      `ip netns add "$1"; ip -n "$1" link set lo up
       ip link add "$3" netns "$2" type veth peer name eth0 netns "$1"
       ip -n "$2" link set "$3" master br0 up
       ip -n "$1" addr add "$4/8" dev eth0; ip -n "$1" link set eth0 up`,
      this.#namespaceOf(name),
      this.#namespaceOf(this.headName),
      `link${this.#links}`,
      address,
    );
    this.#writeNames();
    await this.#hold(name);
  }

  /** As if its plug were pulled: processes, network and name go at once. */
  switchOff(name: string): void {
    if (!this.#hosts.delete(name)) return;
    this.#writeNames();
    this.#end(name);
  }

  /** Runs a program on the head or a host, with that host name. Gives its standard output; throws when it fails. */
  async run(
    machine: string,
    program: string,
    args: readonly string[],
    options: RunOptions = {},
  ): Promise<string> {
    const [first, ...rest] = this.entering(machine, program, args, options.user);
    const { stdout } = await promisify(execFile)(first, rest, {
      cwd: this.folder,
      env: { ...process.env, ...options.env },
      timeout: options.timeoutMilliseconds ?? 240_000,
      maxBuffer: 256 * 1024 * 1024,
    });
    return stdout;
  }

  /** Keeps a daemon, which must stay in the foreground. It ends with its machine, with `stop`, and with this process. */
  start(
    machine: string,
    program: string,
    args: readonly string[],
    { env, user }: RunOptions = {},
  ): ChildProcess {
    const log = openSync(join(this.folder, `${machine}-${program.split("/").at(-1)}.out`), "a");
    const [first, ...rest] = this.entering(machine, program, args, user);
    const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", first, ...rest], {
      cwd: this.folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    const daemons = this.#daemons.get(machine) ?? new Set();
    this.#daemons.set(machine, daemons.add(child));
    child.once("exit", () => daemons.delete(child));
    return child;
  }

  /** The command line that runs a program on a machine: for programs that run others, such as an agent outside. */
  entering(
    machine: string,
    program: string,
    args: readonly string[],
    user?: string,
  ): readonly [string, ...string[]] {
    const as = user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--init-groups"];
    const inside = [`--target=${this.#holders.get(machine)}`, "--net", "--mount", "--uts", "--wd"];
    return ["nsenter", ...inside, ...as, program, ...args];
  }

  /** What a daemon printed, for the message of a test that fails. */
  async outputOf(machine: string, program: string): Promise<string> {
    return readFile(join(this.folder, `${machine}-${program}.out`), "utf8").catch(() => "");
  }

  async stop(): Promise<void> {
    this.stopAtOnce();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The same for a process that is about to end. */
  stopAtOnce(): void {
    for (const name of this.hosts()) this.switchOff(name);
    this.#end(this.headName);
    running.delete(this);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #end(machine: string): void {
    for (const daemon of this.#daemons.get(machine) ?? []) daemon.kill("SIGKILL");
    this.#daemons.delete(machine);
    this.#holders.delete(machine);
    removeNamespace(this.#namespaceOf(machine));
  }

  #namespaceOf(machine: string): string {
    return `${this.#id}-${machine}`;
  }

  /** Written in place, because the file is mounted where processes run, and never empty: a program may look up the head meanwhile. */
  #writeNames(): void {
    const lines = [...this.#hosts.values()].map(({ address, names }) => `${address} ${names.join(" ")}`);
    const fixed = ["127.0.0.1 localhost", `${headAddress} ${this.headName}`];
    const text = Buffer.from(`${[...fixed, ...lines].join("\n")}\n`);
    const file = openSync(join(this.folder, "hosts"), constants.O_RDWR | constants.O_CREAT, 0o644);
    writeSync(file, text, 0, text.length, 0);
    ftruncateSync(file, text.length);
    closeSync(file);
  }
}

async function script(text: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)("sh", ["-ec", text, "machine", ...args]);
}

function removeNamespace(name: string): void {
  if (!existsSync(join(namespaces, name))) return;
  for (const pid of spawnSync("ip", ["netns", "pids", name], { encoding: "utf8" }).stdout.split("\n")) {
    try {
      if (pid !== "") process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  // It fails now and then where many come and go at once.
  for (let tries = 0; tries < 10 && existsSync(join(namespaces, name)); tries++)
    spawnSync("ip", ["netns", "del", name]);
}

/** Removes what processes left behind that were killed before they could. */
function sweep(): void {
  if (!existsSync(namespaces)) return;
  for (const name of readdirSync(namespaces)) {
    const pid = /^machines-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) removeNamespace(name);
  }
}
