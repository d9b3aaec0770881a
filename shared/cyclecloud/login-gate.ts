import { LoginRefusedError } from "../errors/errors.ts";
import type { Clock } from "../ports/index.ts";

/** The server's answer to a login. */
interface Answer {
  /** Undefined: the login was accepted. */
  readonly refusal: LoginRefusedError | undefined;
  readonly atSeconds: number;
}

/** How long an answer stands for the login. Long enough to store a refusal where all processes see it. */
const standsSeconds = 5;

/**
 * Keeps the calls of a process from failing all at once when a password changes: five failed logins in a minute lock the
 * account. When no recent answer stands, one call goes first and the others with the same login wait for its answer. A
 * refusal fails them too, without calls of their own; any other answer releases them all.
 */
export class LoginGate {
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer>();
  /** Calls that wait for the answer to a first one: they get its refusal, or undefined. */
  readonly #asking = new Map<string, Promise<LoginRefusedError | undefined>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `login` is the server with user name and password, and is never shown. Throws the error of `call`, or the earlier refusal. */
  async pass<T>(login: string, call: () => Promise<T>): Promise<T> {
    const standing = this.#standing(login);
    const asking = this.#asking.get(login);
    if (standing === undefined && asking === undefined) return this.#askAlone(login, call);
    const refusal = standing === undefined ? await asking : standing.refusal;
    if (refusal !== undefined) throw refusal;
    return this.#ask(login, call);
  }

  #askAlone<T>(login: string, call: () => Promise<T>): Promise<T> {
    const asked = this.#ask(login, call);
    const refusal = asked.then(
      () => undefined,
      (error: unknown) => (error instanceof LoginRefusedError ? error : undefined),
    );
    this.#asking.set(
      login,
      refusal.finally(() => this.#asking.delete(login)),
    );
    return asked;
  }

  async #ask<T>(login: string, call: () => Promise<T>): Promise<T> {
    try {
      const value = await call();
      this.#note(login, undefined);
      return value;
    } catch (error) {
      if (error instanceof LoginRefusedError) this.#note(login, error);
      throw error;
    }
  }

  #note(login: string, refusal: LoginRefusedError | undefined): void {
    // A call that began before the refusal may end after it.
    if (refusal === undefined && this.#standing(login)?.refusal !== undefined) return;
    this.#answers.set(login, { refusal, atSeconds: this.#clock.nowSeconds() });
  }

  #standing(login: string): Answer | undefined {
    const answer = this.#answers.get(login);
    if (answer === undefined) return undefined;
    const age = this.#clock.nowSeconds() - answer.atSeconds;
    return age >= 0 && age < standsSeconds ? answer : undefined;
  }
}
