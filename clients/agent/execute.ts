import { execFile } from "node:child_process";
import { exactDuration } from "../../shared/text/durations.ts";
import type { Answer, Command } from "./drivers/driver.ts";

const largestOutputBytes = 512 * 1024 * 1024;
const shownCharacters = 300;
/** The most characters of the command in an error; its own error output follows. */
const shownOfCommand = 120;

/**
 * Runs a program without a shell and waits for its end; it is killed when it takes too long. Throws an Error with the end
 * of what it complained about when it cannot be started, is killed, prints too much, or ends with a code that is a failure.
 */
export function execute(command: Command, timeoutSeconds: number): Promise<Answer> {
  const { program, args, exitCodes = [] } = command;
  const options = {
    timeout: timeoutSeconds * 1000,
    killSignal: "SIGKILL",
    maxBuffer: largestOutputBytes,
    windowsHide: true,
    encoding: "buffer",
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(printed(stdout, 0));
      if (typeof error.code === "number" && exitCodes.includes(error.code)) {
        return resolve(printed(stdout, error.code));
      }
      const why =
        error.killed === true ? `no end within ${exactDuration(timeoutSeconds)}` : `ended with ${error.code}`;
      const words = stderr.toString().trim().slice(-shownCharacters);
      const line = [program, ...args].join(" ");
      const shown = line.length <= shownOfCommand ? line : `${line.slice(0, shownOfCommand)}…`;
      reject(new Error(`Cannot run "${shown}": ${why}${words === "" ? "" : `: ${words}`}`));
    });
    child.stdin?.end();
  });
}

/** The text is made when somebody asks for it. */
function printed(bytes: Buffer<ArrayBuffer>, exitCode: number): Answer {
  let text: string | undefined;
  return {
    bytes,
    exitCode,
    get text() {
      text ??= bytes.toString("utf8");
      return text;
    },
  };
}
