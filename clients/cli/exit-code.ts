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
  /** Names for new nodes that are in use; none: it is refused for other reasons. */
  readonly takenNames: readonly string[];

  constructor(
    message: string,
    next: string,
    {
      problems = [],
      takenNames = [],
    }: { readonly problems?: readonly string[]; readonly takenNames?: readonly string[] } = {},
  ) {
    super(message, next);
    this.problems = problems;
    this.takenNames = takenNames;
  }
}

/** The caller is known, and may not do this. */
export class Forbidden extends CommandFailure {}
