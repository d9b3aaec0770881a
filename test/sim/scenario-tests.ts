import { expect, test } from "vitest";
import { runSeed } from "./run.ts";
import { scenarioOf, scenarios } from "./scenarios/index.ts";

/** Two for each scenario; `npm run sim -- --seeds 5000` tries more. */
const seeds = 60;

/** For a machine that is busy with something else: a test takes some seconds. */
const patienceMs = 300_000;

/**
 * A test for every scenario at these places, in two files that run at the same time. A failing seed is run again, shrunk and traced by
 * `npm run sim -- --seeds 1 --seed <seed>`.
 */
export function testScenarios(isOurs: (place: number) => boolean): void {
  for (const [place, scenario] of [...scenarios.entries()].filter(([place]) => isOurs(place))) {
    const name = `the cycle, whatever fails: ${scenario.name} (${scenario.about})`;
    test(name, { timeout: patienceMs }, async () => {
      const broken: string[] = [];
      for (let seed = place || scenarios.length; seed <= seeds; seed += scenarios.length) {
        const { violations } = await runSeed({ scenario: scenarioOf(seed), seed });
        broken.push(...violations.map((violation) => `seed ${seed}: ${violation}`));
      }
      expect(broken).toEqual([]);
    });
  }
}
