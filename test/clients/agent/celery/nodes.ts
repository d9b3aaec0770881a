import { type ChildProcess, spawn } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Environment } from "../../../../infra/local/environment/environment.ts";
import { diesWithUs } from "./installed.ts";

const answerSchema = z.object({
  nodes: z.array(
    z.object({
      NodeId: z.string(),
      Status: z.string(),
      TargetState: z.string().optional(),
      Hostname: z.string().optional(),
    }),
  ),
});

const pollMilliseconds = 400;

export interface NodesOptions {
  readonly environment: Environment;
  readonly folder: string;
  /** Of the workers. */
  readonly env: Readonly<Record<string, string>>;
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
    const { environment } = this.#options;
    const { username, password } = environment.account;
    const response = await fetch(`${environment.cycleCloudUrl}/clusters/${environment.cluster}/nodes`, {
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` },
    });
    const { nodes } = answerSchema.parse(await response.json());
    const up = nodes.filter((node) => node.Status === "Ready" && node.TargetState === "Started");
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
    const { env, folder } = this.#options;
    const log = openSync(join(folder, `worker-${hostname}.log`), "a");
    const worker = spawn(
      "setpriv",
      [
        ...[
          ...diesWithUs,
          "/usr/bin/python3",
          "-m",
          "celery",
          "-A",
          "work",
          "worker",
          "-n",
          `celery@${hostname}`,
        ],
        ...["-P", "threads", "-c", "4", "-O", "fair", "-l", "warning"],
        ...["--without-gossip", "--without-mingle", "--without-heartbeat"],
      ],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, ...env, WORK_HOST: hostname, PYTHONDONTWRITEBYTECODE: "1" },
        stdio: ["ignore", log, log],
      },
    );
    return { hostname, worker };
  }
}
