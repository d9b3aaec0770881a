import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { check } from "recheck";
import recheck from "recheck/package.json" with { type: "json" };
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Expression, findExpressions } from "./expressions.ts";
import { readers } from "./readers.ts";

/**
 * Expressions that may be slow on long texts, by place without the line, with the reason why nobody outside can give them one.
 * None so far: writing an expression so that it is fast has always been shorter than a good reason.
 */
const neverSeeOutsideText: Readonly<Record<string, string>> = {};

/** Slow on long texts, as ours have been: what looks for such has to find these. */
const slow = [/^[A-Za-z0-9+/\s]+={0,2}\s*$/, /eyJ[\w-]+\./g, /\b[\w-]+AzFu/g, /\/+$/, /\([^)]*\)/g, /#.*$/];

/** To its automaton this is linear, for each match is short; finding them all is not. */
const slowOnlyInAll = /\[[^\]]+\]|./g;

const { expressions, made } = findExpressions();
const isExcepted = ({ place }: Expression) => Object.hasOwn(neverSeeOutsideText, place.replace(/:\d+$/, ""));
const ours = expressions.filter((expression) => !isExcepted(expression));
/** Some are written in many places. */
const distinct = [...new Map(ours.map((each) => [`/${each.source}/${each.flags}`, each])).values()];

/** One digest a line, so that who adds an expression gets no conflict with somebody else who does. */
const safeFile = join(import.meta.dirname, "safe-expressions.txt");
const knownSafe = new Set(readFileSync(safeFile, "utf8").split("\n"));

/** Another version of what checks may know better. */
function digestOf({ source, flags }: Pick<Expression, "source" | "flags">): string {
  return createHash("sha256").update(`${recheck.version} /${source}/${flags}`).digest("hex").slice(0, 32);
}

/** No limit of time, and always the same chance: what is found must not depend on how busy the machine is. */
const steady = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  randomSeed: 0,
} as const;

// The program of this platform where there is one (a quarter of the time), else the same in JavaScript.
beforeAll(() => {
  vi.stubEnv("RECHECK_BACKEND", "auto");
  return () => vi.unstubAllEnvs();
});

describe("regular expressions of the product", () => {
  test("all are found, those of zod's formats too", () => {
    expect(expressions.length).toBeGreaterThan(100);
    const places = expressions.map(({ place }) => place.replace(/:\d+$/, ""));
    expect(places).toContain("functions/support/queue-message.ts");
    expect(
      expressions.some(
        ({ place, source }) => place.startsWith("shared/messages/") && source.includes("T(?:"),
      ),
    ).toBe(true);
  });

  test("none is made of texts at run time, where neither people nor this test can read it", () => {
    expect(made).toEqual([]);
  });

  test("every exception is one, and has its reason", () => {
    for (const [place, reason] of Object.entries(neverSeeOutsideText)) {
      expect(expressions.some((each) => each.place.startsWith(`${place}:`))).toBe(true);
      expect(reason.length).toBeGreaterThan(20);
    }
  });

  // One that nobody changed has the automaton that it had: `UPDATE_EXPRESSIONS=1` keeps those that were found to be safe. What is not kept is checked.
  test("none takes more than linear time, by its automaton", { timeout: 600_000 }, async () => {
    const found: string[] = [];
    const safe: string[] = [];
    for (const expression of distinct) {
      const { place, source, flags } = expression;
      const { status, ...rest } = knownSafe.has(digestOf(expression))
        ? { status: "safe" }
        : await check(source, flags, steady);
      if (status === "safe") {
        safe.push(digestOf(expression));
        continue;
      }
      found.push(`${place} /${source}/${flags}: ${"complexity" in rest ? rest.complexity?.summary : status}`);
    }
    expect(found).toEqual([]);
    if (process.env.UPDATE_EXPRESSIONS === "1") writeFileSync(safeFile, `${safe.sort().join("\n")}\n`);
  });

  test("none takes half a second for a long text", {
    timeout: 600_000,
  }, async () => {
    expect(await measure(distinct)).toEqual([]);
  });
});

test("nor does what reads texts from outside as a whole", { timeout: 600_000 }, async () => {
  const questions = Object.keys(readers).map((reader) => ({ place: reader, reader, source: "", flags: "" }));
  expect(await measure(questions)).toEqual([]);
});

describe("expressions that are slow", () => {
  test.each(slow)("%s: its automaton tells", async ({ source, flags }) => {
    expect((await check(source, flags, steady)).status).toBe("vulnerable");
  });

  test("a long text tells", { timeout: 600_000 }, async () => {
    // One that the automaton knows too, and one that only this finds: each takes seconds.
    const questions = [...slow.slice(-1), slowOnlyInAll].map(({ source, flags }) => ({
      place: "slow",
      source,
      flags,
    }));
    const found = await measure(questions);
    expect(found.map((each) => each.split(": ")[0])).toEqual(questions.map(named));
  });
});

interface Question extends Expression {
  /** One of what reads texts as a whole. */
  readonly reader?: string;
}

function named({ place, source, flags, reader }: Question): string {
  return reader ?? `${place} /${source}/${flags}`;
}

/** What grew too much. One that never ends is named by the test that times out. */
async function measure(questions: readonly Question[]): Promise<readonly string[]> {
  const process = spawn("node", [join(import.meta.dirname, "measure.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const found: string[] = [];
  try {
    const answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    for (const question of questions) {
      process.stdin.write(`${JSON.stringify(question)}\n`);
      const answer = await answers.next();
      if (answer.done === true) return [...found, `${named(question)}: the process ended`];
      const { slow } = JSON.parse(answer.value) as { slow: string | null };
      if (slow !== null) found.push(`${named(question)}: ${slow}`);
    }
    return found;
  } finally {
    process.kill();
  }
}
