import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFaults } from "../../../../infra/local/cyclecloud/faults.ts";
import { createLogin } from "../../../../infra/local/cyclecloud/simulator-server.ts";
import { freeNames } from "../../../../shared/simulated-cyclecloud/create-nodes.ts";
import { createAddresses } from "../../../../shared/simulated-cyclecloud/population.ts";
import { createRandom } from "../../../../shared/simulated-cyclecloud/seeded-random.ts";
import {
  createManualClock,
  createPacedClock,
} from "../../../../shared/simulated-cyclecloud/simulated-clock.ts";
import { hostnameOf } from "../../../../shared/simulated-cyclecloud/simulated-node.ts";

describe("freeNames", () => {
  const taken = new Set(["htc-1", "htc-3", "x7y"]);
  test.each([
    ["fills the gaps", { format: "htc-%d", offset: 1, count: 3 }, ["htc-2", "htc-4", "htc-5"]],
    ["starts at the offset", { format: "htc-%d", offset: 3, count: 2 }, ["htc-4", "htc-5"]],
    ["takes any format", { format: "x%dy", offset: 6, count: 2 }, ["x6y", "x8y"]],
    ["gives nothing for nothing", { format: "htc-%d", offset: 1, count: 0 }, []],
  ])("freeNames: %s", (_name, request, expected) => {
    expect(freeNames({ ...request, isTaken: (name) => taken.has(name) })).toEqual(expected);
  });
});

describe("addresses", () => {
  test("createAddresses: the lowest free address comes next, and every cluster has its own subnet", () => {
    const addresses = createAddresses(2);
    const [first = "", second] = [addresses.take(), addresses.take()];
    addresses.giveBack(first);
    expect([first, second, addresses.take(), addresses.take()]).toEqual([
      "10.2.0.4",
      "10.2.0.5",
      "10.2.0.4",
      "10.2.0.6",
    ]);
  });

  test("hostnameOf: is the address in upper-case hexadecimal", () => {
    expect(hostnameOf("10.2.0.172")).toBe("ip-0A0200AC");
  });
});

describe("createRandom", () => {
  const duration = { minSeconds: 60, medianSeconds: 120, maxSeconds: 300 };
  test("createRandom: draws stay between the bounds, half of them below the median", () => {
    const random = createRandom(5);
    const draws = Array.from({ length: 4000 }, () => random.seconds(duration));
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...draws)).toBeLessThanOrEqual(300);
    const below = draws.filter((seconds) => seconds < 120).length;
    expect(below).toBeGreaterThan(1850);
    expect(below).toBeLessThan(2150);
  });

  test("createRandom: one seed draws the same, another one something else; ids are version 4 UUIDs", () => {
    const draws = [3, 3, 4].map((seed) => createRandom(seed).uuid());
    expect(draws[0]).toBe(draws[1]);
    expect(new Set(draws).size).toBe(2);
    expect(draws[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("untilNext: a rate of 0 never comes, a rate of 6 an hour every ten minutes on average", () => {
    const random = createRandom(1);
    expect(random.untilNext(0)).toBe(Infinity);
    const sum = Array.from({ length: 4000 }, () => random.untilNext(6)).reduce((a, b) => a + b);
    expect(sum / 4000).toBeCloseTo(600, -2);
  });
});

describe("clocks", () => {
  test("createManualClock: stands still until it is moved, and never goes back", () => {
    const clock = createManualClock(100);
    clock.advance(2.5);
    expect(clock.nowSeconds()).toBe(102.5);
    expect(() => clock.advance(-1)).toThrow("expected 0s or more");
  });

  test("createPacedClock: a change of speed does not make time jump", () => {
    const clock = createPacedClock(1);
    const began = performance.now();
    const before = clock.nowSeconds();
    clock.setSpeed(0.001);
    const moved = clock.nowSeconds() - before;
    // Not more than has passed in between, at the faster of both speeds.
    expect(moved).toBeLessThanOrEqual((performance.now() - began) / 1000);
    expect(() => clock.setSpeed(0)).toThrow("expected more than 0");
  });
});

describe("createLogin", () => {
  test("createLogin: the fifth failure within a minute locks the account for five minutes", () => {
    const clock = createManualClock();
    const login = createLogin({ username: "u", password: "p" }, clock);
    for (let n = 0; n < 5; n += 1) expect(login.allows("u", "wrong")).toBe(false);
    expect(login.allows("u", "p")).toBe(false);
    clock.advance(299);
    expect(login.allows("u", "p")).toBe(false);
    clock.advance(1);
    expect(login.allows("u", "p")).toBe(true);
  });

  test("createLogin: slow failures and failures of others do not lock it", () => {
    const clock = createManualClock();
    const login = createLogin({ username: "u", password: "p" }, clock);
    for (let n = 0; n < 20; n += 1) {
      login.allows("u", "wrong");
      login.allows("somebody", "p");
      clock.advance(15);
    }
    expect(login.allows("u", "p")).toBe(true);
  });
});

describe("createFaults", () => {
  test("createFaults: hits what matches, oldest first, as often as told", () => {
    const faults = createFaults();
    faults.add({ kind: "truncated", method: "GET", path: "/status", times: 2 });
    faults.add({ kind: "status", status: 503, times: 1, acts: false });
    const hits = [
      faults.take("GET", "/a/status"),
      faults.take("POST", "/a/status"),
      faults.take("GET", "/a/status?x"),
    ];
    expect(hits.map((fault) => fault?.kind)).toEqual(["truncated", "status", "truncated"]);
    expect(faults.take("GET", "/a/status")).toBeUndefined();
  });

  test("createFaults: never hits more often than the sum of all times", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }), (counts) => {
        const faults = createFaults();
        for (const times of counts) faults.add({ kind: "truncated", times });
        let hits = 0;
        while (faults.take("GET", "/") !== undefined) hits += 1;
        expect(hits).toBe(counts.reduce((a, b) => a + b, 0));
      }),
    );
  });
});
