import { exactDuration } from "../text/durations.ts";
/**
 * The five kinds of error that may cross a module border. Refusals (a job that fits nowhere, a message that
 * does not validate) are values, never exceptions; see `functions/support/settle.ts` for what each kind does to
 * the message that was being handled.
 */
export type ErrorKind = "configuration" | "upstream" | "conflict" | "stale-snapshot" | "invariant";

abstract class AutoscaleError extends Error {
  abstract readonly kind: ErrorKind;
}

/** The operator must change something. `problems` names everything that is wrong, all at once. */
export class ConfigurationError extends AutoscaleError {
  readonly kind = "configuration";
  readonly problems: readonly string[];

  constructor(subject: string, problems: readonly string[]) {
    super(`Cannot use ${subject}: ${problems.join("; ")}`);
    this.name = "ConfigurationError";
    this.problems = problems;
  }
}

/** A server that we called answered badly or not at all. */
export class UpstreamError extends AutoscaleError {
  readonly kind = "upstream";
  /** HTTP status, or undefined when no answer came (refused connection, time-out). */
  readonly status: number | undefined;
  /** False when the same call can never succeed (a 4xx other than 408 and 429). */
  readonly retryable: boolean;
  /** What the server asked for with Retry-After, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: { status?: number; retryable: boolean; retryAfterSeconds?: number; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "UpstreamError";
    this.status = options.status;
    this.retryable = options.retryable;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** CycleCloud refused the credentials (401). Never tried again: five failed logins in a minute lock the account. */
export class LoginRefusedError extends UpstreamError {
  constructor(message: string) {
    super(message, { status: 401, retryable: false });
    this.name = "LoginRefusedError";
  }
}

/** Somebody else wrote the record since we read it (a lost ETag race): load it again and redo the work. */
export class ConflictError extends AutoscaleError {
  readonly kind = "conflict";

  constructor(record: string, cause?: unknown) {
    super(`Cannot save ${record}: it changed since it was read`, cause === undefined ? undefined : { cause });
    this.name = "ConflictError";
  }
}

/** There is no snapshot, or it is too old to act on. "Cannot tell" never becomes "zero": no plan is made. */
export class StaleSnapshotError extends AutoscaleError {
  readonly kind = "stale-snapshot";

  constructor(cluster: string, reading: { ageSeconds: number | undefined; maxAgeSeconds: number }) {
    const { ageSeconds } = reading;
    const age =
      ageSeconds === undefined
        ? "never taken"
        : ageSeconds < 0
          ? `taken ${exactDuration(Math.round(-ageSeconds))} from now, by a clock that is ahead`
          : `${exactDuration(Math.ceil(ageSeconds))} old`;
    super(
      `Cannot plan cluster "${cluster}": snapshot ${age}, expected at most ${exactDuration(reading.maxAgeSeconds)}`,
    );
    this.name = "StaleSnapshotError";
  }
}

/** A bug in this program: something that the code holds to be impossible has happened. */
export class InvariantError extends AutoscaleError {
  readonly kind = "invariant";

  constructor(message: string) {
    super(message);
    this.name = "InvariantError";
  }
}

/** The kind of a thrown value; undefined for anything that is not one of ours (an SDK's error, a bug). */
export function kindOf(error: unknown): ErrorKind | undefined {
  return error instanceof AutoscaleError ? error.kind : undefined;
}

/** Whether a record could be written. False: somebody else wrote it since it was read. */
export async function isWritten(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (kindOf(error) === "conflict") return false;
    throw error;
  }
}

/** Reads a record and writes it anew while somebody else writes it in between. Throws the last conflict when that never ends. */
export async function untilWritten<T>(readAndWrite: () => Promise<T>, triesLeft = 20): Promise<T> {
  try {
    return await readAndWrite();
  } catch (error) {
    if (kindOf(error) !== "conflict" || triesLeft <= 1) throw error;
    return untilWritten(readAndWrite, triesLeft - 1);
  }
}

/** What a server answers; `otherwise` makes it of the words of one that answered badly or not at all. */
export async function answerOr<T, U>(
  ask: () => Promise<T>,
  otherwise: (message: string) => U,
): Promise<T | U> {
  try {
    return await ask();
  } catch (error) {
    if (kindOf(error) !== "upstream") throw error;
    return otherwise(messageOf(error));
  }
}

/** Whether Node.js or a library gave the error this code, such as ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** One line for a log or a record, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
