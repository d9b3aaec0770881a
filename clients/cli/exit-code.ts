/** The exit codes of `ccscale`. `failed`: something could not be done, or was refused. `usage`: the command line is wrong. */
export const exitCode = { fine: 0, failed: 1, usage: 2 } as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** A failure that the operator can fix. The message names it; `next` is what to do. */
export class CommandFailure extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.name = "CommandFailure";
    this.next = next;
  }
}

/** What the command names does not exist (any more). */
export class NotFound extends CommandFailure {}

/** The service refused, and named no next step. */
export class Refused extends CommandFailure {
  /** Why, one by one. */
  readonly problems: readonly string[];

  constructor(message: string, next: string, problems: readonly string[] = []) {
    super(message, next);
    this.problems = problems;
  }
}

/** The caller is known, and may not do this. */
export class Forbidden extends CommandFailure {}
