import { describe, expect, test } from "vitest";
import {
  describeError,
  filterLog,
  type LogLevels,
  logOncePer,
} from "../../../../infra/local/functions-host/logger.ts";
import type { LogLevel } from "../../../../infra/local/functions-host/rpc.ts";

describe("log levels", () => {
  const levels: LogLevels = {
    default: "warning",
    Function: "information",
    "Function.a.User": "debug",
    Host: "none",
  };
  test.each<[string, LogLevel, boolean]>([
    ["Worker", "information", false],
    ["Worker", "warning", true],
    ["Function.a", "information", true],
    ["Function.a", "debug", false],
    ["Function.a.User", "debug", true],
    ["Function.ab.User", "debug", false],
    ["Host.Startup", "critical", false],
  ])("%s at %s: %s", (category, level, passes) => {
    const seen: string[] = [];
    filterLog(({ message }) => void seen.push(message), levels)({ category, level, message: "m" });
    expect(seen.length === 1).toBe(passes);
  });

  test("without any level, information and above pass", () => {
    const seen: string[] = [];
    const log = filterLog(({ level }) => void seen.push(level), {});
    for (const level of ["debug", "information"] as const) log({ category: "Worker", level, message: "m" });
    expect(seen).toEqual(["information"]);
  });
});

test("the same message is logged once per interval", () => {
  let now = 0;
  const seen: string[] = [];
  const log = logOncePer(
    10,
    () => now,
    (message) => void seen.push(`${message}${now}`),
  );
  for (const [time, message] of [
    [0, "a"],
    [5, "a"],
    [5, "b"],
    [10, "a"],
  ] as const) {
    now = time;
    log(message);
  }
  expect(seen).toEqual(["a0", "b5", "a10"]);
});

test.each([
  ["an error", new Error("one"), "one"],
  ["a cause", new Error("one", { cause: new Error("two") }), "one (cause: two)"],
  [
    "a cause that the message quotes, told once,",
    new Error("Cannot load: two", { cause: new Error("two") }),
    "Cannot load: two",
  ],
  [
    "errors without a message of their own",
    new AggregateError([new Error("a"), new Error("a"), "b"]),
    "a; b",
  ],
  ["an error without a message", new RangeError(), "RangeError"],
  ["something else", 5, "5"],
])("%s is described", (_name, error, text) => {
  expect(describeError(error)).toBe(text);
});
