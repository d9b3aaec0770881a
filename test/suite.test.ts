import { readFileSync } from "node:fs";
import { join } from "node:path";
import { globSync } from "tinyglobby";
import { describe, expect, test } from "vitest";
import { kindOf, reach, testFiles } from "./suite/kind.ts";
import { longestTimeout } from "./suite/longest-first.ts";

const root = join(import.meta.dirname, "..");

describe("projects of the suite", () => {
  test.each([
    ["unit", "a rule of the engine", "test/shared/engine/caps.test.ts"],
    ["unit", "the command line, of which one command could start a program", "test/clients/cli/plan.test.ts"],
    ["unit", "a server inside the test", "test/infra/local/cyclecloud/api.test.ts"],
    ["drawn", "the simulation", "test/sim/scenarios.test.ts"],
    [
      "drawn",
      "a property that takes many cases to break",
      "test/shared/engine/placement-money.drawn.test.ts",
    ],
    ["drawn", "fuzz tests of the service, on a world in memory", "test/fuzz/http.test.ts"],
    ["live", "real schedulers, started two imports away", "test/clients/agent/celery.test.ts"],
    ["live", "the whole local stack", "test/infra/local/environment.test.ts"],
    ["live", "Azurite beside the test", "test/shared/stores/azure.test.ts"],
    ["unit", "the HTTP API, on a world in memory", "test/functions/api/api.test.ts"],
    ["alone", "another module in the place of a library", "test/functions/guard.test.ts"],
    ["alone", "Node's own loading of modules changed", "test/infra/local/functions-host/http.test.ts"],
  ])("%s: %s", (kind, _, file) => {
    expect(testFiles()).toContain(file);
    expect(kindOf(file)).toBe(kind);
  });

  const sharing = testFiles().filter((file) => kindOf(file) !== "alone");
  /** What sets the environment there returns a function that restores it, and has a test of that. */
  const givesItsWayBack = "infra/local/functions-host/settings.ts";
  const textBehind = (file: string) =>
    [...reach(file)]
      .filter((each) => each !== givesItsWayBack)
      .map((each) => readFileSync(join(root, each), "utf8"))
      .join("\n");

  test("what files of a process share, none of them changes for good", () => {
    const changes =
      /\bprocess\.(chdir|umask)\(|\bglobalThis\.\w+ =|\bfc\.configureGlobal\(|\bprocess\.env(\.\w+|\[[^\]]+\])? (\?\?|\|\|)?=[^=]|\bdelete process\.env|\bObject\.\w+\(process\.env,/;
    const env = "process.env";
    for (const text of [`${env}.A = 1`, `${env}[name] ??= 1`, `delete ${env}.A`, `Object.assign(${env}, {})`])
      expect(changes.test(text)).toBe(true);
    for (const text of [`${env}.A === "1"`, `{ ...${env} }`]) expect(changes.test(text)).toBe(false);
    expect(sharing.filter((file) => changes.test(textBehind(file)))).toEqual([]);
  });

  test.each([
    ["vi.stubEnv(", "vi.unstubAllEnvs("],
    ["vi.stubGlobal(", "vi.unstubAllGlobals("],
    ["vi.spyOn(", "vi.restoreAllMocks("],
    ["vi.useFakeTimers(", "vi.useRealTimers("],
  ])("what such a file changes with %s it puts back with %s", (change, back) => {
    const breaches = sharing.filter((file) => {
      const text = textBehind(file);
      return text.includes(change) && !text.includes(back);
    });
    expect(breaches).toEqual([]);
  });

  const leastMs = 240_000;

  /** What a test gives itself, or what it waits for, in milliseconds. */
  function timesIn(text: string): readonly number[] {
    const given =
      /(?:^\s*\}, |\{ timeout: |^ *timeout: |(?:test|hook)Timeout: |patienceMs = )(\d[\d_]{3,})\b/gm;
    return [...text.matchAll(given)].map((match) => Number(match[1]?.replaceAll("_", "")));
  }

  test("a busy machine is no failure: no test gives up before five minutes, or a wait before four", () => {
    expect(timesIn('test("a", () => {\n}, 90_000);\npoll(f, { timeout: 10_000 })')).toEqual([90_000, 10_000]);
    const impatient = globSync(["test/**/*.ts"], { cwd: root })
      .filter((file) => file !== "test/suite.test.ts")
      .filter((file) => timesIn(readFileSync(join(root, file), "utf8")).some((time) => time < leastMs));
    expect(impatient).toEqual([]);
    const config = readFileSync(join(root, "vitest.config.ts"), "utf8");
    // The last one is that of unit tests, which start nothing and wait for nothing.
    expect(timesIn(config)).toEqual([300_000, 300_000, leastMs, 150_000]);
  });

  test("what is waited for has that time: the second of vi.waitFor is none", () => {
    const brief = globSync(["test/**/*.ts"], { cwd: root })
      .filter((file) => file !== "test/suite.test.ts")
      .filter((file) => /\bvi\.wait(For|Until)\(/.test(readFileSync(join(root, file), "utf8")));
    // It gives its own times.
    expect(brief).toEqual(["test/bench/fleet/fleet.test.ts"]);
  });

  test("the longest time that a file gives a test decides when the file begins", () => {
    const text = [
      'test("a", { timeout: 60_000 }, () => {});',
      'test("b", async () => {\n}, 240_000);',
      "const patienceMs = 180_000 * factor;",
      "expect(9_000_000);",
    ];
    expect(longestTimeout(text.join("\n"))).toBe(240_000);
    expect(longestTimeout("")).toBe(0);
  });
});
