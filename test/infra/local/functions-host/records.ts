import type { LogEntry } from "../../../../infra/local/functions-host/logger.ts";

/** Collects what a host logs and waits for lines, so that no test sleeps for a guessed time. */
export class Records {
  readonly entries: LogEntry[] = [];
  #wake: (() => void)[] = [];

  readonly logger = (entry: LogEntry): void => {
    this.entries.push(entry);
    for (const wake of this.#wake.splice(0)) wake();
  };

  /** Messages that the code of a function logged. */
  userLines(functionName: string): string[] {
    return this.entries
      .filter((entry) => entry.category === `Function.${functionName}.User`)
      .map(({ message }) => message);
  }

  /** Outcomes of a function, as logged: "succeeded" or "failed". */
  outcomes(functionName: string): string[] {
    return this.entries
      .filter(
        ({ category, message }) =>
          category === `Function.${functionName}` && /^(succeeded|failed) in/.test(message),
      )
      .map(({ message }) => message.split(" ")[0] ?? "");
  }

  /** Waits until something has been logged. Throws an Error with all lines when it does not come for a long while. */
  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + 240_000;
    while (!condition()) {
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`Nothing came, the log was:\n${this.entries.map(formatEntry).join("\n")}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake.push(resolve);
      const timer = setTimeout(resolve, Math.min(left, 50));
      await promise;
      clearTimeout(timer);
    }
  }
}

function formatEntry({ level, category, message }: LogEntry): string {
  return `${level} ${category} ${message}`;
}
