import { expect, test } from "vitest";
import { runSeed } from "./run.ts";
import { scenarioOf, scenarios } from "./scenarios/index.ts";

const seeds = 200;

/** A failing seed is run again, shrunk and traced by `npm run sim -- --seeds 1 --seed <seed>`. */
for (const [place, scenario] of scenarios.entries()) {
  const name = `the cycle, whatever fails: ${scenario.name} (${scenario.about})`;
  test(name, { timeout: 60_000 }, async () => {
    const broken: string[] = [];
    for (let seed = place || scenarios.length; seed <= seeds; seed += scenarios.length) {
      const { violations } = await runSeed({ scenario: scenarioOf(seed), seed });
      broken.push(...violations.map((violation) => `seed ${seed}: ${violation}`));
    }
    expect(broken).toEqual([]);
  });
}

test("the simulation: a seed run twice takes the same way, to the last moment", async () => {
  const once = await runSeed({ scenario: scenarioOf(5), seed: 5 });
  const twice = await runSeed({ scenario: scenarioOf(5), seed: 5 });
  expect(twice).toEqual(once);
});

test("the simulation: a run can be repeated from the list of its faults", async () => {
  const drawn = await runSeed({ scenario: scenarioOf(3), seed: 3 });
  const listed = await runSeed({ scenario: scenarioOf(3), seed: 3, faults: drawn.faults });
  expect(drawn.faults.length).toBeGreaterThan(0);
  expect(listed).toEqual(drawn);
});
