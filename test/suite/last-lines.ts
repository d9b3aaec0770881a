import { relative } from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from "vitest/node";

/** What a terminal shows without scrolling. */
const mostLines = 38;
const mostColumns = 180;
const detailed = 3;
const linesOfDifference = 7;
/** Twice the time-out of a unit test, which would have fired before in everything but a loop. */
const mostSilentMs = 300_000;
const lookEveryMs = 5_000;

/**
 * After everything else that a failing run prints: which tests failed, and what the simplest of them expected and got. A wrong comparison
 * in the planner fails dozens of tests with thousands of lines; the one to look at is the one with the smallest difference.
 */
export default class LastLines implements Reporter {
  readonly #seenAtMs = new Map<TestModule, number>();

  /** A loop without end never lets the time-out of its test fire: the only sign is that its file reports nothing. */
  onInit({ config }: Vitest): void {
    // Somebody stands at a breakpoint.
    if (config.testTimeout === 0) return;
    setInterval(() => {
      const stalled = [...this.#seenAtMs].find(([, seenAtMs]) => Date.now() - seenAtMs > mostSilentMs)?.[0];
      if (stalled === undefined) return;
      for (const line of lastLines([stallOf(stalled)])) console.log(line);
      process.exit(1);
    }, lookEveryMs).unref();
  }

  onTestModuleStart(module: TestModule): void {
    if (module.project.name === "unit") this.#seenAtMs.set(module, Date.now());
  }

  onTestCaseResult({ module }: TestCase): void {
    this.onTestModuleStart(module);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#seenAtMs.delete(module);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const failures = [
      ...unhandled.map((error) => ({ name: "outside of any test", error })),
      ...modules.flatMap(failuresOf),
    ];
    const second = modules.flatMap(secondTries);
    if (second.length > 0) console.log(`Passed only at the second try:\n${second.join("\n")}`);
    if (failures.length > 0) for (const line of lastLines(failures)) console.log(line);
  }
}

function secondTries(module: TestModule): readonly string[] {
  return [...module.children.allTests("passed")]
    .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
    .map((test) => `  ${nameOf(test)}`);
}

function nameOf(test: TestCase): string {
  return `${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`;
}

interface Failure {
  /** File, then the names of its groups and of the test. */
  readonly name: string;
  readonly error: Pick<SerializedError, "message" | "cause"> & { readonly diff?: string };
}

function failuresOf(module: TestModule): readonly Failure[] {
  const file = relative(process.cwd(), module.moduleId);
  // A file that cannot be loaded has no tests.
  const broken = module.errors().map((error) => ({ name: file, error }));
  const failed = [...module.children.allTests("failed")].flatMap((test: TestCase) => {
    const [error] = test.result().errors ?? [];
    return error === undefined ? [] : [{ name: nameOf(test), error }];
  });
  return [...broken, ...failed];
}

function stallOf(module: TestModule): Failure {
  const [test] = [...module.children.allTests("pending")];
  return {
    name: `${relative(process.cwd(), module.moduleId)} > ${test === undefined ? "" : `${test.fullName}, or `}a later test`,
    error: {
      message: `nothing reported for ${mostSilentMs / 1_000} s, expected an end: a loop without one?`,
    },
  };
}

/** At most a screen full of lines, the simplest failure first. */
export function lastLines(failures: readonly Failure[]): readonly string[] {
  const described = failures
    .map(({ name, error }) => ({ name, lines: describe(error), size: sizeOf(error) }))
    .sort((a, b) => a.size - b.size);
  const shown = described
    .slice(0, detailed)
    .flatMap(({ name, lines }) => ["", `FAILED ${name}`, ...lines.map((line) => `  ${line}`)]);
  const others = described.slice(detailed).map(({ name }) => `FAILED ${name}`);
  const room = mostLines - shown.length;
  const named = others.length > room ? others.slice(0, room - 1) : others;
  const left = others.length - named.length;
  return ["", ...shown, "", ...named, ...(left > 0 ? [`and ${left} more, above`] : [])]
    .slice(1)
    .map((line) => (line.length > mostColumns ? `${line.slice(0, mostColumns - 1)}…` : line));
}

/** A property's error names the case; what was expected stands in its cause. */
function describe(error: Failure["error"]): readonly string[] {
  const cause = causeOf(error);
  const [first = ""] = textLines(error.message);
  if (cause === undefined) return [first, ...changesOf(error.diff)];
  const counterexample = textLines(error.message).filter((line) => /^(\{ seed:|Counterexample:)/.test(line));
  return [first, ...counterexample, ...textLines(cause.message).slice(0, 1), ...changesOf(cause.diff)];
}

function causeOf({ cause }: Failure["error"]): Failure["error"] | undefined {
  return typeof cause === "object" && cause !== null && "message" in cause
    ? (cause as Failure["error"])
    : undefined;
}

function textLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** The first lines that differ: "-" was expected, "+" came. */
function changesOf(diff: string | undefined): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal.
  const lines = (diff ?? "").replaceAll(/\u001b\[\d+m/g, "").split("\n");
  const changes = lines.filter((line) => /^[-+] (?!Expected|Received)/.test(line));
  const all = changes.slice(0, linesOfDifference);
  return changes.length > all.length ? [...all, `(${changes.length - all.length} more lines differ)`] : all;
}

function sizeOf(error: Failure["error"]): number {
  const own = error.message.length + (error.diff?.length ?? 0);
  const cause = causeOf(error);
  return cause === undefined ? own : own + sizeOf(cause);
}
