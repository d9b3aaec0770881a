import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pbs } from "../../../../clients/agent/drivers/pbs/pbs.ts";
import { boughtFor, pbsJobKinds, settingsOf } from "./pbs-job-kinds.ts";

/** What a real OpenPBS printed of one job of each kind; `pbs-kinds-live.test.ts` records it and checks it against what PBS uses. */
test(`${pbsJobKinds.length} kinds of jobs get the nodes that PBS used`, () => {
  const configured = pbs.configure(settingsOf(pbsJobKinds));
  if (!configured.ok) throw new Error(configured.problems.join("; "));
  const context = { nowSeconds: 1_800_000_000, draining: new Map(), memory: {} };
  const answers = Object.fromEntries(
    configured.driver
      .reads(context)
      .flat()
      .map(({ name }) => {
        const text = readFileSync(join(import.meta.dirname, "fixtures/pbs-kinds", `${name}.txt`), "utf8");
        return [name, { text, exitCode: name === "nodes" ? 1 : 0 }];
      }),
  );
  const reading = configured.driver.interpret(answers, context);
  if (!reading.known) throw new Error(reading.reason);
  const bought = boughtFor(pbsJobKinds, reading);
  const outcome = pbsJobKinds.map(({ options, queue }, index) => [
    options,
    queue.join(),
    bought[index]?.length,
  ]);
  expect(outcome).toEqual(pbsJobKinds.map(({ options, queue, nodes }) => [options, queue.join(), nodes]));
});
