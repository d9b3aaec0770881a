/**
 * How many cases a property draws: a quarter of them every day, all in the nightly workflow (`TEST_CASES=all`). Every day they are the same
 * ones (`test/suite/seed.ts`): more of them find no more than they found when the property was written.
 */
export function cases(all: number): { readonly numRuns: number } {
  return { numRuns: process.env.TEST_CASES === "all" ? all : Math.ceil(all / 4) };
}
