import { hasCode } from "../errors/errors.ts";

/** Whether a process of this machine runs, whoever started it. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of somebody else, and alive.
    return hasCode(error, "EPERM");
  }
}
