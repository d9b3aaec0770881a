import { spawn } from "node:child_process";
import { exactDuration } from "../../shared/text/durations.ts";
import type { Answer, Command, Sink } from "./drivers/driver.ts";

const largestOutputBytes = 512 * 1024 * 1024;
/** Slurm quotes the line of a file that it cannot read, which may be of several hundred characters. */
const shownCharacters = 1000;
/** The most characters of the command in an error; its own error output follows. */
const shownOfCommand = 120;

/**
 * Runs a program without a shell and waits for its end; it is killed when it takes too long. Throws an Error with the end
 * of what it complained about when it cannot be started, is killed, prints too much, or ends with a code that is a failure.
 * What it prints goes into `sink`, if there is one.
 */
export function execute(
  command: Command & { readonly sink?: Sink },
  timeoutSeconds: number,
): Promise<Answer> {
  const { program, args, exitCodes = [], sink } = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    let why: string | undefined;
    const kill = (reason: string) => {
      why ??= reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(
      () => kill(`no end within ${exactDuration(timeoutSeconds)}`),
      timeoutSeconds * 1000,
    );
    const kept = new Kept();
    const out = sink ?? kept;
    out.begin();
    child.stdout.on("data", (part: Buffer<ArrayBuffer>) => {
      if (kept.length + part.length > largestOutputBytes)
        return kill(`more than ${largestOutputBytes} bytes of output`);
      out.take(part);
      // Its memory is free at once: hundreds of megabytes come before they would be collected.
      if (sink !== undefined && part.length === part.buffer.byteLength) part.buffer.transfer(0);
    });
    let words = "";
    child.stderr.on("data", (part: Buffer) => {
      words = `${words}${part}`.slice(-2 * shownCharacters);
    });
    const fail = (reason: string) => {
      const said = endOf(words.trim());
      const line = [program, ...args].join(" ");
      const shown = line.length <= shownOfCommand ? line : `${line.slice(0, shownOfCommand)}…`;
      reject(new Error(`Cannot run "${shown}": ${reason}${said === "" ? "" : `: ${said}`}`));
    };
    child.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(why ?? `ended with ${error.code}`);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (why === undefined && code !== null && (code === 0 || exitCodes.includes(code)))
        resolve({ text: kept.text(), exitCode: code });
      else fail(why ?? `ended with ${code ?? signal}`);
    });
  });
}

/** Whole lines, where there are any. */
function endOf(words: string): string {
  if (words.length <= shownCharacters) return words;
  const end = words.slice(-shownCharacters);
  return end.slice(end.indexOf("\n") + 1);
}

/** All that was printed. */
class Kept implements Sink {
  readonly #parts: Uint8Array[] = [];
  length = 0;

  begin(): void {}

  take(part: Uint8Array): void {
    this.#parts.push(part);
    this.length += part.length;
  }

  text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }
}
