import { expect, test } from "vitest";
import { runSeed } from "./run.ts";
import { scenarioOf, scenarios } from "./scenarios/index.ts";

/**
 * A seed for each scenario; `npm run sim -- --seeds 5000` tries more. A failing one is run again, shrunk and traced by
 * `npm run sim -- --seeds 1 --seed <seed>`.
 */
test.each(scenarios.map(({ name, about }, place) => ({ name, about, seed: place || scenarios.length })))(
  "the cycle, whatever fails: $name ($about)",
  async ({ seed }) => {
    const { violations } = await runSeed({ scenario: scenarioOf(seed), seed });
    expect(violations, `seed ${seed}`).toEqual([]);
  },
);
