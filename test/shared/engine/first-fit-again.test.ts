import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlanInput } from "../../../shared/engine/index.ts";
import { fitsAgain } from "../../../shared/engine/place/first-fit-again.ts";
import { boughtIn, buys, type Run, run } from "../../../shared/engine/place/run.ts";
import { cases } from "../../support/cases.ts";
import { wholeWorlds } from "./priced-wholes.ts";
import { cluster, input, job, node } from "./tiny.ts";

const runOf = (world: PlanInput): Run => run({ ...world, overdueNodeIds: new Set() });

/** What the next plan does first, with what a run bought on order. */
function nextOf(world: PlanInput, made: Run): Run {
  const ordered = boughtIn(made.opened.ledger).map(({ name, bucket: { name: of } }) => {
    return { ...of, actionId: "planned", names: [name], count: 1 };
  });
  return runOf({ ...world, pending: [...world.pending, ...ordered] });
}

describe("fitsAgain", () => {
  test("whatever it says of a run, the next one buys nothing and places all", () => {
    let seen = 0;
    fc.assert(
      fc.property(wholeWorlds, (world) => {
        const settings = { ...world.settings, placement: { default: "reuse", byNodeArray: {} } } as const;
        const made = runOf({ ...world, settings });
        if (!buys(made.opened.ledger) || !fitsAgain(made)) return;
        seen++;
        const next = nextOf({ ...world, settings }, made);
        expect(buys(next.opened.ledger)).toBe(false);
        expect(next.queue.every(({ granted, asked }) => granted >= asked)).toBe(true);
      }),
      cases(2_000),
    );
    expect(seen).toBeGreaterThan(10);
  });

  const twoNodes = { nodeCount: 2, packingStrategy: "scatter" } as const;
  test.each<readonly [string, { readonly idle: string; readonly json: object; readonly isSaid: boolean }]>([
    ["jobs of several nodes that ask for amounts", { idle: "htc-1", json: { ncpus: 3 }, isSaid: true }],
    ["a new node comes before the others", { idle: "htc-3", json: { ncpus: 3 }, isSaid: false }],
    ["jobs name nodes", { idle: "htc-1", json: { "node.name": ["htc-1", "htc-2", "htc-3"] }, isSaid: false }],
    ["alternatives of amounts", { idle: "htc-1", json: { or: [{ ncpus: 3 }, { memgb: 8 }] }, isSaid: false }],
  ])("%s: %j", (_, { idle, json, isSaid }) => {
    const jobs = ["a", "b"].map((name) => job(name, json, twoNodes));
    const made = runOf(input({ jobs, cluster: cluster({ nodes: [node(idle)] }) }));
    expect(fitsAgain(made)).toBe(isSaid);
  });
});
