import * as fc from "fast-check";
import { cases } from "../support/cases.ts";

/**
 * Before every file of drawn cases: one seed, so that a commit passes or fails the same way wherever it is tested, and a
 * change is not refused for a case that its author could not have met. `TEST_SEED=random` looks for new cases, `TEST_SEED=7`
 * draws those of another seed. A property that says no number of cases draws a hundred in the nightly workflow.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...cases(100) });

const asked = process.env.TEST_SEED ?? "1";

if (asked !== "random") {
  const seed = Number(asked);
  if (!Number.isInteger(seed))
    throw new RangeError(`TEST_SEED is "${asked}", expected a whole number or "random"`);
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
