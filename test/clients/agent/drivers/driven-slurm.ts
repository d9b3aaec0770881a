import { setTimeout as sleep } from "node:timers/promises";
import type {
  Answers,
  Command,
  Context,
  Driver,
  NodeEvent,
  Reading,
} from "../../../../clients/agent/drivers/driver.ts";
import { slurm as kind } from "../../../../clients/agent/drivers/slurm/slurm.ts";
import type { Slurm } from "../../../support/machines/slurm.ts";

export type Known = Extract<Reading, { known: true }>;

/** Less than a test may take. */
const patienceMilliseconds = 240_000;

/** The driver beside a real controller, as the agent runs it, without a service: events come from the test. */
export class DrivenSlurm {
  readonly #slurm: Slurm;
  readonly #driver: Driver;
  #memory: Context["memory"] = {};
  readonly #draining = new Map<string, number>();

  constructor(slurm: Slurm, section: object) {
    this.#slurm = slurm;
    const configured = kind.configure(section);
    if (!configured.ok) throw new Error(configured.problems.join("; "));
    this.#driver = configured.driver;
  }

  /** Reads, and corrects. */
  async pass(): Promise<Known> {
    const read = await this.read();
    for (const command of read.corrections) await this.#run(command);
    return read;
  }

  async read(): Promise<Known> {
    const read = this.#driver.interpret(await this.answers(), this.#context());
    if (!read.known) throw new Error(read.reason);
    this.#memory = read.memory;
    return read;
  }

  async answers(): Promise<Answers> {
    const all: Record<string, Answers[string]> = {};
    for (const step of this.#driver.reads(this.#context()))
      for (const read of step) if (read.kind === "command") all[read.name] = await this.#run(read);
    return all;
  }

  async send(kind: NodeEvent["kind"], nodes: NodeEvent["nodes"]): Promise<void> {
    for (const { hostname } of nodes) {
      if (kind === "drain") this.#draining.set(hostname.toLowerCase(), 0);
      else this.#draining.delete(hostname.toLowerCase());
    }
    const { commands, memory } = this.#driver.commandsFor({ kind, nodes }, this.#context());
    for (const command of commands) await this.#run(command);
    this.#memory = memory;
  }

  /** Makes passes until it is so. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    for (const giveUpAt = Date.now() + patienceMilliseconds; !(await isSo()); ) {
      if (Date.now() > giveUpAt) throw new Error(`It never was: ${isSo.toString()}`);
      await this.pass();
      await sleep(500);
    }
  }

  #context(): Context {
    return { nowSeconds: Date.now() / 1000, draining: this.#draining, memory: this.#memory };
  }

  async #run({ program, args, exitCodes = [] }: Command): Promise<Answers[string]> {
    try {
      return { text: await this.#slurm.run(program, ...args), exitCode: 0 };
    } catch (error) {
      const { code, stdout } = error as { code?: number; stdout?: string };
      if (code === undefined || !exitCodes.includes(code)) throw error;
      return { text: stdout ?? "", exitCode: code };
    }
  }
}
