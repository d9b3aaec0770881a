import { writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { WakeUp } from "../../../clients/agent/wake-up.ts";
import { ownFolder } from "../../support/own-folder.ts";

const never = new AbortController().signal;

test("a call during a pass is good for the next one, once", async () => {
  const wakeUp = new WakeUp(undefined);
  wakeUp.call();
  wakeUp.call();
  await wakeUp.next(never);
  const stopped = new AbortController();
  const waiting = wakeUp.next(stopped.signal);
  stopped.abort();
  await waiting;
  wakeUp.close();
});

test("a call that nobody waits for any more is not lost", async () => {
  const wakeUp = new WakeUp(undefined);
  await wakeUp.next(AbortSignal.abort());
  wakeUp.call();
  await wakeUp.next(AbortSignal.abort());
  await wakeUp.next(never);
  wakeUp.close();
});

test("a file that is touched calls, also one that was not there; its neighbours do not", async () => {
  const folder = ownFolder(onTestFinished);
  const file = folder("wake");
  const wakeUp = new WakeUp(file);
  const waiting = wakeUp.next(never);
  await writeFile(folder("neighbour"), "");
  await writeFile(file, "");
  await waiting;
  wakeUp.close();
});

test("a folder that is not there is said so", () => {
  expect(() => new WakeUp("/no/such/folder/wake")).toThrow(/wake file "\/no\/such\/folder\/wake"/);
});
