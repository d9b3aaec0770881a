import { LoginGate } from "../../shared/cyclecloud/login-gate.ts";
import type { Timeline } from "./timeline.ts";

/** One machine of the function app. Its clock may be wrong. */
export interface Machine {
  readonly name: string;
  clockOffsetSeconds: number;
  /** What its process knows of logins: nothing any more after it went down. */
  logins: LoginGate;
}

/** One invocation of a function. A dead one never goes on: nothing of it runs again, not even a `finally`. */
export interface Run {
  readonly name: string;
  readonly machine: Machine;
  readonly startedAtSeconds: number;
  isDead: boolean;
  isOver: boolean;
  /** What its calls returned last, by `port.method`. */
  readonly saw: Map<string, unknown>;
}

export interface Outcome {
  readonly error?: unknown;
}

/** A new one each time: one for all would hold on to everything that ever waited for it. */
function never(): Promise<never> {
  return new Promise(() => {});
}

/** The machines that run functions, and everything that runs on them. */
export class Fleet {
  readonly machines: readonly Machine[];
  readonly #timeline: Timeline;
  readonly #running = new Set<Run>();
  #turn = 0;

  constructor(timeline: Timeline, count: number) {
    this.#timeline = timeline;
    this.machines = Array.from({ length: count }, (_, index) => ({
      name: `m${index + 1}`,
      clockOffsetSeconds: 0,
      logins: this.#newLogins(),
    }));
  }

  get running(): number {
    return this.#running.size;
  }

  /** `onEnd` is not called for a run that dies: whoever gave it work notices that by the clock, or not at all. */
  start(
    name: string,
    work: (run: Run) => Promise<unknown>,
    onEnd: (outcome: Outcome) => void,
    machine: Machine = this.#nextMachine(),
  ): Run {
    const run: Run = {
      name,
      machine,
      startedAtSeconds: this.#timeline.nowSeconds,
      isDead: false,
      isOver: false,
      saw: new Map(),
    };
    this.#running.add(run);
    const end = (outcome: Outcome) => {
      this.#running.delete(run);
      run.isOver = true;
      if (!run.isDead) onEnd(outcome);
    };
    work(run).then(
      () => end({}),
      (error: unknown) => end({ error }),
    );
    return run;
  }

  /** The machine goes down with all that it runs, and is up again at once. */
  kill(machine: Machine): Promise<never> {
    for (const run of this.#running) {
      if (run.machine !== machine) continue;
      run.isDead = true;
      this.#running.delete(run);
    }
    machine.logins = this.#newLogins();
    return never();
  }

  /** Lets time pass for a run; one that has died meanwhile never comes back. */
  async wait(run: Run, seconds: number): Promise<void> {
    await this.#timeline.wait(seconds);
    if (run.isDead) await never();
  }

  #newLogins(): LoginGate {
    return new LoginGate({ nowSeconds: () => this.#timeline.nowSeconds });
  }

  #nextMachine(): Machine {
    this.#turn += 1;
    const machine = this.machines[this.#turn % this.machines.length];
    if (machine === undefined) throw new RangeError("Cannot start a run: 0 machines, expected at least 1");
    return machine;
  }
}
