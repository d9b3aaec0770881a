import { messageOf } from "../../shared/errors.ts";
import type { Answer, Context, Driver, Read, Reading } from "./drivers/driver.ts";

/** How single reads are done: commands are run, backlogs are asked for. */
export type Reader = (read: Read) => Promise<Answer>;

/**
 * One reading of the scheduler, step after step. Whatever fails makes all of it unknown: half a reading would look like
 * less demand.
 */
export async function collect(driver: Driver, context: Context, read: Reader): Promise<Reading> {
  const answers: Record<string, Answer> = {};
  try {
    for (const step of driver.reads(context)) {
      const texts = await Promise.all(step.map(async (each) => [each.name, await read(each)] as const));
      Object.assign(answers, Object.fromEntries(texts));
    }
  } catch (error) {
    return { known: false, reason: messageOf(error) };
  }
  try {
    return driver.interpret(answers, context);
  } catch (error) {
    // A mistake of the driver, which says nothing about the scheduler; the agent goes on with its other duties.
    return { known: false, reason: `the driver broke off: ${messageOf(error)}` };
  }
}
