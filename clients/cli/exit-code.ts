/** What `ccscale` ends with. `failed`: something that was asked for could not be done. `usage`: it was asked the wrong way. */
export const exitCode = { fine: 0, failed: 1, usage: 2 } as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Something that the operator can mend. The message says what failed, `next` what to do about it. */
export class CommandFailure extends Error {
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.name = "CommandFailure";
    this.next = next;
  }
}

/** What was asked for is not there (any more). */
export class NotFound extends CommandFailure {}

/** The service understood, and will not do it; it did not say what to do instead. */
export class Refused extends CommandFailure {}
