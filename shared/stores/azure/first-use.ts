import { RestError } from "@azure/core-rest-pipeline";

/**
 * Something that is made at its first use, once in the life of a process: a table or a container. A failure is not
 * remembered, because the rights of a fresh deployment can take minutes to arrive; and when it turns out to be gone
 * (a local Azurite that was started anew) it is made again.
 */
export class FirstUse {
  readonly #create: () => Promise<unknown>;
  #created: Promise<unknown> | undefined;

  constructor(create: () => Promise<unknown>) {
    this.#create = create;
  }

  /** Runs a call that needs it to be there. */
  async use<T>(run: () => Promise<T>): Promise<T> {
    await this.#ready();
    try {
      return await run();
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#created = undefined;
      await this.#ready();
      return run();
    }
  }

  async #ready(): Promise<void> {
    this.#created ??= this.#create();
    try {
      await this.#created;
    } catch (error) {
      this.#created = undefined;
      throw error;
    }
  }
}

function isGone(error: unknown): boolean {
  return error instanceof RestError && /^(ContainerNotFound|TableNotFound)$/.test(error.code ?? "");
}
