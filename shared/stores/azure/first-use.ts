import { RestError } from "@azure/core-rest-pipeline";

/**
 * A table or a container that may have to be made. It is made when a call reports that it is missing, and not before every first
 * call: the deployment has made it, and who may only use it has no right to make it.
 */
export class FirstUse {
  readonly #create: () => Promise<unknown>;
  #making: Promise<unknown> | undefined;

  constructor(create: () => Promise<unknown>) {
    this.#create = create;
  }

  /** Runs a call that needs it to be there; a second time, once it was made, where it was missing. */
  async use<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!isGone(error)) throw error;
      await this.#make();
      return run();
    }
  }

  /** Once for all calls that wait for it. */
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
