import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { untilItWorks } from "../../../support/machines/until-it-works.ts";
import { diesWithUs } from "./installed.ts";

/** A Redis of our own that keeps its data over a restart. */
export class RedisProcess {
  readonly url: string;
  readonly #port: number;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(port: number, folder: string) {
    this.url = `redis://127.0.0.1:${port}/0`;
    this.#port = port;
    this.#folder = folder;
  }

  async start(): Promise<void> {
    const keep = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    const place = ["--bind", "127.0.0.1", "--port", `${this.#port}`, "--dir", this.#folder];
    const args = [...diesWithUs, "redis-server", ...place, ...keep];
    this.#child = spawn("setpriv", args, { stdio: "ignore" });
    await untilItWorks(async () => {
      if (!(await answers(this.#port))) throw new Error("Cannot start redis-server");
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => socket.destroy());
    socket.once("error", () => resolve(false));
    socket.once("close", (hadError) => resolve(!hadError));
  });
}
