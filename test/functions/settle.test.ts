import { describe, expect, test } from "vitest";
import { type Settlement, settled, settlementOf, type Trigger } from "../../functions/support/settle.ts";
import {
  ConfigurationError,
  ConflictError,
  InvariantError,
  StaleSnapshotError,
  UpstreamError,
} from "../../shared/errors/errors.ts";
import type { Log } from "../../shared/ports/index.ts";

const errors = {
  configuration: new ConfigurationError("settings", ["a: missing"]),
  upstream: new UpstreamError("Cannot reach it", { retryable: true }),
  "upstream that will not change": new UpstreamError("Not found", { status: 404, retryable: false }),
  conflict: new ConflictError("demand"),
  "stale snapshot": new StaleSnapshotError("hpc", { ageSeconds: 900, maxAgeSeconds: 300 }),
  invariant: new InvariantError("impossible"),
  unknown: new TypeError("a bug"),
};

describe("settlementOf", () => {
  test.each<[keyof typeof errors, Trigger, Settlement]>([
    ["configuration", "timer", "complete"],
    ["configuration", "storage-queue", "retry"],
    ["configuration", "service-bus", "complete"],
    ["upstream", "timer", "complete"],
    ["upstream", "storage-queue", "retry"],
    ["upstream", "service-bus", "retry"],
    ["upstream that will not change", "service-bus", "retry"],
    ["conflict", "service-bus", "retry"],
    ["conflict", "storage-queue", "retry"],
    ["stale snapshot", "service-bus", "complete"],
    ["invariant", "service-bus", "retry"],
    ["invariant", "timer", "retry"],
    ["unknown", "storage-queue", "retry"],
    ["configuration", "event-grid", "complete"],
    ["upstream", "event-grid", "retry"],
    ["upstream that will not change", "event-grid", "complete"],
    ["unknown", "event-grid", "retry"],
  ])("%s in a %s run: %s", (error, trigger, expected) => {
    expect(settlementOf(errors[error], trigger)).toBe(expected);
  });
});

describe("settled", () => {
  const lines: string[] = [];
  const line =
    (level: string): Log["info"] =>
    (event, fields) =>
      lines.push(`${level} ${event} ${fields?.cluster} ${fields?.kind}`);
  const log: Log = { info: line("info"), warn: line("warn"), error: line("error") };
  const run = { trigger: "service-bus", log, about: { cluster: "hpc" } } as const;

  test("gives what the work gives", async () => {
    expect(await settled(run, async () => 7)).toBe(7);
  });

  test("a failure that is done with is logged and swallowed", async () => {
    expect(await settled(run, () => Promise.reject(errors["stale snapshot"]))).toBeUndefined();
    expect(lines).toEqual(["warn settled hpc stale-snapshot"]);
  });

  test("a failure that is worth another try goes to the host", async () => {
    await expect(settled(run, () => Promise.reject(errors.conflict))).rejects.toBe(errors.conflict);
  });
});
