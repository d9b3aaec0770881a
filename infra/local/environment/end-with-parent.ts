/**
 * Preloaded into every process of the local environment (`node --import`): ends it when the process that started it is
 * gone, however it went. Standard input is a pipe from the parent, which the system closes when the parent ends.
 */
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

/** For those that do not stop when they are asked to. */
const patienceMs = 5_000;

const { stdin } = process;
if (isMainThread && stdin instanceof Socket) {
  stdin.once("close", () => {
    setTimeout(() => process.exit(1), patienceMs).unref();
    process.kill(process.pid, "SIGTERM");
  });
  stdin.resume();
  // A program that has nothing left to do ends as it would without this.
  stdin.unref();
}
