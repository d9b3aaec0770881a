import { describe, expect, test } from "vitest";
import { problemSchema } from "../../../shared/api/index.ts";
import {
  ConfigurationError,
  ConflictError,
  InvariantError,
  StaleSnapshotError,
  UpstreamError,
} from "../../../shared/errors/errors.ts";
import { problemOf } from "../../../shared/service/index.ts";

describe("problemOf", () => {
  test.each([
    [new ConfigurationError("it", ["a: missing", "b: too small"]), 500, "configuration", undefined],
    [new UpstreamError("Cannot reach it", { retryable: true }), 503, "upstream", 5],
    [
      new UpstreamError("Busy", { retryable: true, status: 429, retryAfterSeconds: 30.2 }),
      503,
      "upstream",
      30.2,
    ],
    [new UpstreamError("Not allowed", { retryable: false, status: 403 }), 502, "upstream", undefined],
    [new ConflictError("demand"), 409, "conflict", undefined],
    [new StaleSnapshotError("hpc", { ageSeconds: 900, maxAgeSeconds: 300 }), 503, "stale-snapshot", 60],
    [new InvariantError("AccountKey=abc"), 500, "internal", undefined],
    [new TypeError("AccountKey=abc"), 500, "internal", undefined],
    ["a text", 500, "internal", undefined],
  ])("%s is a problem with status %i, %s", (error, status, kind, retryAfterSeconds) => {
    const problem = problemSchema.strict().parse(problemOf(error, "i-1"));
    expect(problem).toMatchObject({ status, type: `urn:cyclecloud-autoscale:problem:${kind}` });
    expect(problem.retryAfterSeconds).toBe(retryAfterSeconds);
    expect(problem.invocationId).toBe(kind === "internal" ? "i-1" : undefined);
    expect(JSON.stringify(problem)).not.toContain("AccountKey");
  });

  test("every problem of a configuration is named", () => {
    const { problems } = problemOf(new ConfigurationError("it", ["a: missing", "b: too small"]));
    expect(problems).toEqual(["a: missing", "b: too small"]);
  });
});
