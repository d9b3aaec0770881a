import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalStack } from "../../../support/local-stack.ts";
import { diesWithUs } from "./installed.ts";

const pollMilliseconds = 400;

export interface NodesOptions {
  readonly stack: LocalStack;
  /** Of the workers. */
  readonly env: Readonly<Record<string, string>>;
  /** The application that workers run; `work.py` of this folder by default. */
  readonly app?: { readonly folder: string; readonly module: string };
}

interface Machine {
  readonly hostname: string;
  readonly worker: ChildProcess;
}

/**
 * The software on the simulated nodes: a Celery worker starts when its node is Ready, and is killed without a word when
 * the node is told to go, as a machine that is switched off.
 */
export class Nodes {
  readonly #options: NodesOptions;
  readonly #machines = new Map<string, Machine>();
  readonly #loop: Promise<void>;
  /** Every switching off: when, in Unix time, and on which host. */
  readonly switchedOff: { readonly hostname: string; readonly atSeconds: number }[] = [];
  #isOver = false;
  #started = 0;

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  get workersStarted(): number {
    return this.#started;
  }

  get running(): number {
    return this.#machines.size;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#loop;
    for (const { worker } of this.#machines.values()) worker.kill("SIGKILL");
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#look().catch(() => undefined);
      await sleep(pollMilliseconds);
    }
  }

  async #look(): Promise<void> {
    const up = (await this.#options.stack.nodes()).filter(({ Status }) => Status === "Ready");
    const names = new Map(up.flatMap((node) => (node.Hostname ? [[node.NodeId, node.Hostname]] : [])));
    for (const [nodeId, machine] of this.#machines) {
      if (names.has(nodeId)) continue;
      machine.worker.kill("SIGKILL");
      this.#machines.delete(nodeId);
      this.switchedOff.push({ hostname: machine.hostname, atSeconds: Date.now() / 1000 });
    }
    for (const [nodeId, hostname] of names) {
      if (!this.#machines.has(nodeId)) this.#machines.set(nodeId, this.#start(hostname));
    }
  }

  #start(hostname: string): Machine {
    this.#started += 1;
    const { env, stack, app = { folder: import.meta.dirname, module: "work" } } = this.#options;
    const log = openSync(join(stack.folder, `worker-${hostname}.log`), "a");
    const worker = spawn(
      "setpriv",
      [
        ...[
          ...diesWithUs,
          "/usr/bin/python3",
          "-m",
          "celery",
          "-A",
          app.module,
          "worker",
          "-n",
          `celery@${hostname}`,
        ],
        ...["-P", "threads", "-c", "4", "-O", "fair", "-l", "warning"],
        ...["--without-gossip", "--without-mingle", "--without-heartbeat"],
      ],
      {
        cwd: app.folder,
        env: { ...process.env, ...env, WORK_HOST: hostname, PYTHONDONTWRITEBYTECODE: "1" },
        stdio: ["ignore", log, log],
      },
    );
    return { hostname, worker };
  }
}
