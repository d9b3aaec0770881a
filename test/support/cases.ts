/** The nightly workflow tries all (`TEST_CASES=all`), beside the real schedulers and in the browser too. */
export const isAll = process.env.TEST_CASES === "all";

/**
 * How many cases a property draws: an eighth of them every day, but thirty at least. Every day they are the same ones
 * (`test/suite/seed.ts`): more of them find no more than they found when the property was written.
 */
export function cases(all: number): { readonly numRuns: number } {
  return { numRuns: isAll ? all : Math.min(all, Math.max(30, Math.ceil(all / 8))) };
}

/** Every day every third of a list, for rules that each of many recordings is tried with. */
export function some<T>(all: readonly T[]): readonly T[] {
  return isAll ? all : all.filter((_, index) => index % 3 === 0);
}
