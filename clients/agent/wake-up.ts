import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { ConfigurationError, messageOf } from "../../shared/errors/errors.ts";

/** Calls for a pass at once: a SIGHUP, or a file that was touched. A call during a pass is good for the next one. */
export class WakeUp {
  #isCalled = false;
  #tell: (() => void) | undefined;
  readonly #close: (() => void)[] = [];

  /** Throws ConfigurationError when the file's folder cannot be watched. */
  constructor(file: string | undefined) {
    const call = () => this.call();
    process.on("SIGHUP", call);
    this.#close.push(() => process.off("SIGHUP", call));
    if (file === undefined) return;
    try {
      // The folder, because the file need not exist yet, and `touch` may make it anew.
      const watcher = watch(dirname(file), (_, name) => {
        if (name === basename(file)) call();
      });
      watcher.on("error", () => watcher.close());
      this.#close.push(() => watcher.close());
    } catch (error) {
      throw new ConfigurationError(`wake file "${file}"`, [messageOf(error)]);
    }
  }

  call(): void {
    this.#isCalled = true;
    this.#tell?.();
  }

  /** Resolves at the next call, at once if there was one, or when the signal says that nobody waits. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    this.#tell = undefined;
    // Who was no longer waiting has not heard it.
    if (!signal.aborted) this.#isCalled = false;
  }

  close(): void {
    for (const close of this.#close) close();
  }
}
