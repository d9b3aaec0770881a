import { describe, expect, test } from "vitest";
import type { HostedFunction } from "../../../../infra/local/functions-host/hosted-function.ts";
import type { Invoke } from "../../../../infra/local/functions-host/invoke.ts";
import { parseSchedule } from "../../../../infra/local/functions-host/timer-schedule.ts";
import { startTimerTrigger } from "../../../../infra/local/functions-host/timer-trigger.ts";
import { settled, VirtualClock } from "./virtual-clock.ts";

interface World {
  readonly clock: VirtualClock;
  /** The time of day of each run. */
  readonly runs: string[];
  /** Makes the following runs wait until released. */
  hold: Promise<void> | undefined;
  failures: number;
}

function newWorld(start = "2026-01-01T10:00:30Z"): World {
  const clock = new VirtualClock(start);
  return { clock, runs: [], hold: undefined, failures: 0 };
}

async function startTimer(world: World, options: Readonly<Record<string, unknown>>) {
  const { clock } = world;
  const trigger = { type: "timerTrigger", schedule: "0 * * * * *", ...options };
  const metadata = { name: "tick", bindings: { timer: trigger } };
  const callback = () => undefined;
  const target: HostedFunction = {
    name: "tick",
    triggerType: "timertrigger",
    bindingName: "timer",
    trigger,
    metadata,
    callback,
  };
  const invoke: Invoke = async ({ name }, input) => {
    world.runs.push(new Date(clock.now()).toISOString().slice(11, 19));
    await world.hold;
    const common = { functionName: name, invocationId: "i", reason: input.reason, durationMs: 0 };
    if (world.failures === 0) return { ...common, status: "succeeded", response: { invocationId: "i" } };
    world.failures -= 1;
    return { ...common, status: "failed", error: new Error("on purpose") };
  };
  const timer = startTimerTrigger({ target, invoke, clock, log: () => undefined });
  await settled();
  return timer;
}

describe("schedule", () => {
  test.each([
    ["0 */5 * * * *", "2026-01-01T10:00:00Z", "2026-01-01T10:05:00Z"],
    ["*/10 * * * * *", "2026-01-01T10:00:09.500Z", "2026-01-01T10:00:10Z"],
    ["30 2 * * *", "2026-01-01T10:00:00Z", "2026-01-02T02:30:00Z"],
    ["0 0 9 * * MON-FRI", "2026-01-02T10:00:00Z", "2026-01-05T09:00:00Z"],
    // Day of month and day of week must both match in NCRONTAB.
    ["0 0 9 13 * FRI", "2026-01-01T00:00:00Z", "2026-02-13T09:00:00Z"],
    ["0 5/20 * * * *", "2026-01-01T10:06:00Z", "2026-01-01T10:25:00Z"],
  ])("%s after %s comes at %s", (schedule, after, next) => {
    expect(parseSchedule(schedule).next(Date.parse(after))).toBe(Date.parse(next));
  });

  test.each(["", "every minute", "00:00:20", "0 61 * * * *", "* * * *"])("%j is refused", (schedule) => {
    expect(() => parseSchedule(schedule)).toThrow(schedule);
  });

  test("a date that never comes is refused at start", async () => {
    await expect(startTimer(newWorld(), { schedule: "0 0 0 30 2 *" })).rejects.toThrow("never comes");
  });
});

describe("timer", () => {
  test("runs at every occurrence until it is stopped", async () => {
    const world = newWorld();
    const timer = await startTimer(world, {});
    await world.clock.moveTo("2026-01-01T10:02:10Z");
    await timer.stop();
    await world.clock.moveTo("2026-01-01T10:09:00Z");
    expect(world.runs).toEqual(["10:01:00", "10:02:00"]);
  });

  test("a run that takes longer than the interval is not overlapped; the occurrences meanwhile are skipped", async () => {
    const world = newWorld();
    const { promise, resolve } = Promise.withResolvers<void>();
    await startTimer(world, {});
    world.hold = promise;
    await world.clock.moveTo("2026-01-01T10:03:20Z");
    expect(world.runs).toEqual(["10:01:00"]);
    resolve();
    await world.clock.moveTo("2026-01-01T10:05:30Z");
    expect(world.runs).toEqual(["10:01:00", "10:04:00", "10:05:00"]);
  });

  test("a failed occurrence is not run again", async () => {
    const world = newWorld();
    world.failures = 1;
    await startTimer(world, {});
    await world.clock.moveTo("2026-01-01T10:01:50Z");
    expect(world.runs).toEqual(["10:01:00"]);
  });
});
