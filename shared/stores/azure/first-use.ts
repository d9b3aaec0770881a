import { RestError } from "@azure/core-rest-pipeline";

/**
 * A table or container that is created when a call reports it missing, not before the first call: the deployment usually
 * created it, and an identity that may only use it has no right to create it.
 */
export class FirstUse {
  readonly #create: () => Promise<unknown>;
  #making: Promise<unknown> | undefined;

  constructor(create: () => Promise<unknown>) {
    this.#create = create;
  }

  /** Runs a call. If the table or container is missing, creates it and runs the call again. */
  async use<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#make();
      return run();
    }
  }

  /** Shared by all calls that wait for it. */
  async #make(): Promise<void> {
    this.#making ??= this.#create();
    try {
      await this.#making;
    } finally {
      this.#making = undefined;
    }
  }
}

/** The SDK of tables has the code of most errors in the message alone. */
function isGone(error: unknown): boolean {
  return (
    error instanceof RestError &&
    error.statusCode === 404 &&
    /\b(ContainerNotFound|TableNotFound)\b/.test(`${error.code} ${error.message}`)
  );
}
