import { describe, expect, test } from "vitest";
import { duration, exactDuration, parseDuration } from "../../../shared/text/durations.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

describe("duration: the two largest units", () => {
  test.each([
    [-5, "0s"],
    [0, "0s"],
    [0.4, "0s"],
    [45, "45s"],
    [59.6, "1m"],
    [minute, "1m"],
    [250, "4m10s"],
    [hour - 1, "59m59s"],
    [hour, "1h"],
    [hour + 30, "1h"],
    [2 * hour + 5 * minute, "2h5m"],
    [day - 1, "23h59m"],
    [day, "1d"],
    [3 * day + 4 * hour + 50 * minute, "3d4h"],
    [400 * day, "400d"],
  ])("%s s is %s", (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe("exactDuration: all units, for what somebody set", () => {
  test.each([
    [-1, "0s"],
    [0, "0s"],
    [0.5, "0.5s"],
    [90, "1m30s"],
    [300, "5m"],
    [3_700, "1h1m40s"],
    [day + 1, "1d1s"],
    [60.25, "1m0.25s"],
  ])("%s s is %s", (seconds, text) => {
    expect(exactDuration(seconds)).toBe(text);
  });

  test("what it writes is read as the same", () => {
    for (let seconds = 1; seconds < 10 * day; seconds += 7_919)
      expect(parseDuration(exactDuration(seconds))).toBe(seconds);
  });
});

describe("parseDuration", () => {
  test.each([
    ["90s", 90],
    ["1h30m", 5_400],
    ["1.5h", 5_400],
    ["3d4h", 3 * day + 4 * hour],
    [" 2w ", 14 * day],
    ["1m0.25s", 60.25],
  ])("%j is %s s", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  test.each([
    "",
    "90",
    "-5m",
    "5 m",
    "1m 30s",
    "30m1h",
    "5m5m",
    "1h30",
    "m",
    "1M",
    "1e3s",
    "0:01:30",
    ".5h",
    "1.h",
    "1..5h",
    "hm",
    "1h 2m",
  ])("%j is none", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("a plain number counts as seconds where that is said", () => {
    expect(parseDuration("90", { isPlain: true })).toBe(90);
    expect(parseDuration("0.5", { isPlain: true })).toBe(0.5);
    expect(parseDuration("-1", { isPlain: true })).toBeUndefined();
  });
});
