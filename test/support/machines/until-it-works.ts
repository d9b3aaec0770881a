import { setTimeout as sleep } from "node:timers/promises";

/** Less than a test may take. A daemon on a machine that is busy with something else takes minutes. */
const patienceMs = 240_000;

/** Tries again and again. Throws the last error when it has not worked after a long while. */
export async function untilItWorks(attempt: () => Promise<unknown>): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
    }
    await sleep(300);
  }
}
