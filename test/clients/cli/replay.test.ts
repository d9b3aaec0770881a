import { expect, test } from "vitest";
import { ccscale, jsonLines } from "./in-process.ts";
import { line, step } from "./scenarios.ts";

const job = { name: "job", constraints: [{ ncpus: 1 }] };

async function replayed(config: object, steps: readonly object[]): Promise<unknown> {
  const { stdout } = await ccscale(["replay", "--json-lines"], [line({ name: "sequence", config, steps })]);
  return jsonLines(stdout)[0];
}

test("replay: a node idles from the last step that matched it", async () => {
  const steps = [
    step(1000, { status: "Ready", jobs: [job] }),
    step(1300, { status: "Ready", jobs: [] }),
    step(1301, { status: "Ready", jobs: [] }),
  ];
  expect(await replayed({ idle_timeout: 300 }, steps)).toEqual({
    name: "sequence",
    steps: [
      { matchedNodes: ["htc-1"], idleTimedOut: [], bootTimedOut: [] },
      { matchedNodes: [], idleTimedOut: [], bootTimedOut: [] },
      { matchedNodes: [], idleTimedOut: ["htc-1"], bootTimedOut: [] },
    ],
  });
});

test("replay: a node that never becomes Ready times out from the step that saw it first", async () => {
  const steps = [1000, 1600, 1601].map((now) => step(now, { status: "Preparing", jobs: [] }));
  expect(await replayed({ boot_timeout: 600 }, steps)).toMatchObject({
    steps: [{ bootTimedOut: [] }, { bootTimedOut: [] }, { bootTimedOut: ["htc-1"] }],
  });
});

test("replay: a bad step spoils its sequence, and says where", async () => {
  const steps = [step(1000, { status: "Ready", jobs: [] }), { now: "soon" }];
  expect(await replayed({}, steps)).toEqual({
    name: "sequence",
    error: expect.stringContaining('steps[1].now: "soon"'),
  });
});
