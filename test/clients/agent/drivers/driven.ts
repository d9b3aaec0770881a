import { setTimeout as sleep } from "node:timers/promises";
import type {
  Answer,
  Command,
  Context,
  Driver,
  DriverKind,
  NodeEvent,
  Reading,
} from "../../../../clients/agent/drivers/driver.ts";
import { collect } from "../../../../clients/agent/pass.ts";
import { shortHostname } from "../../../../shared/engine/index.ts";

export type Known = Extract<Reading, { known: true }>;

/** So long without any progress is a fault on any machine. */
const standstillMilliseconds = 240_000;

/** Runs a program of the scheduler's where it runs. Throws an error with its exit code and what it printed when it fails. */
export type RunProgram = (program: string, ...args: readonly string[]) => Promise<string>;

/** A driver beside a real scheduler, as the agent runs it, without a service: events come from the test. */
export class Driven {
  readonly #driver: Driver;
  readonly #runProgram: RunProgram;
  #memory: Context["memory"] = {};
  readonly #draining = new Map<string, number>();
  readonly #undrained = new Set<string>();

  constructor(kind: DriverKind, section: object, runProgram: RunProgram) {
    const configured = kind.configure({ ...section });
    if (!configured.ok) throw new Error(configured.problems.join("; "));
    this.#driver = configured.driver;
    this.#runProgram = runProgram;
  }

  /** Reads, and corrects. */
  async pass(): Promise<Known> {
    const read = await this.read();
    for (const { guards = [], ...correction } of read.corrections)
      for (const command of [...guards, correction]) await this.#run(command);
    return read;
  }

  /** Throws when the scheduler cannot be read. */
  async read(): Promise<Known> {
    const reading = await this.look();
    if (!reading.known) throw new Error(reading.reason);
    return reading;
  }

  /** A reading, known or not. */
  async look(): Promise<Reading> {
    const reading = await collect(
      this.#driver,
      () => this.#context(),
      (read) => {
        if (read.kind !== "command") throw new Error(`Cannot read "${read.name}": expected a command`);
        return this.#run(read);
      },
    );
    if (reading.known) this.#memory = reading.memory;
    return reading;
  }

  /** What its reads print, by their names. */
  async answers(): Promise<Readonly<Record<string, Answer>>> {
    const all: Record<string, Answer> = {};
    for (const step of this.#driver.reads(this.#context()))
      for (const read of step) if (read.kind === "command") all[read.name] = await this.#run(read);
    return all;
  }

  async send(kind: NodeEvent["kind"], nodes: NodeEvent["nodes"]): Promise<void> {
    for (const { hostname } of nodes) {
      const host = shortHostname(hostname);
      if (kind === "drain") this.#draining.set(host, 0);
      else this.#draining.delete(host);
      if (kind === "undrain") this.#undrained.add(host);
      else this.#undrained.delete(host);
    }
    const { commands, memory } = this.#driver.commandsFor({ kind, nodes }, this.#context());
    for (const command of commands) await this.#run(command);
    this.#memory = memory;
  }

  /** Makes passes until it is so; an error when nothing changes any more. Returns the last reading. */
  async until(isSo: (reading: Known) => boolean | Promise<boolean>): Promise<Known> {
    let before = "";
    let movedAt = Date.now();
    for (;;) {
      const reading = await this.pass();
      if (await isSo(reading)) return reading;
      const seen = JSON.stringify([reading.nodes, reading.jobs]);
      if (seen !== before) movedAt = Date.now();
      before = seen;
      if (Date.now() - movedAt > standstillMilliseconds)
        throw new Error(`It never was: ${isSo.toString()}\n${seen}`);
      await sleep(500);
    }
  }

  #context(): Context {
    return {
      nowSeconds: Date.now() / 1000,
      draining: this.#draining,
      undrained: this.#undrained,
      memory: this.#memory,
    };
  }

  async #run({ program, args, exitCodes = [] }: Command): Promise<Answer> {
    try {
      return { text: await this.#runProgram(program, ...args), exitCode: 0 };
    } catch (error) {
      const { code, stdout } = error as { code?: number; stdout?: string };
      if (code === undefined || !exitCodes.includes(code)) throw error;
      return { text: stdout ?? "", exitCode: code };
    }
  }
}
